import type { App } from '../app.ts';
import { type Arguments, batchArgument, type Command, textOf, textsOf } from '../command.ts';
import { findNamedBatch } from '../find-batch.ts';
import { openLedger } from '../ledger-access.ts';
import { requireOutFolder } from '../out-folder.ts';
import type { CommandEnd } from '../outcome.ts';
import { reconcileBatch } from '../reconciling/batch.ts';
import { replay } from '../reconciling/replay.ts';
import { reconcileTwoFiles } from '../reconciling/two-files.ts';
import { usage } from '../reconciling/usage.ts';
import { withApiAndLedger } from '../sending.ts';

const list = { type: 'string', array: true, requiresArg: true } as const;

export const reconcileCommand: Command = {
  words: 'reconcile [batch]',
  description: 'Account for every row; compare with exports of the other side, or two files with each other',
  build: (program) =>
    program
      .positional('batch', batchArgument)
      .option('against', { ...list, description: "The other side's export files: CSV or workbooks" })
      .option('left', { ...list, description: 'Compare two files without a ledger: ours' })
      .option('right', { ...list, description: 'Compare two files without a ledger: theirs' })
      .option('covers-from', {
        type: 'string',
        description: 'First UTC day of which the export holds everything',
      })
      .option('covers-to', { type: 'string', description: 'Last UTC day of which it does' })
      .option('grace-days', {
        type: 'string',
        description: 'So many last covered days may be incomplete (0)',
      })
      .option('tolerance', { ...list, description: 'How far amounts may differ: 0.01 or 0.5% (0)' })
      .option('tolerance-days', { type: 'string', description: 'How many days dates may differ (0)' })
      .option('source', { type: 'string', description: 'The imported file, when it is not in this folder' })
      .option('source-mapping', { type: 'string', description: 'The mapping that it was imported with' })
      .option('replay', { type: 'boolean', description: 'Send unknown rows again under their own keys' }),
  work: (app, parsed) => {
    requireOutFolder(app.settings);
    return textsOf(parsed, 'left').length > 0 || textsOf(parsed, 'right').length > 0
      ? reconcileTwoFiles(app, parsed)
      : reconcileNamed(app, parsed);
  },
};

function reconcileNamed(app: App, parsed: Arguments): Promise<CommandEnd> {
  const named = textOf(parsed, 'batch');
  if (named === undefined) throw usage('Which batch? Or give --left and --right.');
  return parsed['replay'] === true
    ? reconcileAfterReplay(app, parsed, named)
    : reconcileAsItStands(app, parsed, named);
}

function reconcileAfterReplay(app: App, parsed: Arguments, named: string): Promise<CommandEnd> {
  return withApiAndLedger(app, async (target, access) => {
    const batch = await findNamedBatch(access.verbs, named);
    const replayed = await replay(app, access, target, batch);
    return reconcileBatch(app, access, batch, parsed, replayed);
  });
}

async function reconcileAsItStands(app: App, parsed: Arguments, named: string): Promise<CommandEnd> {
  const access = await openLedger(app.settings, app.environment);
  try {
    return await reconcileBatch(app, access, await findNamedBatch(access.verbs, named), parsed, []);
  } finally {
    await access.close();
  }
}
