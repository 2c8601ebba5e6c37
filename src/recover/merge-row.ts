/* A row that both a ledger and its run logs know something of. */

import type { RowToRestore } from '../domain/rows/ledger-row.ts';
import type { LoggedRow, RestingPlace } from './logged-row.ts';
import { isDoubtful } from './reasons.ts';

/** What becomes of a row that both the ledger and its run logs know something of. */
export type Merge =
  /** The ledger knows as much as the log, or more. */
  | 'keep'
  /** The row gets the key and the end of the log. */
  | 'restore'
  /** Two keys may have been used: for a person. */
  | 'hold';

/**
 * Compares what a ledger that was restored from a backup knows of a row with what the log knows. Both tell of one
 * history, of which the ledger may have lost the end: a key that the log does not name was drawn by a ledger that went
 * its own way.
 * @param logged every key that the log names for the row
 */
export function mergeRow(
  row: Pick<RowToRestore, 'state' | 'code' | 'generation' | 'firstSentAt' | 'earlierKeys'> & {
    readonly request: { readonly key: string } | null;
  },
  history: LoggedRow,
  logged: ReadonlySet<string>,
): Merge {
  const { request, earlierKeys, generation } = row;
  // What a damaged log has left open, this one may know.
  if (row.state === 'held' && isDoubtful(row.code)) return 'restore';
  if (earlierKeys.includes(history.key)) return 'keep';
  if (request?.key === history.key) return isNews(row, history) ? 'restore' : 'keep';
  const isOlder = history.generation !== null && history.generation < generation;
  if (isOlder) return 'keep';
  // The row's own key, if it has one, was never used.
  if (request === null || row.firstSentAt === null || row.state === 'rejected') return 'restore';
  const isNewer = history.generation !== null && history.generation > generation;
  if (logged.has(request.key)) {
    if (isNewer) return 'restore';
    if (!isUsed(history)) return 'keep';
  }
  return row.state === 'held' ? 'keep' : 'hold';
}

/** Whether the log knows more of a row's own key than the ledger. */
function isNews({ state }: Pick<RowToRestore, 'state'>, { end }: LoggedRow): boolean {
  switch (state) {
    case 'staged':
    case 'waiting':
    case 'ready':
      return true;
    case 'unknown':
      return end.state !== 'unknown' && end.state !== 'unclear';
    case 'rejected':
    case 'held':
      return end.state === 'created';
  }
}

function isUsed({ isTried, end }: LoggedRow): boolean {
  return isTried || (end.state !== 'unknown' && end.state !== 'unclear');
}

/** Whether a row that needs no request of its own, as the log has it, is to be put to rest here as well. */
export function mayRest({ state, code, firstSentAt }: RowToRestore, place: RestingPlace): boolean {
  return place.state === 'existing' || (firstSentAt === null && (state !== 'held' || isDoubtful(code)));
}
