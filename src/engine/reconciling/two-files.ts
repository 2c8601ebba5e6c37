import { inScratch, openScratchDatabase } from '../../ledger/connection/scratch.ts';
import { readMatchOptions } from '../../reconcile/comparing/match-options.ts';
import type { ExportSide } from '../../reconcile/export/open-files.ts';
import type { CallContext } from '../running/context.ts';
import type { CallResult } from '../running/result.ts';
import { type ComparedWith, compareTwoSides, type GivenRules } from './comparison.ts';
import { withLeftAndRight } from './exports.ts';
import type { SidesRequest } from './request.ts';

/**
 * Compares the files of `left` with those of `right`, without a ledger.
 * @throws PaybatchError (`usage`) when one side is missing, or for a file or a mapping that is refused
 */
export function compareTwoFiles(app: CallContext, request: SidesRequest): Promise<ComparedFiles> {
  const rules = readMatchOptions(request.rules);
  return withLeftAndRight(app, request, async (left, right) =>
    resultOf(await compareInScratch(app, rules, left, right)),
  );
}

async function compareInScratch(
  app: CallContext,
  rules: GivenRules,
  left: ExportSide,
  right: ExportSide,
): Promise<ComparedWith> {
  const { database, close } = await openScratchDatabase(app.machine.databaseUrl || undefined);
  try {
    return await inScratch(database, (scratch) => compareTwoSides(app, scratch, left, right, rules));
  } finally {
    await close();
  }
}

/** What the comparison of two files found. */
export interface ComparedFiles extends CallResult {
  readonly compared: ComparedWith;
}

function resultOf(compared: ComparedWith): ComparedFiles {
  const { comparison } = compared;
  const outcome = comparison.breakCount > 0 ? 'decision_needed' : 'done';
  return { outcome, batches: [], failure: null, compared };
}
