/*
 * The rows of a batch that wait for a person or for time. They are counted by status and reason, and selected for one
 * decision.
 */

import { AmountSums, type CurrencySum, isPayable } from '../money/sums.ts';
import type { RowAdvice, Verdict } from '../rows/ledger-row.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { ResultStatus } from '../rows/row-state.ts';

/** The statuses of rows that a person may look into, each for its own reason. */
export const openStatuses = ['held', 'rejected', 'invalid', 'waiting'] as const satisfies ResultStatus[];

export type OpenStatus = (typeof openStatuses)[number];

/** The codes of rows that another file corrects, and of rows whose batch was closed. No action is needed for them. */
export const settledCodes = ['superseded', 'closed'] as const;

/** Whether a row with this code needs no action. */
export function isSettled(code: string | null): boolean {
  return (settledCodes as readonly (string | null)[]).includes(code);
}

/** Whether a person has to correct a row or decide about it. Other open rows need a run, time, or no action. */
export function isForPerson({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return status !== 'waiting' && isOpen(status) && !isSettled(code);
}

/** Rows with the same status and the same reason. */
export interface OpenRows {
  readonly status: OpenStatus;
  /** Null if there are too many different reasons to count each one. */
  readonly code: string | null;
  readonly rows: number;
  /** When the row that has been in this state longest entered it (ISO 8601, UTC); null if that was not determined. */
  readonly since: string | null;
  /** The sums of rows with a readable amount, without rows that repeat another one; null if they are not added up. */
  readonly sums: readonly CurrencySum[] | null;
}

/** How many reasons are counted separately. The number needs a limit because reasons also come from the API. */
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
    // A row that repeats another one has the same amount, which must not count twice.
    if (sameAs === undefined && isPayable(money)) group.sums.add(money.currency, money.amount);
  }

  /** The result, the most frequent reason first. */
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

/** Open rows without the rows that a later batch corrects. The amounts of the remaining rows are then unknown. */
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

/* Rows that a person selects by a common property, to decide about all of them at once. */

/** A row that waits for a person, with the values by which it may be selected. */
export interface SelectableRow {
  readonly row: number;
  readonly state: 'held' | 'unknown';
  readonly code: string | null;
  readonly generation: number;
  /** The number of requests that were sent for it, or may have been sent. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** Null if the row has no amount. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The cells as the file shows them. */
  readonly cells: readonly string[];
}

/** A sample row of a selection; its amount is empty if it has none. */
export interface SelectionSample
  extends Pick<RowAdvice, 'row' | 'status' | 'name' | 'amount' | 'reference' | 'attempts'> {
  readonly code: string | null;
}

/** The rows of a bulk verdict, as shown to a person. */
export interface Selection {
  /** The hash over the rows, their states, and the verdict. If it differs, something has changed. */
  readonly hash: string;
  readonly verdict: Verdict;
  readonly rows: number;
  /** How many of the rows were sent more than once. */
  readonly sentRepeatedly: number;
  /** The sums of the rows with an amount and a currency. */
  readonly sums: readonly CurrencySum[];
  /** The first rows of the selection. */
  readonly samples: readonly SelectionSample[];
}
