/* The reasons for the states of a recovered batch's rows. */

import type { Reason, RowToRestore } from '../domain/rows/ledger-row.ts';
import { answerDiffers } from '../domain/sending/outcome.ts';
import type { Doubt } from './compare-log.ts';
import type { EndWithoutRequest, LoggedRow } from './logged-event.ts';

export const notSentAnyMore = {
  superseded: 'As the run log has it: corrected in another file.',
  closed: 'As the run log has it: a person closed the batch before this row was sent.',
} as const;

export const notWritable: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key, and its request cannot be written today: it may exist.',
};

export function recovered(code: string | null): Reason {
  const message =
    code === answerDiffers
      ? 'As the run log has it: created, but the answer contradicts what was sent.'
      : 'As the run log has it.';
  return { code: code ?? 'recovered', field: null, message };
}

export const otherRequest: Reason = {
  code: 'request_differs',
  field: null,
  message: 'It may exist, and the file now gives another request than the one that the run log knows.',
};

export const keyLineMissing: Reason = {
  code: 'key_line_missing',
  field: null,
  message: 'The run log has an answer to it, and not the line that tells its request: it may exist.',
};

export const mayHaveBeenSent: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key and no conclusive answer: it may exist.',
};

export const severalKeys: Reason = {
  code: 'several_keys',
  field: null,
  message: 'There are several keys for it and no answer that says which of them was used: it may exist.',
};

const doubtMessages: Readonly<Record<Doubt, string>> = {
  key_lost:
    'The run log says that it was claimed, and the line with its key is missing or damaged: it may exist.',
  log_damaged: 'The run log is damaged, and what is missing may be about this row: it may exist.',
  log_unproven:
    'Nothing proves that the run log is whole, and it says nothing final of this row: it may exist.',
};

/** A row of which a log does not show whether it was sent, or under which key. */
export function doubtful(doubt: Doubt): Reason {
  return { code: doubt, field: null, message: doubtMessages[doubt] };
}

/** Whether a row is held only for that reason: an undamaged log releases it. */
export function isDoubtful(code: string | null): boolean {
  return code !== null && code in doubtMessages;
}

/** A row that a result file has as created, and its run log has not. */
export function shownAsCreated(objectId: string): Reason {
  return {
    code: 'created_in_results',
    field: null,
    message: `A result file has it as created, with the id ${objectId}, and the run log does not say so.`,
  };
}

/* A row that both a ledger and its run logs have data on. */

/** What to do with a row that both the ledger and its run logs have data on. */
type Merge =
  /** The ledger knows as much as the log, or more. */
  | 'keep'
  /** The row gets the key and the end in the log. */
  | 'restore'
  /** Two keys may have been used: a person has to decide. */
  | 'hold';

/**
 * Compares what a ledger that was restored from a backup knows of a row with what the log has. Both have the same
 * history, of which the ledger may have lost the end. A key that is not in the log was drawn by a ledger that continued
 * separately.
 * @param logged every key of the row in the log
 */
export function mergeRow(
  row: Pick<RowToRestore, 'state' | 'code' | 'generation' | 'firstSentAt' | 'earlierKeys'> & {
    readonly request: { readonly key: string } | null;
  },
  history: LoggedRow,
  logged: ReadonlySet<string>,
): Merge {
  const { request, earlierKeys, generation } = row;
  // This log may have what a damaged log lacked.
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

/** Whether a row that needs no request of its own, according to the log, is to end here as well. */
export function mayRest({ state, code, firstSentAt }: RowToRestore, place: EndWithoutRequest): boolean {
  return place.state === 'existing' || (firstSentAt === null && (state !== 'held' || isDoubtful(code)));
}
