/* The JSON output of every command: the summaries of its batches, and the document around them. */

import type * as z from 'zod';
import type { CallResult } from '../../account/result.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { InputAccount } from '../../domain/batches/account.ts';
import type { PayeeGroup, SeriesComparison } from '../../domain/batches/last-time.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { type InstitutionSnapshot, sortedInstitutions, typeOfInstitution } from '../../domain/institution.ts';
import { type ResultStatus, resultStatuses, type StatusCounts } from '../../domain/rows/row-state.ts';
import { terminalText } from '../options/options.ts';
import { nextOf } from '../remedies/remedy-text.ts';
import type { SaidNote } from '../terminal/show-events.ts';
import type { summaryObject } from './shared.ts';

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

/** The object that `--json` prints; its names are public. */
export type JsonSummary = z.output<typeof summaryObject>;

type JsonBatch = JsonSummary['batches'][number];

function occurringCounts(counts: StatusCounts): StatusCounts {
  const kept: Partial<Record<ResultStatus, number>> = {};
  for (const status of resultStatuses) {
    const count = counts[status] ?? 0;
    if (count > 0) kept[status] = count;
  }
  return kept;
}

function seriesOf({ payees, earlier, fresh, missing }: SeriesComparison): JsonBatch['series'] {
  return {
    payees,
    earlier: { batch: earlier.batch, file: earlier.file, payees: earlier.payees },
    new: payeesOf(fresh),
    missing: payeesOf(missing),
  };
}

function payeesOf({ payees, sums }: PayeeGroup): NonNullable<JsonBatch['series']>['new'] {
  return { payees, sums: sums.map(({ currency, rows, amount }) => ({ currency, rows, amount })) };
}

function filesOf(files: InputAccount['files']): JsonBatch['files'] {
  return {
    results: files.results,
    failed: files.failed,
    failed_workbook: files.failedWorkbook,
    failed_workbook_left_out: files.failedWorkbookLeftOut || undefined,
    log: files.log,
    log_head: files.logHead,
    report: files.report,
    objects: files.objects,
    changes: files.changes,
    instructions: files.instructions,
    findings: files.findings,
    findings_workbook: files.findingsWorkbook,
    findings_workbook_left_out: files.findingsWorkbookLeftOut || undefined,
  };
}

function batchOf(account: InputAccount): JsonBatch {
  const { id, kind, file, sheet, rows, counts, changes, plan, auditHead, files } = account;
  const series = changes?.series ?? null;
  return {
    ...{ batch: id, kind, file, sheet, rows, counts: occurringCounts(counts) },
    changes: changes === null || changes.shown.length === 0 ? undefined : changes.counts,
    series: series === null ? undefined : seriesOf(series),
    drift: changes?.drift?.map(({ column, what, before, now }) => ({ column, what, before, now })),
    plan_hash: plan?.planHash ?? null,
    files: filesOf(files),
    audit_head: auditHead,
  };
}

/** Builds the public object. Every key is named here, so that no other key gets in; JSON has none that is undefined. */
export function jsonSummary(
  result: Pick<CallResult, 'outcome' | 'batches' | 'leftOutSheets'>,
  error: JsonSummary['error'] = null,
): JsonSummary {
  return {
    exit_code: exitCodes[result.outcome],
    batches: result.batches.map(batchOf),
    left_out_sheets: result.leftOutSheets?.map(({ file, sheet, rows }) => ({ file, sheet, rows })),
    error,
  };
}

/** The end of a command: the result of its use case, and its output with `--json`. */
export interface CommandEnd extends CallResult {
  /** Printed instead of the batches' account, by a command with another result. */
  readonly document?: object | undefined;
  /** The notes of the call. */
  readonly notes?: readonly SaidNote[];
}

/** The one object that `--json` prints. */
export function documentOf(
  { failure, document, notes = [], ...result }: CommandEnd,
  words: Phrasebook,
): object {
  const error =
    failure === null
      ? null
      : { code: failure.code, message: terminalText(failure.said), next: nextOf(failure, words) };
  const printed = document ?? jsonSummary(result, error);
  // Objects without batches are lists that say everything themselves.
  return 'batches' in printed && 'error' in printed ? withNotes(printed, notes) : printed;
}

/** Everything that standard error says, but for what the call itself has asked for. */
function withNotes(printed: object, notes: readonly SaidNote[]): object {
  const told = notes.filter(({ code }) => code !== 'built_in_sandbox');
  return told.length === 0 ? printed : { ...printed, notes: told };
}
