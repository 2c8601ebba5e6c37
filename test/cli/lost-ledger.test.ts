import { renameSync, rmSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { created, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { copyOfLedger, emptyLedger, logOf, quiet, standing } from '../support/lost-ledger.ts';

describe.each(['server', 'embedded'] as const)('a ledger on the %s', (ledger) => {
  it('that was restored from a backup of before the sending sends nothing, and goes on once it is recovered', async () => {
    const rows = 40;
    const desk = await openDesk({ ledger });
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const planned = await desk.json(['plan', file]);
    const batch = planned.summary.batches[0]?.batch ?? '';
    const env = await copyOfLedger(desk);
    expect((await desk.json(['submit', batch])).exitCode).toBe(0);
    const log = await logOf(desk);
    const onServer = [
      ['submit', batch],
      ['resume', batch],
      ['resume', batch, '--join'],
      ['retry', batch],
      ['plan', file],
    ];
    for (const words of [['import', file], ...(ledger === 'server' ? onServer : [])]) {
      const { summary } = await desk.json(words, { env });
      expect([words[0], summary.exit_code, summary.error?.code]).toEqual([words[0], 2, 'ledger_behind']);
      expect(summary.error?.next).toContain(`paybatch recover --log ${log} people.csv`);
    }
    expect(created(desk)).toBe(rows);
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(recovered.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    const again = await desk.json(['import', file], { env });
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    expect(created(desk)).toBe(rows);
  });

  it('that was emptied sends nothing, in whatever form the log is left', async () => {
    const rows = 12;
    const desk = await openDesk({ ledger });
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    await desk.run(['import', file]);
    const log = await logOf(desk);
    const whole = (await readFile(log, 'utf8')).trimEnd().split('\n');
    const only = (...names: readonly string[]): string =>
      whole.filter((line) => names.some((name) => line.includes(`"event":"${name}"`))).join('\n');
    const env = await emptyLedger(desk);
    const onServer = [
      only('row.final'),
      only('claim.made'),
      only('row.staged'),
      `garbage\n${only('row.answered')}`,
      whole.join('\n').slice(-1_500),
    ];
    for (const text of [only('row.answered'), ...(ledger === 'server' ? onServer : [])]) {
      await writeFile(log, `${text}\n`);
      const { summary } = await desk.json(['import', file], { env });
      expect([summary.exit_code, summary.error?.code]).toEqual([2, 'ledger_lost']);
    }
    expect(created(desk)).toBe(rows);
  });
});

describe.each(['server', 'embedded'] as const)('another file for the same people, on the %s', (ledger) => {
  it('is not sent by a ledger that was restored from a backup of before their first file, until that is recovered', async () => {
    const desk = await openDesk({ ledger });
    const before = await desk.write('before.csv', csvOf(customers(1, 50)));
    expect((await desk.json(['import', before])).exitCode).toBe(0);
    const env = await copyOfLedger(desk);
    const file = await desk.write('people.csv', csvOf(customers(3)));
    expect((await desk.json(['import', file])).exitCode).toBe(0);
    const log = await logOf(desk);
    const other = await desk.write('other.csv', csvOf([...customers(3), customer(9)]));
    const refused = await desk.json(['import', other], { env });
    expect(refused.summary).toMatchObject({ exit_code: 2, error: { code: 'ledger_behind' } });
    expect(refused.summary.error?.next).toContain(`paybatch recover --log ${log} FILE`);
    expect(created(desk)).toBe(4);
    expect((await desk.json(['recover', '--log', log, file], { env })).exitCode).toBe(0);
    const sent = await desk.json(['import', other], { env });
    expect(sent.summary.batches[0]?.counts).toEqual({ existing: 3, created: 1 });
    expect(created(desk)).toBe(5);
  });

  it('is sent beside the logs of another ledger, of another environment, and of earlier versions', async () => {
    const desk = await openDesk({ ledger });
    const file = await desk.write('people.csv', csvOf(customers(3)));
    await desk.run(['import', file]);
    const log = await logOf(desk);
    const more = await desk.write('more.csv', csvOf(customers(3, 10)));
    // Two ledgers with one folder of results do not stop each other.
    const env = await emptyLedger(desk);
    expect((await desk.json(['import', more], { env })).exitCode).toBe(0);
    expect(
      (await desk.json(['import', await desk.write('third.csv', csvOf(customers(3, 20)))])).exitCode,
    ).toBe(0);
    await writeFile(log, (await readFile(log, 'utf8')).replaceAll(/,"ledger":"[^"]*"/g, ''));
    await writeFile(join(desk.folder, 'results', 'empty.00000000.run.jsonl'), '');
    const { env: own } = desk;
    const copy = await copyOfLedger(desk);
    expect(
      (await desk.json(['import', await desk.write('last.csv', csvOf(customers(1, 30)))])).exitCode,
    ).toBe(0);
    // The copy lacks that last batch, and another address of the API is another environment.
    const elsewhere = {
      ...copy,
      PAYBATCH_BASE_URL: (own['PAYBATCH_BASE_URL'] ?? '').replace('127.0.0.1', 'localhost'),
    };
    const there = await desk.json(['import', await desk.write('there.csv', csvOf(customers(1, 40)))], {
      env: elsewhere,
    });
    expect(there.exitCode).toBe(0);
  });
});

describe('a log', () => {
  it('of a file that has another name now is found all the same', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(3)));
    await desk.run(['import', file]);
    await rename(join(desk.folder, file), join(desk.folder, 'clients.csv'));
    const { summary } = await desk.json(['import', 'clients.csv'], { env: await emptyLedger(desk) });
    expect(summary).toMatchObject({ exit_code: 2, error: { code: 'ledger_lost' } });
    expect(created(desk)).toBe(3);
  });

  it('counts beside a plan of another ledger, and in the folder of the last run', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(3)));
    const first = await desk.json(['import', file]);
    const batch = first.summary.batches[0]?.batch ?? '';
    const elsewhere = await emptyLedger(desk);
    expect((await desk.json(['plan', file, '--out', 'other'], { env: elsewhere })).exitCode).toBe(0);
    const beside = await desk.json(['submit', batch], { env: elsewhere });
    expect(beside.summary).toMatchObject({ exit_code: 2, error: { code: 'ledger_behind' } });
    // A ledger of before the second run, which wrote its log where the first one did.
    const more = await desk.write('more.csv', csvOf(customers(3, 10)));
    const planned = await desk.json(['plan', more]);
    const env = await copyOfLedger(desk);
    const second = planned.summary.batches[0]?.batch ?? '';
    await desk.run(['submit', second]);
    const away = await desk.json(['submit', second, '--out', 'other'], { env });
    expect(away.summary).toMatchObject({ exit_code: 2, error: { code: 'ledger_behind' } });
    expect(away.summary.error?.message).toMatch(/^The run log \S+ tells of sending/);
    const log = (await readdir(join(desk.folder, 'results'))).find((name) =>
      /^more\..*run\.jsonl$/.test(name),
    );
    await cp(join(desk.folder, 'results', log ?? ''), join(desk.folder, 'other', log ?? ''));
    const both = await desk.json(['submit', second, '--out', 'other'], { env });
    expect(both.summary.error?.message).toMatch(/^The run logs \S+ and \S+ tell of sending/);
    expect(created(desk)).toBe(6);
  });

  it('that is missing, in another folder, shorter than the ledger or ends with keys that were never committed stops nothing', async () => {
    let refused = true;
    const desk = await openDesk({
      onRequest: ({ body }) => (refused && JSON.stringify(body).includes('"C-2"') ? '422' : undefined),
    });
    const file = await desk.write('people.csv', csvOf(customers(4)));
    const { summary } = await desk.json(['import', file]);
    const batch = summary.batches[0]?.batch ?? '';
    const log = await logOf(desk);
    const text = await readFile(log, 'utf8');
    expect((await desk.json(['retry', batch, '--out', 'other'])).exitCode).toBe(1);
    await writeFile(log, text.slice(0, text.length / 2));
    expect((await desk.json(['retry', batch])).exitCode).toBe(1);
    await rm(log);
    expect((await desk.json(['retry', batch])).exitCode).toBe(1);
    const staged = text.split('\n').find((line) => line.includes('row.staged')) ?? '';
    const uncommitted = staged
      .replace(/"key":"[^"]*"/, '"key":"11111111-1111-4111-8111-111111111111"')
      .replace('"generation":1', '"generation":2');
    await writeFile(log, `${await readFile(log, 'utf8')}${uncommitted}\n`);
    refused = false;
    expect((await desk.json(['retry', batch])).exitCode).toBe(0);
    expect(created(desk)).toBe(4);
  });

  it('without its keys restores rows as created if an answer says so, and the others as held', async () => {
    const desk = await openDesk({
      onRequest: ({ body }) => (JSON.stringify(body).includes('"C-2"') ? '500_after' : undefined),
    });
    const file = await desk.write('people.csv', csvOf(customers(3)));
    await desk.run(['import', file, '--max-attempts', '1']);
    const log = await logOf(desk);
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, lines.filter((line) => /"row\.(answered|final)"/.test(line)).join('\n'));
    const env = await emptyLedger(desk);
    const early = await desk.json(['recover', '--log', log, file], { env });
    expect(early.summary).toMatchObject({ exit_code: 7, error: { code: 'log_in_use' } });
    await quiet(log);
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(recovered.summary).toMatchObject({
      exit_code: 3,
      batches: [{ counts: { created: 2, held: 1 } }],
      error: { code: 'run_log_damaged' },
    });
    expect((await desk.json(['import', file], { env })).summary).toMatchObject({ exit_code: 5 });
    expect(created(desk)).toBe(3);
  });
});

/** A person's word on a row that the backup has in doubt. */
function resolution(batch: string): string[] {
  return ['resolve', batch, '--row', '3', '--as', 'not-created', '--note', 'seen'];
}

it('a backup of the middle of a batch gets the later answers, refusals and keys of the log', async () => {
  let pass = 1;
  const desk = await openDesk({
    onRequest: ({ body }) => {
      const id = /"C-\d+"/.exec(JSON.stringify(body))?.[0] ?? '';
      if (id === '"C-1"') return pass === 1 ? '422' : undefined;
      if (id === '"C-2"') return pass === 1 ? '500_before' : undefined;
      if (id === '"C-3"') return pass === 1 ? '422' : '500_after';
      return undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(5)));
  const words = ['--max-attempts', '1'];
  const { summary } = await desk.json(['import', file, ...words]);
  const batch = summary.batches[0]?.batch ?? '';
  const env = await copyOfLedger(desk);
  pass = 2;
  await desk.json(['resume', batch, ...words]);
  await desk.json(['retry', batch, ...words]);
  const before = await desk.results();
  expect(before.map((row) => row['result_status'])).toEqual([
    ...['created', 'created', 'unknown', 'created', 'created'],
  ]);
  const log = await logOf(desk);
  for (const words of [['resume', batch], ['reconcile', batch, '--replay', '--yes'], resolution(batch)]) {
    const { summary: refused } = await desk.json(words, { env });
    expect([words[0], refused.exit_code, refused.error?.code]).toEqual([words[0], 2, 'ledger_behind']);
  }
  const recovered = await desk.json(['recover', '--log', log, file], { env });
  expect(recovered.exitCode).toBe(0);
  const columns = ['result_row', 'result_status', 'result_id', 'result_idempotency_key', 'result_attempts'];
  const told = (rows: typeof before): unknown => rows.map((row) => columns.map((column) => row[column]));
  expect(told(await desk.results())).toEqual(told(before));
  pass = 3;
  await desk.json(['resume', batch, ...words], { env });
  expect(desk.sandbox.counts().sandbox).toMatchObject({
    created: { customers: 5 },
    duplicates: { customers: 0 },
  });
});

describe('a log that lacks what the ledger has', () => {
  it('because it was deleted is written anew', async () => {
    const desk = await openDesk({
      onRequest: ({ body }) => {
        const text = JSON.stringify(body);
        if (text.includes('"C-2"')) return '422';
        return text.includes('"C-3"') ? '500_after' : undefined;
      },
    });
    const people = [...customers(5), customer(6, { email: 'nobody' }), customer(1)];
    const file = await desk.write('people.csv', csvOf(people));
    const words = ['import', file, '--max-attempts', '1'];
    await desk.run(words);
    const log = await logOf(desk);
    await rm(log);
    const { stderr } = await desk.run([...words, '--key-lifetime', '1s']);
    expect(stderr).toContain('the run log lacked');
    const before = await standing(desk);
    const env = await emptyLedger(desk);
    expect((await desk.json(['recover', '--log', log, file], { env })).exitCode).toBe(0);
    expect(await standing(desk)).toEqual(before);
  });
});

describe.each([
  ['is deleted', (log: string) => rmSync(log)],
  ['is rotated', (log: string) => renameSync(log, `${log}.1`)],
  ['goes with its folder', (log: string) => renameSync(dirname(log), `${dirname(log)}-old`)],
])('a log that %s while its run sends', (_, vanish) => {
  it('ends the run with 4, with every answer kept, and the next run writes what it lacks', async () => {
    const rows = 400;
    let log = '';
    let requests = 0;
    const desk = await openDesk({
      onRequest: () => {
        requests += 1;
        if (requests === 30) vanish(log);
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    await desk.run(['plan', file]);
    log = await logOf(desk);
    const end = await desk.run(['import', file, '--json', '--concurrency', '4']);
    const summary = JSON.parse(end.stdout);
    expect([end.exitCode, summary.error?.code]).toEqual([4, 'run_log_gone']);
    expect(end.stderr + summary.error.message).toContain(log);
    const [{ counts, files }] = summary.batches;
    expect(files.log).toBeNull();
    expect(counts.unknown ?? 0).toBe(0);
    expect(counts.created).toBe(created(desk));
    expect(created(desk)).toBeLessThan(rows);
    expect((await desk.json(['import', file])).exitCode).toBe(0);
    expect(created(desk)).toBe(rows);
    const before = await standing(desk);
    const env = await emptyLedger(desk);
    expect((await desk.json(['recover', '--log', log, file], { env })).exitCode).toBe(0);
    expect(await standing(desk)).toEqual(before);
  });
});
