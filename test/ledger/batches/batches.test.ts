import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord, Environment } from '../../../src/domain/batches/batch.ts';
import {
  beginBatch,
  endedBefore,
  findBatch,
  findBatchesByPrefix,
  findNewestUnfinished,
  listBatches,
} from '../../../src/ledger/batches/batches.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import {
  emptyUnstaged,
  finishStaging,
  giveUpBatch,
  stageRows,
} from '../../../src/ledger/before-sending/stage.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  beginTestBatch,
  beginTestRun,
  claim,
  conclude,
  newIdentity,
  readyBatch,
  stagedBatch,
  stagedRow,
  statesOf,
} from '../../support/ledger-rows.ts';

/** The error of a run that does not hold the batch, or did not before it was staged. */
const notItsBatch = { name: 'PaybatchError', kind: 'stopped', code: 'lease_lost' };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  describe('beginBatch', () => {
    it('gives the same content in the same environment the same batch, however it is called', async () => {
      const identity = newIdentity({ sheet: 'Sheet 1' });
      const importId = randomUUID();
      const input = {
        fileName: 'a.csv',
        header: ['a', '', '"quoted", {x}', 'NULL'],
        importId,
      };
      const first = await beginBatch(database, identity, input);
      const again = await beginBatch(database, identity, { ...input, fileName: 'renamed.csv' });
      expect(again).toEqual(first);
      expect(first).toMatchObject({
        kind: 'customers',
        sheet: 'Sheet 1',
        fileName: 'a.csv',
        rowCount: null,
        header: ['a', '', '"quoted", {x}', 'NULL'],
        notes: [],
        mode: 'sandbox',
        contentHash: identity.contentHash,
        readingHash: identity.readingHash,
      });
      expect(first.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('never mistakes another environment for the same one', async () => {
      const identity = newIdentity();
      const elsewhere = {
        ...identity,
        environment: { mode: 'live', origin: identity.environment.origin },
      } as const;
      const input = { fileName: 'a.csv', header: [], importId: randomUUID() };
      const sandbox = await beginBatch(database, identity, input);
      const live = await beginBatch(database, elsewhere, input);
      expect(live.id).not.toBe(sandbox.id);
      expect(live.environmentId).not.toBe(sandbox.environmentId);
    });

    it('gives the time in UTC', async () => {
      const { createdAt } = await beginTestBatch(database);
      expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(600_000);
    });
  });

  describe('endedBefore', () => {
    const header = ['external_id', 'email', 'last, "name"'];
    const { environment } = newIdentity();

    async function file(
      hasLineEnd: boolean | undefined,
      given: { header?: readonly string[]; environment?: Environment; isStaged?: boolean } = {},
    ): Promise<BatchRecord> {
      const input = { fileName: 'a.csv', importId: randomUUID(), header, ...given };
      const batch = await beginBatch(
        database,
        newIdentity({ environment: given.environment ?? environment }),
        hasLineEnd === undefined ? input : { ...input, hasLineEnd },
      );
      if (given.isStaged === false) return batch;
      const { id: runId } = await beginTestRun(database, batch);
      await finishStaging(database, batch.id, runId, []);
      return batch;
    }

    const isSo = (of: BatchRecord, contentHash = 'f'.repeat(64)) =>
      endedBefore(database, { environmentId: of.environmentId, kind: of.kind, header, contentHash });

    it('says of a header whether most of its newest files had a line end, once there is one', async () => {
      const other = await file(true, { header: ['external_id', 'email'] });
      expect(await isSo(other)).toBe(false);
      await file(undefined);
      await file(true, { isStaged: false });
      expect(await isSo(other)).toBe(false);
      const whole = await file(true);
      expect(await isSo(whole)).toBe(true);
      // Not what the file itself was when it came before, nor what is so elsewhere.
      expect(await isSo(whole, whole.contentHash)).toBe(false);
      const elsewhere = await file(false, { environment: newIdentity().environment });
      expect(await isSo(elsewhere)).toBe(false);
      await file(false);
      expect(await isSo(whole)).toBe(true);
      await file(false);
      expect(await isSo(whole)).toBe(false);
      // A program that has changed is believed once ten files show it.
      for (let at = 0; at < 10; at += 1) await file(true);
      expect(await isSo(whole)).toBe(true);
    });
  });

  describe('staging', () => {
    it('shows a batch to people only when it is staged to its end', async () => {
      const batch = await beginTestBatch(database);
      const { id: runId } = await beginTestRun(database, batch);
      await stageRows(database, batch, runId, [stagedRow(2), stagedRow(3)]);
      expect(await findBatchesByPrefix(database, batch.id)).toEqual([]);
      expect((await findBatch(database, batch.id))?.rowCount).toBeNull();
      expect(await finishStaging(database, batch.id, runId, ['a sheet is hidden'])).toBe(2);
      expect((await findBatch(database, batch.id))?.notes).toEqual(['a sheet is hidden']);
      expect(await findBatchesByPrefix(database, batch.id)).toMatchObject([{ id: batch.id, rowCount: 2 }]);
    });

    it('is finished once', async () => {
      const batch = await stagedBatch(database, 1);
      const run = await beginTestRun(database, batch);
      await expect(finishStaging(database, batch.id, run.id, [])).rejects.toMatchObject(notItsBatch);
    });

    it('starts again from nothing after an interruption', async () => {
      const batch = await beginTestBatch(database);
      const { id: runId } = await beginTestRun(database, batch);
      await stageRows(database, batch, runId, [stagedRow(2), stagedRow(3)]);
      await emptyUnstaged(database, batch.id, runId);
      await stageRows(database, batch, runId, [stagedRow(2)]);
      expect(await query(database, 'SELECT 1 FROM row_inputs WHERE batch_id = ?', [batch.id])).toHaveLength(
        1,
      );
      expect(await finishStaging(database, batch.id, runId, [])).toBe(1);
    });

    it('cannot empty or give up a batch that is staged', async () => {
      const batch = await stagedBatch(database, 2);
      const run = await beginTestRun(database, batch);
      await expect(emptyUnstaged(database, batch.id, run.id)).rejects.toMatchObject(notItsBatch);
      await giveUpBatch(database, batch.id, run.id);
      expect(await statesOf(database, batch)).toEqual({ 2: 'staged', 3: 'staged' });
    });

    it('is left to the run that holds the batch: nothing that another one sends late counts', async () => {
      const batch = await beginTestBatch(database);
      const lost = await beginTestRun(database, batch);
      await stageRows(database, batch, lost.id, [stagedRow(2)]);
      await endRun(database, lost.id, 'stopped');
      const run = await beginTestRun(database, batch);
      await emptyUnstaged(database, batch.id, run.id);
      await expect(stageRows(database, batch, lost.id, [stagedRow(3)])).rejects.toMatchObject(notItsBatch);
      await expect(finishStaging(database, batch.id, lost.id, [])).rejects.toMatchObject(notItsBatch);
      await expect(emptyUnstaged(database, batch.id, lost.id)).rejects.toMatchObject(notItsBatch);
      await giveUpBatch(database, batch.id, lost.id);
      await stageRows(database, batch, run.id, [stagedRow(2)]);
      expect(await finishStaging(database, batch.id, run.id, [])).toBe(1);
    });

    it('leaves nothing of a batch that is given up', async () => {
      const batch = await beginTestBatch(database);
      const run = await beginTestRun(database, batch);
      await stageRows(database, batch, run.id, [stagedRow(2)]);
      await giveUpBatch(database, batch.id, run.id);
      expect(await findBatch(database, batch.id)).toBeUndefined();
      for (const table of ['rows', 'row_inputs', 'runs']) {
        expect(await query(database, `SELECT 1 FROM ${table} WHERE batch_id = ?`, [batch.id])).toEqual([]);
      }
    });
  });

  describe('finding', () => {
    it('takes a prefix with or without hyphens and in capitals, and no wildcard', async () => {
      const batch = await stagedBatch(database, 1);
      for (const prefix of [
        batch.id.slice(0, 4),
        batch.id.slice(0, 12),
        batch.id.slice(0, 10).toUpperCase(),
      ]) {
        const found = await findBatchesByPrefix(database, prefix);
        expect(found.map(({ id }) => id)).toContain(batch.id);
      }
      expect(await findBatchesByPrefix(database, '%')).toEqual([]);
    });

    it('lists the newest first, and no more than asked for', async () => {
      const older = await stagedBatch(database, 1);
      const newer = await stagedBatch(database, 1);
      expect((await listBatches(database, 2)).map(({ id }) => id)).toEqual([newer.id, older.id]);
    });

    it('finds the newest batch that can still move, and not one whose rows are final', async () => {
      const environment = { mode: 'sandbox', origin: `https://${randomUUID()}.test` } as const;
      const moving = await stagedBatch(database, 1, { environment });
      await stagedBatch(database, [stagedRow(2, { state: 'invalid' })], { environment });
      await stagedBatch(database, 1);
      expect((await findNewestUnfinished(database, environment)).map(({ id }) => id)).toEqual([moving.id]);
    });

    it('does not count a batch as unfinished whose rows were all created', async () => {
      const held = await readyBatch(database, 2);
      const environment = { mode: held.batch.mode, origin: held.batch.origin };
      const ids = async (): Promise<string[]> =>
        (await findNewestUnfinished(database, environment)).map(({ id }) => id);
      expect(await ids()).toContain(held.batch.id);
      await conclude(database, held, await claim(database, held));
      expect(await ids()).not.toContain(held.batch.id);
    });
  });
});
