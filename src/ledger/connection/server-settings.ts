/* Settings of the database that a run or the doctor asks for. */

import { bool, text } from '../query/columns.ts';
import { type Database, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** Whether a commit is on disk when the database says so. */
export interface Durability {
  readonly fsync: boolean;
  readonly synchronousCommit: boolean;
}

/** As they stand for this connection: a user or a database may have settings of its own. */
export const readDurability = verb(
  { pool: 'short', repeatable: true },
  async (database: Database): Promise<Durability> => {
    const [found] = await query<Durability>(
      database,
      { fsync: bool, synchronousCommit: bool },
      `SELECT current_setting('fsync')::boolean AS fsync,
         current_setting('synchronous_commit') <> 'off' AS "synchronousCommit"`,
    );
    if (found === undefined) throw new Error('the database did not tell its settings');
    return found;
  },
);

/** The server's version as it states it, for example `16.4`. */
export const readServerVersion = verb(
  { pool: 'short', repeatable: false },
  async (database: Database): Promise<string> => {
    const [found] = await query(
      database,
      { version: text },
      `SELECT current_setting('server_version') AS version`,
    );
    return found?.version ?? 'unknown';
  },
);
