/* The context of a command: the engine, the terminal, and the phrases of the command line. */

import {
  type Activity,
  type Actor,
  type Call,
  type ClockPort,
  systemClock,
  userName,
} from '../../call/context.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Speech } from '../options/layered-options.ts';
import { doorWords } from '../remedies/remedy-text.ts';
import { answerOn } from '../terminal/questions.ts';
import { type SaidNote, saidNote, showEventsOn } from '../terminal/show-events.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The context of every command: the engine, how it is called, and the terminal. */
export interface App {
  readonly engine: Engine;
  readonly call: Call;
  /** Aborted when the program is asked to stop. */
  readonly interrupted: AbortSignal;
  readonly settings: Settings;
  readonly clock: ClockPort;
  readonly speech: Speech;
  readonly terminal: Terminal;
  /** The possible actions, in the form of commands to type. */
  readonly words: Phrasebook;
}

/**
 * Calls the engine for a person at a terminal: progress is shown there, and questions are asked there.
 * @param notes gets the notes of the calls, for `--json`
 */
export function appOn(
  terminal: Terminal,
  others: Pick<App, 'engine' | 'speech' | 'interrupted'> & {
    readonly activity: Activity;
    readonly notes?: SaidNote[];
  },
): App {
  const { engine, speech, interrupted, activity, notes } = others;
  const actor: Actor = { name: userName(), door: 'command line' };
  const { settings } = engine;
  const words = doorWords({ settings });
  const show = showEventsOn(terminal, words);
  const call: Call = {
    words,
    actor,
    activity,
    signal: interrupted,
    wantsDetails: speech.verbose,
    report: (event) => {
      show(event);
      if (event.kind === 'note') notes?.push(saidNote(event.note));
    },
    confirm: answerOn(terminal),
  };
  return { engine, call, interrupted, speech, terminal, words, settings, clock: systemClock };
}
