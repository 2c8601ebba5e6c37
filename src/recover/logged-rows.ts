/* Data of run logs about rows and their keys, and the data that a rebuilt or restored row gets from them. */

import type { LoggedRunEvent } from '../disk/log/run-event.ts';
import type {
  LoggedAnswer,
  Reason,
  RestedRow,
  Restoration,
  RowToRestore,
} from '../domain/rows/ledger-row.ts';
import { answerDiffers } from '../domain/sending/outcome.ts';

/** The parts of a run log's event of one name that a rebuilt ledger needs. */
type PartsOf<Name extends LoggedRunEvent['event'], Part extends string> = Pick<
  Extract<LoggedRunEvent, { event: Name }>,
  Extract<Part | 'event' | 'batch', keyof Extract<LoggedRunEvent, { event: Name }>>
>;

type AboutRow = 'time' | 'row' | 'key';

/** The events of a run log about a row and its keys. */
export type LoggedEvent =
  | (PartsOf<'run.started', 'time' | 'run' | 'host' | 'process' | 'mode' | 'origin'> &
      PartsOf<'run.started', 'content_hash' | 'reading_hash' | 'sheet' | 'credential'>)
  | PartsOf<'run.finished', 'run'>
  | PartsOf<'claim.made', 'run' | 'claim' | 'rows'>
  | PartsOf<'batch.closed', 'run'>
  | PartsOf<'row.staged', AboutRow | 'generation' | 'request_hash'>
  | PartsOf<'row.answered', AboutRow | 'attempt' | 'status' | 'outcome' | 'reason' | 'id' | 'duration_ms'>
  | PartsOf<'row.final', AboutRow | 'status' | 'id' | 'code'>
  | PartsOf<'row.resolved', AboutRow | 'verdict' | 'id'>
  | {
      /** Not an event of the log: the row is created according to a result file beside the log. */
      readonly event: 'row.shown';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      /** Null if the file has no key. */
      readonly key: string | null;
      readonly id: string;
    }
  | { readonly event: 'other'; readonly batch: string };

/** An event and its position: the number of the log among those that are read, and the line. */
export type PlacedEvent = LoggedEvent & {
  readonly place?: { readonly log: number; readonly line: number };
};

/** The events of a run log about a row, with the fingerprint of the API key that was in use. */
export type LoggedRowEvent = Exclude<
  PlacedEvent,
  { event: 'run.started' | 'run.finished' | 'claim.made' | 'batch.closed' | 'other' }
> & {
  readonly credential: string | null;
};

export type StartedEvent = Extract<LoggedEvent, { event: 'run.started' }>;

/* Data of run logs about a row and its keys. */

/** The data about the newest key of one row. */
export interface LoggedRow {
  /** Null if the log has answers under the key, but the line with the key itself is missing. */
  readonly generation: number | null;
  readonly key: string;
  /** SHA-256 of the request that belongs to the key, in hex; null if the generation is null. */
  readonly requestHash: string | null;
  /**
   * When the key was first written to the log. No request under the key was sent earlier, unless that line is missing. ISO
   * 8601, UTC.
   */
  readonly firstStagedAt: string;
  /** Fingerprint of the API key under which the row's key was last sent, or else last claimed; null in old logs. */
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** Whether a request under the key has ended, with or without an answer. */
  readonly isTried: boolean;
  readonly end: RowEnd;
}

/** The result for a row's newest key. If it is unknown, the row may have been sent, and its object may exist. */
export type RowEnd =
  | {
      readonly state: 'created';
      readonly objectId: string;
      /** Present if the answer contradicted the request. */
      readonly code?: string;
      /** The API's answer that shows the creation; absent if a person stated it. */
      readonly answer?: LoggedAnswer;
    }
  | { readonly state: 'rejected' | 'waiting' | 'held'; readonly code: string | null }
  | { readonly state: 'unknown' }
  /** The row has several keys, and nothing shows which of them was used. */
  | { readonly state: 'unclear' };

/**
 * The result for a row that needs no request of its own, because of another row's object, a person's decision, its
 * correction, or a closed batch.
 */
export type EndWithoutRequest =
  | { readonly state: 'existing'; readonly objectId: string }
  | { readonly state: 'held'; readonly code: string | null }
  | { readonly state: 'superseded' | 'closed' };

/* The reasons for the states of rebuilt rows. */

const notSentAnyMore = {
  superseded: 'As the run log has it: corrected in another file.',
  closed: 'As the run log has it: a person closed the batch before this row was sent.',
} as const;

export const notWritable: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key, and its request cannot be written today: it may exist.',
};

function recovered(code: string | null): Reason {
  const message =
    code === answerDiffers
      ? 'As the run log has it: created, but the answer contradicts what was sent.'
      : 'As the run log has it.';
  return { code: code ?? 'recovered', field: null, message };
}

const otherRequest: Reason = {
  code: 'request_differs',
  field: null,
  message: 'It may exist, and the file now gives another request than the one that the run log knows.',
};

const keyLineMissing: Reason = {
  code: 'key_line_missing',
  field: null,
  message: 'The run log has an answer to it, and not the line that tells its request: it may exist.',
};

const mayHaveBeenSent: Reason = {
  code: 'recovered',
  field: null,
  message: 'The run log has its key and no conclusive answer: it may exist.',
};

export const severalKeys: Reason = {
  code: 'several_keys',
  field: null,
  message: 'There are several keys for it and no answer that says which of them was used: it may exist.',
};

/**
 * Why the result of a row is unknown. `key_lost`: a claim names the row, and the line with its key is missing.
 * `log_damaged`: lines are missing that may be about the row. `log_unproven`: it is not proven that the log is complete,
 * and a person has chosen to hold such rows.
 */
export type Doubt = 'key_lost' | 'log_damaged' | 'log_unproven';

const doubtMessages: Readonly<Record<Doubt, string>> = {
  key_lost:
    'The run log says that it was claimed, and the line with its key is missing or damaged: it may exist.',
  log_damaged: 'The run log is damaged, and what is missing may be about this row: it may exist.',
  log_unproven:
    'Nothing proves that the run log is whole, and it says nothing final of this row: it may exist.',
};

/** The reason for a row for which a log does not show whether it was sent, or under which key. */
export function doubtful(doubt: Doubt): Reason {
  return { code: doubt, field: null, message: doubtMessages[doubt] };
}

/** Whether a row is held only for such a reason. An undamaged log releases it. */
export function isDoubtful(code: string | null): boolean {
  return code !== null && code in doubtMessages;
}

/** The reason for a row that is created according to a result file, but not according to its run log. */
export function shownAsCreated(objectId: string): Reason {
  return {
    code: 'created_in_results',
    field: null,
    message: `A result file has it as created, with the id ${objectId}, and the run log does not say so.`,
  };
}

/** Whether a row is held only for this reason. */
export function isShownAsCreated(code: string | null): boolean {
  return code === shownAsCreated('').code;
}

/* The new states of rebuilt rows. */

/** A row that needs no request, according to the log. */
export function restedAt(row: number, place: EndWithoutRequest): RestedRow {
  switch (place.state) {
    case 'existing':
      return { row, state: 'existing', objectId: place.objectId, reason: recovered('existing') };
    case 'held':
      return heldFor(row, recovered(place.code));
    default: {
      const reason = { code: place.state, field: null, message: notSentAnyMore[place.state] };
      return { row, state: 'invalid', objectId: null, reason };
    }
  }
}

/** A row that waits for a person, without an object. */
export function heldFor(row: number, reason: Reason): RestedRow {
  return { row, state: 'held', objectId: null, reason };
}

/** The state of a row that gets its key and its result from the log. A key is used again only with the same request. */
export function standingOf(
  { end, requestHash }: LoggedRow,
  isSameRequest: boolean,
): Pick<Restoration, 'state' | 'objectId' | 'reason'> {
  if (end.state === 'created') {
    const reason = end.code === undefined ? null : recovered(end.code);
    return { state: 'created', objectId: end.objectId, reason };
  }
  if (end.state === 'rejected' || end.state === 'waiting') {
    return { state: end.state, objectId: null, reason: recovered(end.code) };
  }
  if (end.state === 'unclear') return { state: 'held', objectId: null, reason: severalKeys };
  if (!isSameRequest) {
    return { state: 'held', objectId: null, reason: requestHash === null ? keyLineMissing : otherRequest };
  }
  if (end.state === 'held') return { state: 'held', objectId: null, reason: recovered(end.code) };
  return { state: 'unknown', objectId: null, reason: mayHaveBeenSent };
}

/* Rows about which both the ledger and its run logs have data. */

/** How to merge the data of the ledger and of its run logs about a row. */
type Merge =
  /** The ledger knows as much as the log, or more. */
  | 'keep'
  /** The row gets the key and the result from the log. */
  | 'restore'
  /** Two keys may have been used, so a person has to decide. */
  | 'hold';

/**
 * Compares the data about a row in a ledger that was restored from a backup with the data in the log. Both have the same
 * history, but the ledger may have lost its end. A key that is not in the log was generated by a ledger that continued
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
  // This log may have the lines that a damaged log lacked.
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
    const isUsed = history.isTried || (history.end.state !== 'unknown' && history.end.state !== 'unclear');
    if (!isUsed) return 'keep';
  }
  return row.state === 'held' ? 'keep' : 'hold';
}

/** Whether the log has more data about the row's current key than the ledger. */
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

/** Whether a row that needs no request according to the log may get this result in the ledger as well. */
export function mayRest({ state, code, firstSentAt }: RowToRestore, place: EndWithoutRequest): boolean {
  return place.state === 'existing' || (firstSentAt === null && (state !== 'held' || isDoubtful(code)));
}
