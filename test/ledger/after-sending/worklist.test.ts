import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BatchNeed, RowTotals } from '../../../src/domain/batches/batch-facts.ts';
import type { GivenDecision } from '../../../src/domain/batches/difference-decisions.ts';
import { keepRowTotals } from '../../../src/ledger/after-sending/facts.ts';
import {
  addDifferenceDecisions,
  addReconciliation,
} from '../../../src/ledger/after-sending/reconciliations.ts';
import { type OpenWork, readOpenWork } from '../../../src/ledger/after-sending/worklist.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { readRevision } from '../../../src/ledger/protocol/batch-lock.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { emptyLedger, forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  executeByHand,
  readyBatch,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

const noTotals: RowTotals = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: [],
  open: [],
  valuesRefusedIn: null,
};

const hourInMs = 3_600_000;
const keyLifetimeInMs = { live: hourInMs, sandbox: 24 * hourInMs };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  // Each test sees the whole ledger.
  beforeEach(() => emptyLedger(database));

  const openWork = (batches = 100, doubts = 100): Promise<OpenWork> =>
    readOpenWork(database, { batches, doubts, keyLifetimeInMs });

  const keep = async (id: string, totals: Partial<RowTotals>, need: BatchNeed): Promise<void> => {
    const kept = { ...noTotals, ...totals };
    await keepRowTotals(database, id, await readRevision(database, id), kept, need);
  };

  /** A batch of which rows are in doubt since so long. */
  const doubtful = async (ageInHours: number, rows = 1): Promise<BatchUnderRun> => {
    const held = await readyBatch(database, rows);
    await conclude(database, held, await claim(database, held), {
      state: 'unknown',
      attempts: [attempt({ outcome: 'unknown' })],
    });
    await endRun(database, held.run.id, 'stopped');
    await executeByHand(
      database,
      `UPDATE row_states SET first_sent_at = now() - ? * interval '1 hour' WHERE batch_id = ?`,
      [ageInHours, held.batch.id],
    );
    return held;
  };

  it('gives the totals that were added up, and none of batches without open rows', async () => {
    const [done, open, refused] = [
      await stagedBatch(database, 1),
      await stagedBatch(database, 1),
      await stagedBatch(database, 1),
    ];
    await keep(done.id, { counts: { created: 1 } }, null);
    const reason = { status: 'held', code: 'key_expired', rows: 3, since: null, sums: [] } as const;
    await keep(open.id, { counts: { held: 3 }, open: [reason] }, 'rows');
    await keep(refused.id, { counts: { rejected: 1 } }, 'corrections');
    const { batches, isCutShort } = await openWork();
    expect(batches.map(({ id }) => id).sort()).toEqual([open.id, refused.id].sort());
    expect(batches.find(({ id }) => id === open.id)).toMatchObject({ open: [reason], canMove: false });
    expect(isCutShort).toBe(false);
  });

  it('counts the open rows of a batch that has changed since, but for those that another file corrects', async () => {
    const reason = (code: string) => ({ code, field: null, message: 'no' });
    const batch = await stagedBatch(database, [
      stagedRow(2, { state: 'invalid', reason: reason('required') }),
      stagedRow(3, { state: 'invalid', reason: reason('superseded') }),
      stagedRow(4, { state: 'held', reason: reason('account_shared') }),
      stagedRow(5, { state: 'held', reason: reason('account_shared') }),
      stagedRow(6),
    ]);
    const [found] = (await openWork()).batches;
    expect(found).toMatchObject({ id: batch.id, totals: null, canMove: true });
    expect(found?.open).toEqual([
      { status: 'held', code: 'account_shared', rows: 2, since: null, sums: null },
      { status: 'invalid', code: 'required', rows: 1, since: null, sums: null },
    ]);
  });

  it('counts batches that have changed while they are small, the newest first', async () => {
    const few = [
      stagedRow(2),
      stagedRow(3),
      stagedRow(4, { state: 'invalid', reason: { code: 'required', field: null, message: 'no' } }),
    ];
    const [oldest, older, newer, newest] = [
      await stagedBatch(database, few),
      await stagedBatch(database, few),
      await stagedBatch(database, few),
      await stagedBatch(database, few),
    ];
    const sizes = [
      [oldest, 2_000],
      [older, 3_000],
      [newer, 5_001],
      [newest, 3_000],
    ] as const;
    for (const [at, [{ id }, rows]] of sizes.entries())
      await executeByHand(
        database,
        `UPDATE batches SET row_count = ?, created_at = now() + ? * interval '1 minute' WHERE id = ?`,
        [rows, at, id],
      );
    const counts = { not_sent: 2, invalid: 1 };
    const found = (await openWork()).batches;
    expect(found.map(({ id, counted }) => [id, counted?.counts ?? null])).toEqual([
      [newest.id, counts],
      [newer.id, null],
      [older.id, null],
      [oldest.id, counts],
    ]);
    expect(found[0]?.totals).toBeNull();
  });

  it('does not count corrections of a closed batch as open, but its rows in doubt', async () => {
    const [refused, held] = [await stagedBatch(database, 1), await stagedBatch(database, 1)];
    for (const { id } of [refused, held])
      await execute(database, 'UPDATE batches SET closed_at = now() WHERE id = ?', [id]);
    await keep(refused.id, { counts: { rejected: 1 } }, 'corrections');
    await keep(held.id, { counts: { unknown: 1 } }, 'rows');
    expect((await openWork()).batches.map(({ id, isClosed }) => [id, isClosed])).toEqual([[held.id, true]]);
  });

  it('gives rows in doubt by when their keys run out, and says how many batches are left', async () => {
    const [young, old, middle] = [await doubtful(1, 2), await doubtful(30), await doubtful(20)];
    const { doubts, moreDoubts } = await openWork();
    expect(doubts.map(({ id, doubt }) => [id, doubt.rows, doubt.expired])).toEqual([
      [old.batch.id, 1, 1],
      [middle.batch.id, 1, 0],
      [young.batch.id, 2, 0],
    ]);
    expect(moreDoubts).toBe(0);
    const [first] = doubts;
    expect(first?.doubt.nextRunsOutAt).toBeNull();
    const bounded = await openWork(100, 1);
    expect([bounded.doubts.map(({ id }) => id), bounded.moreDoubts]).toEqual([[old.batch.id], 2]);
  });

  it('knows the rows that a run was sending when it was cut off', async () => {
    const held = await readyBatch(database, 3);
    await claim(database, held, { limit: 2 });
    expect((await openWork()).doubts).toEqual([]);
    await execute(database, "UPDATE runs SET lease_until = now() - interval '1 second' WHERE id = ?", [
      held.run.id,
    ]);
    const { doubts, runs } = await openWork();
    expect(doubts.map(({ id, doubt }) => [id, doubt.rows])).toEqual([[held.batch.id, 2]]);
    expect(runs.get(held.batch.id)).toMatchObject([{ id: held.run.id, endedAt: null }]);
  });

  it('distinguishes batches that were only planned from those that a run was to send', async () => {
    const [planned, begun] = [await stagedBatch(database, 1), await stagedBatch(database, 1)];
    for (const batch of [planned, begun]) {
      const { id } = await beginTestRun(database, batch);
      if (batch === planned) await execute(database, "UPDATE runs SET command = 'plan' WHERE id = ?", [id]);
      await endRun(database, id, 'stopped');
    }
    const { batches } = await openWork();
    expect(new Map(batches.map(({ id, isOnlyPlanned }) => [id, isOnlyPlanned]))).toEqual(
      new Map([
        [planned.id, true],
        [begun.id, false],
      ]),
    );
  });

  it('counts the newest of very many changed batches, and reports that the others are not counted', async () => {
    const { id } = await stagedBatch(database, 1);
    await execute(
      database,
      `INSERT INTO batches (id, environment_id, kind, file_name, content_hash, reading_hash, header, import_id, staged_at,
         row_count, created_at)
       SELECT gen_random_uuid(), environment_id, kind, file_name, content_hash, reading_hash, header, import_id, staged_at,
         row_count, created_at - n * interval '1 minute' FROM batches, generate_series(1, 59) n WHERE id = ?`,
      [id],
    );
    const { batches } = await openWork();
    expect(batches.map(({ open }) => open !== null)).toEqual(Array.from({ length: 60 }, (_, at) => at < 50));
  });

  it('looks at the newest batches of each need, and says that there are more', async () => {
    for (const _ of [1, 2, 3]) {
      const { id } = await stagedBatch(database, 1);
      await keep(id, { counts: { rejected: 1 } }, 'corrections');
    }
    const open = await stagedBatch(database, 1);
    const { batches, isCutShort } = await openWork(2);
    expect(batches).toHaveLength(3);
    expect(batches[0]?.id).toBe(open.id);
    expect(isCutShort).toBe(true);
  });

  describe('differences of a reconciliation', () => {
    const made = {
      compared: {},
      result: {},
      madeBy: 'ada',
      channel: 'cli',
      outcome: 'decision_needed',
    } as const;
    const [none, one, two] = [
      { found: [], beyond: 0 },
      { found: [['f1', 1]], beyond: 0 },
      {
        found: [
          ['f1', 1],
          ['f2', 3],
        ],
        beyond: 2,
      },
    ] as const;
    const openOf = async (): Promise<unknown[]> =>
      (await openWork()).differences.map(({ id, reconciliation, byPerson }) => [
        id,
        reconciliation,
        byPerson,
      ]);
    const decide = (id: string, decision: GivenDecision, fingerprint: string, occurrences: number) =>
      addDifferenceDecisions(database, id, decision, { name: 'ada', channel: 'console' }, [
        { differences: [{ fingerprint, kind: 'mismatched', row: null, occurrences }], shown: '[]' },
      ]);

    it('are open until they are accepted, by the person who looks into them', async () => {
      const { id } = await stagedBatch(database, 1);
      expect(await openOf()).toEqual([]);
      const at = await addReconciliation(database, id, made, { own: none, compared: two });
      expect(await openOf()).toEqual([[id, at, [{ assignedTo: null, count: 6 }]]]);
      await decide(id, { decision: 'assigned', assignedTo: 'Ben', note: '' }, 'f2', 2);
      expect(await openOf()).toEqual([
        [
          id,
          at,
          [
            { assignedTo: null, count: 4 },
            { assignedTo: 'Ben', count: 2 },
          ],
        ],
      ]);
      await decide(id, { decision: 'accepted', assignedTo: null, note: 'fees' }, 'f2', 3);
      expect(await openOf()).toEqual([[id, at, [{ assignedTo: null, count: 3 }]]]);
      await decide(id, { decision: 'reopened', assignedTo: null, note: '' }, 'f2', 3);
      expect(await openOf()).toEqual([[id, at, [{ assignedTo: null, count: 6 }]]]);
    });

    it('are gone once a later one does not find them; one without an export says nothing of those beside an export', async () => {
      const { id } = await stagedBatch(database, 1);
      const first = await addReconciliation(database, id, made, { own: one, compared: two });
      const alone = await addReconciliation(database, id, made, { own: none, compared: null });
      expect(await openOf()).toEqual([[id, first, [{ assignedTo: null, count: 6 }]]]);
      expect(alone).not.toBe(first);
      const last = await addReconciliation(database, id, made, { own: none, compared: one });
      expect(await openOf()).toEqual([[id, last, [{ assignedTo: null, count: 1 }]]]);
      await decide(id, { decision: 'accepted', assignedTo: null, note: 'fees' }, 'f1', 1);
      expect(await openOf()).toEqual([]);
      // What was accepted before stays accepted.
      await addReconciliation(database, id, made, { own: none, compared: one });
      expect(await openOf()).toEqual([]);
    });
  });
});
