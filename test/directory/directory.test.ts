import { describe, expect, it } from 'vitest';
import { createDirectory } from '../../src/directory/directory.ts';
import type { PageAnswer } from '../../src/directory/fetch-institutions.ts';
import type { InstitutionSnapshot } from '../../src/domain/institution.ts';
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
