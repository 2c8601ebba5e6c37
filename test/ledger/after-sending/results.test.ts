import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import {
  hasMovableRows,
  hasRowsOfOtherRuns,
  readResultRows,
} from '../../../src/ledger/after-sending/results.ts';
import { countStatuses } from '../../../src/ledger/after-sending/row-counts.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  claim,
  conclude,
  duplicateOf,
  readyBatch,
  readyPreparation,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function readAll(batchId: string): Promise<{ rows: ResultRow[]; pages: number }> {
    const rows: ResultRow[] = [];
    let pages = 0;
    for await (const page of readResultRows(database, batchId)) {
      rows.push(...page);
      pages += 1;
    }
    return { rows, pages };
  }

  it('gives every row of a large batch once, in input order, whatever order they were staged in', async () => {
    const numbers = Array.from({ length: 4_500 }, (_, at) => at * 3 + 2);
    const batch = await stagedBatch(
      database,
      numbers.toReversed().map((row) => stagedRow(row)),
    );
    const { rows, pages } = await readAll(batch.id);
    expect(rows.map(({ row }) => row)).toEqual(numbers);
    expect(pages).toBe(3);
  });

  it('gives cells and notes back exactly as they came', async () => {
    const cells = ['', '"', "'=1+1", 'a\u0000b', 'line\r\nbreak', '\\', 'Ω\u{1F600}', '{}', 'NULL'];
    const notes = ['limits not checked', '{"a"}'];
    const batch = await stagedBatch(database, [stagedRow(2, { cells, notes })]);
    expect((await readAll(batch.id)).rows).toMatchObject([{ cells, notes }]);
  });

  it('gives all that is known about a row that was sent', async () => {
    const held = await readyBatch(database, 2);
    const [first, second] = await claim(database, held);
    if (first === undefined || second === undefined) throw new Error('nothing to claim');
    await conclude(database, held, [first], { attempts: [attempt({ objectId: 'object-2' })] });
    const refusal = { state: 'rejected', code: 'invalid_email', message: 'Bad.' } as const;
    await conclude(database, held, [second], {
      ...refusal,
      attempts: [attempt({ number: 3, outcome: 'refused', httpStatus: 422 })],
    });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await readAll(held.batch.id)).rows).toEqual([
      {
        row: 2,
        cells: ['c-2', 'c2@example.test'],
        status: 'created',
        objectId: 'object-2',
        notes: [],
        code: null,
        field: null,
        message: null,
        httpStatus: 201,
        attempts: 1,
        changedAt: time,
        idempotencyKey: first.idempotencyKey,
      },
      {
        row: 3,
        cells: ['c-3', 'c3@example.test'],
        status: 'rejected',
        objectId: null,
        notes: [],
        code: 'invalid_email',
        field: null,
        message: 'Bad.',
        httpStatus: 422,
        attempts: 3,
        changedAt: time,
        idempotencyKey: second.idempotencyKey,
      },
    ]);
  });

  it('gives the same again when nothing has happened', async () => {
    const held = await readyBatch(database, 3);
    await conclude(database, held, await claim(database, held, { limit: 2 }));
    expect(await readAll(held.batch.id)).toEqual(await readAll(held.batch.id));
  });

  it('gives a duplicate the outcome of the row that it repeats', async () => {
    const batch = await stagedBatch(database, [
      ...[stagedRow(2), duplicateOf(2, 3), stagedRow(4), duplicateOf(4, 5)],
      ...[
        stagedRow(6, { state: 'invalid', reason: { code: 'required', field: 'email', message: 'Missing.' } }),
      ],
      ...[duplicateOf(6, 7), stagedRow(8), duplicateOf(8, 9)],
    ]);
    const run = await beginTestRun(database, batch);
    const preparations = [2, 4].map((row) => readyPreparation(batch, row));
    await writePreparations(database, batch.id, run.id, preparations);
    const [created, refused] = await claim(database, { batch, run });
    if (created === undefined || refused === undefined) throw new Error('nothing to claim');
    await conclude(database, { batch, run }, [created]);
    await conclude(database, { batch, run }, [refused], { state: 'rejected', code: 'no' });
    const { rows } = await readAll(batch.id);
    expect(rows.map(({ row, status, code, objectId }) => [row, status, code, objectId])).toEqual([
      [2, 'created', null, 'object-2'],
      [3, 'existing', null, 'object-2'],
      [4, 'rejected', 'no', null],
      [5, 'rejected', 'no', null],
      [6, 'invalid', 'required', null],
      [7, 'invalid', 'required', null],
      [8, 'not_sent', null, null],
      [9, 'not_sent', null, null],
    ]);
    expect(rows[1]).toMatchObject({ notes: ['same as row 2'], attempts: 0, idempotencyKey: null });
    expect(await countStatuses(database, batch.id)).toEqual({
      created: 1,
      existing: 1,
      rejected: 2,
      invalid: 2,
      not_sent: 2,
    });
  });

  it('counts a row under lease as unknown, and one that was never claimed as not sent', async () => {
    const held = await readyBatch(database, 3);
    await claim(database, held, { limit: 1 });
    expect(await countStatuses(database, held.batch.id)).toEqual({ unknown: 1, not_sent: 2 });
  });

  it('reports the outcome of each row of a chunk, and of the rows that repeat it', async () => {
    const batch = await stagedBatch(database, [stagedRow(2), stagedRow(3), stagedRow(4), duplicateOf(2, 5)]);
    const run = await beginTestRun(database, batch);
    const held = { batch, run };
    const ready = [2, 3, 4].map((row) => readyPreparation(batch, row));
    await writePreparations(database, batch.id, run.id, ready, 2);
    const claimed = await claim(database, held, { limit: 2 });
    await conclude(database, held, claimed.slice(0, 1), { attempts: [attempt({ number: 3 })] });
    const { rows } = await readAll(batch.id);
    expect(
      rows.map(({ row, status, objectId, attempts, httpStatus }) => ({
        row,
        status,
        objectId,
        attempts,
        httpStatus,
      })),
    ).toEqual([
      { row: 2, status: 'created', objectId: 'object-2', attempts: 3, httpStatus: 201 },
      { row: 3, status: 'unknown', objectId: null, attempts: 0, httpStatus: null },
      { row: 4, status: 'not_sent', objectId: null, attempts: 0, httpStatus: null },
      { row: 5, status: 'existing', objectId: 'object-2', attempts: 0, httpStatus: null },
    ]);
    const counts = { created: 1, unknown: 1, not_sent: 1, existing: 1 };
    expect(await countStatuses(database, batch.id)).toEqual(counts);
    await conclude(database, held, claimed.slice(1), { attempts: [attempt()] });
    await conclude(database, held, await claim(database, held), { attempts: [attempt()] });
    expect(await countStatuses(database, batch.id)).toEqual({ created: 3, existing: 1 });
    expect(await hasMovableRows(database, batch.id)).toBe(false);
  });

  it('has no page and no counts for a batch without rows', async () => {
    const batch = await stagedBatch(database, []);
    expect(await readAll(batch.id)).toEqual({ rows: [], pages: 0 });
    expect(await countStatuses(database, batch.id)).toEqual({});
  });

  it('knows whether anything can still move without a person', async () => {
    const moving = async (
      states: ('created' | 'rejected' | 'held' | 'unknown' | 'ready')[],
    ): Promise<boolean> => {
      const held = await readyBatch(database, states.length);
      for (const [at, row] of (await claim(database, held)).entries()) {
        await conclude(database, held, [row], { state: states[at] ?? 'held' });
      }
      return hasMovableRows(database, held.batch.id);
    };
    expect(await moving(['created', 'rejected', 'held'])).toBe(false);
    expect(await moving(['created', 'unknown'])).toBe(true);
    expect(await moving(['created', 'ready'])).toBe(true);
    const held = await readyBatch(database, 1);
    await claim(database, held);
    expect(await hasMovableRows(database, held.batch.id)).toBe(true);
    expect(await hasMovableRows(database, (await stagedBatch(database, 1)).id)).toBe(true);
    expect(await hasMovableRows(database, (await stagedBatch(database, [duplicateOf(9, 2)])).id)).toBe(false);
  });

  it("knows whether another run's lease is on any row, since a run prolongs its own for ever", async () => {
    const held = await readyBatch(database, 2);
    const [first, second] = await claim(database, held);
    if (first === undefined || second === undefined) throw new Error('nothing to claim');
    const areHeldFrom = (runId: string): Promise<boolean> =>
      hasRowsOfOtherRuns(database, held.batch.id, runId);
    const other = randomUUID();
    expect(await Promise.all([held.run.id, other].map(areHeldFrom))).toEqual([false, true]);
    await conclude(database, held, [first], { state: 'rejected' });
    expect(await Promise.all([held.run.id, other].map(areHeldFrom))).toEqual([false, true]);
    await conclude(database, held, [second]);
    expect(await areHeldFrom(other)).toBe(false);
  });
});
