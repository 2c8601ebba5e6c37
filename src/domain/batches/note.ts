/* What is worth knowing while a call runs, and stops nothing: as data, which each interface words. */

import type { PaybatchError } from '../failures/paybatch-error.ts';
import type { LogDamage } from './run-log.ts';

/** What could not be asked for: a country's institutions of the API, or the customers of the ledger. */
export type MissingFact =
  | { readonly of: 'institutions'; readonly country: string }
  | { readonly of: 'customers' };

/**
 * What is worth knowing on the way and stops nothing. Names of files and paths are exactly as they came; whoever shows
 * them words the rest.
 */
export type Note =
  | {
      /** What reading a file brought to light, in a sentence, as the ledger and the report keep it. */
      readonly code: 'file_remark';
      /** Null where the sentence names its file. */
      readonly file: string | null;
      readonly text: string;
    }
  | {
      /** A mapping was proposed without something that the ledger or the API would have told. */
      readonly code: 'proposed_without';
      readonly missing: MissingFact;
      /** Why it could not be asked for. */
      readonly error: PaybatchError;
    }
  | { readonly code: 'built_in_sandbox'; readonly folder: string }
  | {
      /** Nobody has stated how long the provider keeps idempotency keys. */
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
      /** Rows that were held since their institution could not be verified, and pass now. */
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
      /** What is shown is what a standby of the database has. */
      readonly code: 'read_from_standby';
      /** Host and port. */
      readonly server: string;
      /** When the last transaction was made that it has; null where it does not tell. */
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
      /** Whether the run writes into it what the ledger knows and the log lacks. */
      readonly isCompleted: boolean;
    }
  | {
      /** Nothing proves that a run log is whole. */
      readonly code: 'log_unproven';
      readonly log: string;
      /** An earlier version wrote it: changed lines cannot be noticed either. */
      readonly isUnlinked: boolean;
      /** How many lines it has. */
      readonly lines: number;
      /** Whether its last run came to its end. */
      readonly isFinished: boolean;
      /** Whether rows are held of which it says nothing final. */
      readonly isHeld: boolean;
    }
  | {
      /** Result files beside a run log have rows as created that it does not. */
      readonly code: 'rows_shown';
      readonly rows: number;
    }
  | { readonly code: 'mapping_not_remembered'; readonly path: string; readonly reason: string }
  | {
      /** The same content was taken in before, under the name that its files keep. */
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
      /** Files of objects that were handed over before, under other names now. */
      readonly code: 'files_kept';
      readonly paths: readonly string[];
    }
  | {
      /** A file is read as the batch was, although it contradicts that. */
      readonly code: 'reading_contradicted';
      readonly error: PaybatchError;
    };
