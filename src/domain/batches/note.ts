/* Notes of a call that stop nothing: as data, which each interface words. */

import type { PaybatchError } from '../failures/paybatch-error.ts';
import type { Message } from '../settings/message.ts';
import type { LogDamage } from './run.ts';

/** What could not be read: a country's institutions from the API, or the customers from the ledger. */
export type MissingFact =
  | { readonly of: 'institutions'; readonly country: string }
  | { readonly of: 'customers' };

/**
 * A note of a call that stops nothing. Names of files and paths are exactly as received; the interface that shows
 * them words the rest.
 */
export type Note =
  | {
      /** What reading a file revealed, in a sentence, as the ledger and the report store it. */
      readonly code: 'file_remark';
      /** Null where the sentence names its file. */
      readonly file: string | null;
      readonly text: Message;
    }
  | {
      /** A mapping was proposed without data that the ledger or the API would have supplied. */
      readonly code: 'proposed_without';
      readonly missing: MissingFact;
      /** Why it could not be read. */
      readonly error: PaybatchError;
    }
  | { readonly code: 'built_in_sandbox'; readonly folder: string }
  /** An API key is used in live mode, and nothing but the person who set it says that it is a live one. */
  | { readonly code: 'live_key_first_used'; readonly fingerprint: string }
  | {
      /** It is not stated how long the provider keeps idempotency keys. */
      readonly code: 'key_lifetime_assumed';
      readonly durationInMs: number;
    }
  | {
      readonly code: 'institutions_changed';
      readonly file: string;
      readonly countries: readonly string[];
      /** Rows that no longer pass. */
      readonly movedRows: number;
    }
  | {
      /** Rows that were held since their institution could not be verified, and that pass now. */
      readonly code: 'rows_verified';
      readonly file: string;
      readonly rows: number;
    }
  | {
      readonly code: 'institutions_incomplete';
      readonly country: string;
      /** How many were read. */
      readonly institutions: number;
    }
  | {
      /** The data shown is that of a standby of the database. */
      readonly code: 'read_from_standby';
      /** Host and port. */
      readonly server: string;
      /** When its latest transaction was made; null where the standby does not report it. */
      readonly knownUntil: string | null;
    }
  | {
      /** The run log lacked rows of earlier runs, and has them now. */
      readonly code: 'log_completed';
      readonly file: string;
      readonly rows: number;
    }
  | {
      /** Events of a run log that a full disk or the end of a run cut off. */
      readonly code: 'log_torn';
      readonly log: string;
      readonly events: number;
      /** The first of their lines. */
      readonly lines: readonly number[];
    }
  | {
      /** A run log has changed lines, or lacks some. */
      readonly code: 'log_damaged';
      readonly log: string;
      readonly damages: readonly LogDamage[];
      /** Whether the run adds to the log what only the ledger has. */
      readonly isCompleted: boolean;
    }
  | {
      /** Nothing proves that a run log is whole. */
      readonly code: 'log_unproven';
      readonly log: string;
      /** An earlier version wrote it: changed lines cannot be detected either. */
      readonly isUnlinked: boolean;
      /** How many lines it has. */
      readonly lines: number;
      /** Whether its last run completed. */
      readonly isFinished: boolean;
      /** Whether rows are held about which it has nothing final. */
      readonly isHeld: boolean;
    }
  | {
      /** Result files beside a run log show rows as created that the log does not. */
      readonly code: 'rows_shown';
      readonly rows: number;
    }
  | { readonly code: 'mapping_not_remembered'; readonly path: string; readonly reason: Message }
  | {
      /** The same content was imported before, under the name that its files keep. */
      readonly code: 'same_content';
      readonly file: string;
      readonly firstFile: string;
    }
  | {
      /** Rows that a retry sends again: rejected ones under new keys, and waiting ones. At least one of all. */
      readonly code: 'rows_returned';
      readonly batch: string;
      readonly rejected: number;
      readonly waiting: number;
    }
  | {
      /** A batch that corrects rows of this import, or read them in another way, was sent in the same call. */
      readonly code: 'later_batch';
      readonly batch: string;
    }
  | {
      /** Rows have their keys and answers back; none where the ledger knew all of it. */
      readonly code: 'rows_recovered';
      readonly rows: number;
      readonly wasKnown: boolean;
    }
  | { readonly code: 'notice_not_written'; readonly path: string; readonly reason: string }
  | {
      /** Files of objects that were delivered before, now under other names. */
      readonly code: 'files_kept';
      readonly paths: readonly string[];
    }
  | {
      /** A file is read as the batch was, although its values contradict that. */
      readonly code: 'reading_contradicted';
      readonly error: PaybatchError;
    };
