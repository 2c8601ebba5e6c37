import { describe, expect, test } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { type CommitFault, openDatabaseProxy } from './database-proxy.ts';

const verbs = {
  preparing: /INSERT INTO requests/,
  claiming: /state = 'sending', lease_token/,
  recording: /INSERT INTO attempts/,
};

describe('a connection that breaks at a COMMIT', () => {
  const cases = Object.entries(verbs).flatMap(([verb, statement]) =>
    (['before_commit', 'after_commit'] as const).map((fault): [string, CommitFault, RegExp] => [
      verb,
      fault,
      statement,
    ]),
  );
  test.each(cases)('while %s (%s) ends no run, loses no row and sends none twice', async (_, fault, verb) => {
    let requests = 0;
    const desk = await openDesk({
      onRequest: () => {
        requests += 1;
        return undefined;
      },
    });
    const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
    proxy.breakAtCommit(verb, fault);
    const rows = 150;
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: proxy.databaseUrl } });
    expect(proxy.breaks()).toBe(1);
    expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }], error: null });
    expect({ requests, created: desk.sandbox.counts().sandbox.created.customers }).toEqual({
      requests: rows,
      created: rows,
    });
    const log = readLog(await desk.resultText('.run.jsonl'));
    const finals = log.filter(({ event }) => event === 'row.final').map(({ row }) => row);
    expect({ finals: finals.length, rows: new Set(finals).size }).toEqual({ finals: rows, rows });
    expect(new Set((await desk.results()).map((row) => row['result_attempts']))).toEqual(new Set(['1']));
  });
});
