/* What run logs have on rows and their keys, and what a rebuilt or restored row gets from it. */

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

/** What a run log has on a row and its keys. */
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
      /** Not a line of the log: a result file beside it has the row as created. */
      readonly event: 'row.shown';
      readonly time: string;
      readonly batch: string;
      readonly row: number;
      /** Null where that file has none. */
      readonly key: string | null;
      readonly id: string;
    }
  | { readonly event: 'other'; readonly batch: string };

/** An event, and its position: in which of the logs that are read, and in which line. */
export type PlacedEvent = LoggedEvent & {
  readonly place?: { readonly log: number; readonly line: number };
};

/** What a run log has on a row, with the fingerprint of the API key that was in use then. */
export type LoggedRowEvent = Exclude<
  PlacedEvent,
  { event: 'run.started' | 'run.finished' | 'claim.made' | 'batch.closed' | 'other' }
> & {
  readonly credential: string | null;
};

export type StartedEvent = Extract<LoggedEvent, { event: 'run.started' }>;

/* What run logs have on a row and its keys. */

/** What is known of one row's newest key. */
export interface LoggedRow {
  /** Null where the log has answers under the key, but the line with the key itself was cut off. */
  readonly generation: number | null;
  readonly key: string;
  /** SHA-256 of the request that belongs to the key, in hex; null like the generation. */
  readonly requestHash: string | null;
  /** When the key was first written down: no request under it was earlier, unless that line is missing. ISO 8601, UTC. */
  readonly firstStagedAt: string;
  /** Fingerprint of the API key under which the row's key was last sent, or else last claimed; null in old logs. */
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** Whether a request under the key ended, with or without an answer. */
  readonly isTried: boolean;
  readonly end: RowEnd;
}

/** How a row's newest key ended. Without an end it may have been sent, and may exist. */
export type RowEnd =
  | {
      readonly state: 'created';
      readonly objectId: string;
      /** Present where the answer contradicted the request. */
      readonly code?: string;
      /** The API's answer that shows it; absent where a person stated it. */
      readonly answer?: LoggedAnswer;
    }
  | { readonly state: 'rejected' | 'waiting' | 'held'; readonly code: string | null }
  | { readonly state: 'unknown' }
  /** Several keys, and nothing shows which of them was used. */
  | { readonly state: 'unclear' };

/**
 * The end of a row that needs no request of its own: another row's object, a person's decision, its correction, a closed
 * batch.
 */
export type EndWithoutRequest =
  | { readonly state: 'existing'; readonly objectId: string }
  | { readonly state: 'held'; readonly code: string | null }
  | { readonly state: 'superseded' | 'closed' };

/* The reasons for the states of rows that are rebuilt. */

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
 * Why the fate of a row is unknown. `key_lost`: a claim names it, and the line with its key is missing. `log_damaged`:
 * lines are missing that may be about it. `log_unproven`: nothing proves that no lines are missing, and a person has
 * chosen to hold such rows.
 */
export type Doubt = 'key_lost' | 'log_damaged' | 'log_unproven';

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

/** Whether a row is held only for that reason. */
export function isShownAsCreated(code: string | null): boolean {
  return code === shownAsCreated('').code;
}

/* What rows become that are rebuilt. */

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

/** The state of a row that gets its key and its end from the log. A key is used again only with the same request. */
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
    const isUsed = history.isTried || (history.end.state !== 'unknown' && history.end.state !== 'unclear');
    if (!isUsed) return 'keep';
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

/** Whether a row that needs no request of its own, according to the log, is to end here as well. */
export function mayRest({ state, code, firstSentAt }: RowToRestore, place: EndWithoutRequest): boolean {
  return place.state === 'existing' || (firstSentAt === null && (state !== 'held' || isDoubtful(code)));
}
