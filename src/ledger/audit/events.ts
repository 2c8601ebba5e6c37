/* The audit trail as the database has it: events and heads of its chains. */

import type { AuditHead } from '../../domain/batches/audit-head.ts';
import type { AuditEvent } from '../../domain/controls/audit.ts';
import { controlsChain } from '../../domain/controls/audit.ts';
import { int4, text } from '../query/columns.ts';
import { type Database, execute, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** Who acts, and by which way in. */
export interface ActorOfEvent {
  readonly name: string;
  readonly door: string;
}

/**
 * Says who acts, for the events that this database transaction adds to the trail where no line that it writes says so.
 * Without it they are the database user's, by the door `database`.
 */
export async function nameActor(transaction: Database, { name, door }: ActorOfEvent): Promise<void> {
  await execute(
    transaction,
    `SELECT set_config('paybatch.actor', ?, true), set_config('paybatch.door', ?, true)`,
    [name, door],
  );
}

/** The heads of these chains, or of all, by chain. */
export const readAuditHeads = verb(
  { pool: 'long', repeatable: true },
  (database: Database, chains: readonly string[] | null): Promise<ReadonlyMap<string, AuditHead>> =>
    headsOf(database, chains),
);

/** The same in an open database transaction. */
export async function headsOf(
  database: Database,
  chains: readonly string[] | null,
): Promise<ReadonlyMap<string, AuditHead>> {
  const heads = await query(
    database,
    { chain: text, number: int4, hash: text },
    `SELECT chain, number, hash FROM audit_heads ${chains === null ? '' : 'WHERE chain = ANY(?::text[])'} ORDER BY chain`,
    chains === null ? [] : [chains],
  );
  return new Map(heads.map(({ chain, number, hash }) => [chain, { number, hash }]));
}

/** The head of a batch's chain, and that of users, keys and policies; null for a chain without events. */
export const readHeadsOfBatch = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    batchId: string,
  ): Promise<{ readonly own: AuditHead | null; readonly controls: AuditHead | null }> => {
    const heads = await headsOf(database, [batchId, controlsChain]);
    return { own: heads.get(batchId) ?? null, controls: heads.get(controlsChain) ?? null };
  },
);

/** So many events are read at once. */
const eventsPerPage = 1_000;

/** The events of a chain, or of all chains one after the other, each in the order of its numbers, in groups. */
export const readAuditEvents = verb(
  { pool: 'long', repeatable: false },
  async function* (database: Database, chain: string | null): AsyncGenerator<readonly AuditEvent[]> {
    let [ofChain, after] = [chain ?? '', 0];
    for (;;) {
      const page = await query<AuditEvent>(
        database,
        {
          chain: text,
          number: int4,
          at: text,
          databaseUser: text,
          actor: text,
          door: text,
          event: text,
          details: text,
          previousHash: text,
          hash: text,
        },
        `SELECT chain, number, to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
           database_user AS "databaseUser", actor, door, event, details, previous_hash AS "previousHash", hash
         FROM audit_events WHERE ${chain === null ? '(chain, number) > (?, ?)' : 'chain = ? AND number > ?'}
         ORDER BY chain, number LIMIT ${eventsPerPage}`,
        [ofChain, after],
      );
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < eventsPerPage) return;
      [ofChain, after] = [last.chain, last.number];
    }
  },
);
