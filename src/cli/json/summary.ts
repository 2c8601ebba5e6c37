import type { Kind } from '../../domain/batches/batch.ts';
import type { BatchFiles, BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { type ResultStatus, resultStatuses, type StatusCounts } from '../../domain/rows/row-state.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';

/** Why a command did not do what it was asked. */
interface CommandFailure {
  /** Stable, for programs. */
  readonly code: string;
  readonly message: string;
  /** The command that helps, or null when no command does. */
  readonly next: string | null;
}

/** The files by their public names. */
type JsonFiles = Omit<
  BatchFiles,
  'failedWorkbook' | 'failedWorkbookLeftOut' | 'findingsWorkbook' | 'findingsWorkbookLeftOut'
> & {
  readonly failed_workbook?: string | null;
  readonly failed_workbook_left_out?: number;
  readonly findings_workbook?: string | null;
  readonly findings_workbook_left_out?: number;
};

/** The object that `--json` prints; its names are public. */
export interface JsonSummary {
  readonly exit_code: number;
  readonly batches: readonly {
    readonly batch: string | null;
    readonly kind: Kind;
    readonly file: string;
    readonly sheet: string | null;
    readonly rows: number;
    readonly counts: StatusCounts;
    readonly plan_hash: string | null;
    readonly files: JsonFiles;
  }[];
  readonly error: CommandFailure | null;
}

function occurringCounts(counts: StatusCounts): StatusCounts {
  const kept: Partial<Record<ResultStatus, number>> = {};
  for (const status of resultStatuses) {
    const count = counts[status] ?? 0;
    if (count > 0) kept[status] = count;
  }
  return kept;
}

function isSome(count: number | undefined): count is number {
  return count !== undefined && count > 0;
}

/** Puts the public object together; every key is named here, so that nothing else can slip in. */
export function jsonSummary(result: {
  readonly outcome: CallOutcome;
  readonly batches: readonly BatchSummary[];
  readonly error: CommandFailure | null;
}): JsonSummary {
  return {
    exit_code: exitCodes[result.outcome],
    batches: result.batches.map(({ batch, kind, file, sheet, rows, counts, planHash, files }) => ({
      batch,
      kind,
      file,
      sheet,
      rows,
      counts: occurringCounts(counts),
      plan_hash: planHash,
      files: {
        results: files.results,
        failed: files.failed,
        ...(files.failedWorkbook === undefined ? {} : { failed_workbook: files.failedWorkbook }),
        ...(isSome(files.failedWorkbookLeftOut)
          ? { failed_workbook_left_out: files.failedWorkbookLeftOut }
          : {}),
        log: files.log,
        report: files.report,
        ...(files.objects === undefined ? {} : { objects: files.objects }),
        ...(files.instructions === undefined ? {} : { instructions: files.instructions }),
        ...(files.findings === undefined ? {} : { findings: files.findings }),
        ...(files.findingsWorkbook === undefined ? {} : { findings_workbook: files.findingsWorkbook }),
        ...(isSome(files.findingsWorkbookLeftOut)
          ? { findings_workbook_left_out: files.findingsWorkbookLeftOut }
          : {}),
      },
    })),
    error:
      result.error === null
        ? null
        : { code: result.error.code, message: result.error.message, next: result.error.next },
  };
}
