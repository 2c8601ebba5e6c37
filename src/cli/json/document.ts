/* The JSON output of every command: the summaries of its batches, and the document around them. */

import type { CallResult } from '../../account/result.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { InputAccount } from '../../domain/batches/account.ts';
import type { Kind } from '../../domain/batches/batch.ts';
import type { AuditHead, BatchFiles, ChangesSummary } from '../../domain/batches/batch-facts.ts';
import type { Drift, PayeeGroup } from '../../domain/batches/last-time.ts';
import type { CallOutcome, Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { type InstitutionSnapshot, sortedInstitutions, typeOfInstitution } from '../../domain/institution.ts';
import type { CurrencySum } from '../../domain/money/money.ts';
import type { PayeeChangeCounts } from '../../domain/rows/finding.ts';
import { type ResultStatus, resultStatuses, type StatusCounts } from '../../domain/rows/row-state.ts';
import type { LeftOutSheet } from '../../domain/tables/table.ts';
import { terminalText } from '../options/options.ts';
import { nextOf } from '../remedies/remedy-text.ts';
import type { SaidNote } from '../terminal/show-events.ts';

/** The institutions in `--json`; amounts are decimal strings. */
export function institutionsDocument(snapshot: InstitutionSnapshot): object {
  const institutions = sortedInstitutions(snapshot.institutions).map((institution) => ({
    id: institution.id,
    name: institution.name,
    country: institution.country,
    type: typeOfInstitution(institution),
    account_number_type: institution.accountNumberType,
    currency: institution.currency,
    min_amount: institution.minAmount,
    max_amount: institution.maxAmount,
  }));
  const { country, isComplete, fetchedAt } = snapshot;
  return {
    exit_code: exitCodes.done,
    country,
    is_complete: isComplete,
    fetched_at: fetchedAt.toISOString(),
    institutions,
  };
}

/** Why a command failed. */
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
  | 'failedWorkbook'
  | 'failedWorkbookLeftOut'
  | 'failedRows'
  | 'findingsWorkbook'
  | 'findingsWorkbookLeftOut'
  | 'logHead'
> & {
  readonly log_head?: string | null;
  readonly failed_workbook?: string | null;
  readonly failed_workbook_left_out?: number;
  readonly findings_workbook?: string | null;
  readonly findings_workbook_left_out?: number;
};

interface JsonPayees {
  readonly payees: number;
  readonly sums: CurrencySum[];
}

interface JsonSeries {
  readonly payees: number;
  readonly earlier: { readonly batch: string; readonly file: string; readonly payees: number };
  readonly new: JsonPayees;
  readonly missing: JsonPayees;
}

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
    /** The number of rows with each finding about their payee; absent where there is none or no check was made. */
    readonly changes?: PayeeChangeCounts;
    /** The comparison with the last file of its series; absent where there is none or no check was made. */
    readonly series?: JsonSeries;
    /** How its columns differ from those of the last file that was read like this; absent where no check was made. */
    readonly drift?: Drift[];
    readonly plan_hash: string | null;
    readonly files: JsonFiles;
    readonly audit_head: AuditHead | null;
  }[];
  /** Sheets with rows that were left out although nobody has said so; absent for none. */
  readonly left_out_sheets?: readonly LeftOutSheet[];
  readonly error: CommandFailure | null;
  /** The notes of the call, as standard error has them; absent for none. */
  readonly notes?: readonly SaidNote[];
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

function seriesIn(changes: ChangesSummary | null): { readonly series?: JsonSeries } {
  const series = changes?.series ?? null;
  if (series === null) return {};
  const { batch, file, payees } = series.earlier;
  return {
    series: {
      payees: series.payees,
      earlier: { batch, file, payees },
      new: payeesOf(series.fresh),
      missing: payeesOf(series.missing),
    },
  };
}

function driftIn(changes: ChangesSummary | null): { readonly drift?: Drift[] } {
  const drift = changes?.drift ?? null;
  if (drift === null) return {};
  return { drift: drift.map(({ column, what, before, now }) => ({ column, what, before, now })) };
}

function payeesOf({ payees, sums }: PayeeGroup): JsonPayees {
  return { payees, sums: sums.map(({ currency, rows, amount }) => ({ currency, rows, amount })) };
}

/** Builds the public object. Every key is named here, so that no other key gets in. */
export function jsonSummary(result: {
  readonly outcome: CallOutcome;
  readonly batches: readonly InputAccount[];
  readonly error: CommandFailure | null;
  readonly leftOutSheets?: readonly LeftOutSheet[] | undefined;
}): JsonSummary {
  return {
    exit_code: exitCodes[result.outcome],
    batches: result.batches.map(
      ({ id, kind, file, sheet, rows, counts, changes, plan, auditHead, files }) => ({
        batch: id,
        kind,
        file,
        sheet,
        rows,
        counts: occurringCounts(counts),
        ...(changes === null || changes.shown.length === 0 ? {} : { changes: changes.counts }),
        ...seriesIn(changes),
        ...driftIn(changes),
        plan_hash: plan?.planHash ?? null,
        files: {
          results: files.results,
          failed: files.failed,
          ...(files.failedWorkbook === undefined ? {} : { failed_workbook: files.failedWorkbook }),
          ...(isSome(files.failedWorkbookLeftOut)
            ? { failed_workbook_left_out: files.failedWorkbookLeftOut }
            : {}),
          log: files.log,
          ...(files.logHead === undefined ? {} : { log_head: files.logHead }),
          report: files.report,
          ...(files.objects === undefined ? {} : { objects: files.objects }),
          ...(files.changes === undefined ? {} : { changes: files.changes }),
          ...(files.instructions === undefined ? {} : { instructions: files.instructions }),
          ...(files.findings === undefined ? {} : { findings: files.findings }),
          ...(files.findingsWorkbook === undefined ? {} : { findings_workbook: files.findingsWorkbook }),
          ...(isSome(files.findingsWorkbookLeftOut)
            ? { findings_workbook_left_out: files.findingsWorkbookLeftOut }
            : {}),
        },
        audit_head: auditHead,
      }),
    ),
    ...(result.leftOutSheets === undefined
      ? {}
      : { left_out_sheets: result.leftOutSheets.map(({ file, sheet, rows }) => ({ file, sheet, rows })) }),
    error:
      result.error === null
        ? null
        : { code: result.error.code, message: result.error.message, next: result.error.next },
  };
}

/** The end of a command: the result of its use case, and its output with `--json`. */
export interface CommandEnd extends CallResult {
  /** Printed instead of the batches' account, by a command with another result. */
  readonly document?: unknown;
  /** The notes of the call. */
  readonly notes?: readonly SaidNote[];
}

/** The one object that `--json` prints. */
export function documentOf(
  { outcome, batches, failure, document, leftOutSheets, notes = [] }: CommandEnd,
  words: Phrasebook,
): unknown {
  const error =
    failure === null
      ? null
      : { code: failure.code, message: terminalText(failure.said), next: nextOf(failure, words) };
  const printed = document ?? jsonSummary({ outcome, batches, error, leftOutSheets });
  return isSummary(printed) ? withNotes(printed, notes) : printed;
}

/** Whether it is about batches: other objects are lists that say everything themselves. */
function isSummary(printed: unknown): printed is Pick<JsonSummary, 'batches' | 'error'> {
  return typeof printed === 'object' && printed !== null && 'batches' in printed && 'error' in printed;
}

/** Everything that standard error says, but for what the call itself has asked for. */
function withNotes<Printed extends object>(printed: Printed, notes: readonly SaidNote[]): object {
  const told = notes.filter(({ code }) => code !== 'built_in_sandbox');
  return told.length === 0 ? printed : { ...printed, notes: told };
}
