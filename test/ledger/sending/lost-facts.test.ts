import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Restoration } from '../../../src/domain/rows/ledger-row.ts';
import type { RepeatedAnswer } from '../../../src/domain/rows/result-row.ts';
import type { Attempt } from '../../../src/domain/sending/outcome.ts';
import { findContradictions, readAnsweredRows } from '../../../src/ledger/after-sending/evidence.ts';
import { restoreRows } from '../../../src/ledger/after-sending/restore.ts';
import { readRowHistory } from '../../../src/ledger/after-sending/row-history.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import {
  countMissingResponses,
  listMissingResponses,
  readKeptAnswers,
  recordRepeatedAnswers,
} from '../../../src/ledger/sending/lost-facts.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  readyPreparation,
  stagedBatch,
  storedRow,
} from '../../support/ledger-rows.ts';

const hourInMs = 3_600_000;
const wanted = { credential: 'key one', keyAgeInMs: 2 * hourInMs };
const answeredAt = '2026-01-02T03:04:06.000Z';

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

function restoration({ batch }: BatchUnderRun, row: number, given: Partial<Restoration> = {}): Restoration {
  return {
    ready: readyPreparation(batch, row),
    state: 'created',
    objectId: `object-${row}`,
    reason: null,
    firstSentAt: ago(hourInMs),
    credential: 'key one',
    attempts: 1,
    httpStatus: 201,
    answer: { number: 1, httpStatus: 201, durationInMs: 12.4, answeredAt },
    ...given,
  };
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** A batch that was rebuilt, a created row for each of these, and the run that may ask again. */
  async function rebuilt(...given: Partial<Restoration>[]): Promise<BatchUnderRun> {
    const batch = await stagedBatch(database, given.length);
    const recovering = { batch, run: await beginTestRun(database, batch) };
    const restorations = given.map((each, at) => restoration(recovering, at + 2, each));
    await restoreRows(database, batch.id, recovering.run.id, restorations);
    await endRun(database, recovering.run.id, 'done');
    return { batch, run: await beginTestRun(database, batch) };
  }

  const list = ({ batch }: BatchUnderRun, afterRow = 0, limit = 100) =>
    listMissingResponses(database, batch.id, { ...wanted, afterRow, limit });

  function repeated(row: number, ...attempts: Partial<Attempt>[]): RepeatedAnswer {
    const sent = attempts.map((each, at) => attempt({ number: at + 2, ...each }));
    return {
      row,
      generation: 1,
      idempotencyKey: '00000000-0000-4000-8000-000000000001',
      objectId: `object-${row}`,
      conclusion: { attempts: sent },
    };
  }

  const record = ({ batch, run }: BatchUnderRun, ...answers: RepeatedAnswer[]) =>
    recordRepeatedAnswers(database, batch.id, run.id, answers);

  const factsOf = async ({ batch }: BatchUnderRun, row = 2): Promise<string | null | undefined> =>
    (await readKeptAnswers(database, batch.id, [{ row, objectId: `object-${row}` }]))[0]?.answer;

  const sameObject = { objectId: 'object-2', answer: '{"id":"object-2"}' };

  describe('rows without facts', () => {
    it('are listed with the very request that created their objects, page by page', async () => {
      const held = await rebuilt({}, {}, {});
      const [first, second] = await list(held, 0, 2);
      expect(first).toMatchObject({ row: 2, objectId: 'object-2', attempts: 1, obstacle: null });
      expect(first?.body.toString()).toBe('{"external_id":"c-2"}');
      expect(first?.keyTimeLeftInMs).toBeLessThanOrEqual(hourInMs);
      expect(first?.keyTimeLeftInMs).toBeGreaterThan(hourInMs / 2);
      expect((await list(held, second?.row, 2)).map(({ row }) => row)).toEqual([4]);
    });

    it.each<[string, Partial<Restoration>]>([
      ['not_proven', { answer: null }],
      ['other_credential', { credential: 'key two' }],
      ['other_credential', { credential: null }],
      ['key_too_old', { firstSentAt: ago(3 * hourInMs) }],
      ['key_too_old', { firstSentAt: ago(-hourInMs) }],
    ])('say what is in the way: %s, %o', async (obstacle, given) => {
      const held = await rebuilt({}, given);
      expect((await list(held)).map((row) => row.obstacle)).toEqual([null, obstacle]);
      const counts = await countMissingResponses(database, held.batch.id, wanted);
      expect(counts).toEqual(
        new Map([
          [null, 1],
          [obstacle, 1],
        ]),
      );
    });

    it('are not asked for while the lifetime of keys is not stated', async () => {
      const { batch } = await rebuilt({}, { answer: null });
      const counts = await countMissingResponses(database, batch.id, { ...wanted, keyAgeInMs: null });
      expect([...counts.keys()].sort()).toEqual(['lifetime_not_stated', 'not_proven']);
    });

    it('are none of a ledger that had every answer, even one that was too large to be kept', async () => {
      const held = await readyBatch(database, 2);
      const [first, second] = await claim(database, held);
      if (first === undefined || second === undefined) throw new Error('nothing was claimed');
      await conclude(database, held, [first], { attempts: [attempt({ objectId: 'object-2' })] });
      await conclude(database, held, [second], {
        code: 'answer_differs',
        message: 'it differs',
        attempts: [attempt({ objectId: 'object-3' })],
      });
      expect(await list(held)).toEqual([]);
      expect((await countMissingResponses(database, held.batch.id, wanted)).size).toBe(0);
    });

    it('show in the history of the row with the answer as the log had it', async () => {
      const { batch } = await rebuilt({});
      const history = await readRowHistory(database, batch.id, 2, hourInMs);
      expect(history?.attempts).toMatchObject([
        { number: 1, outcome: 'created', objectId: 'object-2', durationInMs: 12, recordedAt: answeredAt },
      ]);
    });
  });

  describe('the answer to a request that was sent once more', () => {
    it('gives the object its facts, and the row one request more', async () => {
      const held = await rebuilt({});
      const before = await storedRow(database, held.batch, 2);
      expect([...(await record(held, repeated(2, sameObject)))]).toEqual([2]);
      expect(await factsOf(held)).toBe(sameObject.answer);
      expect(await storedRow(database, held.batch, 2)).toEqual({ ...before, attempts: 2 });
      expect(await list(held)).toEqual([]);
      expect(await findContradictions(database, held.batch.id, 10)).toEqual([]);
    });

    it('is noted once when the reply to its record was lost', async () => {
      const held = await rebuilt({});
      const lost = { outcome: 'unknown', httpStatus: null, reason: 'timeout' } as const;
      const answer = repeated(2, lost, sameObject);
      for (const _ of [1, 2]) expect([...(await record(held, answer))]).toEqual([2]);
      const history = await readRowHistory(database, held.batch.id, 2, hourInMs);
      expect(history?.attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(await storedRow(database, held.batch, 2)).toMatchObject({ attempts: 3, http_status: 201 });
    });

    it.each<[string, Partial<Attempt>]>([
      ['a refusal', { outcome: 'refused', reason: 'http_422', httpStatus: 422 }],
      ['no answer', { outcome: 'unknown', reason: 'timeout', httpStatus: null }],
      ['a conflict', { outcome: 'conflict', reason: 'conflict', httpStatus: 409 }],
    ])('leaves the row created, with its object: %s', async (_, given) => {
      const held = await rebuilt({});
      const before = await storedRow(database, held.batch, 2);
      await record(held, repeated(2, given));
      const http_status = given.httpStatus ?? before['http_status'];
      expect(await storedRow(database, held.batch, 2)).toEqual({ ...before, attempts: 2, http_status });
      expect(await factsOf(held)).toBeNull();
      expect((await list(held))[0]).toMatchObject({ attempts: 2, obstacle: null });
    });

    it('that names another object is kept as evidence, and no row of the batch is asked again', async () => {
      const held = await rebuilt({}, {});
      const before = await storedRow(database, held.batch, 2);
      await record(held, repeated(2, { objectId: 'other', answer: '{"id":"other"}' }));
      expect(await storedRow(database, held.batch, 2)).toEqual({ ...before, attempts: 2 });
      expect(await factsOf(held)).toBeNull();
      expect(await findContradictions(database, held.batch.id, 10)).toMatchObject([
        { kind: 'unrecorded', objectIds: ['other'], rows: [{ row: 2 }] },
      ]);
      expect((await list(held)).map(({ obstacle }) => obstacle)).toEqual(['other_object', 'other_object']);
      for await (const rows of readAnsweredRows(database, held.batch.id)) {
        expect(rows.map(({ answer }) => answer)).toEqual([null, null]);
      }
    });

    it('of a run that was declared lost is not noted, and another object is kept all the same', async () => {
      const held = await rebuilt({}, {});
      await execute(database, 'UPDATE runs SET lease_until = now() WHERE id = ?', [held.run.id]);
      const next = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      const late = [repeated(2, sameObject), repeated(3, { objectId: 'other' })];
      expect((await record(held, ...late)).size).toBe(0);
      expect(await factsOf(held)).toBeNull();
      expect(await findContradictions(database, held.batch.id, 10)).toMatchObject([{ objectIds: ['other'] }]);
      expect([...(await record(next, repeated(2, sameObject)))]).toEqual([2]);
    });

    it('changes no row that is not created, and none of another generation', async () => {
      const held = await rebuilt({ state: 'rejected', objectId: null, answer: null }, {});
      const before = await storedRow(database, held.batch, 2);
      const other = { ...repeated(3, { objectId: 'object-3' }), generation: 2 };
      expect((await record(held, repeated(2, sameObject), other)).size).toBe(0);
      expect(await storedRow(database, held.batch, 2)).toEqual(before);
    });
  });
});
