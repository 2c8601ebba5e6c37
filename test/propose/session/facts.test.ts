import { expect, it } from 'vitest';
import type { CheckAccess } from '../../../src/check/judging-access.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import { factsOf, gridOfTable } from '../../../src/propose/session/facts.ts';
import { tableOfLines } from './tables.ts';

const header = ['Code', 'Network', 'Net'];

function lines(count: number, cellsOf: (row: number) => readonly string[]): string[][] {
  return [header, ...Array.from({ length: count }, (_, index) => [...cellsOf(index + 1)])];
}

it('looks at every row of a short sheet', async () => {
  const grid = await gridOfTable(tableOfLines(lines(20, (row) => [`C-${row}`, 'MTN', '100'])));
  expect(grid).toMatchObject({ isCut: false, allRows: 21 });
  expect(grid.rows).toHaveLength(21);
});

it('takes a sample over the whole of a long sheet, with every rare value and every form of values in it', async () => {
  const table = tableOfLines(
    lines(9_000, (row) => [
      `C-${row}`,
      row === 7_777 ? 'Airtel' : row % 2 === 0 ? 'MTN' : 'mtn',
      row === 8_001 ? '(45,000)' : String(1_000 + row),
    ]),
  );
  const grid = await gridOfTable(table);
  expect(grid).toMatchObject({ isCut: true, allRows: 9_001 });
  expect(grid.rows.length).toBeLessThan(5_000);
  const numbers = grid.rows.map(({ number }) => number);
  expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
  expect(numbers).toEqual(expect.arrayContaining([1, 2, 7_778, 8_002, 9_001]));
  expect(numbers.filter((number) => number > 4_000).length).toBeGreaterThan(500);
  expect(grid.counts?.get(1)).toEqual(
    new Map([
      ['Network', 1],
      ['mtn', 4_499],
      ['MTN', 4_500],
      ['Airtel', 1],
    ]),
  );
  expect(grid.counts?.has(0)).toBe(false);
});

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

it('continues without what cannot be fetched, and reports what that is and why', async () => {
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
