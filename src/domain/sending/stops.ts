/* What stops the sending of a batch, or of every batch, before all of its rows have an end. */

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
