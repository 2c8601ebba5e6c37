/* The rows of a batch that wait for a person or for time: counted by status and reason, and selected for one decision. */

import { AmountSums, type CurrencySum, isPayable } from '../money/sums.ts';
import type { RowAdvice, Verdict } from '../rows/ledger-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { ResultStatus } from '../rows/row-state.ts';

/** The statuses of rows that a person may look into, each for its reason. */
export const openStatuses = ['held', 'rejected', 'invalid', 'waiting'] as const satisfies ResultStatus[];

export type OpenStatus = (typeof openStatuses)[number];

/** The codes of a row that another file corrects, and of one whose batch was closed: nothing is to be done about it. */
export const settledCodes = ['superseded', 'closed'] as const;

/** Whether nothing is to be done about a row with this code. */
export function isSettled(code: string | null): boolean {
  return (settledCodes as readonly (string | null)[]).includes(code);
}

/** Whether a person has to correct a row, or to decide about it: other open rows need a run, time, or nothing. */
export function isForPerson({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return status !== 'waiting' && isOpen(status) && !isSettled(code);
}

/** Rows of one status that have the same reason. */
export interface OpenRows {
  readonly status: OpenStatus;
  /** Null where there are too many different reasons to count each. */
  readonly code: string | null;
  readonly rows: number;
  /** When the row that is in this state longest entered it (ISO 8601, UTC); null where it was not determined. */
  readonly since: string | null;
  /** Of rows with a readable amount, without rows that repeat another one; null where they are not added up. */
  readonly sums: readonly CurrencySum[] | null;
}

/** This many reasons are counted separately: they come from the API too. */
const mostReasons = 100;

interface Group {
  readonly status: OpenStatus;
  readonly code: string | null;
  rows: number;
  since: string;
  readonly sums: AmountSums;
}

type CountedRow = Pick<ResultRow, 'status' | 'code' | 'changedAt' | 'money' | 'sameAs'>;

/** Counts open rows by status and reason. */
export class OpenRowsCounter {
  readonly #groups = new Map<string, Group>();

  add({ status, code, changedAt, money, sameAs }: CountedRow): void {
    if (!isOpen(status) || isSettled(code)) return;
    const group = this.#groupOf(status, code);
    group.rows += 1;
    if (changedAt < group.since) group.since = changedAt;
    // A row that repeats another one has the same money.
    if (sameAs === undefined && isPayable(money)) group.sums.add(money.currency, money.amount);
  }

  /** The most frequent first. */
  result(): readonly OpenRows[] {
    return [...this.#groups.values()]
      .map(({ sums, ...group }) => ({ ...group, sums: sums.result() }))
      .sort((one, other) => other.rows - one.rows || (`${one.code}` < `${other.code}` ? -1 : 1));
  }

  #groupOf(status: OpenStatus, code: string | null): Group {
    const known = this.#groups.get(`${status} ${code}`);
    if (known !== undefined) return known;
    if (code !== null && this.#groups.size >= mostReasons) return this.#groupOf(status, null);
    const group: Group = { status, code, rows: 0, since: '\uFFFF', sums: new AmountSums() };
    this.#groups.set(`${status} ${code}`, group);
    return group;
  }
}

function isOpen(status: ResultStatus): status is OpenStatus {
  return (openStatuses as readonly ResultStatus[]).includes(status);
}

/** Rows to correct that a later batch of their family has replaced. */
export interface CorrectedRows {
  readonly status: 'invalid' | 'rejected';
  readonly code: string;
  /** Including rows that repeat them. */
  readonly rows: number;
}

/** Open rows without those that a later batch corrects; the amounts of the remaining rows are then not known. */
export function openWithoutCorrected(
  open: readonly OpenRows[] | null,
  corrected: readonly CorrectedRows[],
): readonly OpenRows[] | null {
  if (open === null || corrected.length === 0) return open;
  const left = corrected.filter(({ code }) => !isSettled(code)).map((each) => ({ ...each }));
  return open.flatMap((group) => {
    let taken = 0;
    for (const each of left) {
      if (each.status !== group.status || (group.code !== null && each.code !== group.code)) continue;
      const rows = Math.min(each.rows, group.rows - taken);
      each.rows -= rows;
      taken += rows;
    }
    if (taken === 0) return [group];
    return taken === group.rows ? [] : [{ ...group, rows: group.rows - taken, sums: null }];
  });
}

/* Rows that a person selects by what they have in common, to decide about all of them at once. */

/** A row that waits for a person, with the values by which it may be selected. */
export interface SelectableRow {
  readonly row: number;
  readonly state: 'held' | 'unknown';
  readonly code: string | null;
  readonly generation: number;
  /** Requests that were sent for it, or may have been. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** Null where the row has none. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** As the file has them. */
  readonly cells: readonly string[];
}

/** One of the rows that are shown of a selection; its amount is empty where it has none. */
export interface SelectionSample
  extends Pick<RowAdvice, 'row' | 'status' | 'name' | 'amount' | 'reference' | 'attempts'> {
  readonly code: string | null;
}

/** The rows that a bulk verdict is for, as shown to a person. */
export interface Selection {
  /** Over the rows, their state, and the verdict: another hash means that something has changed. */
  readonly hash: string;
  readonly verdict: Verdict;
  readonly rows: number;
  /** How many of them were sent more than once. */
  readonly sentRepeatedly: number;
  /** Of the rows with an amount and a currency. */
  readonly sums: readonly CurrencySum[];
  /** The first of them. */
  readonly samples: readonly SelectionSample[];
}
