/* Accounts for every row of a batch: compared with its source file and with the answers of the API. */

import type { BatchRecord } from '../domain/batches/batch.ts';
import type { AcceptedDifferences } from '../domain/batches/difference-decisions.ts';
import type { Account, EchoAccount, SourceComparison } from '../domain/batches/reconciliation.ts';
import { areSameAmounts } from '../domain/money/money.ts';
import { AmountSums, type CurrencySum, isPayable } from '../domain/money/sums.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import { parsedJson } from '../domain/sending/answer.ts';
import type { TableRow } from '../domain/tables/table.ts';
import { compareEchoes, type EchoComparison } from '../kinds/answer.ts';
import type { Echo, InstitutionName } from '../kinds/definition.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { DifferingAnswer, SourceRow } from './differences.ts';

/** The verbs of the ledger that account for a batch's rows. */
export type AccountVerbs = Pick<
  LedgerVerbs,
  'countStatuses' | 'sumAmounts' | 'readResultRows' | 'readAnsweredRows' | 'findContradictions'
>;

const rowsNamed = 20;

/** Row numbers, of which only the first few are kept. */
class RowList {
  readonly rows: number[] = [];
  count = 0;

  add(row: number): void {
    this.count += 1;
    if (this.rows.length < rowsNamed) this.rows.push(row);
  }
}

/**
 * Compares the source file, read again, with the ledger: the same rows in the same order, cell by cell, and the same
 * sums by currency. Keeps one group of each side in memory.
 * @param ledgerSums the sums of the amounts by the ledger
 */
export async function compareWithSource(
  source: AccountedSource,
  ledgerRows: AsyncIterable<readonly ResultRow[]>,
  ledgerSums: readonly CurrencySum[],
  tell: AccountWatch['source'] = async () => {},
): Promise<SourceComparison> {
  const missing = new RowList();
  const additional = new RowList();
  const differing = new RowList();
  const sums = new AmountSums();
  const repeatedSums = new AmountSums();
  let repeated = 0;
  const ledger = oneByOne(ledgerRows);
  let own = await ledger.next();
  let rows = 0;
  const noteAdditional = async ({ row, cells }: ResultRow): Promise<void> => {
    additional.add(row);
    await tell({ row, file: null, ledger: cells });
  };
  for await (const row of oneByOne(source.rows())) {
    rows += 1;
    while (!own.done && own.value.row < row.number) {
      await noteAdditional(own.value);
      own = await ledger.next();
    }
    const { sum, keptCells } = source.read(row);
    if (own.done || own.value.row !== row.number) {
      missing.add(row.number);
      await tell({ row: row.number, file: keptCells, ledger: null });
      continue;
    }
    if (!hasSameCells(keptCells, own.value.cells)) {
      differing.add(row.number);
      await tell({ row: row.number, file: keptCells, ledger: own.value.cells });
    }
    const isRepeated = own.value.sameAs !== undefined;
    if (isRepeated) repeated += 1;
    if (own.value.status !== 'invalid' && sum !== null)
      (isRepeated ? repeatedSums : sums).add(sum.currency, sum.amount);
    own = await ledger.next();
  }
  for (; !own.done; own = await ledger.next()) await noteAdditional(own.value);
  const found = sums.result();
  const isEqual = missing.count + additional.count + differing.count === 0 && haveSameSums(found, ledgerSums);
  return {
    rows,
    missingRows: missing.rows,
    additionalRows: additional.rows,
    differingRows: differing.rows,
    repeated: { rows: repeated, sums: repeatedSums.result() },
    sums: found,
    isEqual,
  };
}

async function* oneByOne<Item>(groups: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, undefined> {
  for await (const group of groups) yield* group;
  return undefined;
}

function hasSameCells(source: readonly string[], own: readonly string[]): boolean {
  const width = Math.max(source.length, own.length);
  for (let index = 0; index < width; index += 1) {
    if ((source[index] ?? '') !== (own[index] ?? '')) return false;
  }
  return true;
}

function haveSameSums(left: readonly CurrencySum[], right: readonly CurrencySum[]): boolean {
  const isIn = (sums: readonly CurrencySum[], { currency, rows, amount }: CurrencySum): boolean =>
    sums.some(
      (other) => other.currency === currency && other.rows === rows && areSameAmounts(other.amount, amount),
    );
  return left.length === right.length && left.every((sum) => isIn(right, sum));
}

/** The request body of a row, and the answer that confirmed it. */
interface EchoSubject {
  readonly body: Buffer;
  readonly answer: string | null;
}

/** The fields that a resource's answers repeat, and the place of the object in an answer. */
export interface EchoReading {
  readonly echoes: readonly Echo[];
  readonly objectIn: (json: unknown) => unknown;
  readonly institutionName?: InstitutionName;
}

/**
 * Compares the fields that an answer has to repeat with those that were sent. This shows an answer that belongs to
 * another request.
 * @returns null when no answer was kept
 */
export function checkEchoes(
  { body, answer }: EchoSubject,
  { echoes, objectIn, institutionName }: EchoReading,
): EchoComparison | null {
  const answered = parsedJson(answer);
  if (answered === undefined) return null;
  return compareEchoes(echoes, parsedJson(body.toString('utf8')), objectIn(answered), institutionName);
}

const listed = 50;

/** Called with each difference and both sides' values; the account itself keeps only the first ones. */
export interface AccountWatch {
  readonly source: (row: SourceRow) => Promise<void>;
  readonly answer: (answer: DifferingAnswer) => Promise<void>;
}

/**
 * Accounts for every row of a batch, from the ledger and, if available, the source file. Sends nothing.
 * @param echoesOf the fields that an answer to a row of this resource repeats
 */
export async function accountFor(
  batch: BatchRecord,
  verbs: AccountVerbs,
  source: AccountedSource | null,
  echoesOf: (resource: string) => EchoReading,
  watch?: AccountWatch,
): Promise<Account> {
  const counts = await verbs.countStatuses(batch.id);
  const sums = await verbs.sumAmounts(batch.id);
  const rows = new PassingRows();
  const passing = rows.watch(verbs.readResultRows(batch.id));
  // Reads the rows once, to the end, even if they are also needed elsewhere.
  const found =
    source === null ? await drain(passing) : await compareWithSource(source, passing, sums, watch?.source);
  const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    rows: batch.rowCount ?? 0,
    counts,
    isComplete: counted === batch.rowCount && rows.count === batch.rowCount,
    sums,
    leftOut: { invalid: rows.invalid.result(), repeated: rows.repeated.result() },
    source: found,
    echoes: await accountForEchoes(batch.id, verbs, echoesOf, watch?.answer),
    contradictions: await verbs.findContradictions(batch.id, listed),
  };
}

/**
 * Whether a person has to look into something in an account, apart from rows that are `unknown` or `held`.
 * @param accepted what a person has accepted
 * @param sourceDifferences how many rows differ from the source file, where it was compared
 */
export function hasDifferences(
  { isComplete, source, echoes, contradictions }: Account,
  accepted: AcceptedDifferences,
  sourceDifferences: number,
): boolean {
  const ofSource = accepted.countOf('not_in_ledger', 'not_in_file', 'cells_differ');
  return (
    !isComplete ||
    (source?.isEqual === false && (ofSource === 0 || ofSource < sourceDifferences)) ||
    echoes.differing > accepted.countOf('answer_differs') ||
    // Only the first contradictions are listed, so there may be others after the accepted ones.
    contradictions.length >= listed ||
    contradictions.length > accepted.countOf('two_ids', 'unrecorded')
  );
}

/**
 * Counts rows with ascending numbers; a repeated row, or one out of order, counts as missing. Sums the amounts of
 * rows that the sums of a batch leave out.
 */
class PassingRows {
  count = 0;
  readonly invalid = new AmountSums();
  readonly repeated = new AmountSums();
  #last = 0;

  /** Passes the rows on unchanged. */
  async *watch(groups: AsyncIterable<readonly ResultRow[]>): AsyncGenerator<readonly ResultRow[]> {
    for await (const group of groups) {
      for (const row of group) this.#add(row);
      yield group;
    }
  }

  #add({ row, status, sameAs, money }: ResultRow): void {
    if (row > this.#last) this.count += 1;
    this.#last = row;
    // The sums of a batch have no amount that its currency cannot have, so these have none either.
    if (!isPayable(money)) return;
    if (status === 'invalid') this.invalid.add(money.currency, money.amount);
    else if (sameAs !== undefined) this.repeated.add(money.currency, money.amount);
  }
}

async function drain(groups: AsyncIterable<unknown>): Promise<null> {
  for await (const _ of groups);
  return null;
}

async function accountForEchoes(
  batchId: string,
  verbs: AccountVerbs,
  echoesOf: (resource: string) => EchoReading,
  tell: AccountWatch['answer'] = async () => {},
): Promise<EchoAccount> {
  let [checked, unchecked, partly, differing] = [0, 0, 0, 0];
  const differences: EchoAccount['differences'][number][] = [];
  for await (const group of verbs.readAnsweredRows(batchId)) {
    for (const row of group) {
      const reading = echoesOf(row.resource);
      const found = checkEchoes(row, reading);
      if (found === null || reading.echoes.length === 0) {
        unchecked += 1;
        continue;
      }
      checked += 1;
      if (found.missing.length > 0) partly += 1;
      if (found.differing.length === 0) continue;
      differing += 1;
      await tell({ row: row.row, objectId: row.objectId, differing: found.differing });
      const fields = found.differing.map(({ field }) => field);
      if (differences.length < listed) differences.push({ row: row.row, objectId: row.objectId, fields });
    }
  }
  return { checked, unchecked, partly, differing, differences };
}

/** The source file of a batch, whose content is the one that was imported. */
export interface AccountedSource {
  readonly rows: () => AsyncIterable<readonly TableRow[]>;
  readonly read: (row: TableRow) => {
    /** The row's amount and currency, normalised; null where it has none. */
    readonly sum: { readonly currency: string; readonly amount: string } | null;
    /** The row's cells as stored in the ledger. */
    readonly keptCells: readonly string[];
  };
}
