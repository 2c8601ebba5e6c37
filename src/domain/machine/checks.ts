/* What an examination of the installation finds: a closed list of findings, each with its facts. */

import type { BatchRecord, Mode } from '../batches/batch.ts';
import type { CallOutcome, PaybatchError } from '../failures/paybatch-error.ts';
import type { SettingName } from '../settings/definitions.ts';

/** One thing that was looked at, what was found, and how the call would end with it alone. */
export interface Check {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: CheckedThing;
  readonly finding: CheckFinding;
  readonly outcome: CallOutcome;
}

/** What can be looked at, by its public name. */
export type CheckedThing =
  | 'versions'
  | 'results'
  | 'ledger'
  | 'certificates'
  | 'key file'
  | 'database'
  | 'durability'
  | 'database role'
  | 'clock'
  | 'integrity'
  | 'audit trail'
  | 'run logs'
  | 'API'
  | 'proxy'
  | 'key lifetime';

/** A role that `migrate` makes in the database, without the name of the program. */
export type LedgerRole = 'worker' | 'approver' | 'console';

/** What can be found. Paths and names are exactly as they came; whoever shows a finding words it, and what helps. */
export type CheckFinding =
  /** What was looked at cannot be used, for the reason that the error gives. */
  | { readonly code: 'failed'; readonly error: PaybatchError }
  | {
      readonly code: 'versions';
      readonly paybatch: string;
      readonly node: string;
      /** Operating system and processor: `linux x64`. */
      readonly platform: string;
    }
  | {
      readonly code: 'folder_writable' | 'folder_nearly_full';
      readonly path: string;
      /** False where it will be made. */
      readonly isThere: boolean;
      readonly freeInBytes: number;
    }
  | {
      readonly code: 'folder_not_writable';
      readonly path: string;
      /** The setting that names the folder. */
      readonly setting: SettingName;
    }
  /** The certificates that Node.js is told to trust beside its own. */
  | { readonly code: 'certificates_trusted'; readonly path: string; readonly certificates: number }
  | { readonly code: 'certificates_unreadable'; readonly path: string }
  | { readonly code: 'key_file_private' | 'key_file_readable_by_others'; readonly path: string }
  /** The first import makes the embedded ledger. */
  | { readonly code: 'ledger_not_there_yet' }
  | {
      readonly code: 'ledger_ready';
      /** Null for the embedded ledger. */
      readonly serverVersion: string | null;
      readonly hasBatches: boolean;
    }
  | { readonly code: 'durable' }
  | {
      /** Who is logged in at the database, and what the database lets that login do. */
      readonly code: 'database_role';
      /** Name of the login. */
      readonly login: string;
      /** Whether it may change everything: it has the rights of whoever owns the tables. */
      readonly isOwner: boolean;
      /** The roles of the ledger whose rights it has; an owner needs none. */
      readonly roles: readonly LedgerRole[];
      readonly hasPolicy: boolean;
    }
  /** Fewer approvers are in office than the policy in force asks for: nothing that it is about can be sent. */
  | { readonly code: 'nobody_can_approve' }
  /** Good enough for the sandbox; the error says what a live run would refuse. */
  | { readonly code: 'durable_too_little_for_live'; readonly error: PaybatchError }
  | {
      readonly code: 'clocks_agree' | 'clocks_differ';
      /** Whose clock was compared with this machine's. */
      readonly of: 'API' | 'database';
      /** That clock's time minus this machine's. */
      readonly skewInMs: number;
    }
  /** The API does not tell its time. */
  | { readonly code: 'clock_unknown' }
  | { readonly code: 'lines_complete' }
  | {
      /** Lines of the ledger that belong to no row, by what they are. */
      readonly code: 'lines_orphaned';
      readonly orphans: readonly { readonly what: string; readonly rows: number }[];
    }
  | {
      /** The ends of the chains that changed last, as far as they were looked at. */
      readonly code: 'trail_fits';
      readonly chains: number;
      readonly events: number;
    }
  | {
      readonly code: 'trail_broken';
      /** Ids of batches, or `controls`: users, keys and policies. */
      readonly chains: readonly string[];
    }
  | {
      /** What the database is to refuse or to note, it does not. */
      readonly code: 'triggers_off';
      /** As `table.trigger`. */
      readonly triggers: readonly string[];
    }
  | { readonly code: 'logged_objects_known'; readonly logs: number }
  /** What run logs tell is kept by whoever may write to the ledger; this login may not. */
  | { readonly code: 'logs_left_to_workers' }
  | {
      /** Run logs tell of objects that no row has. */
      readonly code: 'logged_objects_lost';
      readonly lost: readonly {
        readonly batch: Pick<BatchRecord, 'id' | 'mode' | 'origin'>;
        readonly objects: number;
      }[];
    }
  | { readonly code: 'api_answers'; readonly mode: Mode; readonly origin: string }
  | {
      readonly code: 'api_answers_with_error';
      readonly mode: Mode;
      readonly origin: string;
      readonly httpStatus: number;
    }
  | { readonly code: 'proxied'; readonly proxyHost: string }
  /** A proxy is named, and the API is among what it is not used for. */
  | { readonly code: 'proxy_passed_by' }
  /** How long the provider keeps keys; assumed where nobody has stated it. */
  | { readonly code: 'key_lifetime_stated' | 'key_lifetime_assumed'; readonly durationInMs: number };
