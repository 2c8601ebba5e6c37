import { describe, expect, it } from 'vitest';
import type { Institution, InstitutionSnapshot } from '../../../src/domain/institution.ts';
import { createDirectory, createInstitutionList } from '../../../src/kinds/institutions/directory.ts';
import type { PageAnswer } from '../../../src/kinds/institutions/fetch-institutions.ts';
import { item, page } from './pages.ts';

const start = new Date('2026-11-20T12:00:00Z');
const hourInMs = 3_600_000;

/** A directory over pages that may change, a clock that may be set, and a store that lasts. */
function createWorld(maxAgeInMs = hourInMs) {
  const world = {
    answer: page(1, 1, [item('a')]) as PageAnswer | Error,
    now: start,
    fetched: [] as string[],
    incomplete: [] as string[],
    kept: new Map<string, InstitutionSnapshot>(),
    directory: () =>
      createDirectory({
        fetchPage: async (country) => {
          world.fetched.push(country);
          if (world.answer instanceof Error) throw world.answer;
          return world.answer;
        },
        store: {
          load: async (country) => world.kept.get(country),
          save: async (snapshot) => void world.kept.set(snapshot.country, snapshot),
        },
        now: () => world.now,
        maxAgeInMs,
        onIncomplete: ({ country }) => void world.incomplete.push(country),
      }),
  };
  return world;
}

describe('createDirectory', () => {
  it('reads a country once in a run, asked however often', async () => {
    const world = createWorld();
    const directory = world.directory();
    const [list] = await Promise.all([directory.list('KE'), directory.list('KE'), directory.snapshot('KE')]);
    await directory.list('KE');
    expect(list.byId('a')?.name).toBe('Bank a');
    expect(list).toMatchObject({ country: 'KE', isComplete: true });
    expect(world.fetched).toEqual(['KE']);
  });

  it('keeps what it read for later runs', async () => {
    const world = createWorld();
    const snapshot = await world.directory().snapshot('KE');
    expect(world.kept.get('KE')).toBe(snapshot);
    expect(snapshot).toMatchObject({
      country: 'KE',
      isComplete: true,
      fetchedAt: start,
      institutions: [{ id: 'a' }],
    });
    world.answer = new Error('not asked');
    expect((await world.directory().list('KE')).byId('a')).toBeDefined();
  });

  it.each([
    ['just before its age limit', hourInMs - 1, 1],
    ['at its age limit', hourInMs, 2],
    ['from the future', -1, 2],
  ])('takes a kept snapshot %s: %d fetches', async (_, laterInMs, fetches) => {
    const world = createWorld();
    await world.directory().list('KE');
    world.now = new Date(start.getTime() + laterInMs);
    await world.directory().list('KE');
    expect(world.fetched).toHaveLength(fetches);
  });

  it('fetches anew in every run with an age limit of 0', async () => {
    const world = createWorld(0);
    await world.directory().list('KE');
    await world.directory().list('KE');
    expect(world.fetched).toHaveLength(2);
  });

  it('tries an incomplete country again in the next run', async () => {
    const world = createWorld();
    world.answer = { status: 200, body: 'nonsense' };
    const directory = world.directory();
    expect((await directory.list('KE')).isComplete).toBe(false);
    const asked = world.fetched.length;
    expect((await directory.list('KE')).isComplete).toBe(false);
    expect(world.fetched).toHaveLength(asked);
    expect(world.incomplete).toEqual(['KE']);
    world.answer = page(1, 1, [item('a')]);
    expect((await world.directory().list('KE')).isComplete).toBe(true);
    expect(world.incomplete).toEqual(['KE']);
  });

  it('lets failures pass, keeps nothing, and tries again when asked again', async () => {
    const world = createWorld();
    const failure = new Error('401');
    world.answer = failure;
    const directory = world.directory();
    await expect(directory.list('KE')).rejects.toBe(failure);
    expect(world.kept.size).toBe(0);
    world.answer = page(1, 1, [item('a')]);
    expect((await directory.list('KE')).isComplete).toBe(true);
  });

  it('gives equal content an equal hash, whatever the order and the time', async () => {
    const world = createWorld(0);
    const hashOf = async (items: readonly unknown[]) => {
      world.answer = page(1, 1, items);
      world.now = new Date(world.now.getTime() + 1000);
      return (await world.directory().snapshot('KE')).hash;
    };
    const hash = await hashOf([item('a'), item('b')]);
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(await hashOf([item('b'), item('a')])).toBe(hash);
    expect(await hashOf([item('a')])).not.toBe(hash);
    expect(await hashOf([item('a'), item('b', { max_amount: 1001 })])).not.toBe(hash);
  });
});

function institution(id: string, name: string): Institution {
  return {
    id,
    name,
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: '1',
    maxAmount: '2',
  };
}

const list = createInstitutionList(
  'KE',
  [
    institution('5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47', 'Société Générale'),
    institution('b', 'Equity Bank'),
    institution('c', 'National Bank'),
    institution('d', 'NATIONAL  BANK'),
    institution('e', 'KCB Bank'),
  ],
  true,
);

function idsByName(name: string): readonly string[] {
  return list.byName(name).map(({ id }) => id);
}

describe('createInstitutionList', () => {
  it('finds by id in any case', () => {
    expect(list.byId('5d0c8e3b-71f4-4a92-b6de-0f3a9c218e47')?.name).toBe('Société Générale');
    expect(list.byId('B')?.name).toBe('Equity Bank');
    expect(list.byId('z')).toBeUndefined();
  });

  it.each([
    ['equity bank', ['b']],
    ['EquityBank', ['b']],
    ['EQUITY\u00a0BANK', ['b']],
    ['societe generale', ['5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47']],
    ['Socie\u0301te\u0301 Ge\u0301ne\u0301rale', ['5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47']],
    ['National Bank', ['c', 'd']],
    ['Equity', ['b']],
    ['Equity-Bank Ltd.', ['b']],
    ['EQUITY PLC', ['b']],
    ['K.C.B. Bank Limited', ['e']],
    ['National', ['c', 'd']],
    ['Nat. Bank', []],
    ['Bank', []],
    ['Bank Ltd', []],
    ['', []],
  ])('finds %s by name', (name, ids) => {
    expect(idsByName(name)).toEqual(ids);
    expect(idsByName(name)).toEqual(ids);
  });

  it('names up to three nearest institutions, best first', () => {
    expect(list.nearestNames('Equty Bank', 'any')[0]).toBe('Equity Bank');
    expect(list.nearestNames('bank', 'any').length).toBe(3);
    expect(list.nearestNames('%%%', 'any')).toEqual([]);
  });

  it('names the nearest of the right type only', () => {
    const wallet = { ...institution('m', 'Equitel'), accountNumberType: 'phone_number' };
    const both = createInstitutionList('KE', [institution('b', 'Equity Bank'), wallet], true);
    expect(both.nearestNames('Equite', 'bank')).toEqual(['Equity Bank']);
    expect(both.nearestNames('Equite', 'mobile_money')).toEqual(['Equitel']);
  });
});
