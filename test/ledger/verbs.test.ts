import { readdirSync } from 'node:fs';
import type { Knex } from 'knex';
import knex from 'knex';
import { describe, expect, it } from 'vitest';
import { type Verb, verb } from '../../src/ledger/query/sql.ts';
import { verbBinder } from '../../src/ledger/verbs.ts';

const folder = new URL('../../src/ledger/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('embedded'),
);
const exported = await Promise.all(files.map((name): Promise<object> => import(new URL(name, folder).href)));

/** Every verb of the ledger by its name. */
const verbs: Readonly<Record<string, Verb>> = Object.fromEntries(
  exported.flatMap((each) =>
    Object.entries(each).filter(([, value]) => typeof value === 'function' && 'policy' in value),
  ),
);

const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** Says which of two databases is passed to a verb; nothing connects. */
const [long, short] = [knex({ client: 'pg' }), knex({ client: 'pg' })];

/** What a caller of each verb sees that fails once while the database is away, under the verb's own policy. */
async function callFailing(name: string): Promise<{ tries: number; given: Knex[] }> {
  const policy = verbs[name]?.policy;
  if (policy === undefined) throw new Error(`${name} has no policy`);
  const given: Knex[] = [];
  const failing = (database: Knex) => {
    given.push(database);
    if (given.length === 1) throw away;
  };
  const act =
    typeof policy.repeatable === 'object'
      ? verb(policy, async function* (database: Knex, _afterRow = 0) {
          failing(database);
          yield* [] as { row: number }[][];
        })
      : verb(policy, async (database: Knex) => failing(database));
  const call = verbBinder(long, 5_000, short)({ act }).act;
  const result = call?.();
  try {
    if (typeof policy.repeatable === 'object') for await (const _ of result as AsyncGenerator);
    else await result;
  } catch (error) {
    expect(error).toBe(away);
  }
  return { tries: given.length, given };
}

describe('all verbs of the ledger', () => {
  const policies = Object.entries(verbs).map(([name, { policy }]) => ({ name, ...policy }));

  it('are tried again while the database is away if they declare that they may be, and only then', async () => {
    const tries = await Promise.all(
      policies.map(async ({ name }) => [name, (await callFailing(name)).tries] as const),
    );
    const expected = policies.map(({ name, repeatable }) => [name, repeatable === false ? 1 : 2]);
    expect(tries).toEqual(expected);
  });

  it('run on the connections that they declare', async () => {
    const given = await Promise.all(
      policies.map(async ({ name }) => [name, (await callFailing(name)).given.every((one) => one === short)]),
    );
    expect(given).toEqual(policies.map(({ name, pool }) => [name, pool === 'short']));
  });

  it('are tried once where no guard would find that their change was made', () => {
    const once = policies.flatMap(({ name, repeatable }) => (repeatable === false ? [name] : []));
    const unguarded = ['beginRun', 'prolongRun', 'stageRows', 'writeVerdicts', 'restoreRows'];
    expect(once).toEqual(expect.arrayContaining(unguarded));
  });
});

it('continues after the last row that came where a verb yields pages, with the arguments of the first call', async () => {
  const calls: unknown[][] = [];
  const read = verb(
    { pool: 'long', repeatable: { fromRow: 2 } },
    async function* (
      _: Knex,
      batchId: string,
      fromAfter = 0,
    ): AsyncGenerator<readonly { readonly row: number }[]> {
      calls.push([batchId, fromAfter]);
      if (fromAfter === 0) yield [{ row: 2 }, { row: 3 }];
      if (calls.length === 1) throw away;
      yield [{ row: 4 }];
    },
  );
  const pages = verbBinder(long, 5_000)({ read }).read('a batch');
  const rows: number[] = [];
  for await (const page of pages) rows.push(...page.map(({ row }) => row));
  expect(rows).toEqual([2, 3, 4]);
  expect(calls).toEqual([
    ['a batch', 0],
    ['a batch', 3],
  ]);
});
