import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { ClaimedRow } from '../../../src/domain/rows/ledger-row.ts';
import type { UnansweredRows } from '../../../src/domain/sending/stops.ts';
import { readUnansweredOf } from '../../../src/ledger/batches/families.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { attempt, type BatchUnderRun, claim, conclude, readyBatch } from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** Rows 2 to 9, of which these got no answer, and the others were created. */
  const batchWith = async (bad: readonly number[], claimed = 8): Promise<BatchUnderRun> => {
    const under = await readyBatch(database, 8);
    const rows = await claim(database, under, { limit: claimed });
    const isBad = ({ row }: ClaimedRow): boolean => bad.includes(row);
    await conclude(
      database,
      under,
      rows.filter((row) => !isBad(row)),
    );
    await conclude(database, under, rows.filter(isBad), {
      state: 'unknown',
      code: 'server_error',
      attempts: [attempt({ outcome: 'unknown', reason: 'server_error', httpStatus: 500, objectId: null })],
    });
    return under;
  };

  const unansweredOf = async ({ id }: BatchRecord): Promise<UnansweredRows | undefined> =>
    (await readUnansweredOf(database, [id])).get(id);

  describe('rows that the API gave no answer', () => {
    it('are named by their ranges, and are alone where all others were answered', async () => {
      const { batch } = await batchWith([3, 4, 5, 9]);
      expect(await unansweredOf(batch)).toMatchObject({
        code: 'server_error',
        httpStatus: 500,
        rows: 4,
        ranges: [
          [3, 5],
          [9, 9],
        ],
        areAlone: true,
      });
    });

    it('are not alone while others are left to be sent, or where none was answered', async () => {
      const { batch: begun } = await batchWith([2, 3], 4);
      expect(await unansweredOf(begun)).toMatchObject({ rows: 2, areAlone: false });
      const { batch: down } = await batchWith([2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await unansweredOf(down)).toMatchObject({ ranges: [[2, 9]], areAlone: false });
    });
  });
});
