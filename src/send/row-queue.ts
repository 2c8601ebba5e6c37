/* The claimed rows of a run that wait for their turn, and those that were set aside for others. */

import type { ClaimedRow } from '../domain/rows/ledger-row.ts';
import type { SetAside } from '../domain/sending/conclusion.ts';
import type { Moment } from './heartbeat.ts';

/** A claimed row that waits for its turn. */
export interface QueuedRow {
  readonly row: ClaimedRow;
  readonly claimedAt: Moment;
  /** Where it was set aside; null before its first turn. */
  readonly aside: SetAside | null;
  /** Whether it was left in doubt by a run that was answered for other rows. */
  readonly failedAlone: boolean;
}

/** So many rows that were set aside are kept in memory; then they have their next turn at once. */
const mostRowsAside = 1_000;

/**
 * Where in the queue the first rows stand that are sent while the API may be down, one after the other: bad rows mostly
 * stand side by side, so these are far from each other.
 */
const placesOfProbes = [1, 0.5, 0.25, 0.75];

/** The queue of one submission. */
export class RowQueue {
  readonly #waiting: QueuedRow[] = [];
  #aside: { readonly row: QueuedRow; readonly dueAtInMs: number }[] = [];
  #probes = 0;
  /** Monotonic: when the first of those that are set aside has to have its next turn. */
  #nextDueAtInMs = Number.POSITIVE_INFINITY;

  /** How many rows are set aside. */
  get rowsAside(): number {
    return this.#aside.length;
  }

  /** How many rows wait for their first turn that were never sent. */
  freshRows(): number {
    return this.#waiting.filter(isFresh).length;
  }

  add(row: QueuedRow): void {
    this.#waiting.push(row);
  }

  /**
   * The row whose turn it is: the first one, or, while the API may be down, one of which nothing is known yet. There has
   * to be one.
   */
  next(isApiInDoubt: boolean): QueuedRow {
    if (!isApiInDoubt) this.#probes = 0;
    const row = isApiInDoubt ? this.#waiting.splice(this.#placeOfProbe(), 1)[0] : this.#waiting.shift();
    if (row === undefined) throw new Error('no row waits for its turn');
    return row;
  }

  /** A row that was never sent tells most; one in doubt may be a row that always fails. */
  #placeOfProbe(): number {
    const fresh = this.#placesOf(isFresh);
    const places =
      fresh.length > 0 ? fresh : this.#placesOf(({ aside, failedAlone }) => aside === null && !failedAlone);
    const share = placesOfProbes[this.#probes % placesOfProbes.length] ?? 1;
    this.#probes += 1;
    return places[Math.min(places.length - 1, Math.floor(places.length * share))] ?? 0;
  }

  #placesOf(isSo: (row: QueuedRow) => boolean): number[] {
    return this.#waiting.flatMap((row, place) => (isSo(row) ? [place] : []));
  }

  /**
   * Keeps a row that is to be asked for again later.
   * @param nowInMs monotonic
   */
  setAside(row: QueuedRow, nowInMs: number): void {
    // When half of the time is over that its key has left, it is asked for again, however long the run goes on.
    const endsAtInMs = row.claimedAt.monotonicInMs + row.row.keyTimeLeftInMs;
    const dueAtInMs = (nowInMs + endsAtInMs) / 2;
    this.#nextDueAtInMs = Math.min(this.#nextDueAtInMs, dueAtInMs);
    this.#aside.push({ row, dueAtInMs });
  }

  /**
   * Puts the rows back that cannot wait until all others had their turn.
   * @param nowInMs monotonic
   * @returns how many there were
   */
  takeBackDue(nowInMs: number): number {
    if (this.#aside.length >= mostRowsAside) return this.takeBack();
    if (nowInMs < this.#nextDueAtInMs) return 0;
    const aside = this.#aside;
    const due = aside.filter(({ dueAtInMs }) => dueAtInMs <= nowInMs);
    this.#aside = aside.filter(({ dueAtInMs }) => dueAtInMs > nowInMs);
    this.#nextDueAtInMs = Math.min(...this.#aside.map(({ dueAtInMs }) => dueAtInMs));
    this.#waiting.unshift(...due.map(({ row }) => row));
    return due.length;
  }

  /**
   * Puts all rows back that were set aside, those with the fewest tries first.
   * @returns how many there were
   */
  takeBack(): number {
    const rows = this.#aside.map(({ row }) => row);
    this.#aside = [];
    this.#nextDueAtInMs = Number.POSITIVE_INFINITY;
    rows.sort((one, other) => triesOf(one) - triesOf(other));
    this.#waiting.push(...rows);
    return rows.length;
  }
}

function isFresh({ row, aside }: QueuedRow): boolean {
  return aside === null && !row.wasUnknown;
}

function triesOf({ aside }: QueuedRow): number {
  return aside?.asItStands.attempts.length ?? 0;
}
