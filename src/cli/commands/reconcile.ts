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
  build: (program) =>
    program
      .positional('batch', batchArgument)
      .positional('export', {
        ...{ type: 'string', array: true, defaultDescription: 'none' },
        description: 'More export files, behind the first of --against',
      })
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
    requireSuitingOptions(parsed);
    return has(parsed, 'left') || has(parsed, 'right')
      ? reconcileTwoFiles(app, parsed)
      : reconcileNamed(app, parsed);
  },
};

/** How a batch is compared, and nothing without an export. */
const comparing = ['covers-from', 'covers-to', 'grace-days', 'tolerance', 'tolerance-days'];

/** What makes no sense beside two files that are compared without a ledger. */
const aboutBatch = ['batch', 'export', 'against', 'source', 'source-mapping', 'replay'];

function has(parsed: Arguments, name: string): boolean {
  const value = parsed[name];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** An option that would do nothing is a mistake, and whoever made it would wait for what it does. */
function requireSuitingOptions(parsed: Arguments): void {
  const isAboutFiles = has(parsed, 'left') || has(parsed, 'right');
  const stray = aboutBatch.find((name) => has(parsed, name));
  if (isAboutFiles && stray !== undefined) {
    const shown = stray === 'batch' || stray === 'export' ? textsIn(parsed, stray) : `--${stray}`;
    throw usage(`--left and --right compare two files without a ledger; ${shown} does not go with them.`);
  }
  if (isAboutFiles || has(parsed, 'against')) return;
  if (has(parsed, 'export')) throw usage(`${textsIn(parsed, 'export')}: exports are named with --against.`);
  const idle = comparing.find((name) => has(parsed, name));
  if (idle !== undefined) throw usage(`--${idle} says how to compare with an export; there is no --against.`);
}

function textsIn(parsed: Arguments, name: string): string {
  return textOf(parsed, name) ?? textsOf(parsed, name).join(', ');
}

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
    return reconcileBatch(app, access, batch, parsed, () => replay(app, access, target, batch));
  });
}

async function reconcileAsItStands(app: App, parsed: Arguments, named: string): Promise<CommandEnd> {
  const access = await openLedger(app.settings, app.environment);
  try {
    const batch = await findNamedBatch(access.verbs, named);
    return await reconcileBatch(app, access, batch, parsed, null);
  } finally {
    await access.close();
  }
}
