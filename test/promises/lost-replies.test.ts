import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { type CommitFault, openDatabaseProxy } from './database-proxy.ts';

/** A statement of each verb's transaction. */
const preparing = /INSERT INTO requests/;
const claiming = /UPDATE send_chunks c SET lease_token/;
const recording = /INSERT INTO attempts/;

describe('connections that break at a COMMIT', () => {
  it.each<[CommitFault]>([['before_commit'], ['after_commit']])(
    '(%s) while preparing, claiming and recording end no run, and no row is lost or sent twice',
    async (fault) => {
      let requests = 0;
      const desk = await openDesk({
        program: 'started',
        onRequest: () => {
          requests += 1;
          return undefined;
        },
      });
      const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
      for (const statement of [preparing, claiming, recording]) proxy.breakAtCommit(statement, fault);
      const rows = 150;
      const file = await desk.write('people.csv', csvOf(customers(rows)));
      const { summary } = await desk.json(['import', file], { env: { DATABASE_URL: proxy.databaseUrl } });
      expect(proxy.breaks()).toBe(3);
      expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }], error: null });
      expect({ requests, created: desk.sandbox.counts().sandbox.created.customers }).toEqual({
        requests: rows,
        created: rows,
      });
      const log = readLog(await desk.resultText('.run.jsonl'));
      const finals = log.filter(({ event }) => event === 'row.final').map(({ row }) => row);
      expect({ finals: finals.length, rows: new Set(finals).size }).toEqual({ finals: rows, rows });
      expect(new Set((await desk.results()).map((row) => row['result_attempts']))).toEqual(new Set(['1']));
    },
  );
});
