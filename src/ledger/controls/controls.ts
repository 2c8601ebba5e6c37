/*
 * Users and policies, with the decisions about them; stops of everything; the identity of this ledger; and the API keys and
 * addresses that it knows.
 */

import { randomUUID } from 'node:crypto';
import type { Mode } from '../../domain/batches/batch.ts';
import type {
  Controls,
  Halt,
  LedgerPolicy,
  LedgerUser,
  ProposalDecision,
} from '../../domain/controls/controls.ts';
import type { StoredKey } from '../../domain/controls/statement.ts';
import { type ActorOfEvent, asActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/** All users, keys, policies, and decisions about policies and users. They are few. */
export const readControls = sql.shortVerb(
  (database: sql.Database): Promise<Controls> =>
    database.transaction(
      async (transaction) => {
        const present = await sql.onlyRow(
          transaction,
          { policyInForce: sql.orNull(sql.int4), approvalsNeeded: sql.int4 },
          'SELECT policy_in_force() AS "policyInForce", approvers_of_controls() AS "approvalsNeeded"',
        );
        return {
          ...present,
          users: await usersOf(transaction),
          policies: await policiesOf(transaction),
          decisions: await decisionsOf(transaction),
          keys: await listUserKeys(transaction),
        };
      },
      { isolationLevel: 'repeatable read' },
    ),
);

/** Every present or earlier key of a user, and the keys of consoles. */
export const listUserKeys = sql.shortVerb((database: sql.Database): Promise<StoredKey[]> => {
  return sql.query<StoredKey>(
    database,
    {
      id: sql.text,
      user: sql.orNull(sql.text),
      publicKey: sql.bytes,
      previousKey: sql.orNull(sql.text),
      endorsement: sql.orNull(sql.bytes),
    },
    `SELECT id, user_name AS "user", public_key AS "publicKey", previous_key AS "previousKey", endorsement
       FROM user_keys`,
  );
});

function usersOf(database: sql.Database): Promise<LedgerUser[]> {
  return sql.query<LedgerUser>(
    database,
    {
      name: sql.text,
      role: sql.word(),
      addedBy: sql.text,
      addedAt: sql.text,
      activeAt: sql.orNull(sql.text),
      lockedAt: sql.orNull(sql.text),
      lockedBy: sql.orNull(sql.text),
      keyId: sql.text,
      keySince: sql.text,
    },
    `SELECT u.name, u.role, u.added_by AS "addedBy", ${sql.isoUtc('u.added_at')} AS "addedAt",
       ${sql.isoUtc('u.active_at')} AS "activeAt", ${sql.isoUtc('u.locked_at')} AS "lockedAt", u.locked_by AS "lockedBy",
       k.id AS "keyId", ${sql.isoUtc('k.since')} AS "keySince"
     FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL ORDER BY u.added_at, u.name`,
  );
}

function policiesOf(database: sql.Database): Promise<LedgerPolicy[]> {
  return sql.query<LedgerPolicy>(
    database,
    {
      version: sql.int4,
      content: sql.text,
      proposedBy: sql.text,
      proposedAt: sql.text,
      inForceAt: sql.orNull(sql.text),
      isRestored: sql.bool,
    },
    `SELECT version, content, proposed_by AS "proposedBy", ${sql.isoUtc('proposed_at')} AS "proposedAt",
       ${sql.isoUtc('in_force_at')} AS "inForceAt", is_restored AS "isRestored"
     FROM policies ORDER BY version`,
  );
}

function decisionsOf(database: sql.Database): Promise<ProposalDecision[]> {
  return sql.query<ProposalDecision>(
    database,
    {
      id: sql.text,
      statement: sql.text,
      signature: sql.bytes,
      rows: sql.orNull(sql.text),
      proof: sql.orNull(sql.bytes),
      decision: sql.word(),
      proposedVersion: sql.orNull(sql.int4),
      proposedUser: sql.orNull(sql.text),
      policyVersion: sql.int4,
      by: sql.text,
      keyId: sql.text,
      at: sql.text,
      note: sql.text,
    },
    `SELECT id::text AS id, statement, signature, rows::text AS rows, proof, decision, proposed_version AS "proposedVersion",
       proposed_user AS "proposedUser", policy_version AS "policyVersion", decided_by AS "by", key_id AS "keyId",
       ${sql.isoUtc('decided_at')} AS "at", note
     FROM approvals WHERE batch_id IS NULL ORDER BY number`,
  );
}

/** A policy to write. */
interface WrittenPolicy {
  readonly content: string;
  readonly by: ActorOfEvent;
}

/** Proposes a policy. It is in force at once if the previous one needs no approvals of live batches. @returns its version */
export const proposePolicy = sql.shortVerbOnce(
  (database: sql.Database, policy: WrittenPolicy): Promise<number> =>
    writePolicy(
      database,
      'INSERT INTO policies (version, content, proposed_by) VALUES (1, ?, ?) RETURNING version',
      policy,
    ),
);

/** Puts a policy into force when no user can approve one. Only for the owner of the database. @returns its version */
export const restorePolicy = sql.shortVerbOnce(
  (database: sql.Database, policy: WrittenPolicy): Promise<number> =>
    writePolicy(
      database,
      'INSERT INTO policies (version, content, proposed_by, is_restored) VALUES (1, ?, ?, true) RETURNING version',
      policy,
    ),
);

function writePolicy(
  database: sql.Database,
  insert: string,
  { content, by }: WrittenPolicy,
): Promise<number> {
  return asActor(database, by, (transaction) =>
    sql.onlyValue(transaction, sql.int4, insert, [content, by.name]),
  );
}

/** Stores a signed decision about a proposed policy or user, once. The last required approval puts it into force. */
export const writeProposalDecision = sql.shortVerb(
  (
    database: sql.Database,
    decided: { readonly statement: string; readonly signature: Buffer; readonly by: ActorOfEvent },
  ): Promise<void> =>
    asActor(database, decided.by, (transaction) =>
      sql.run(
        transaction,
        'INSERT INTO approvals (id, statement, signature) VALUES (?, ?, ?) ON CONFLICT (statement) DO NOTHING',
        [randomUUID(), decided.statement, decided.signature],
      ),
    ),
);

/* Stops of everything: the stop in force, how a stop begins and ends, and the rows in doubt that a stop may affect. */

/** The stop in force, or null. It is not repeated, since the caller has to learn soon that the ledger does not answer. */
export const readHalt = sql.shortVerbOnce(async (database: sql.Database): Promise<Halt | null> => {
  const [halt] = await sql.query<Halt>(
    database,
    { id: sql.int4, note: sql.text, by: sql.text, at: sql.text },
    `SELECT id, note, halted_by AS by, ${sql.isoUtc('halted_at')} AS at FROM halts WHERE lifted_at IS NULL`,
  );
  return halt ?? null;
});

/** Stops everything, unless everything is stopped already. @returns whether this call began the stop */
export const beginHalt = sql.shortVerb(
  (
    database: sql.Database,
    { note, by }: { readonly note: string; readonly by: ActorOfEvent },
  ): Promise<boolean> =>
    asActor(database, by, (transaction) =>
      sql.changesAny(
        transaction,
        'INSERT INTO halts (note, halted_by) VALUES (?, ?) ON CONFLICT DO NOTHING',
        [note, by.name],
      ),
    ),
);

/** Lifts a stop, if the policy requires no approvals for that. */
export const endHalt = sql.shortVerb(
  (database: sql.Database, { id, by }: { readonly id: number; readonly by: ActorOfEvent }): Promise<void> =>
    asActor(database, by, (transaction) =>
      sql.run(
        transaction,
        'UPDATE halts SET lifted_at = now(), lifted_by = ? WHERE id = ? AND lifted_at IS NULL',
        [by.name, id],
      ),
    ),
);

/** The rows in doubt in the whole ledger, by mode. */
export const readAllDoubts = sql.longVerb((database: sql.Database) =>
  sql.query(
    database,
    { mode: sql.word<Mode>(), rows: sql.int4, oldest: sql.timestamp, newest: sql.timestamp },
    `SELECT e.mode, count(*)::int AS rows, min(s.first_sent_at) AS oldest, max(s.first_sent_at) AS newest
       FROM row_states s JOIN environments e ON e.id = s.environment_id
       WHERE s.state = 'unknown' AND s.first_sent_at IS NOT NULL GROUP BY e.mode ORDER BY e.mode`,
  ),
);

/* The identity of this ledger, and whether its policy was lost. */

/** The name of this ledger, unique among all ledgers. The first call creates it. */
export const nameLedger = sql.shortVerb(
  (database: sql.Database): Promise<string> =>
    sql.onlyValue(database, sql.uuid, 'SELECT name_of_ledger() AS id', []),
);

/** Whether live batches were recovered into this ledger, no policy is in force, and no person has waived it since. */
export const isPolicyLost = sql.shortVerb(
  (database: sql.Database): Promise<boolean> =>
    sql.onlyValue(database, sql.bool, 'SELECT is_policy_lost() AS "isLost"', []),
);

/** Records that a person allows live rows to be sent without the policy that may have been lost. */
export const waivePolicy = sql.shortVerbOnce(
  (
    database: sql.Database,
    { note, by }: { readonly note: string; readonly by: ActorOfEvent },
  ): Promise<void> =>
    asActor(database, by, (transaction) =>
      sql.run(transaction, 'INSERT INTO policy_waivers (note, waived_by) VALUES (?, ?)', [note, by.name]),
    ),
);

/* The modes and addresses in which API keys were accepted, and the addresses that are live. */

/** Where and how an API key was used with this ledger. */
export const readKeyUses = sql.longVerb((database: sql.Database, fingerprint: string) =>
  sql.onlyRow(
    database,
    {
      /** The mode in which it was accepted first, or that a person found to be right; null if it was never accepted. */
      mode: sql.orNull(sql.word<Mode>()),
      /** The origins where it was accepted in that mode. */
      origins: sql.texts,
    },
    `SELECT (SELECT mode FROM credentials WHERE fingerprint = ?) AS mode,
         ARRAY(SELECT e.origin FROM credential_uses u JOIN environments e ON e.id = u.environment_id
           JOIN credentials c ON c.fingerprint = u.fingerprint AND c.mode = e.mode
           WHERE u.fingerprint = ? ORDER BY e.id) AS origins`,
    [fingerprint, fingerprint],
  ),
);

/**
 * The origins that the ledger knows as live: origins to which anything was sent, or may be sent because a batch for them is
 * open. A closed batch of which nothing was sent does not count.
 */
export const findLiveOrigins = sql.longVerb(
  (database: sql.Database): Promise<readonly string[]> =>
    sql.onlyValue(
      database,
      sql.texts,
      `SELECT ARRAY(SELECT origin FROM environments e WHERE mode = 'live' AND (
         EXISTS (SELECT FROM created_objects WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM credential_uses WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM batches b WHERE b.environment_id = e.id AND b.staged_at IS NOT NULL
           AND (b.closed_at IS NULL OR EXISTS (SELECT FROM claims WHERE batch_id = b.id)
             OR EXISTS (SELECT FROM logged_claims WHERE batch_id = b.id))))) AS origins`,
    ),
);

/**
 * Records that the API accepted a key for a batch. The first mode of a key stays, and each environment is added. Nothing is
 * recorded without an answer to a request under the key.
 * @param batchId a batch that was sent under the key
 * @param isCompared whether a person has compared the key's fingerprint with the dashboard
 */
export const noteCredential = sql.longVerb(
  (
    database: sql.Database,
    fingerprint: string,
    { batchId, isCompared }: { readonly batchId: string; readonly isCompared: boolean },
  ): Promise<void> =>
    sql.run(database, 'SELECT note_credential(?, ?, ?)', [batchId, fingerprint, isCompared]),
);
