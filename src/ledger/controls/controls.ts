/*
 * Users, policies and the decisions about them, at one moment; proposals and decisions; and stops of
 * everything.
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
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/** All users, keys, policies, and decisions about policies and users. They are few. */
export const readControls = sql.shortVerb(
  (database: sql.Database): Promise<Controls> =>
    database.transaction(
      async (transaction) => {
        const [present] = await sql.query(
          transaction,
          { policyInForce: sql.orNull(sql.int4), approvalsNeeded: sql.int4 },
          'SELECT policy_in_force() AS "policyInForce", approvers_of_controls() AS "approvalsNeeded"',
        );
        return {
          policyInForce: present?.policyInForce ?? null,
          approvalsNeeded: present?.approvalsNeeded ?? 0,
          users: await usersOf(transaction),
          policies: await policiesOf(transaction),
          decisions: await decisionsOf(transaction),
          keys: await listUserKeys(transaction),
        };
      },
      { isolationLevel: 'repeatable read' },
    ),
);

/** Every key that a user has or had, and those of consoles. */
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
export interface WrittenPolicy {
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

/** Puts a policy into force since no user can approve one any more; for the owner of the database. @returns its version */
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
  return database.transaction(async (transaction) => {
    await nameActor(transaction, by);
    return sql.onlyValue(transaction, sql.int4, insert, [content, by.name]);
  });
}

/** Writes a signed decision about a proposed policy or user, once. The database acts on the last required approval. */
export const writeProposalDecision = sql.shortVerb(
  (
    database: sql.Database,
    decided: { readonly statement: string; readonly signature: Buffer; readonly by: ActorOfEvent },
  ): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, decided.by);
      await sql.execute(
        transaction,
        'INSERT INTO approvals (id, statement, signature) VALUES (?, ?, ?) ON CONFLICT (statement) DO NOTHING',
        [randomUUID(), decided.statement, decided.signature],
      );
    }),
);

/* Stops of everything: the one in force, its beginning and its end, and which rows in doubt it may cost. */

/** The stop in force; null where there is none. Not repeated: the caller has to know soon that the ledger does not answer. */
export const readHalt = sql.shortVerbOnce(async (database: sql.Database): Promise<Halt | null> => {
  const [halt] = await sql.query<Halt>(
    database,
    { id: sql.int4, note: sql.text, by: sql.text, at: sql.text },
    `SELECT id, note, halted_by AS by, ${sql.isoUtc('halted_at')} AS at FROM halts WHERE lifted_at IS NULL`,
  );
  return halt ?? null;
});

/** Stops everything, unless everything is stopped already. @returns whether it was this call */
export const beginHalt = sql.shortVerb(
  (
    database: sql.Database,
    { note, by }: { readonly note: string; readonly by: ActorOfEvent },
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      const begun = await sql.execute(
        transaction,
        'INSERT INTO halts (note, halted_by) VALUES (?, ?) ON CONFLICT DO NOTHING',
        [note, by.name],
      );
      return begun > 0;
    }),
);

/** Lifts a stop, where the policy asks for no approvals of that. */
export const endHalt = sql.shortVerb(
  (database: sql.Database, { id, by }: { readonly id: number; readonly by: ActorOfEvent }): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await sql.execute(
        transaction,
        'UPDATE halts SET lifted_at = now(), lifted_by = ? WHERE id = ? AND lifted_at IS NULL',
        [by.name, id],
      );
    }),
);

/** The rows in doubt of the whole ledger, by mode. */
export const readAllDoubts = sql.longVerb((database: sql.Database) =>
  sql.query(
    database,
    { mode: sql.word<Mode>(), rows: sql.int4, oldest: sql.timestamp, newest: sql.timestamp },
    `SELECT e.mode, count(*)::int AS rows, min(s.first_sent_at) AS oldest, max(s.first_sent_at) AS newest
       FROM row_states s JOIN environments e ON e.id = s.environment_id
       WHERE s.state = 'unknown' AND s.first_sent_at IS NOT NULL GROUP BY e.mode ORDER BY e.mode`,
  ),
);
