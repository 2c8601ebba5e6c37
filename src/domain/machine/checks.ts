/* The results of an examination of the installation: a closed list of findings, each with its data. */

import type { BatchRecord, Mode } from '../batches/batch.ts';
import type { HaltInForce } from '../controls/controls.ts';
import type { CallOutcome, PaybatchError } from '../failures/paybatch-error.ts';
import type { SettingName } from '../settings/definitions.ts';

/** One checked thing, the finding about it, and how the call would end if this were the only finding. */
export interface Check {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: CheckedThing;
  readonly finding: CheckFinding;
  readonly outcome: CallOutcome;
}

/** The things that are checked, by their public names. */
export type CheckedThing =
  | 'halt'
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
  | 'API key'
  | 'ledger of the key'
  | 'policy'
  | 'proxy'
  | 'key lifetime';

/** A role that `migrate` creates in the database, without the name of the program. */
export type LedgerRole = 'worker' | 'approver' | 'console';

/**
 * The possible findings. Paths and names are exactly as received; the interface adds the words for the finding and the
 * remedy.
 */
export type CheckFinding =
  /** A person has stopped everything. */
  | { readonly code: 'halted'; readonly inForce: HaltInForce }
  /** The checked thing cannot be used, for the reason in the error. */
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
      /** False if it is still to be created. */
      readonly isThere: boolean;
      readonly freeInBytes: number;
    }
  | {
      readonly code: 'folder_not_writable';
      readonly path: string;
      /** The setting that names the folder. */
      readonly setting: SettingName;
    }
  /** The first import creates the embedded ledger. */
  | { readonly code: 'certificates_trusted'; readonly path: string; readonly certificates: number }
  | { readonly code: 'certificates_unreadable'; readonly path: string }
  | { readonly code: 'key_file_private' | 'key_file_readable_by_others'; readonly path: string }
  /** The first import creates the embedded ledger. */
  | { readonly code: 'ledger_not_there_yet' }
  | {
      readonly code: 'ledger_ready';
      /** Null for the embedded ledger. */
      readonly serverVersion: string | null;
      readonly hasBatches: boolean;
    }
  | { readonly code: 'durable' }
  | {
      /** The database user, and its rights in the database. */
      readonly code: 'database_role';
      /** Name of the database user. */
      readonly login: string;
      /** Whether it may change everything, because it has the rights of the tables' owner. */
      readonly isOwner: boolean;
      /** The roles of the ledger whose rights it has. An owner needs none. */
      readonly roles: readonly LedgerRole[];
      readonly hasPolicy: boolean;
    }
  /** Fewer approvers are active than the policy in force requires, so nothing can be sent under that policy. */
  | { readonly code: 'nobody_can_approve' }
  /** Sufficient for the sandbox. The error is the one with which a live run would be refused. */
  | { readonly code: 'durable_too_little_for_live'; readonly error: PaybatchError }
  | {
      readonly code: 'clocks_agree' | 'clocks_differ';
      /** The clock that was compared with this machine's clock. */
      readonly of: 'API' | 'database';
      /** That clock's time minus this machine's. */
      readonly skewInMs: number;
    }
  /** The API does not report its time. */
  | { readonly code: 'clock_unknown' }
  | { readonly code: 'lines_complete' }
  | {
      /** Table rows of the ledger that belong to no row of a batch, by kind. */
      readonly code: 'lines_orphaned';
      readonly orphans: readonly { readonly what: string; readonly rows: number }[];
    }
  | {
      /** The ends of the chains that changed last, as far as they were checked. */
      readonly code: 'trail_fits';
      readonly chains: number;
      readonly events: number;
    }
  | {
      readonly code: 'trail_broken';
      /** Ids of batches, or `controls` for users, keys and policies. */
      readonly chains: readonly string[];
    }
  | {
      /** Checks or records that the database should enforce but does not. */
      readonly code: 'triggers_off';
      /** As `table.trigger`. */
      readonly triggers: readonly string[];
    }
  | { readonly code: 'logged_objects_known'; readonly logs: number }
  /** Only a database user that may write to the ledger stores the content of run logs; this user may not. */
  | { readonly code: 'logs_left_to_workers' }
  | {
      /** Run logs name objects that no row has. */
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
  | {
      /** Fingerprint of the API key. `live_key_compared` if a setting states the same fingerprint. */
      readonly code: 'live_key_compared' | 'live_key_known' | 'live_key_unproven' | 'sandbox_key';
      readonly fingerprint: string;
    }
  | {
      /** The ledger, or the policy in force in it, with which the live key is used; `isStated` if the settings name it. */
      readonly code: 'ledger_named' | 'policy_named';
      /** The name of the ledger, or the hash of the policy. */
      readonly value: string;
      readonly isStated: boolean;
    }
  /** No policy is in force in the ledger with which the live key is used. */
  | { readonly code: 'no_policy' }
  | { readonly code: 'proxied'; readonly proxyHost: string }
  /** A proxy is set, but the API is among the hosts that bypass it. */
  | { readonly code: 'proxy_passed_by' }
  /** How long the provider keeps keys; `assumed` if no setting states it. */
  | { readonly code: 'key_lifetime_stated' | 'key_lifetime_assumed'; readonly durationInMs: number };
