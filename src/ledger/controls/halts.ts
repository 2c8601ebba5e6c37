/* Stops of everything: the one in force, its beginning and its end, and which rows in doubt it may cost. */

import type { Mode } from '../../domain/batches/batch.ts';
import type { Halt } from '../../domain/controls/controls.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import { type Database, execute, int4, isoUtc, query, text, timestamp, verb, word } from '../query/sql.ts';

/** The stop in force; null where there is none. Not repeated: whoever asks has to know soon that nobody answers. */
export const readHalt = verb(
  { pool: 'short', repeatable: false },
  async (database: Database): Promise<Halt | null> => {
    const [halt] = await query<Halt>(
      database,
      { id: int4, note: text, by: text, at: text },
      `SELECT id, note, halted_by AS by, ${isoUtc('halted_at')} AS at FROM halts WHERE lifted_at IS NULL`,
    );
    return halt ?? null;
  },
);

/** Stops everything, unless everything is stopped already. @returns whether it was this call */
export const beginHalt = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    { note, by }: { readonly note: string; readonly by: ActorOfEvent },
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      const begun = await execute(
        transaction,
        'INSERT INTO halts (note, halted_by) VALUES (?, ?) ON CONFLICT DO NOTHING',
        [note, by.name],
      );
      return begun > 0;
    }),
);

/** Lifts a stop, where the policy asks for no approvals of that. */
export const endHalt = verb(
  { pool: 'short', repeatable: true },
  (database: Database, { id, by }: { readonly id: number; readonly by: ActorOfEvent }): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await execute(
        transaction,
        'UPDATE halts SET lifted_at = now(), lifted_by = ? WHERE id = ? AND lifted_at IS NULL',
        [by.name, id],
      );
    }),
);

/** Rows in doubt of one mode, in all batches: when the first and the last of them were sent first. */
export interface DoubtsOfMode {
  readonly mode: Mode;
  readonly rows: number;
  readonly oldest: Date;
  readonly newest: Date;
}

/** The rows in doubt of the whole ledger, by mode. */
export const readAllDoubts = verb(
  { pool: 'long', repeatable: true },
  (database: Database): Promise<DoubtsOfMode[]> =>
    query<DoubtsOfMode>(
      database,
      { mode: word(), rows: int4, oldest: timestamp, newest: timestamp },
      `SELECT e.mode, count(*)::int AS rows, min(s.first_sent_at) AS oldest, max(s.first_sent_at) AS newest
       FROM row_states s JOIN environments e ON e.id = s.environment_id
       WHERE s.state = 'unknown' AND s.first_sent_at IS NOT NULL GROUP BY e.mode ORDER BY e.mode`,
    ),
);
