import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import {
  account,
  csvOf,
  customer,
  customers,
  type ResultRecord,
  readLog,
  recipient,
} from '../support/cli-files.ts';
import { createDurableDatabase } from '../support/durable-database.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

/** The environment of calls after the ledger's database was lost: another one, migrated and empty. */
async function newLedger(): Promise<Record<string, string>> {
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  return { DATABASE_URL: databaseUrl };
}

async function logPath(desk: Desk, stem: string): Promise<string> {
  const name = (await desk.resultNames()).find(
    (each) => each.startsWith(stem) && each.endsWith('.run.jsonl'),
  );
  return join('results', name ?? 'none');
}

const told = (rows: readonly ResultRecord[], ...columns: readonly string[]): string[][] =>
  rows.map((row) => columns.map((column) => row[`result_${column}`] ?? ''));

describe('a ledger that is lost', () => {
  it('after a run and a retry is rebuilt with the very keys, ids and states', async () => {
    let isBroken = true;
    const sent: string[] = [];
    const desk = await openDesk({
      onRequest: ({ idempotencyKey = '', body }) => {
        sent.push(idempotencyKey);
        const text = JSON.stringify(body);
        if (text.includes('"C-2"') && isBroken) return '422';
        if (text.includes('"C-3"')) return '422';
        return text.includes('"C-4"') ? '500_after' : undefined;
      },
    });
    const people = [...customers(5), customer(6, { email: 'nobody' }), customer(1)];
    const file = await desk.write('people.csv', csvOf(people));
    const { summary } = await desk.json(['import', file, '--max-attempts', '1']);
    isBroken = false;
    await desk.json(['retry', summary.batches[0]?.batch ?? '', '--max-attempts', '1']);
    const before = await desk.results();
    expect(told(before, 'status').flat()).toEqual([
      ...['created', 'created', 'rejected', 'unknown', 'created', 'invalid', 'existing'],
    ]);
    const env = await newLedger();
    const recovered = await desk.json(['recover', '--log', await logPath(desk, 'people'), file], { env });
    expect(recovered.summary).toMatchObject({
      exit_code: 0,
      batches: [{ batch: summary.batches[0]?.batch }],
    });
    const columns = ['row', 'status', 'id', 'idempotency_key', 'attempts', 'http_status'];
    expect(told(await desk.results(), ...columns)).toEqual(told(before, ...columns));
    sent.length = 0;
    const again = await desk.json(['import', file, '--max-attempts', '1'], { env });
    expect(again.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 3, rejected: 1 } }] });
    expect(sent).toEqual([before[3]?.['result_idempotency_key']]);
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: 4 },
      duplicates: { customers: 0 },
    });
  });

  it('in the middle of a run that was killed lets the import go on without creating anything twice', async () => {
    const rows = 1_200;
    let requests = 0;
    let whenSent = (): void => {};
    const inTheMiddle = new Promise<void>((resolve) => {
      whenSent = resolve;
    });
    const desk = await openDesk({
      latencyInMs: 2,
      onRequest: () => {
        requests += 1;
        if (requests === 40) whenSent();
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const killed = desk.start(['import', file]);
    await inTheMiddle;
    killed.child.kill('SIGKILL');
    await killed.ended;
    const log = await logPath(desk, 'people');
    const keys = new Map(
      readLog(await desk.resultText('.run.jsonl')).flatMap(({ event, row, key }) =>
        event === 'row.staged' ? [[String(row), String(key)] as const] : [],
      ),
    );
    await appendFile(join(desk.folder, log), '{"time":"2026-11-21T08:0');
    const env = await newLedger();
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(recovered.exitCode).toBe(0);
    const standing = await desk.results();
    for (const row of standing) {
      const key = keys.get(row['result_row'] ?? '') ?? '';
      expect([row['result_idempotency_key'], row['result_status']]).toEqual([
        key,
        key === '' ? 'not_sent' : expect.stringMatching(/^(created|unknown)$/),
      ]);
    }
    const again = await desk.json(['import', file], { env });
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: rows },
      duplicates: { customers: 0 },
    });
    const finalKeys = told(await desk.results(), 'row', 'idempotency_key');
    for (const [row = '', key] of finalKeys) if (keys.has(row)) expect(key).toBe(keys.get(row));
  });

  it('does not send a row again whose object belongs to another batch, which this ledger does not have', async () => {
    const desk = await openDesk();
    await desk.run(['import', await desk.write('first.csv', csvOf([customer(1)]))]);
    const second = await desk.write('second.csv', csvOf([customer(1), customer(2)]));
    const { summary } = await desk.json(['import', second]);
    expect(summary).toMatchObject({ batches: [{ counts: { created: 1, existing: 1 } }] });
    const before = await desk.results('second');
    const env = await newLedger();
    await desk.run(['recover', '--log', await logPath(desk, 'second'), second], { env });
    const again = await desk.json(['import', second], { env });
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1, existing: 1 } }] });
    expect(told(await desk.results('second'), 'id')).toEqual(told(before, 'id'));
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
  });
});

it('a live ledger that is lost is noticed before anything is sent anew', async () => {
  const desk = await openDesk();
  const live = async () => ({
    PAYBATCH_MODE: 'live',
    PAYBATCH_YES: 'true',
    PAYBATCH_API_KEY: desk.sandbox.apiKeys.live,
    DATABASE_URL: await createDurableDatabase(),
  });
  const created = () => desk.sandbox.counts().live.created.customers;
  const file = await desk.write('people.csv', csvOf(customers(3)));
  await desk.run(['import', file], { env: await live() });
  const env = await live();
  for (const command of ['import', 'plan']) {
    const { exitCode, summary } = await desk.json([command, file], { env });
    expect([exitCode, summary.error?.code]).toEqual([2, 'ledger_lost']);
    expect(summary.error?.next).toContain(
      `paybatch recover --log ${join(desk.folder, await logPath(desk, ''))}`,
    );
  }
  expect(created()).toBe(3);
  await desk.run(['recover', '--log', await logPath(desk, ''), file], { env });
  // Nothing shows whether the lost ledger had a policy.
  expect((await desk.run(['policy', 'waive', '--note', 'it had none'], { env })).exitCode).toBe(0);
  expect((await desk.run(['import', file], { env })).exitCode).toBe(0);
  expect(created()).toBe(3);
});

/** An import of customers and their accounts, and the logs of its batches. */
async function customersWithAccounts(): Promise<{
  desk: Desk;
  people: string;
  wallets: string;
  peopleLog: string;
  walletLog: string;
}> {
  const desk = await openDesk();
  const people = await desk.write('people.csv', csvOf(customers(2)));
  const wallets = await desk.write('wallets.csv', csvOf([account(1), account(2)]));
  await desk.run(['import', people, wallets]);
  const [peopleLog, walletLog] = [await logPath(desk, 'people'), await logPath(desk, 'wallets')];
  return { desk, people, wallets, peopleLog, walletLog };
}

describe('recover refuses', () => {
  it('what does not belong together, and nothing of it stays', async () => {
    const { desk, people, wallets, peopleLog, walletLog } = await customersWithAccounts();
    const env = await newLedger();
    const changed = await desk.write('changed.csv', `${await readFile(join(desk.folder, people), 'utf8')} `);
    const mapping = await desk.write('mapping.json', JSON.stringify({ constants: { gender: 'female' } }));
    for (const [code, ...words] of [
      ['other_file', '--log', peopleLog, wallets],
      ['other_file', '--log', peopleLog, changed],
      ['other_file', '--log', peopleLog, '--mapping', mapping, people],
      ['log_unusable', '--log', peopleLog, '--log', walletLog, people],
      ['file_not_found', '--log', 'nowhere.run.jsonl', people],
    ] as const) {
      const { exitCode, summary } = await desk.json(['recover', ...words], { env });
      expect([exitCode, summary.error?.code, words]).toEqual([3, code, words]);
    }
    expect((await desk.run(['status'], { env })).stdout).not.toMatch(/people|wallets|changed/);
  });

  it('a batch before its parents, and changes nothing of one that is not lost', async () => {
    const { desk, people, wallets, peopleLog, walletLog } = await customersWithAccounts();
    const env = await newLedger();
    const recover = async (log: string, file: string): Promise<unknown> => {
      const { exitCode, summary } = await desk.json(['recover', '--log', log, file], { env });
      return [exitCode, summary.error?.code];
    };
    expect(await recover(walletLog, wallets)).toEqual([3, 'parent_not_recovered']);
    expect(await recover(peopleLog, people)).toEqual([0, undefined]);
    expect(await recover(walletLog, wallets)).toEqual([0, undefined]);
    expect(await recover(peopleLog, people)).toEqual([0, undefined]);
    const again = await desk.run(['recover', '--log', peopleLog, people], { env });
    expect(again.stderr).toContain('knows all that the logs tell');
    expect((await desk.run(['import', people, wallets], { env })).exitCode).toBe(0);
    expect(desk.sandbox.counts().sandbox.created).toMatchObject({ customers: 2, accounts: 2 });
  });

  it('a row that names an institution while no API is named', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1, { country: 'KE' })]));
    const payees = await desk.write('payees.csv', csvOf([recipient(1)]));
    const imported = await desk.json(['import', people, payees]);
    expect(imported.exitCode).toBe(0);
    const env = await newLedger();
    await desk.run(['recover', '--log', await logPath(desk, 'people'), people], { env });
    const words = ['recover', '--log', await logPath(desk, 'payees'), payees];
    const blind = await desk.json(words, { env: { ...env, PAYBATCH_BASE_URL: '' } });
    expect(blind.exitCode).toBe(2);
    expect(blind.summary.error?.message).toMatch(/base.url|--base-url|API/i);
    expect((await desk.json(words, { env })).exitCode).toBe(0);
  });
});
