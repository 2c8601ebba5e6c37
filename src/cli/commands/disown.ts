/* The command `disown`: takes back what was created live with a sandbox key. */

import { countOf } from '../../domain/money/money.ts';
import type { Command } from '../command/command.ts';
import { textOf } from '../command/command.ts';
import { disownDocument } from '../json/disown.ts';
import { printBatches } from '../print-result.ts';
import { disowningLines } from '../views/disowning.ts';

export const disownCommand: Command = {
  work: async (app, parsed) => {
    const request = { key: textOf(parsed, 'fingerprint') ?? '', note: textOf(parsed, 'note') ?? '' };
    const result = await app.engine.disown(request, app.call).result;
    printBatches(app, result);
    app.terminal.print(disowningLines(result.taken).join('\n'));
    const rows = result.taken.batches.reduce((sum, { created, existing }) => sum + created + existing, 0);
    app.terminal.print(
      `Taken back: ${countOf(rows, 'row')}. The key is refused in live mode from now on. Nothing was sent.`,
    );
    return { ...result, document: disownDocument(result, app.words) };
  },
};
