import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import { countSupersededOf } from '../../../src/ledger/batches/families.ts';
import { noteRunLog } from '../../../src/ledger/batches/run-logs.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import {
  findRivals,
  listLaterToSend,
  listRelatives,
  markOrigins,
  releaseCorrections,
  supersedeCorrected,
} from '../../../src/ledger/before-sending/corrections.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { finishStaging, stageRows } from '../../../src/ledger/before-sending/stage.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger, onServer } from '../../support/ledger.ts';
import {
  type BatchUnderRun,
  beginTestBatch,
  beginTestRun,
  besides,
  claim,
  conclude,
  executeByHand,
  newIdentity,
  readyBatch,
  readyPreparation,
  stagedBatch,
  stagedRow,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

/** A batch of which row N corrects row N of another, under a run. */
async function correctionOf(
  database: Knex,
  { batch }: Pick<BatchUnderRun, 'batch'>,
  rows = [2],
): Promise<BatchUnderRun> {
  const staged = rows.map((row) => stagedRow(row, { corrects: { batch: batch.id, row } }));
  const correction = await stagedBatch(database, staged, besides(batch));
  return { batch: correction, run: await beginTestRun(database, correction) };
}

function prepare(database: Knex, { batch, run }: BatchUnderRun, row = 2): Promise<boolean> {
  return writePreparations(database, batch.id, run.id, [readyPreparation(batch, row)], 1);
}

/** How many rows of a family are live, as the sandbox would come to know. */
async function liveOf(database: Knex, batches: readonly BatchRecord[]): Promise<number> {
  const states = await Promise.all(batches.map((batch) => statesOf(database, batch)));
  return states.filter(({ 2: state }) => ['ready', 'sending', 'unknown', 'created'].includes(state ?? ''))
    .length;
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  describe('of a family at most one row is live', () => {
    it('for every caller: the second is not made ready, and its group has to be decided again', async () => {
      const first = await readyBatch(database, 1);
      await claim(database, first);
      const second = await correctionOf(database, first);
      await supersedeCorrected(database, first.batch.id, 0);
      expect(await prepare(database, second)).toBe(false);
      expect(await statesOf(database, second.batch)).toEqual({ 2: 'staged' });
      expect(await findRivals(database, second.batch.id, [2])).toEqual(
        new Map([
          [2, { batch: first.batch.id, row: 2, fileName: 'people.csv', state: 'sending', objectId: null }],
        ]),
      );
    });

    it('and the database itself refuses a correction before its origin takes part', async () => {
      const first = await readyBatch(database, 1);
      const second = await correctionOf(database, first);
      await expect(prepare(database, second)).rejects.toThrow('before the row that it corrects is marked');
      await markOrigins(database, first.batch.id);
      expect(await prepare(database, second)).toBe(false);
    });

    it('whichever of two corrections it is', async () => {
      const first = await readyBatch(database, 1);
      const corrections = [await correctionOf(database, first), await correctionOf(database, first)];
      await supersedeCorrected(database, first.batch.id, 0);
      expect(await Promise.all(corrections.map((each) => prepare(database, each)))).toContain(false);
      expect(await liveOf(database, [first.batch, ...corrections.map(({ batch }) => batch)])).toBe(1);
    });
  });

  it('takes ready rows out of their chunk, and leaves claimed ones and those without a correction', async () => {
    const first = await readyBatch(database, 3, 3);
    const second = await correctionOf(database, first, [3]);
    expect(await listRelatives(database, first.batch.id)).toEqual([second.batch.id]);
    expect((await supersedeCorrected(database, first.batch.id, 0)).rows).toEqual([3]);
    expect((await supersedeCorrected(database, first.batch.id, 0)).rows).toEqual([]);
    expect(await statesOf(database, first.batch)).toEqual({ 2: 'ready', 3: 'invalid', 4: 'ready' });
    expect(await storedRow(database, first.batch, 3)).toMatchObject({ code: 'superseded', owned_key: null });
    const claimed = await claim(database, first);
    expect(claimed.map(({ row }) => row)).toEqual([2, 4]);
    const third = await correctionOf(database, first, [2]);
    expect((await supersedeCorrected(database, first.batch.id, 0)).rows).toEqual([]);
    expect((await countSupersededOf(database, [first.batch.id])).get(first.batch.id)).toEqual({
      all: { invalid: 1 },
      done: { invalid: 0 },
    });
    await conclude(database, first, claimed, { state: 'rejected' });
    expect((await supersedeCorrected(database, first.batch.id, 0)).rows).toEqual([2]);
    expect(await statesOf(database, first.batch)).toEqual({ 2: 'rejected', 3: 'invalid', 4: 'rejected' });
    await prepare(database, third);
    await conclude(database, third, await claim(database, third));
    expect((await countSupersededOf(database, [first.batch.id])).get(first.batch.id)).toEqual({
      all: { invalid: 1, rejected: 1 },
      done: { invalid: 0, rejected: 1 },
    });
  });

  it('lets a correction continue once the row that it waits for is no longer in doubt', async () => {
    const first = await readyBatch(database, 1);
    const second = await correctionOf(database, first);
    const claimed = await claim(database, first);
    await supersedeCorrected(database, first.batch.id, 0);
    const reason = { code: 'corrects_in_doubt', field: null, message: 'A sentence.' };
    const { batch, run } = second;
    await writePreparations(database, batch.id, run.id, [{ row: 2, generation: 1, to: 'held', reason }]);
    expect(await releaseCorrections(database, batch.id)).toBe(0);
    await conclude(database, first, claimed, { state: 'rejected' });
    expect(await releaseCorrections(database, batch.id)).toBe(1);
    expect(await statesOf(database, batch)).toEqual({ 2: 'staged' });
  });

  it('finds the later batches of a family that may continue: those that a person has asked to be sent', async () => {
    const first = await readyBatch(database, 1);
    const { batch, run } = await correctionOf(database, first);
    const found = (): Promise<string[]> => listLaterToSend(database, first.batch.id);
    // Its run has not got as far as to have a log.
    expect(await found()).toEqual([]);
    await noteRunLog(database, run.id, '/results/people.run.jsonl');
    expect(await found()).toEqual([batch.id]);
    expect(await listLaterToSend(database, batch.id)).toEqual([]);
    const runAgain = async (command: string, outcome: 'usage' | 'stopped'): Promise<void> => {
      const last = await beginTestRun(database, batch, { command });
      await endRun(database, last.id, outcome);
    };
    await endRun(database, run.id, 'stopped');
    await runAgain('plan', 'usage');
    await runAgain('import', 'stopped');
    expect(await found()).toEqual([batch.id]);
    // A person was asked, and did not agree.
    await runAgain('import', 'usage');
    expect(await found()).toEqual([]);
    const agreed = await beginTestRun(database, batch);
    await noteRunLog(database, agreed.id, '/results/people.run.jsonl');
    expect(await found()).toEqual([batch.id]);
    await executeByHand(database, "UPDATE row_states SET state = 'invalid', code = 'x' WHERE batch_id = ?", [
      batch.id,
    ]);
    expect(await found()).toEqual([]);
  });

  it('ties the rows of another reading of one content to those of the first, which stay until it is to be sent', async () => {
    const identity = newIdentity();
    const readingHash = 'f'.repeat(64);
    const first = await stagedBatch(database, 2, identity);
    const second = await stagedBatch(database, 3, { ...identity, readingHash });
    const links = await query(
      database,
      'SELECT row_number, first_batch_id, first_row, is_reading FROM corrected_rows WHERE batch_id = ? ORDER BY 1',
      [second.id],
    );
    expect(links).toEqual(
      [2, 3].map((row) => ({ row_number: row, first_batch_id: first.id, first_row: row, is_reading: true })),
    );
    // Nobody has asked for it to be sent yet.
    expect((await supersedeCorrected(database, first.id, 0)).rows).toEqual([]);
    await beginTestRun(database, second);
    expect((await supersedeCorrected(database, first.id, 0)).rows).toEqual([2, 3]);
  });

  it('keeps both of two live rows of a family that a recovery reports', async () => {
    const first = await readyBatch(database, 1);
    const second = await correctionOf(database, first);
    await executeByHand(database, 'UPDATE row_states SET origin_place = 1 WHERE batch_id = ?', [
      second.batch.id,
    ]);
    await markOrigins(database, first.batch.id);
    expect(await prepare(database, second)).toBe(true);
    expect(await liveOf(database, [first.batch, second.batch])).toBe(2);
  });
});

onServer((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it('a row and its correction that are prepared and superseded at the same moment are never both live', async () => {
    for (let round = 0; round < 20; round += 1) {
      const batch = await stagedBatch(database, 1);
      const first = { batch, run: await beginTestRun(database, batch) };
      const second = await correctionOf(database, first);
      const third = await correctionOf(database, first);
      const settle = async (own: BatchUnderRun): Promise<unknown> => {
        for (const id of [batch.id, second.batch.id, third.batch.id])
          await supersedeCorrected(database, id, 0);
        return prepare(database, own);
      };
      await Promise.all([prepare(database, first), settle(second), settle(third)]);
      expect(await liveOf(database, [batch, second.batch, third.batch])).toBe(1);
    }
  });

  it('two readings of one content that are staged at the same moment know of each other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const identity = newIdentity();
      const held = await Promise.all(
        ['a', 'b', 'c'].map(async (letter) => {
          const batch = await beginTestBatch(database, { ...identity, readingHash: letter.repeat(64) });
          const run = await beginTestRun(database, batch);
          await stageRows(database, batch, run.id, [stagedRow(2)]);
          return { batch, run };
        }),
      );
      await Promise.all(held.map(({ batch, run }) => finishStaging(database, batch.id, run.id, [])));
      const links = await query(
        database,
        'SELECT DISTINCT first_batch_id FROM corrected_rows WHERE batch_id = ANY(?)',
        [held.map(({ batch }) => batch.id)],
      );
      expect(links).toHaveLength(1);
      const [count] = await query<{ count: number }>(
        database,
        'SELECT count(*)::int AS count FROM corrected_rows WHERE batch_id = ANY(?)',
        [held.map(({ batch }) => batch.id)],
      );
      expect(count).toEqual({ count: 2 });
    }
  });
});
