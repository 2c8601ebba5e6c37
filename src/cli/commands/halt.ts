/* The command `halt`: stops everything, lifts that, or says how it stands. */

import { haltSentences } from '../../account/words/halt-text.ts';
import { printable } from '../../account/words/wording.ts';
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
  const [said = '', ...held] = haltSentences({ halt, inDoubt }).map(printable);
  return [
    said,
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
