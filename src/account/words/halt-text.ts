/* A stop of everything, in sentences that the terminal, the checks and the console share. */

import type { Halt, HaltInForce } from '../../domain/controls/controls.ts';
import type { Remedy } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { withoutStop } from '../../domain/settings/message.ts';
import { minuteOf } from './wording.ts';

/** Since when everything is halted, by whom and why: `... has been halted since 2026-11-20 10:03 UTC, by ama: wrong file`. */
export function haltedSince({ at, by, note }: Halt): string {
  return `Everything has been halted since ${minuteOf(at)} UTC, by ${by}: ${note}`;
}

/** Since when and why everything is halted, by whom, and which rows in doubt it costs. The note is as it was given. */
export function haltSentences({ halt, inDoubt }: Pick<HaltInForce, 'halt' | 'inDoubt'>): readonly string[] {
  const said = haltedSince(halt);
  return inDoubt === null
    ? [said]
    : [
        said,
        `${countOf(inDoubt.rows, 'row')} in doubt ${inDoubt.rows === 1 ? 'is' : 'are'} held if it lasts: the first from ${minuteOf(inDoubt.firstHeldAt)} on, all from ${minuteOf(inDoubt.lastHeldAt)} UTC on.`,
      ];
}

/** The same as one text. */
export function haltText(inForce: Pick<HaltInForce, 'halt' | 'inDoubt'>): string {
  return haltSentences(inForce)
    .map((said) => `${withoutStop(said)}.`)
    .join(' ');
}

/** What lifts it. */
export function haltRemedy({ liftedBy }: Pick<HaltInForce, 'liftedBy'>): Remedy {
  return { action: 'lift_halt', policy: liftedBy };
}
