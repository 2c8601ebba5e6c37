import { expect, it } from 'vitest';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { CheckAccess } from '../../../src/engine/access/judging-access.ts';
import { factsOf } from '../../../src/engine/mapping/facts.ts';

const accounts = ['["id-1","Rent"]', '["external:C-2","Rent"]', '["id-9","Deposits"]'];

/** A ledger with two customers, one of whom has no id yet. */
const access: CheckAccess = {
  accountHandles: async () => accounts,
  references: {
    findByHandles: async (kind, names) => {
      const known = kind === 'accounts' ? accounts : ['C-1', 'C-2'];
      return new Map(
        names
          .filter((name) => known.includes(name))
          .map((name) => [name, { id: name === 'C-1' ? 'id-1' : null, country: null }]),
      );
    },
    findCustomersById: async () => new Map(),
    findKeyOwners: async () => new Map(),
    findRivals: async () => new Map(),
  },
  directory: { list: async () => Promise.reject(new Error('not asked')) },
  corrections: { findEarlierRows: async () => new Map(), findOriginalBatch: async () => undefined },
};

it('finds the labels of the accounts of customers, whether these have their id or not', async () => {
  const facts = factsOf(access, () => {});
  expect(await facts.accountLabels(['C-1', 'C-2'])).toEqual(new Map([['Rent', 1]]));
  expect(await facts.accountLabels(['C-1', 'C-2', 'C-3', 'C-4'])).toEqual(new Map([['Rent', 0.5]]));
});

it('goes on without what cannot be asked for, and tells what that is and why', async () => {
  const error = new PaybatchError('unavailable', 'The API could not be reached.', null);
  const unreachable = async (): Promise<never> => Promise.reject(error);
  const missing: unknown[] = [];
  const facts = factsOf(
    {
      ...access,
      directory: { list: unreachable },
      references: { ...access.references, findByHandles: unreachable },
    },
    (...of) => missing.push(of),
  );
  expect(await facts.institutions('KE')).toEqual([]);
  expect(await facts.knownCustomers(['C-1'])).toBe(0);
  expect(missing).toEqual([
    [{ of: 'institutions', country: 'KE' }, error],
    [{ of: 'customers' }, error],
  ]);
});
