import type { CallContext } from '../../engine/running/context.ts';
import type { Speech } from '../options/settings.ts';
import { answerOn } from '../terminal/questions.ts';
import { showEventsOn } from '../terminal/show-events.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What every command works with: what its use case needs, and the terminal. */
export interface App extends CallContext {
  readonly speech: Speech;
  readonly terminal: Terminal;
}

/** Shows on a terminal what a use case reports, and asks there what it asks. */
export function appOn(terminal: Terminal, others: Omit<App, 'terminal' | 'report' | 'ask'>): App {
  return { ...others, terminal, report: showEventsOn(terminal), ask: answerOn(terminal) };
}
