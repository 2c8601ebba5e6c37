/* A request of a row, and its outcome. */

/** Why a request that may have left has no conclusive answer. */
export type UnknownReason =
  | 'timeout'
  | 'connection_lost'
  | 'server_error'
  | 'answer_incomplete'
  | 'answer_without_id'
  | 'answer_too_large'
  | 'error_in_answer'
  | 'redirect'
  | 'not_the_api';

/** A field that the answer repeats with another value than was sent; both values may be shown. */
export interface AnswerDifference {
  readonly field: string;
  readonly sent: string;
  readonly answered: string;
}

/** What a 2xx answer says about the object that it confirms. */
export interface CreationReading {
  /** Undefined when the answer has none in the expected place. */
  readonly id: string | undefined;
  /** Where the answer contradicts its request; absent when nowhere. */
  readonly differences?: readonly AnswerDifference[];
}

/** The result of one HTTP request; made from the answer alone, without the row's history. */
export type Outcome =
  /** 2xx, whole JSON, with the object's id in this endpoint's place for it. */
  | {
      readonly kind: 'created';
      readonly objectId: string;
      /** Absent when the answer contradicts nothing that was sent. */
      readonly differences?: readonly AnswerDifference[];
    }
  /** A 4xx refusal; conclusive only if no earlier try under the same key is unknown. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The request may have left, and no conclusive answer came back. */
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      /** What the API itself says about an `error_in_answer`. */
      readonly apiError?: { readonly code: string | null; readonly message: string | null };
      /** The answer shows a fault of the configuration, so the run stops as well. */
      readonly stop?: StopCause;
    }
  /** 409: a request under the same key is in progress, or had other content; try again a few times. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 429: not carried out; all of the run's requests wait. */
  | { readonly kind: 'throttled'; readonly waitInMs: number | null }
  /** Nothing left this machine: connection refused, name not found, TLS failure. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** Stop the run; the answer is conclusive, and the row stays as it was before this try. */
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly message: string };

export type OutcomeKind = Outcome['kind'];

/** Why the whole run has to stop: the fault lies in credentials or configuration, not in a row. */
export type StopReason = 'credentials' | 'redirect' | 'not_the_api' | 'wrong_path' | 'no_id' | 'unavailable';

/** Why a run stops by itself; the message is a sentence for people, with nothing personal in it. */
export interface StopCause {
  readonly reason: StopReason;
  readonly message: string;
}

/** Why an unavailable API gave no answer, by the code that the row keeps; and the word that joins it to the address. */
const texts: ReadonlyMap<string, readonly [text: string, preposition: string]> = new Map([
  ['connection_refused', ['connection refused', 'at']],
  ['name_not_found', ['host name not found', 'for']],
  ['unreachable', ['no route', 'to']],
  ['connect_timeout', ['no connection in time', 'to']],
  ['tls_failure', ['no TLS connection', 'to']],
  ['proxy_refused', ['connection refused by the proxy', 'for']],
  ['not_encrypted', ['unencrypted connection to another machine', 'for']],
  ['connect_failed', ['no connection', 'to']],
  ['timeout', ['no answer in time', 'from']],
  ['connection_lost', ['connection lost before an answer', 'from']],
  ['server_error', ['fault of the API itself', 'at']],
]);

/** The outcome that a row always gets, by the code that the row keeps. */
const alwaysTexts: ReadonlyMap<string, string> = new Map([
  ['timeout', 'no answer in time'],
  ['connection_lost', 'no answer, since the connection is lost'],
  ['server_error', 'a fault of the API itself'],
]);

/**
 * What rows always get that fail while other rows are answered: `HTTP 500`.
 * @returns null where the cause cannot be a single row's
 */
export function alwaysText(code: string, httpStatus: number | null): string | null {
  const text = alwaysTexts.get(code) ?? null;
  return text === null || httpStatus === null ? text : `HTTP ${httpStatus}`;
}

/** The codes of rows for which the API gave no answer, or none about the row. */
export const unansweredCodes: readonly string[] = [...texts.keys()];

/** Rows of a batch that got no answer, for the most frequent cause. */
export interface UnansweredRows {
  readonly code: string;
  readonly rows: number;
  /** Of the last answer; null where there was no answer. */
  readonly httpStatus: number | null;
  /** The first and the last row number of each of the first ranges of these rows. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  /**
   * Whether all other rows of the batch that were to be sent are finished, and some of them were answered: then the
   * cause is these rows, and not the API.
   */
  readonly areAlone: boolean;
  /** Since when no other answer about them came; ISO 8601, UTC. */
  readonly since: string;
}

/**
 * Why no answer came: `connection refused at https://api.example.com`.
 * @param address left out where it is null
 */
export function unansweredText(code: string, httpStatus: number | null, address: string | null): string {
  const [text, preposition] = texts.get(code) ?? [code, 'at'];
  const status = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
  return `${text}${status}${address === null ? '' : ` ${preposition} ${address}`}`;
}

/**
 * One stored request: exactly these bytes, this path and this key, however often it is tried.
 */
export interface StoredRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: Buffer;
}

/** One HTTP request as the ledger and the run log remember it. */
export interface Attempt {
  /** Counts the requests of this row from 1, over all runs. */
  readonly number: number;
  readonly outcome: OutcomeKind;
  /** A stable code: the unknown reason, the refusal's code, the stop reason; null when created. */
  readonly reason: string | null;
  readonly httpStatus: number | null;
  readonly objectId: string | null;
  readonly durationInMs: number;
  /** When it left, in milliseconds after the first request of its claim; absent where it was not measured. */
  readonly sentAfterMs?: number;
  /** The answer's body as text when it was read whole and is of moderate size; evidence for reconciliation. */
  readonly answer: string | null;
}
