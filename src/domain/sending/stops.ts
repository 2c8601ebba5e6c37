/*
 * The reasons why sending a batch, or every batch, stops before all of its rows have a final state, and why rows got no
 * answer.
 */

import { type Message, plainText } from '../settings/message.ts';
import type { Conclusion, StopReason } from './outcome.ts';

/**
 * The run cannot continue for any row, so no further request starts. `message` is a sentence for people. It contains no
 * personal data and no credential.
 */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly reason: StopReason;
  /**
   * The state of the row whose sending was broken off. If the answer of the try that stopped the run is conclusive, it is
   * the state before that try; else it is `unknown`. It has to be recorded. Null if no row was being sent.
   */
  readonly conclusion: Conclusion | null;

  /** The message in its parts. */
  readonly said: Message;

  constructor(reason: StopReason, said: Message, conclusion: Conclusion | null = null) {
    super(plainText(said));
    this.said = said;
    this.reason = reason;
    this.conclusion = conclusion;
  }
}

/**
 * The reason why no fresh row of a batch is sent any more: the API refused many rows for one reason, and created none. Then
 * the file as a whole is read in the wrong way, and each further request would be refused as well.
 */
export interface RefusedAlike {
  readonly code: string;
  /** The API's message, if it is known. */
  readonly message: string | null;
  /** How many rows had been refused for this reason when the sending stopped. */
  readonly rows: number;
}

/**
 * Thrown by a run for a failure of only one batch. The sending of this batch stops, and the other batches of the call
 * continue.
 */
export class BatchStop extends Error {
  override readonly name: string = 'BatchStop';
}

/** The API refused the rows of the batch for one reason. */
export class RefusedAlikeStop extends BatchStop {
  override readonly name = 'RefusedAlikeStop';
  readonly refused: RefusedAlike;

  constructor(refused: RefusedAlike) {
    super('the API refused the rows of a file for one reason');
    this.refused = refused;
  }
}

/** A person has stopped everything: no batch of any call is sent. */
export class HaltStop extends Error {
  override readonly name = 'HaltStop';

  constructor() {
    super('a person has stopped everything');
  }
}

/** The policy requires approvals that the batch does not have, or no longer has. */
export class ApprovalStop extends BatchStop {
  override readonly name = 'ApprovalStop';

  constructor() {
    super('the policy asks for approvals of the batch');
  }
}

/** Rows that were about to be sent are not the rows that approvers have signed, or are not of the batch's kind. */
export class ContentStop extends BatchStop {
  override readonly name = 'ContentStop';
  /** At least one row, in ascending order. */
  readonly rows: readonly number[];

  constructor(rows: readonly number[]) {
    super('rows are not what was approved');
    this.rows = rows;
  }
}

/**
 * The text for an unavailable API without an answer, by the code that the row stores, with the preposition before the
 * address.
 */
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

/** The text for an outcome that occurs at every try of a row, by the code that the row stores. */
const alwaysTexts: ReadonlyMap<string, string> = new Map([
  ['timeout', 'no answer in time'],
  ['connection_lost', 'no answer, since the connection is lost'],
  ['server_error', 'a fault of the API itself'],
]);

/**
 * The outcome of every try for rows that fail while other rows are answered: `HTTP 500`.
 * @returns null if the cause cannot be a single row
 */
export function alwaysText(code: string, httpStatus: number | null): string | null {
  const text = alwaysTexts.get(code) ?? null;
  return text === null || httpStatus === null ? text : `HTTP ${httpStatus}`;
}

/** The codes of rows for which the API gave no answer, or no answer about the row. */
export const unansweredCodes: readonly string[] = [...texts.keys()];

/** Rows of a batch that got no answer, for the most frequent cause. */
export interface UnansweredRows {
  readonly code: string;
  readonly rows: number;
  /** The status of the last answer; null if there was none. */
  readonly httpStatus: number | null;
  /** The first and the last row number of each of the first ranges of these rows. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  /**
   * Whether all other rows of the batch that were to be sent are finished, and some of them were answered. Then these rows
   * are the cause, and not the API.
   */
  readonly areAlone: boolean;
  /** The time since when there was no other answer about them; ISO 8601, UTC. */
  readonly since: string;
}

/**
 * The reason why there was no answer: `connection refused at https://api.example.com`.
 * @param address omitted if it is null
 */
export function unansweredText(code: string, httpStatus: number | null, address: string | null): string {
  const [text, preposition] = texts.get(code) ?? [code, 'at'];
  const status = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
  return `${text}${status}${address === null ? '' : ` ${preposition} ${address}`}`;
}
