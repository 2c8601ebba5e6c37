/* A verdict for many rows at once: the rows to which it applies, their summary for a person, and the person's agreement. */

import { createHash } from 'node:crypto';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { SelectableRow, Selection, SelectionSample } from '../domain/batches/open-rows.ts';
import type { ErrorCode } from '../domain/failures/error-codes.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { readAhead } from '../domain/machine/map-in-turns.ts';
import { AmountSums } from '../domain/money/sums.ts';
import type { Verdict } from '../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { GivenVerdict } from '../reconcile/verdicts/decide-rows.ts';
import {
  type Condition,
  meets,
  parseWhere,
  valueAt,
  whatItIsAbout,
} from '../reconcile/verdicts/waiting-rows.ts';
import { type ShownBatch, shownBatch } from './rows.ts';

/** A verdict for all waiting rows that meet some conditions. */
export interface VerdictForMany {
  /** Conditions, such as `status=held and code=key_expired and "Bank name"=Equity`. */
  readonly where: string;
  readonly verdict: Verdict;
  readonly note: string;
  /** The hash of the selection that a person has seen; absent where none was shown. */
  readonly selection?: string | undefined;
}

/** Rows that were selected, with their summary for a person. */
interface SelectedRows {
  readonly selection: Selection;
  /**
   * Numbers of the rows in their order, with the number of requests of each row at the time of selection. A million rows
   * take a few megabytes.
   */
  readonly rows: readonly number[];
  readonly attempts: readonly number[];
}

const samplesShown = 10;

/**
 * Finds the rows to which a verdict applies.
 * @throws PaybatchError (`selection_invalid`) for invalid conditions, and for a verdict that needs an id for each row;
 *   (`selection_empty`) if no row meets the conditions, with the values that exist
 */
export async function selectRows(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  { where, verdict }: Pick<VerdictForMany, 'where' | 'verdict'>,
): Promise<SelectedRows> {
  const conditions = parseWhere(where, batch.header);
  if (verdict === 'created') {
    const message = "The verdict created needs each row's own id. Nothing was changed.";
    throw refused('selection_invalid', message, 'give the ids in a file of verdicts');
  }
  const hash = createHash('sha256').update(
    `${JSON.stringify(['paybatch selection', 1, batch.id, verdict])}\n`,
  );
  const rows: number[] = [];
  const attempts: number[] = [];
  const sums = new AmountSums();
  const waiting = new WaitingValues(conditions);
  let sentRepeatedly = 0;
  const areCellsAsked = conditions.some(({ part }) => part === 'column');
  for await (const page of readAhead(verbs.readSelectableRows(batch.id, areCellsAsked))) {
    for (const row of page) {
      waiting.add(row);
      if (!meets(row, conditions)) continue;
      rows.push(row.row);
      attempts.push(row.attempts);
      if (row.attempts > 1) sentRepeatedly += 1;
      const { state, code, generation, idempotencyKey, amount, currency } = row;
      if (amount !== null && currency !== null) sums.add(currency, amount);
      hash.update(`${JSON.stringify([row.row, state, code, generation, row.attempts, idempotencyKey])}\n`);
    }
  }
  if (rows.length === 0) throw nothingSelected(waiting, conditions);
  const shown = { hash: hash.digest('hex').slice(0, 16), verdict, rows: rows.length, sentRepeatedly };
  const samples = await findSamples(verbs, batch, rows.slice(0, samplesShown));
  return { selection: { ...shown, sums: sums.result(), samples }, rows, attempts };
}

/** Reads the shown rows. Whole records are read only for these rows. */
async function findSamples(
  verbs: LedgerVerbs,
  { id }: BatchRecord,
  rows: readonly number[],
): Promise<SelectionSample[]> {
  const found = await verbs.findRowsToResolve(id, rows);
  return found.map(({ row, state, code, attempts, record }) => {
    const status = state === 'held' ? 'held' : 'unknown';
    return { row, status, code, ...whatItIsAbout(record), attempts };
  });
}

/**
 * Gets a person's agreement to a selection, either by its hash, which is stated beforehand, or by a question.
 * @returns the failure that says what is missing; null if a person has agreed
 */
export async function agreementMissing(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'findUnprovenKey'>,
  batch: BatchRecord,
  selection: Selection,
  seen: string | undefined,
): Promise<PaybatchError | null> {
  if (seen !== undefined) {
    if (seen.toLowerCase() === selection.hash) return null;
    return refused(
      'selection_changed',
      `The selection is not the one of the hash: its rows, or what is known of them, have changed. Nothing was changed.`,
      agreeing(selection),
    );
  }
  if (app.settings.sending.yes) {
    if (selection.sentRepeatedly === 0) return null;
    // The verdict does not state how many requests the person knows of, and any of them may have created an object.
    return refused(
      'selection_not_confirmed',
      `Rows that were sent more than once: ${selection.sentRepeatedly}. A verdict on them has to know of all their requests. Nothing was changed.`,
      agreeing(selection),
    );
  }
  const unprovenKey = await verbs.findUnprovenKey([batch.id]);
  const answer = await app.ask({ kind: 'resolve', batch, selection, unprovenKey });
  if (answer === 'yes') return null;
  return answer === 'nobody'
    ? refused(
        'selection_not_confirmed',
        'Nobody has agreed to a verdict on these rows. Nothing was changed.',
        agreeing(selection),
      )
    : refused('selection_not_confirmed', 'Nothing was changed: the answer was not "yes".', {
        action: 'again',
        effect: 'when it is right',
      });
}

function agreeing({ hash }: Selection): Remedies {
  return {
    action: 'set',
    purpose: 'agree to exactly these rows',
    oneOf: [{ setting: 'selection', value: hash }],
  };
}

/** Number of verdicts in a page. */
const rowsInAPage = 1_000;

/** The verdict on each selected row, with the number of requests that the person saw. */
export async function* verdictsOn(
  { rows, attempts }: SelectedRows,
  { verdict, note }: Pick<VerdictForMany, 'verdict' | 'note'>,
): AsyncGenerator<readonly GivenVerdict[]> {
  for (let at = 0; at < rows.length; at += rowsInAPage) {
    const page = rows.slice(at, at + rowsInAPage);
    const common = { verdict, id: null, note, key: null };
    yield page.map((row, index) => ({ row, ...common, attempts: attempts[at + index] ?? null }));
  }
}

const valuesKept = 1_000;
const valuesShown = 5;

/**
 * Collects the values that waiting rows have in the fields of the conditions. They are shown to a person whose conditions
 * no row meets.
 */
class WaitingValues {
  readonly #conditions: readonly Condition[];
  readonly #counts = new Map<string, number>();
  readonly #values: readonly Map<string, number>[];
  rows = 0;

  constructor(conditions: readonly Condition[]) {
    this.#conditions = conditions.filter(({ part }) => part === 'column');
    this.#values = this.#conditions.map(() => new Map());
  }

  add(row: SelectableRow): void {
    this.rows += 1;
    count(this.#counts, row.code === null ? row.state : `${row.state} with the code ${row.code}`);
    for (const [at, condition] of this.#conditions.entries()) {
      const values = this.#values[at];
      if (values !== undefined) count(values, valueAt(row, condition));
    }
  }

  /** For example `3 held with the code key_expired`, then the values of the columns in the conditions. */
  toString(): string {
    const parts = frequent(this.#counts, (text, rows) => `${rows} ${text}`);
    const columns = this.#conditions.map((condition, at) => {
      const title = condition.part === 'column' ? condition.title : '';
      const values = frequent(this.#values[at] ?? new Map(), (text, rows) => `"${text}" (${rows})`);
      return `"${title}" is ${values}`;
    });
    return [parts, ...columns].join('; ');
  }
}

function count(counts: Map<string, number>, text: string): void {
  const known = counts.get(text);
  if (known !== undefined || counts.size < valuesKept) counts.set(text, (known ?? 0) + 1);
}

function frequent(
  counts: ReadonlyMap<string, number>,
  write: (text: string, rows: number) => string,
): string {
  const all = [...counts].sort(([, left], [, right]) => right - left);
  const shown = all.slice(0, valuesShown).map(([text, rows]) => write(text, rows));
  return [...shown, ...(all.length > valuesShown ? ['others'] : [])].join(', ');
}

function nothingSelected(waiting: WaitingValues, conditions: readonly Condition[]): PaybatchError {
  const there =
    waiting.rows === 0
      ? 'no row of it waits for a verdict'
      : `of the rows that wait for a verdict: ${waiting}`;
  const isPattern = conditions.some(({ value }) => /[*%]/.test(value));
  return refused(
    'selection_empty',
    `No row meets the conditions: ${there}. Nothing was changed.`,
    isPattern ? 'write the whole value: * and % stand for themselves' : null,
  );
}

function refused(code: ErrorCode, message: string, remedies: Remedies): PaybatchError {
  return new PaybatchError(code, message, remedies);
}

/** Rows that a verdict would apply to. */
interface SelectionResult extends CallResult {
  readonly batch: ShownBatch;
  readonly selection: Selection;
}

/**
 * Shows which rows a verdict for many would apply to, with the hash by which a person agrees to exactly these rows. Read
 * only.
 * @throws PaybatchError as `selectRows` does; (`batch_not_found`)
 */
export async function showSelection(
  app: CallContext,
  request: Pick<VerdictForMany, 'where' | 'verdict'> & { readonly batch: string },
): Promise<SelectionResult> {
  const { verbs } = await app.connections.ledger();
  const batch = await findNamedBatch(verbs, request.batch);
  const { selection } = await selectRows(verbs, batch, request);
  return { ...noBatches, batch: shownBatch(batch), selection };
}
