/* Where every row of a batch stands. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { CurrencySum } from '../../domain/money/expectation.ts';
import type { Contradiction } from '../../domain/rows/finding.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { parsedJson } from '../../domain/sending/answer.ts';
import { compareEchoes, type EchoComparison } from '../../resources/answer.ts';
import type { Echo, InstitutionName } from '../../resources/definition.ts';
import type { AccountedSource, AccountPort } from '../ports.ts';
import { compareWithSource, type SourceComparison } from './source-check.ts';

/** What was sent for a row, and the answer that confirmed it. */
interface EchoSubject {
  readonly body: Buffer;
  readonly answer: string | null;
}

/** Which fields a resource's answers repeat, and where in an answer its object stands. */
export interface EchoReading {
  readonly echoes: readonly Echo[];
  readonly objectIn: (json: unknown) => unknown;
  readonly institutionName?: InstitutionName;
}

/**
 * Compares the fields that an answer has to repeat with those that were sent: an answer that belongs to
 * another request shows here.
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

/** A created row whose recorded answer is not that of its request. */
interface EchoDifference {
  readonly row: number;
  readonly objectId: string;
  readonly fields: readonly string[];
}

/** What the answers' repeated fields say, over all created rows. */
interface EchoAccount {
  readonly checked: number;
  /** Rows without a kept answer, or whose answer repeats nothing. */
  readonly unchecked: number;
  /** Rows whose answer repeats some fields and leaves others out. */
  readonly partly: number;
  readonly differing: number;
  /** The first of them. */
  readonly differences: readonly EchoDifference[];
}

/** Where every row of a batch stands, and what contradicts it. */
export interface Account {
  readonly rows: number;
  readonly counts: StatusCounts;
  /** Whether every row that was taken in stands in exactly one status. */
  readonly isComplete: boolean;
  readonly sums: readonly CurrencySum[];
  /** Null when the source file was not compared. */
  readonly source: SourceComparison | null;
  readonly echoes: EchoAccount;
  readonly contradictions: readonly Contradiction[];
}

const listed = 50;

/**
 * Accounts for every row of a batch, from the ledger and, where it is there, the source file. Sends nothing.
 * @param echoesOf what an answer to a row of this resource repeats
 */
export async function accountFor(
  batch: BatchRecord,
  port: AccountPort,
  source: AccountedSource | null,
  echoesOf: (resource: string) => EchoReading,
): Promise<Account> {
  const counts = await port.countStatuses(batch.id);
  const sums = await port.sumAmounts(batch.id);
  const rows = new RowCount();
  const passing = rows.watch(port.readResultRows(batch.id));
  // Read once, to the end, whether or not somebody else wants the rows as well.
  const found = source === null ? await drain(passing) : await compareWithSource(source, passing, sums);
  const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    rows: batch.rowCount ?? 0,
    counts,
    isComplete: counted === batch.rowCount && rows.count === batch.rowCount,
    sums,
    source: found,
    echoes: await accountForEchoes(batch.id, port, echoesOf),
    contradictions: await port.findContradictions(batch.id, listed),
  };
}

/** Whether nothing in an account is for a person to look into, rows that are unknown or held aside. */
export function hasDifferences(account: Account): boolean {
  return (
    !account.isComplete ||
    account.source?.isEqual === false ||
    account.echoes.differing > 0 ||
    account.contradictions.length > 0
  );
}

/** Counts rows whose numbers go up: a row that stands twice, or out of order, is counted as missing. */
class RowCount {
  count = 0;
  #last = 0;

  /** Passes the rows on as they are. */
  async *watch<Row extends { readonly row: number }>(
    groups: AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[]> {
    for await (const group of groups) {
      for (const { row } of group) {
        if (row > this.#last) this.count += 1;
        this.#last = row;
      }
      yield group;
    }
  }
}

async function drain(groups: AsyncIterable<unknown>): Promise<null> {
  for await (const _ of groups);
  return null;
}

async function accountForEchoes(
  batchId: string,
  port: AccountPort,
  echoesOf: (resource: string) => EchoReading,
): Promise<EchoAccount> {
  let [checked, unchecked, partly, differing] = [0, 0, 0, 0];
  const differences: EchoDifference[] = [];
  for await (const group of port.readAnsweredRows(batchId)) {
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
      const fields = found.differing.map(({ field }) => field);
      if (differences.length < listed) differences.push({ row: row.row, objectId: row.objectId, fields });
    }
  }
  return { checked, unchecked, partly, differing, differences };
}
