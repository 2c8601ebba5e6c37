/* The command `halt`: stops everything, lifts that, or says how it stands. */

import { minuteOf, printable } from '../../account/words/wording.ts';
import { countOf } from '../../domain/money/money.ts';
import type { HaltResult } from '../../engine/halt.ts';
import type { Command } from '../command/command.ts';
import { textOf } from '../command/command.ts';
import { haltDocument } from '../json/halt.ts';

export const haltCommand: Command = {
  work: async (app, parsed) => {
    const request = { note: textOf(parsed, 'note'), isLifted: parsed['lift'] === true };
    const result = await app.engine.halt(request, app.call).result;
    app.terminal.print(haltLines(result).join('\n'));
    return { ...result, document: haltDocument(result) };
  },
};

/** How it stands, a line for each fact. */
export function haltLines({ halt, did, liftedBy, inDoubt }: HaltResult): readonly string[] {
  if (halt === null) return [did === 'lifted' ? 'Lifted: runs send again.' : 'Nothing is halted.'];
  const held =
    inDoubt === null
      ? []
      : [
          `${countOf(inDoubt.rows, 'row')} in doubt ${inDoubt.rows === 1 ? 'is' : 'are'} held if it lasts: the first from ${minuteOf(inDoubt.firstHeldAt)} on, all from ${minuteOf(inDoubt.lastHeldAt)} UTC on.`,
        ];
  return [
    `Everything is halted since ${halt.at}, by ${printable(halt.by)}: ${printable(halt.note)}`,
    ...(did === 'halted'
      ? ['No run begins another request. What is in flight is finished and recorded.']
      : []),
    ...held,
    ...(liftedBy === null
      ? []
      : [
          `Version ${liftedBy} of the policy lifts it. It waits for approvals: paybatch policy approve ${liftedBy}`,
        ]),
  ];
}
