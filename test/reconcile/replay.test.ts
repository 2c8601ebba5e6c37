import { expect, it } from 'vitest';
import { onlyUnknownRows } from '../../src/reconcile/replay.ts';

it('leaves a replay nothing to send but unknown rows', async () => {
  const claims: unknown[] = [];
  const ledger = onlyUnknownRows({
    claimRows: async (request: object) => claims.push(request),
    listRowsToPrepare: async () => ['a row without a request'],
  });
  await ledger.claimRows({ limit: 5 });
  expect(claims).toEqual([{ limit: 5, onlyUnknown: true }]);
  expect(await ledger.listRowsToPrepare()).toEqual([]);
});
