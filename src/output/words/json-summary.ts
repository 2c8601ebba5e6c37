import type { Kind, RowsInDoubt, SupersededCounts } from '../../domain/batches/batch.ts';
import type { RefusedAlike } from '../../domain/batches/refused-alike.ts';
import type { StatusTotal } from '../../domain/money/expectation.ts';
import { type ResultStatus, resultStatuses, type StatusCounts } from '../../domain/rows/row-state.ts';
import type { UnansweredRows } from '../../domain/sending/outcome.ts';
import type { ReasonGroup } from './reasons.ts';

/** Where a batch's files are; null for those that were not written. */
export interface BatchFiles {
  readonly results: string | null;
  readonly failed: string | null;
  /** The failed rows as a workbook; absent where a command writes no such file. */
  readonly failedWorkbook?: string | null;
  /** How many of these rows are not in the workbook; none when absent. */
  readonly failedWorkbookLeftOut?: number;
  readonly log: string | null;
  readonly report: string | null;
  /** What the API answered about every created row; absent where a command writes no such file. */
  readonly objects?: string | null;
  /** Collections only: the payers' sheets. */
  readonly instructions?: string | null;
  /** Only `validate` writes one. */
  readonly findings?: string;
  /** The same as a workbook, in the form of the failed one; null when there are none, or too many. */
  readonly findingsWorkbook?: string | null;
  /** How many rows with findings are not in the workbook; none when absent. */
  readonly findingsWorkbookLeftOut?: number;
}

/** What became of one input. */
export interface BatchSummary {
  /** The batch's whole id, or null where none was made. */
  readonly batch: string | null;
  readonly kind: Kind;
  /** The file as people named it. */
  readonly file: string;
  readonly sheet: string | null;
  readonly rows: number;
  /** Adds up to `rows`. */
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent; none when absent. */
  readonly contradicted?: number;
  /** Objects that the API created for rows which do not have them; none when absent. */
  readonly unrecorded?: number;
  /** Invalid and rejected rows that stand corrected in a later batch; none when absent. */
  readonly corrected?: number;
  /** Rows that are not sent any more since a later batch corrects them; none when absent. */
  readonly superseded?: SupersededCounts;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Rows that the API gave no answer; null or absent when there are none. */
  readonly unanswered?: UnansweredRows | null;
  /** Why nothing more of it is sent; null or absent where nothing stands in the way. */
  readonly refusedAlike?: RefusedAlike | null;
  /** Why rows are not created, by reason; absent where nobody has looked. For people only. */
  readonly reasons?: readonly ReasonGroup[];
  /** The path of its file, for the next command; absent where no command needs it. For people only. */
  readonly source?: string;
  /** What was done, in one sentence; absent where nothing was to be done. For people only. */
  readonly done?: string;
  /** Absent where nobody has added them up. For people only. */
  readonly totals?: readonly StatusTotal[];
  readonly planHash: string | null;
  readonly files: BatchFiles;
  /** What is worth knowing about the file: hidden rows, rows that were left out. For people only. */
  readonly notes?: readonly string[];
}

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
  readonly exitCode: number;
  readonly batches: readonly BatchSummary[];
  readonly error: CommandFailure | null;
}): JsonSummary {
  return {
    exit_code: result.exitCode,
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
