/* What an examination of the installation finds: a closed list of findings, each with its facts. */

import type { BatchRecord, Mode } from '../batches/batch.ts';
import type { HaltInForce } from '../controls/controls.ts';
import type { CallOutcome, PaybatchError } from '../failures/paybatch-error.ts';
import type { SettingName } from '../settings/definitions.ts';

/** One thing that was checked, the finding, and how the call would end with this finding alone. */
export interface Check {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: CheckedThing;
  readonly finding: CheckFinding;
  readonly outcome: CallOutcome;
}

/** What can be checked, by its public name. */
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

/** A role that `migrate` makes in the database, without the name of the program. */
export type LedgerRole = 'worker' | 'approver' | 'console';

/** What can be found. Paths and names are exactly as received; the interface words the finding and the remedy. */
export type CheckFinding =
  /** A person has stopped everything. */
  | { readonly code: 'halted'; readonly inForce: HaltInForce }
  /** What was checked cannot be used, for the reason in the error. */
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
      /** False where it is still to be created. */
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
      /** The login at the database, and what the database lets that login do. */
      readonly code: 'database_role';
      /** Name of the login. */
      readonly login: string;
      /** Whether it may change everything: it has the rights of the tables' owner. */
      readonly isOwner: boolean;
      /** The roles of the ledger whose rights it has; an owner needs none. */
      readonly roles: readonly LedgerRole[];
      readonly hasPolicy: boolean;
    }
  /** Fewer approvers are active than the policy in force asks for: nothing under that policy can be sent. */
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
  /** The API does not report its time. */
  | { readonly code: 'clock_unknown' }
  | { readonly code: 'lines_complete' }
  | {
      /** Lines of the ledger that belong to no row, by their kind. */
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
      /** Ids of batches, or `controls`: users, keys and policies. */
      readonly chains: readonly string[];
    }
  | {
      /** Refusals or records that the database should enforce, and does not. */
      readonly code: 'triggers_off';
      /** As `table.trigger`. */
      readonly triggers: readonly string[];
    }
  | { readonly code: 'logged_objects_known'; readonly logs: number }
  /** Only a login that may write to the ledger keeps what run logs contain; this login may not. */
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
      /** Fingerprint of the API key; compared where it is the stated one. */
      readonly code: 'live_key_compared' | 'live_key_known' | 'live_key_unproven' | 'sandbox_key';
      readonly fingerprint: string;
    }
  | {
      /** The ledger, or the policy in force in it, with which the live key is used; stated where the settings name it. */
      readonly code: 'ledger_named' | 'policy_named';
      /** The name of the ledger, the hash of the policy. */
      readonly value: string;
      readonly isStated: boolean;
    }
  /** No policy is in force where the live key is used. */
  | { readonly code: 'no_policy' }
  | { readonly code: 'proxied'; readonly proxyHost: string }
  /** A proxy is set, and the API is among the hosts that bypass it. */
  | { readonly code: 'proxy_passed_by' }
  /** How long the provider keeps keys; assumed where it is not stated. */
  | { readonly code: 'key_lifetime_stated' | 'key_lifetime_assumed'; readonly durationInMs: number };
