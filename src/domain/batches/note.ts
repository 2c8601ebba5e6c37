/* Notes of a call that do not stop it. They are data, which each interface puts into words. */

import type { PaybatchError } from '../failures/paybatch-error.ts';
import type { Message } from '../settings/message.ts';
import type { LogDamage } from './run.ts';

/** The data that could not be read: a country's institutions from the API, or the customers from the ledger. */
export type MissingFact =
  | { readonly of: 'institutions'; readonly country: string }
  | { readonly of: 'customers' };

/**
 * A note of a call that does not stop it. Names of files and paths are exactly as received; the interface adds the words.
 */
export type Note =
  | {
      /** A fact that reading a file revealed, as a sentence, in the form in which the ledger and the report store it. */
      readonly code: 'file_remark';
      /** Null if the sentence itself names its file. */
      readonly file: string | null;
      readonly text: Message;
    }
  | {
      /** A mapping was proposed without data that the ledger or the API would have supplied. */
      readonly code: 'proposed_without';
      readonly missing: MissingFact;
      /** The reason why the data could not be read. */
      readonly error: PaybatchError;
    }
  | { readonly code: 'built_in_sandbox'; readonly folder: string }
  /** An API key is used in live mode, and only the person who set it states that it is a live key. */
  | { readonly code: 'live_key_first_used'; readonly fingerprint: string }
  | {
      /** No setting states how long the provider keeps idempotency keys. */
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
      /** Rows that were held because their institution could not be verified, and that pass now. */
      readonly code: 'rows_verified';
      readonly file: string;
      readonly rows: number;
    }
  | {
      readonly code: 'institutions_incomplete';
      readonly country: string;
      /** How many institutions were read. */
      readonly institutions: number;
    }
  | {
      /** The data shown comes from a standby of the database. */
      readonly code: 'read_from_standby';
      /** Host and port. */
      readonly server: string;
      /** The time of its latest transaction; null if the standby does not report it. */
      readonly knownUntil: string | null;
    }
  | {
      /** The run log lacked rows of earlier runs. They were added. */
      readonly code: 'log_completed';
      readonly file: string;
      readonly rows: number;
    }
  | {
      /** Events of a run log that were cut off, by a full disk or by the end of a run. */
      readonly code: 'log_torn';
      readonly log: string;
      readonly events: number;
      /** The first line numbers of them. */
      readonly lines: readonly number[];
    }
  | {
      /** Lines of a run log are changed or missing. */
      readonly code: 'log_damaged';
      readonly log: string;
      readonly damages: readonly LogDamage[];
      /** Whether the run adds the data to the log that only the ledger has. */
      readonly isCompleted: boolean;
    }
  | {
      /** No data proves that a run log is complete. */
      readonly code: 'log_unproven';
      readonly log: string;
      /** An earlier version wrote it, so changed lines cannot be detected either. */
      readonly isUnlinked: boolean;
      /** How many lines it has. */
      readonly lines: number;
      /** Whether its last run completed. */
      readonly isFinished: boolean;
      /** Whether rows are held because the log has no final result for them. */
      readonly isHeld: boolean;
    }
  | {
      /** Result files next to a run log show rows as created that the log does not show as created. */
      readonly code: 'rows_shown';
      readonly rows: number;
    }
  | { readonly code: 'mapping_not_remembered'; readonly path: string; readonly reason: Message }
  | {
      /** The same content was imported before. The files of the batch keep the name from that import. */
      readonly code: 'same_content';
      readonly file: string;
      readonly firstFile: string;
    }
  | {
      /** Rows that a retry sends again: rejected rows under new keys, and waiting rows. At least one in total. */
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
      /** Rows whose keys and answers were recovered; 0 if the ledger already had all of them. */
      readonly code: 'rows_recovered';
      readonly rows: number;
      readonly wasKnown: boolean;
    }
  | { readonly code: 'notice_not_written'; readonly path: string; readonly reason: string }
  | {
      /** Files of objects that were delivered before. They now have other names. */
      readonly code: 'files_kept';
      readonly paths: readonly string[];
    }
  | {
      /** A file is read in the way in which the batch was read, although its values contradict that. */
      readonly code: 'reading_contradicted';
      readonly error: PaybatchError;
    };
