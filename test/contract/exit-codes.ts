/* What ends with which exit code: the same in the test's own process and as a process of its own. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import knex from 'knex';
import { expect, it, onTestFinished } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

/**
 * Defines the tests of each exit code. With started programs each code is tested once by a real process. The other
 * cases of a code run in the test's own process.
 */
export function describeExitCodes(program: 'started' | 'in_process'): void {
  const given = { program };

  it('is 0 when every row was created', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(3)));
    expect((await desk.run(['import', file], given)).exitCode).toBe(0);
  });

  it('is 0 for a file with a header and no rows', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', 'external_id,first_name,last_name\n');
    const { exitCode, summary } = await desk.json(['import', file]);
    expect({ exitCode, rows: summary.batches[0]?.rows, counts: summary.batches[0]?.counts }).toEqual({
      exitCode: 0,
      rows: 0,
      counts: {},
    });
  });

  it('is 1 when rows are invalid or rejected', async () => {
    const desk = await openDesk();
    const rows = [customer(1), customer(2, { email: 'nobody' }), customer(3, { last_name: 'Refused' })];
    const file = await desk.write('people.csv', csvOf(rows));
    const { exitCode, summary } = await desk.json(['import', file], given);
    expect({ exitCode, counts: summary.batches[0]?.counts }).toEqual({
      exitCode: 1,
      counts: { created: 1, invalid: 1, rejected: 1 },
    });
  });

  it('is 1 when a row waits for what was refused', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1, { last_name: 'Refused' })]));
    const account = {
      customer_external_id: 'C-1',
      currency: 'USD',
      blockchain_network: 'polygon',
      label: 'Main',
    };
    const accounts = await desk.write('accounts.csv', csvOf([account]));
    const { exitCode, summary } = await desk.json(['import', people, accounts]);
    expect(exitCode).toBe(1);
    expect(summary.batches.map(({ counts }) => counts)).toEqual([{ rejected: 1 }, { waiting: 1 }]);
  });

  it.each([
    ['--encoding', 'klingon'],
    ['--delimiter', ';;'],
  ])('is 2 when %s has an invalid value', async (option, value) => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(1)));
    expect((await desk.run(['import', file, option, value])).exitCode).toBe(2);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('is 2 for an option that there is not, and standard output stays empty', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const end = await desk.run(['import', file, '--colour', 'red'], given);
    expect({ exitCode: end.exitCode, stdout: end.stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('colour');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('is 2 on a database without the schema, and names the command that helps', async () => {
    const desk = await openDesk();
    const databaseUrl = await createDatabase('template0');
    onTestFinished(() => dropDatabase(databaseUrl));
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const env = { DATABASE_URL: databaseUrl };
    const refused = await desk.json(['import', file], { env });
    expect({ exitCode: refused.exitCode, error: refused.summary.error }).toMatchObject({
      exitCode: 2,
      error: { code: 'database_not_migrated', next: 'paybatch migrate' },
    });
    expect((await desk.run(['migrate'], { env })).exitCode).toBe(0);
    const again = await desk.run(['migrate'], { env });
    expect({ exitCode: again.exitCode, stdout: again.stdout }).toEqual({
      exitCode: 0,
      stdout: 'The schema is up to date.\n',
    });
    expect((await desk.run(['import', file], { env })).exitCode).toBe(0);
  });

  it('is 3 when the file is refused as a whole, and its name is in the error', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf([{ ...customer(1), shoe_size: '43' }]));
    const { exitCode, summary } = await desk.json(['import', file], given);
    expect({ exitCode, batches: summary.batches }).toEqual({ exitCode: 3, batches: [] });
    expect(summary.error).toMatchObject({ code: 'unknown_column' });
    expect(summary.error?.message).toContain('people.csv');
    expect(await desk.resultNames()).toEqual([]);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('is 4 when the database is not there', async () => {
    const desk = await openDesk();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close();
    await once(server, 'close');
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const env = { DATABASE_URL: `postgres://nobody:secret@127.0.0.1:${port}/nothing` };
    const { exitCode, summary, stderr } = await desk.json(['import', file], { ...given, env });
    expect({ exitCode, code: summary.error?.code }).toEqual({ exitCode: 4, code: 'database_unavailable' });
    expect(stderr).not.toContain('secret');
  });

  it('is 5 when a row has no conclusive answer', async () => {
    const desk = await openDesk();
    const file = await desk.write(
      'people.csv',
      csvOf([customer(1), customer(2, { last_name: 'Lost Always' })]),
    );
    const { exitCode, summary } = await desk.json(['import', file, '--max-attempts', '1'], given);
    expect({ exitCode, counts: summary.batches[0]?.counts }).toEqual({
      exitCode: 5,
      counts: { created: 1, unknown: 1 },
    });
  });

  it('is 5 when a row is held for a person', async () => {
    const desk = await openDesk();
    const first = await desk.write('first.csv', csvOf(customers(1)));
    const second = await desk.write('second.csv', csvOf([customer(1, { email: 'other@people.example' })]));
    expect((await desk.run(['import', first])).exitCode).toBe(0);
    const { exitCode, summary } = await desk.json(['import', second]);
    expect({ exitCode, counts: summary.batches[0]?.counts }).toEqual({ exitCode: 5, counts: { held: 1 } });
    expect((await desk.results('second'))[0]).toMatchObject({
      result_status: 'held',
      result_code: 'differs_from_created',
      result_field: 'email',
      result_attempts: '0',
    });
  });

  it('is 6 when the API refuses the key, and the rows stay as they were', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(40)));
    const { exitCode, summary } = await desk.json(['import', file], {
      ...given,
      env: { PAYBATCH_API_KEY: 'stale-key' },
    });
    expect({ exitCode, code: summary.error?.code, counts: summary.batches[0]?.counts }).toEqual({
      exitCode: 6,
      code: 'credentials',
      counts: { not_sent: 40 },
    });
    expect((await desk.run(['import', file])).exitCode).toBe(0);
  });

  it('is 70 for an internal error, and --json says so as well', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const database = knex({ client: 'pg', connection: desk.databaseUrl ?? '' });
    await database.raw('ALTER TABLE attempts ADD CONSTRAINT impossible CHECK (false) NOT VALID');
    await database.destroy();
    const { exitCode, summary, stderr } = await desk.json(['import', file], given);
    // What the database says may quote a row.
    expect(stderr).toMatch(/^database error \(severity ERROR, code 23514, .*constraint impossible/m);
    expect(stderr).not.toContain('violates');
    expect({
      exitCode,
      stated: summary.exit_code,
      batches: summary.batches,
      code: summary.error?.code,
    }).toEqual({
      exitCode: 70,
      stated: 70,
      batches: [],
      code: 'internal_error',
    });
  });
}
