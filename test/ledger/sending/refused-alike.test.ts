import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../../src/domain/sending/outcome.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import {
  continueRefused,
  findRefusedAlike,
  stopIfRefusedAlike,
} from '../../../src/ledger/sending/refused-alike.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
} from '../../support/ledger-rows.ts';

function refused(message = 'owner must be in lower case', code = 'invalid_value'): Conclusion {
  const attempts = [attempt({ outcome: 'refused', reason: code, objectId: null, httpStatus: 400 })];
  return { state: 'rejected', objectId: null, code, message, attempts };
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const refuse = async (
    held: BatchUnderRun,
    limit: number,
    message?: string,
    code?: string,
  ): Promise<void> => {
    await conclude(database, held, await claim(database, held, { limit }), refused(message, code));
  };
  const left = async (held: BatchUnderRun, given = {}): Promise<number> =>
    (await claim(database, held, given)).length;

  describe('a batch whose rows are refused for one reason', () => {
    it('stops at the limit, whichever run has seen the refusals, and stays stopped', async () => {
      const held = await readyBatch(database, 8);
      await refuse(held, 2);
      expect(await stopIfRefusedAlike(database, held.batch.id, 3)).toBe(null);
      await endRun(database, held.run.id, 'stopped');
      const next = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      await refuse(next, 1);
      const stop = { code: 'invalid_value', message: 'owner must be in lower case', rows: 3 };
      expect(await stopIfRefusedAlike(database, held.batch.id, 3)).toEqual(stop);
      expect(await left(next)).toBe(0);
      expect(await left(next, { rows: 'fresh' })).toBe(0);
      // Another limit, or none, says nothing new of it.
      expect(await stopIfRefusedAlike(database, held.batch.id, 100)).toEqual(stop);
      expect(await stopIfRefusedAlike(database, held.batch.id, null)).toEqual(stop);
      expect(await findRefusedAlike(database, held.batch.id)).toEqual(stop);
    });

    it('continues once a person says so, and does not stop again', async () => {
      const held = await readyBatch(database, 4);
      await refuse(held, 2);
      await stopIfRefusedAlike(database, held.batch.id, 2);
      expect([
        await continueRefused(database, held.batch.id),
        await continueRefused(database, held.batch.id),
      ]).toEqual([1, 0]);
      expect(await stopIfRefusedAlike(database, held.batch.id, 2)).toBe(null);
      expect(await left(held)).toBe(2);
    });

    it('still asks what became of rows in doubt', async () => {
      const held = await readyBatch(database, 4);
      const unknown = {
        state: 'unknown',
        attempts: [attempt({ outcome: 'unknown', reason: 'timeout' })],
      } as const;
      await conclude(database, held, await claim(database, held, { limit: 1 }), unknown);
      await refuse(held, 1);
      await stopIfRefusedAlike(database, held.batch.id, 1);
      await endRun(database, held.run.id, 'decision_needed');
      const next = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      const rows = await claim(database, next);
      expect(rows.map(({ wasUnknown }) => wasUnknown)).toEqual([true]);
    });

    it('does not stop once a row was created, nor for reasons that differ', async () => {
      const created = await readyBatch(database, 4);
      await conclude(database, created, await claim(database, created, { limit: 1 }));
      await refuse(created, 2);
      expect(await stopIfRefusedAlike(database, created.batch.id, 2)).toBe('some_created');
      const mixed = await readyBatch(database, 4);
      await refuse(mixed, 1);
      await refuse(mixed, 1, 'the account is closed', 'account_closed');
      expect(await stopIfRefusedAlike(database, mixed.batch.id, 2)).toBe(null);
    });

    it('counts the same words about other values as one reason', async () => {
      const held = await readyBatch(database, 4);
      await refuse(held, 1, 'the number ***45 has 9 digits');
      await refuse(held, 1, 'the number ***46 has 11 digits');
      expect(await stopIfRefusedAlike(database, held.batch.id, 2)).toMatchObject({ rows: 2 });
    });
  });
});
