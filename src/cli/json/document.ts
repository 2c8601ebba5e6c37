/* The JSON output of every command: the document, and the summaries of its batches. */

import type { CallResult } from '../../account/result.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { InputAccount } from '../../domain/batches/account.ts';
import type { PayeeGroup } from '../../domain/batches/last-time.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { type InstitutionSnapshot, sortedInstitutions, typeOfInstitution } from '../../domain/institution.ts';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import { terminalText } from '../options/options.ts';
import { nextOf } from '../remedies/remedy-text.ts';
import type { SaidNote } from '../terminal/show-events.ts';

type NamesIn<Facts> = Facts extends unknown ? keyof Facts & string : never;

/** Public names that differ from the names of the facts. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ decidedBy: 'by', startedBy: 'by', fromState: 'from' },
  ...{ idempotencyKey: 'key', keyId: 'key', objectId: 'id' },
};

/**
 * Facts under their public names: `heldAt` is `held_at`. Every fact has to be named, so that no other fact becomes public
 * by mistake. Undefined facts are left out in JSON.
 */
export function publicly<Facts extends object>(
  facts: Facts,
  ...names: readonly NamesIn<Facts>[]
): Readonly<Record<string, unknown>> {
  const known = new Map<string, unknown>(Object.entries(facts));
  const nameOf = (name: string): string =>
    otherNames[name] ?? name.replace(/InMs$/, 'Ms').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(names.map((name) => [nameOf(name), known.get(name)]));
}

/** The institutions in `--json`; amounts are decimal strings. */
export function institutionsDocument({
  country,
  isComplete,
  fetchedAt,
  institutions,
}: InstitutionSnapshot): object {
  return {
    exit_code: exitCodes.done,
    country,
    is_complete: isComplete,
    fetched_at: fetchedAt.toISOString(),
    institutions: sortedInstitutions(institutions).map((institution) => ({
      ...publicly(institution, 'id', 'name', 'country'),
      type: typeOfInstitution(institution),
      ...publicly(institution, 'accountNumberType', 'currency', 'minAmount', 'maxAmount'),
    })),
  };
}

function batchOf(account: InputAccount): object {
  const { id, counts, changes, plan, files } = account;
  const { series = null } = changes ?? {};
  return {
    batch: id,
    ...publicly(account, 'kind', 'file', 'sheet', 'rows'),
    counts: Object.fromEntries(
      resultStatuses.flatMap((status) => ((counts[status] ?? 0) > 0 ? [[status, counts[status]]] : [])),
    ),
    changes: changes === null || changes.shown.length === 0 ? undefined : changes.counts,
    series:
      series === null
        ? undefined
        : {
            payees: series.payees,
            earlier: publicly(series.earlier, 'batch', 'file', 'payees'),
            new: payeesOf(series.fresh),
            missing: payeesOf(series.missing),
          },
    drift: changes?.drift?.map((each) => publicly(each, 'column', 'what', 'before', 'now')),
    plan_hash: plan?.planHash ?? null,
    files: {
      ...publicly(files, 'results', 'failed', 'failedWorkbook'),
      failed_workbook_left_out: files.failedWorkbookLeftOut || undefined,
      ...publicly(files, 'log', 'logHead', 'report', 'objects', 'changes', 'instructions'),
      ...publicly(files, 'findings', 'findingsWorkbook'),
      findings_workbook_left_out: files.findingsWorkbookLeftOut || undefined,
    },
    audit_head: account.auditHead,
  };
}

function payeesOf({ payees, sums }: PayeeGroup): object {
  return { payees, sums: sums.map((sum) => publicly(sum, 'currency', 'rows', 'amount')) };
}

/** The summary that is public in `--json`. */
export function jsonSummary(
  result: Pick<CallResult, 'outcome' | 'batches' | 'leftOutSheets'>,
  error: object | null = null,
) {
  return {
    exit_code: exitCodes[result.outcome],
    batches: result.batches.map(batchOf),
    left_out_sheets: result.leftOutSheets?.map((each) => publicly(each, 'file', 'sheet', 'rows')),
    error,
  };
}

/** The end of a command: the result of its use case, and its output with `--json`. */
export interface CommandEnd extends CallResult {
  /** Printed instead of the account of batches, for commands with another result. */
  readonly document?: object | undefined;
  /** The notes of the call. */
  readonly notes?: readonly SaidNote[];
}

/** The single object that `--json` prints. */
export function documentOf(
  { failure, document, notes = [], ...result }: CommandEnd,
  words: Phrasebook,
): object {
  const error =
    failure === null
      ? null
      : { code: failure.code, message: terminalText(failure.said), next: nextOf(failure, words) };
  const printed = document ?? jsonSummary(result, error);
  // All notes that are on standard error, except the one about the built-in sandbox, which the call itself has requested.
  const printedNotes = notes.filter(({ code }) => code !== 'built_in_sandbox');
  // Notes are added only to objects with batches. Other objects are lists that contain everything themselves.
  const hasNotes = printedNotes.length > 0 && 'batches' in printed && 'error' in printed;
  return hasNotes ? { ...printed, notes: printedNotes } : printed;
}
