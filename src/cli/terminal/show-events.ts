import type { CallEvent, Step } from '../../engine/running/events.ts';
import { printable } from '../../output/words/wording.ts';
import { findingsSummary } from '../views/findings-summary.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import type { Terminal } from './terminal.ts';

/** Rows and records are on their way for a moment only there, from a file to the database and on. */
const transientSteps: ReadonlySet<Step> = new Set<Step>(['planning', 'sending', 'comparing']);

/** Shows a person what happens on the way. */
export function showEventsOn(terminal: Terminal): (event: CallEvent) => void {
  const { progress } = terminal;
  return (event) => {
    switch (event.kind) {
      case 'step.started':
        if (transientSteps.has(event.step)) boundHeapGrowth();
        if (event.step === 'comparing') break;
        progress.start({
          ...{ label: printable(event.label), total: event.rows, done: event.done ?? 0 },
          isTold: event.step === 'sending',
        });
        break;
      case 'step.advanced':
        progress.advance(event);
        break;
      case 'api.paused':
        progress.pause(event.waitInMs);
        break;
      case 'step.ended':
        progress.stop();
        break;
      case 'note': {
        const advice = event.advice === undefined ? '' : `\n  ${printable(event.advice)}`;
        terminal.say(`${printable(event.text)}${advice}`);
        break;
      }
      case 'detail':
        terminal.detail(event.text, event.fields);
        break;
      case 'file.checked':
        terminal.print(`${findingsSummary(event.checked, terminal.useColour)}\n`);
        break;
    }
  };
}
