import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { RowTotals } from '../../../src/domain/batches/batch-facts.ts';
import { keepRowTotals, readFacts } from '../../../src/ledger/after-sending/facts.ts';
import { countStatuses } from '../../../src/ledger/after-sending/row-counts.ts';
import { readRevision } from '../../../src/ledger/protocol/batch-lock.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  besides,
  claim,
  conclude,
  duplicateOf,
  executeByHand,
  readyBatch,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

const emptyTotals: RowTotals = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: [],
  open: [],
  valuesRefusedIn: null,
};

const lifetime = { keyLifetimeInMs: 60_000 };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const factsOf = async ({ id }: BatchRecord) => {
    const facts = (await readFacts(database, [{ id, ...lifetime }])).get(id);
    if (facts === undefined) throw new Error('nothing is known of a batch');
    return facts;
  };

  /** A batch of which each statement has something to read. */
  const eventful = async (): Promise<BatchUnderRun> => {
    const held = await readyBatch(database, 4);
    const [first, second] = await claim(database, held, { limit: 2 });
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    await conclude(database, held, [first]);
    const code = 'timeout';
    await conclude(database, held, [second], {
      state: 'unknown',
      code,
      attempts: [attempt({ outcome: 'unknown' })],
    });
    const correction = await stagedBatch(database, [stagedRow(2), duplicateOf(2, 3)], besides(held.batch));
    await execute(
      database,
      'INSERT INTO corrected_rows (batch_id, row_number, first_batch_id, first_row) VALUES (?, 2, ?, 4)',
      [correction.id, held.batch.id],
    );
    const waiting =
      'UPDATE row_states SET state = ?, code = ?, owned_key = NULL, chunk = NULL WHERE batch_id = ? AND row_number = 5';
    await executeByHand(database, waiting, ['waiting', 'customer_not_there', held.batch.id]);
    await executeByHand(
      database,
      'UPDATE send_chunks SET open_rows = 0 WHERE batch_id = ? AND first_row = 5',
      [held.batch.id],
    );
    return held;
  };

  it('takes as many statements for fifty batches as for one', async () => {
    const batches = [(await eventful()).batch, (await eventful()).batch];
    while (batches.length < 50) batches.push(await stagedBatch(database, 1));
    const statementsFor = async (count: number): Promise<number> => {
      let statements = 0;
      const counting = (): void => {
        statements += 1;
      };
      database.on('query', counting);
      const found = await readFacts(
        database,
        batches.slice(0, count).map(({ id }) => ({ id, ...lifetime })),
      );
      database.off('query', counting);
      expect(found.size).toBe(count);
      return statements;
    };
    const forOne = await statementsFor(1);
    expect(forOne).toBeLessThan(17);
    expect(await statementsFor(5)).toBe(forOne);
    expect(await statementsFor(50)).toBe(forOne);
  });

  it('says of a batch what its rows, its runs and its corrections say', async () => {
    const { batch, run } = await eventful();
    const facts = await factsOf(batch);
    expect(facts.counts).toEqual(await countStatuses(database, batch.id));
    expect(facts).toMatchObject({
      counts: { created: 1, unknown: 1, waiting: 1, not_sent: 1 },
      sums: null,
      contradicted: 0,
      unrecorded: 0,
      corrected: {},
      doubt: { expired: 0 },
      unanswered: { code: 'timeout', rows: 1 },
      family: { first: { id: batch.id, rows: 4 }, doneRows: 1, corrections: [{ rows: 1, doneRows: 0 }] },
      waiting: [{ code: 'customer_not_there', rows: 1 }],
      runs: [{ id: run.id }],
    });
    const [correction] = facts.family?.corrections ?? [];
    const ofCorrection = (await readFacts(database, [{ id: correction?.id ?? '', ...lifetime }])).get(
      correction?.id ?? '',
    );
    expect(ofCorrection).toMatchObject({
      counts: { not_sent: 2 },
      repeats: { not_sent: 1 },
      family: facts.family,
      runs: [],
    });
  });

  it('gives what was added up until a row changes', async () => {
    const held = await readyBatch(database, 2);
    const { id } = held.batch;
    const revision = await readRevision(database, id);
    const sums = [{ status: 'not_sent', currency: 'KES', rows: 2, amount: '3.50' }] as const;
    const totals = {
      ...{ counts: { not_sent: 2 }, repeats: {}, contradicted: 1, sums, open: [] },
      valuesRefusedIn: 'Owner type',
    };
    await keepRowTotals(database, id, revision, totals, 'rows');
    expect(await factsOf(held.batch)).toMatchObject(totals);
    await conclude(database, held, await claim(database, held));
    expect(await factsOf(held.batch)).toMatchObject({
      counts: { created: 2 },
      contradicted: 0,
      sums: null,
      open: null,
      valuesRefusedIn: null,
    });
    // What was read before a row changed is not kept.
    await keepRowTotals(database, id, revision, totals, 'rows');
    expect(await factsOf(held.batch)).toMatchObject({ counts: { created: 2 }, sums: null });
  });

  it('counts rows without stored totals once, and again after one has changed', async () => {
    const held = await readyBatch(database, 2);
    let counts = 0;
    const counting = ({ sql }: { readonly sql: string }): void => {
      if (sql.includes('coalesce(claimed, 0) AS claimed')) counts += 1;
    };
    database.on('query', counting);
    const first = await factsOf(held.batch);
    expect(await factsOf(held.batch)).toEqual(first);
    expect(counts).toBe(1);
    await conclude(database, held, await claim(database, held));
    expect(await factsOf(held.batch)).toMatchObject({ counts: { created: 2 } });
    database.off('query', counting);
  });

  it('takes what the caller has just added up, and counts nothing then', async () => {
    const held = await readyBatch(database, 2);
    const { id } = held.batch;
    const given = { ...emptyTotals, counts: { created: 1, held: 1 }, valuesRefusedIn: 'Owner type' };
    const facts = (await readFacts(database, [{ id, ...lifetime, totals: given }])).get(id);
    expect(facts).toMatchObject({ ...given, approval: null, runs: [{ id: held.run.id }] });
  });
});
