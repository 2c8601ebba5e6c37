import { exitCodes } from '../../domain/exit-code.ts';
import { inScratch, openScratchDatabase } from '../../ledger/scratch.ts';
import { jsonSummary } from '../../output/json-summary.ts';
import { comparisonSummary } from '../../output/reconcile-comparison.ts';
import { fileLines } from '../../output/reconcile-summary.ts';
import type { ExportSide } from '../../reconcile/export-files.ts';
import type { App } from '../app.ts';
import type { Arguments } from '../command.ts';
import type { CommandEnd } from '../outcome.ts';
import { type ComparedWith, compareTwoSides, type GivenRules, givenRules } from './comparison.ts';
import { withLeftAndRight } from './exports.ts';
import { breakLinesOf } from './report.ts';

/**
 * Compares the files of `--left` with those of `--right`, without a ledger.
 * @throws Failure (exit 2) when one side is missing, or for a file or a mapping that is refused
 */
export function reconcileTwoFiles(app: App, parsed: Arguments): Promise<CommandEnd> {
  const rules = givenRules(parsed);
  return withLeftAndRight(app, parsed, async (left, right) =>
    endOf(app, await compareInScratch(app, rules, left, right)),
  );
}

async function compareInScratch(
  app: App,
  rules: GivenRules,
  left: ExportSide,
  right: ExportSide,
): Promise<ComparedWith> {
  const { database, close } = await openScratchDatabase(app.environment['DATABASE_URL'] || undefined);
  try {
    return await inScratch(database, (scratch) => compareTwoSides(app, scratch, left, right, rules));
  } finally {
    await close();
  }
}

function endOf({ terminal }: App, compared: ComparedWith): CommandEnd {
  const { comparison, figures, files } = compared;
  terminal.print(comparisonSummary(figures, breakLinesOf(compared), terminal.useColour));
  terminal.print(`\n${fileLines({ ...files })}`);
  const exitCode = comparison.breakCount > 0 ? exitCodes.rowsNeedDecision : exitCodes.done;
  const document = {
    ...jsonSummary({ exitCode, batches: [], error: null }),
    reconciliation: { comparison: figures, files },
  };
  return { exitCode, batches: [], failure: null, document };
}
