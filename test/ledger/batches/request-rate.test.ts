import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { reserveRate } from '../../../src/ledger/batches/runs.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger, onServer } from '../../support/ledger.ts';
import { stagedBatch } from '../../support/ledger-rows.ts';

const longInMs = 60_000;

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it('begins the first interval at once, and each further one where the last one ends', async () => {
    const { id } = await stagedBatch(database, 1);
    expect(await reserveRate(database, id, longInMs)).toBe(0);
    for (const earlier of [1, 2, 3]) {
      const startsInMs = await reserveRate(database, id, longInMs);
      expect(startsInMs).toBeLessThanOrEqual(earlier * longInMs);
      expect(startsInMs).toBeGreaterThan((earlier - 1) * longInMs);
    }
  });

  it('loses unused time, instead of making up for it', async () => {
    const { id } = await stagedBatch(database, 1);
    await execute(
      database,
      `UPDATE batches SET rate_reserved_until = now() - interval '1 hour' WHERE id = ?`,
      [id],
    );
    expect(await reserveRate(database, id, longInMs)).toBe(0);
    expect(await reserveRate(database, id, longInMs)).toBeGreaterThan(longInMs / 2);
  });

  it('keeps the rates of batches apart', async () => {
    const [one, other] = [await stagedBatch(database, 1), await stagedBatch(database, 1)];
    await reserveRate(database, one.id, longInMs);
    expect(await reserveRate(database, other.id, longInMs)).toBe(0);
  });

  it('refuses a batch that is not there', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000000';
    await expect(reserveRate(database, nowhere, longInMs)).rejects.toThrow('is not there');
  });
});

onServer((openTestLedger) => {
  it('gives no interval to two processes', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const { id } = await stagedBatch(database, 1);
    const others = Array.from({ length: 4 }, () => openServerLedger(databaseUrl ?? ''));
    const starts = await Promise.all(
      [...others, ...others].map((other) => reserveRate(other.database, id, longInMs)),
    );
    await Promise.all(others.map((other) => other.close()));
    const intervals = starts.map((startsInMs) => Math.ceil(startsInMs / longInMs)).sort((a, b) => a - b);
    expect(intervals).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
