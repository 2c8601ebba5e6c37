import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchIdentity, BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { Drift, LayoutProfile } from '../../../src/domain/batches/last-time.ts';
import { findEarlierProfiles, noteProfile, readDrift } from '../../../src/ledger/batches/last-time.ts';
import { giveUpBatch } from '../../../src/ledger/before-sending/stage.ts';
import { execute, uncheckedRows } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  beginTestBatch,
  beginTestRun,
  besides,
  newIdentity,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

const profile = (rows: number): LayoutProfile => ({ rows, columns: [], people: [] });
const drift: Drift = { column: 'Net', what: 'size', before: '100', now: '1' };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** A batch of a layout whose only row exists already, unless it is of another state. */
  async function ofLayout(
    rows: number,
    command: 'plan' | 'import',
    given: Partial<BatchIdentity> = {},
    state: 'existing' | 'invalid' = 'existing',
  ): Promise<BatchRecord> {
    const own = state === 'existing' ? { state, objectId: 'c-1' } : { state };
    const batch = await stagedBatch(database, [stagedRow(2, own)], given);
    await noteProfile(database, batch.id, 'layout', { profile: profile(rows), drift: [] });
    await beginTestRun(database, batch);
    await execute(database, 'UPDATE runs SET command = ?, ended_at = now() WHERE batch_id = ?', [
      command,
      batch.id,
    ]);
    return batch;
  }

  describe('the profiles of a layout', () => {
    it('are those of the last three files that were imported, the newest first', async () => {
      const oldest = await ofLayout(1, 'import');
      const environment = besides(oldest);
      for (const rows of [2, 3, 4]) await ofLayout(rows, 'import', environment);
      await ofLayout(5, 'plan', environment);
      await ofLayout(6, 'import', environment, 'invalid');
      const { environmentId } = oldest;
      const found = await findEarlierProfiles(database, {
        ...{ environmentId, contentHash: 'another', layoutKey: 'layout' },
      });
      expect(found.map((each) => each.profile.rows)).toEqual([4, 3, 2]);
      const others = { environmentId, contentHash: 'another', layoutKey: 'other' };
      expect(await findEarlierProfiles(database, others)).toEqual([]);
    });

    it('leave out the same content', async () => {
      const own = await ofLayout(1, 'import');
      const { environmentId, contentHash } = own;
      expect(
        await findEarlierProfiles(database, { environmentId, contentHash, layoutKey: 'layout' }),
      ).toEqual([]);
    });
  });

  it('what differs is read again as it was noted, and nothing for a batch that was not compared', async () => {
    const batch = await beginTestBatch(database, newIdentity());
    expect(await readDrift(database, batch.id)).toBeNull();
    await noteProfile(database, batch.id, 'layout', { profile: profile(1), drift: [drift] });
    expect(await readDrift(database, batch.id)).toEqual([drift]);
    await noteProfile(database, batch.id, 'layout', { profile: profile(1), drift: [] });
    expect(await readDrift(database, batch.id)).toEqual([]);
  });

  it('goes when its batch is given up', async () => {
    const batch = await beginTestBatch(database, newIdentity());
    const run = await beginTestRun(database, batch);
    await noteProfile(database, batch.id, 'layout', { profile: profile(1), drift: [] });
    await giveUpBatch(database, batch.id, run.id);
    expect(
      await uncheckedRows(database, 'SELECT 1 FROM batch_profiles WHERE batch_id = ?', [batch.id]),
    ).toEqual([]);
  });
});
