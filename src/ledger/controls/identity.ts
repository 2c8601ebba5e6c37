/* Which ledger this is, and whether its policy was lost with the ledger before it. */

import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import { bool, type Database, execute, query, uuid, verb } from '../query/sql.ts';

/** The name of this ledger among all ledgers; the first call gives it. */
export const nameLedger = verb(
  { pool: 'short', repeatable: true },
  async (database: Database): Promise<string> => {
    const [found] = await query(database, { id: uuid }, 'SELECT name_of_ledger() AS id', []);
    if (found === undefined) throw new Error('the ledger did not tell its name');
    return found.id;
  },
);

/** Whether live batches were recovered into this ledger, no policy is in force, and nobody has waived it since. */
export const isPolicyLost = verb(
  { pool: 'short', repeatable: true },
  async (database: Database): Promise<boolean> => {
    const [found] = await query(database, { isLost: bool }, 'SELECT is_policy_lost() AS "isLost"', []);
    return found?.isLost === true;
  },
);

/** Records that a person lets live rows leave without the policy that may have been lost. */
export const waivePolicy = verb(
  { pool: 'short', repeatable: false },
  (database: Database, { note, by }: { readonly note: string; readonly by: ActorOfEvent }): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await execute(transaction, 'INSERT INTO policy_waivers (note, waived_by) VALUES (?, ?)', [
        note,
        by.name,
      ]);
    }),
);
