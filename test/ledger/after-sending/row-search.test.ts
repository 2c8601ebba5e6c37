import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { resultStatuses } from '../../../src/domain/rows/row-state.ts';
import type { FoundRows, RowFilter, RowPlace } from '../../../src/domain/rows/search-terms.ts';
import { findResultRows, readResultRows } from '../../../src/ledger/after-sending/results.ts';
import {
  candidatesOf,
  type FirstRows,
  type RepeatsBy,
} from '../../../src/ledger/after-sending/row-candidates.ts';
import { readRowGroups } from '../../../src/ledger/after-sending/row-counts.ts';
import { findRows } from '../../../src/ledger/after-sending/row-search.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { analysis } from '../../../src/ledger/before-sending/stage.ts';
import { execute, uncheckedRows } from '../../../src/ledger/query/sql.ts';
import { claimRows } from '../../../src/ledger/sending/claim.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  claim,
  claimRequest,
  conclude,
  duplicateOf,
  executeByHand,
  readyPreparation,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';
import { explained, rowsHandledBy } from '../plan-nodes.ts';

const missing = { code: 'required', field: 'email', message: 'It is empty.' };
const strange = { code: 'unknown_word', field: null, message: 'It is strange.' };
const start: RowPlace = { row: 0, direction: 'after' };

/** A batch with rows of every status, most in chunks, with what the result files say of them. */
async function mixedBatch(database: Knex): Promise<{ id: string; rows: ResultRow[] }> {
  const staged = Array.from({ length: 120 }, (_, at) => {
    const row = at + 2;
    if (row % 10 === 3) return stagedRow(row, { state: 'invalid', reason: missing });
    if (row % 10 === 4) return stagedRow(row, { state: 'held', reason: strange });
    if (row % 10 === 5) return duplicateOf(row - 2, row);
    if (row % 10 === 6) return stagedRow(row, { state: 'existing', objectId: `old-${row}` });
    if (row % 10 === 9) return duplicateOf(row - 1, row);
    return stagedRow(row, { cells: [`C%_${row}`, `wor"d\\${row}, Ωmega`] });
  });
  const batch = await stagedBatch(database, staged);
  const run = await beginTestRun(database, batch);
  const fresh = staged.filter(({ state, row }) => state === 'staged' && row < 110).map(({ row }) => row);
  await writePreparations(
    database,
    batch.id,
    run.id,
    fresh.map((row) => readyPreparation(batch, row)),
    8,
  );
  const held = { batch, run };
  const first = await claim(database, held, { limit: 24 });
  await conclude(database, held, first.slice(0, 4), {
    state: 'rejected',
    code: 'refused',
    message: 'No.',
    attempts: [attempt({ outcome: 'refused', httpStatus: 422 })],
  });
  await conclude(database, held, first.slice(4, 7), {
    state: 'unknown',
    code: 'no_answer',
    attempts: [attempt({ outcome: 'unknown', httpStatus: null })],
  });
  await conclude(database, held, first.slice(7, 10), { state: 'waiting', code: 'kyc_required' });
  await conclude(database, held, first.slice(10, 20));
  await claimRows(database, claimRequest(held, { limit: 8 }));
  const rows: ResultRow[] = [];
  for await (const page of readResultRows(database, batch.id)) rows.push(...page);
  return { id: batch.id, rows };
}

/**
 * A batch whose rows mostly repeat a created one, wait, or are created. Two rows far apart are of one chunk, and being sent.
 */
async function batchWithFewWanted(database: Knex): Promise<string> {
  const batch = await stagedBatch(database, [stagedRow(2)]);
  const run = await beginTestRun(database, batch);
  const given = [batch.id, run.id];
  await executeByHand(
    database,
    `WITH given AS (SELECT ?::uuid AS batch, ?::uuid AS run),
     claimed AS (INSERT INTO claims (batch_id, lease_token, run_id, credential) SELECT batch, 1, run, 'key' FROM given),
     chunk AS (INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows, lease_token)
       SELECT batch, 1, 22005, 33006, 2, 1 FROM given UNION ALL SELECT batch, 2, 22006, 33004, 0, 1 FROM given),
     s AS (SELECT n, CASE WHEN n = 3 THEN 'created' WHEN n = 4 THEN 'held' WHEN n <= 11004 OR n IN (33005, 33008) THEN 'duplicate'
         WHEN n <= 22004 THEN 'waiting' WHEN n <= 33006 THEN 'ready' WHEN n = 33007 THEN 'invalid' ELSE 'staged' END AS state
       FROM generate_series(3, 33009) n),
     stored AS (INSERT INTO row_states (batch_id, row_number, environment_id, kind, state, chunk, owned_key, same_as, object_id,
         code, field)
       SELECT batch, n, ${batch.environmentId}, 'customers', state, CASE WHEN state = 'ready' THEN CASE WHEN n IN (22005, 33006) THEN 1 ELSE 2 END END,
         CASE WHEN state IN ('created', 'ready') THEN sha256(n::text::bytea) END,
         CASE n WHEN 33005 THEN 2 WHEN 33008 THEN 33007 ELSE CASE state WHEN 'duplicate' THEN 3 END END,
         CASE state WHEN 'created' THEN 'o3' END, CASE state WHEN 'invalid' THEN 'required' END,
         CASE state WHEN 'invalid' THEN 'email' END
       FROM given, s)
     INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id)
     SELECT batch, n, ${batch.environmentId}, 'customers', 'o' || n FROM given, s
     WHERE state = 'created' OR (state = 'ready' AND n NOT IN (22005, 33006))`,
    given,
  );
  await execute(database, analysis);
  return batch.id;
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  let batch: { id: string; rows: ResultRow[] };
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    batch = await mixedBatch(database);
  });

  /** Everything that a filter lets through, page by page. */
  async function search(
    filter: RowFilter,
    from: RowPlace = start,
    size = { limit: 7, most: 1_000 },
  ): Promise<number[]> {
    const found: number[] = [];
    let row: number | null = from.row;
    while (row !== null) {
      const page: FoundRows = await findRows(database, batch.id, filter, { ...from, row }, size);
      expect(page.rows).toEqual([...page.rows].sort((one, other) => one - other));
      expect(page.rows.length).toBeLessThanOrEqual(size.limit);
      if (from.direction === 'after') found.push(...page.rows);
      else found.unshift(...page.rows);
      row = page.next;
    }
    return found;
  }

  function matching(condition: (row: ResultRow) => boolean): number[] {
    return batch.rows.filter(condition).map(({ row }) => row);
  }

  it('has rows of every status to look for', () => {
    expect(new Set(batch.rows.map(({ status }) => status))).toEqual(new Set(resultStatuses));
  });

  const ends: readonly [string, RowPlace][] = [
    ['forwards', start],
    ['backwards', { row: 1_000, direction: 'before' }],
  ];

  describe.each(ends)('%s', (_, from) => {
    it.each([undefined, ...resultStatuses])(
      'finds the rows of the status %s, and no other',
      async (status) => {
        const expected = matching((row) => status === undefined || row.status === status);
        expect(await search({ status }, from)).toEqual(expected);
      },
    );

    it('finds rows by their findings and notes', async () => {
      for (const code of ['required', 'unknown_word', 'refused', 'no_answer', 'kyc_required', 'nothing']) {
        expect(await search({ code }, from), code).toEqual(matching((row) => row.code === code));
      }
      expect(await search({ column: 'email' }, from)).toEqual(matching(({ field }) => field === 'email'));
      expect(await search({ column: '', status: 'held' }, from)).toEqual(
        matching(({ status }) => status === 'held'),
      );
      const all = { status: 'invalid', code: 'required', column: 'email' } as const;
      expect(await search(all, from)).toEqual(matching(({ code }) => code === 'required'));
      expect(await search({ ...all, status: 'rejected' }, from)).toEqual([]);
    });

    it.each(['c%_1', 'WOR"D\\', ', ΩMEGA'.toLowerCase(), 'c-3', '_2', '","', '\\'])(
      'finds the text %s in a cell, taken as it is',
      async (text) => {
        const isIn = (value: string): boolean => value.toLowerCase().includes(text.toLowerCase());
        const expected = matching(({ cells }) => cells.some(isIn));
        expect(await search({ text }, from)).toEqual(expected);
      },
    );
  });

  it.each(['place', 'original'] as const)(
    'has all wanted rows among its candidates, repeats by their %s',
    async (by) => {
      const columns = ['email', ''] as const;
      const filters: RowFilter[] = [
        ...[undefined, ...resultStatuses].map((status) => ({ status })),
        ...['required', 'refused', 'no_answer'].map((code) => ({ code })),
        ...columns.flatMap((column) => [
          { column },
          { column, status: 'invalid' as const, code: 'required' },
        ]),
      ];
      for (const filter of filters) {
        const { status, code, column } = filter;
        const wanted = matching(
          (row) =>
            (status === undefined || row.status === status) &&
            (code === undefined || row.code === code) &&
            (column === undefined || (row.code !== null && (row.field ?? '') === column)),
        );
        for (const [after, before] of [
          [0, 1_000],
          [30, 1_000],
          [0, 90],
        ] as const) {
          for (const order of ['ASC', 'DESC'] as const) {
            const found = await candidates(
              { batchId: batch.id, after, before, order, limit: 200 },
              filter,
              by,
            );
            const expected = wanted.filter((row) => row > after && row < before);
            expect(found, JSON.stringify({ filter, after, before, order })).toEqual(
              expect.arrayContaining(expected),
            );
          }
        }
      }
    },
  );

  async function candidates(first: FirstRows, filter: RowFilter, by: RepeatsBy): Promise<number[]> {
    const { sql, bindings } = candidatesOf(first, filter, by);
    const rows = await uncheckedRows<{ row: number }>(
      database,
      `WITH ${sql} SELECT row_number AS row FROM candidates`,
      bindings,
    );
    return rows.map(({ row }) => row);
  }

  describe('in a batch with more of others before the wanted rows than are looked through for a page', () => {
    let id: string;
    beforeAll(async () => {
      id = await batchWithFewWanted(database);
    });

    it.each<[RowFilter, number[]]>([
      [{ status: 'not_sent' }, [2, 33_005, 33_009]],
      [{ status: 'unknown' }, [22_005, 33_006]],
      [{ status: 'invalid' }, [33_007, 33_008]],
      [{ code: 'required' }, [33_007, 33_008]],
      [{ column: 'email' }, [33_007, 33_008]],
    ])('finds those that meet %j on one page, from both ends', async (filter, rows) => {
      const size = { limit: 50, most: 10_000 };
      for (const from of [start, { row: 99_999, direction: 'before' }] as const) {
        const call = (): Promise<FoundRows> => findRows(database, id, filter, from, size);
        expect(await call()).toEqual({ rows, next: null, isCutShort: false });
        const plans = await explained(database, call);
        expect(Math.max(...plans.flat().map(rowsHandledBy))).toBeLessThan(2 * 33_009);
      }
    });
  });

  it('looks up the state only of those rows that have the text', async () => {
    const size = { limit: 50, most: 10_000 };
    for (const filter of [{ text: 'omega' }, { status: 'created', text: 'nowhere at all' }] as const) {
      const plans = await explained(database, () => findRows(database, batch.id, filter, start, size));
      const lookUps = plans.flat().filter((node) => node['Index Name'] === 'row_states_pkey');
      expect(Math.max(0, ...lookUps.map((node) => node['Actual Loops'] ?? 0))).toBeLessThan(10);
    }
  });

  it('stops where too many rows were read, and continues from there', async () => {
    const size = { limit: 5, most: 1 };
    const page = await findRows(database, batch.id, { status: 'held' }, start, size);
    expect(page.isCutShort).toBe(true);
    expect(page.rows.length).toBeLessThan(size.limit);
    expect(await search({ status: 'held' }, start, size)).toEqual(
      matching(({ status }) => status === 'held'),
    );
  });

  it('gives rows by their numbers as the result files have them', async () => {
    const wanted = [3, 5, 14, 26, 27, 9_999];
    expect(await findResultRows(database, batch.id, wanted)).toEqual(
      batch.rows.filter(({ row }) => wanted.includes(row)),
    );
  });

  it('counts what is said of rows, repeats with the rows that they repeat', async () => {
    const groups = await readRowGroups(database, batch.id);
    const counts = new Map<string, number>();
    for (const { status, code, field } of batch.rows) {
      const key = JSON.stringify([status, code, field]);
      if (code !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(
      new Map(groups.map(({ status, code, column, rows }) => [JSON.stringify([status, code, column]), rows])),
    ).toEqual(counts);
    expect(groups[0]).toEqual({
      status: 'invalid',
      code: 'required',
      column: 'email',
      rows: 24,
      example: 3,
      message: 'It is empty.',
    });
    expect(groups.map(({ rows }) => rows)).toEqual(groups.map(({ rows }) => rows).sort((a, b) => b - a));
  });
});
