/* What stops the sending of a batch, or of every batch, before all of its rows have an end; and why rows got no answer. */

import { type Message, plainText } from '../settings/message.ts';
import type { Conclusion, StopReason } from './outcome.ts';

/**
 * The run cannot continue, for any row: no further request starts. `message` is a sentence for people;
 * it contains nothing personal and no credential.
 */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly reason: StopReason;
  /**
   * The state of the row whose sending was broken off: its state before the try that stopped the run where
   * that try's answer is conclusive, and else `unknown`. It has to be recorded. Null where no row was being sent.
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
 * Why no fresh row of a batch is sent any more: the API refused many for one reason, and none was created. The
 * file is then read wrongly as a whole, and each further request would be refused as well.
 */
export interface RefusedAlike {
  readonly code: string;
  /** The API's message, where it is known. */
  readonly message: string | null;
  /** How many rows had been refused for it when the sending stopped. */
  readonly rows: number;
}

/** Thrown by a run for a failure of one batch alone: its sending stops, and the other batches of the call continue. */
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

/** The policy asks for approvals that the batch does not have, or no longer has. */
export class ApprovalStop extends BatchStop {
  override readonly name = 'ApprovalStop';

  constructor() {
    super('the policy asks for approvals of the batch');
  }
}

/** Rows that were about to be sent are not what approvers have signed, or not of the batch's kind. */
export class ContentStop extends BatchStop {
  override readonly name = 'ContentStop';
  /** At least one, in ascending order. */
  readonly rows: readonly number[];

  constructor(rows: readonly number[]) {
    super('rows are not what was approved');
    this.rows = rows;
  }
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
