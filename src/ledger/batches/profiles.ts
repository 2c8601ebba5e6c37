/* Profiles of files: what their columns held, and how that differed from the last file of their layout. */

import type { Drift, EarlierProfile, LayoutProfile } from '../../domain/batches/last-time.ts';
import { asFence } from '../query/planner.ts';
import { type Database, execute, json, query, text, uuid, verb } from '../query/sql.ts';
import { isOnlyPlanned } from './batches.ts';

/** A file whose predecessors are searched. */
export interface FileOfLayout {
  readonly environmentId: number;
  readonly contentHash: string;
  readonly layoutKey: string;
}

/**
 * Two partners may use one layout, and an unusual month is followed by a usual one. So a file is compared with several
 * earlier ones.
 */
const profilesCompared = 3;

/**
 * The profiles of the last files of a layout that were imported, the newest first. A file of which nothing was created says
 * nothing of how files are read, nor do the corrected rows of a file, or the same content.
 */
export const findEarlierProfiles = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    { environmentId, contentHash, layoutKey }: FileOfLayout,
  ): Promise<EarlierProfile[]> => {
    const found = await query(
      database,
      { batch: uuid, profile: text },
      `SELECT p.batch_id AS batch, p.profile
       FROM batch_profiles p JOIN batches b ON b.id = p.batch_id
       WHERE p.environment_id = ? AND p.layout_key = ? AND b.staged_at IS NOT NULL AND b.content_hash <> ?
         AND NOT ${isOnlyPlanned}
         AND (EXISTS (SELECT FROM created_objects WHERE batch_id = b.id ${asFence})
           OR EXISTS (SELECT FROM row_states WHERE batch_id = b.id AND state = 'existing' ${asFence}))
       ORDER BY b.created_at DESC, b.id LIMIT ${profilesCompared}`,
      [environmentId, layoutKey, contentHash],
    );
    return found.map(({ batch, profile }) => ({ batch, profile: JSON.parse(profile) as LayoutProfile }));
  },
);

/** Stores what the columns of a batch's file held, and how that differs from last time. */
export const noteProfile = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    batchId: string,
    layoutKey: string,
    { profile, drift }: { readonly profile: LayoutProfile; readonly drift: readonly Drift[] },
  ): Promise<void> => {
    await execute(
      database,
      `INSERT INTO batch_profiles (batch_id, environment_id, layout_key, profile, drift)
       SELECT id, environment_id, ?, ?, ?::jsonb FROM batches WHERE id = ?
       ON CONFLICT (batch_id) DO UPDATE SET layout_key = excluded.layout_key, profile = excluded.profile,
         drift = excluded.drift`,
      [layoutKey, JSON.stringify(profile), JSON.stringify(drift), batchId],
    );
  },
);

/** How the columns of a batch's file differed from last time when it was staged; null where they were not compared. */
export const readDrift = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, batchId: string): Promise<readonly Drift[] | null> => {
    const [found] = await query(
      database,
      { drift: json<readonly Drift[]>() },
      'SELECT drift FROM batch_profiles WHERE batch_id = ?',
      [batchId],
    );
    return found?.drift ?? null;
  },
);
