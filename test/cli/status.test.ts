import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../src/account/result.ts';
import { jsonSummary } from '../../src/cli/json/document.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { statusObject } from '../support/json-shapes/status.ts';
import { type InProcessDesk, openInProcessDesk } from './reconciling/in-process.ts';

describe('status', () => {
  it('only looks: without a ledger it makes none, and needs no API', async () => {
    const desk = await openDesk();
    const env = { DATABASE_URL: '', PAYBATCH_BASE_URL: '', PAYBATCH_API_KEY: '' };
    const { exitCode, stdout } = await desk.run(['status'], { env });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no ledger') });
    expect(existsSync(join(desk.folder, '.paybatch'))).toBe(false);
  });

  it('lists the batches and shows one by the beginning of its id', async () => {
    let isOpen = false;
    const desk = await openDesk({ onRequest: () => (isOpen ? undefined : '503') });
    const people = await desk.write('people.csv', csvOf(customers(2)));
    const failing = await desk.json(['import', people, '--max-attempts', '1']);
    const batch = failing.summary.batches[0]?.batch ?? '';
    const list = await desk.run(['status']);
    expect(list.stdout).toContain(batch.slice(0, 8));
    expect(list.stdout).toContain('unfinished');
    isOpen = true;
    expect((await desk.run(['resume', batch.slice(0, 6).toUpperCase()])).exitCode).toBe(0);
    const one = await desk.run(['status', batch.replaceAll('-', '')]);
    expect(one.exitCode).toBe(0);
    expect(one.stdout).toMatch(/1 +import .*5: rows for a person/);
    expect(one.stdout).toMatch(/2 +resume .*0: all rows are there/);
    expect((await desk.run(['status'])).stdout).toContain('finished');
  });
});

describe('what status says of a batch', () => {
  it('is the account of --json, and names only files that exist and commands that work', async () => {
    const desk = await openInProcessDesk({ ledger: 'embedded' });
    const env = { PAYBATCH_BASE_URL: '' };
    const people = await desk.write('people.csv', csvOf([customer(1), customer(2, { email: 'none' })]));
    const imported = await desk.call(['import', people, '--local-sandbox'], env);
    const batches = (imported.document as CallResult).batches;
    const batch = batches[0]?.id ?? '';
    const summary = jsonSummary({ outcome: 'rows_need_correction', batches });
    const { batches: account } = JSON.parse(JSON.stringify(summary));
    for (const words of [['status'], ['status', batch]]) {
      const { document } = await desk.call(words, env);
      expect(statusObject.parse(document).batches).toMatchObject(account);
    }
    const failed = batches[0]?.files.failed ?? '';
    expect((await desk.call(['status', batch], env)).stdout).toContain(`import ${failed} --local-sandbox`);

    await rm(join(desk.folder, 'results'), { recursive: true });
    const { stdout, document } = await desk.call(['status', batch], env);
    expect((document as CallResult).batches[0]?.files).toEqual(
      Object.fromEntries(
        [
          'results',
          'failed',
          'failed_workbook',
          'log',
          'log_head',
          'report',
          'objects',
          'instructions',
          'changes',
        ].map((name) => [name, null]),
      ),
    );
    expect(stdout).not.toContain('failed.csv');
    const [command = ''] = stdout.match(/paybatch results .*/) ?? [];
    expect((await desk.call(command.split(' ').slice(1), env)).exitCode).toBe(1);
    expect((await desk.call(['status', batch], env)).stdout).toContain(failed);
  });
});

describe('status BATCH --row N', () => {
  it('reports all that happened to a row: every request with its time and answer, and verdicts', async () => {
    let answer: '503' | '422' | undefined = '503';
    const desk = await openInProcessDesk({ onRequest: () => answer });
    const people = await desk.write('people.csv', csvOf([customer(1), customer(1)]));
    const imported = await desk.call(['import', people, '--max-attempts', '2']);
    const batch = (imported.document as CallResult).batches[0]?.id ?? '';
    answer = '422';
    await desk.call(['resume', batch]);
    answer = undefined;
    const verdict = ['--as', 'not-created', '--attempts', '3', '--note', 'they looked'];
    await desk.call(['resolve', batch, '--row', '2', ...verdict]);
    await desk.call(['resume', batch]);

    const { stdout, document } = await desk.call(['status', batch, '--row', '2']);
    const { row, runs } = statusObject.parse(document);
    expect(runs?.map(({ command }) => command)).toEqual(['import', 'resume', 'resolve', 'resume']);
    const [first, second] =
      row?.history.flatMap((event) => (event.event === 'request_written' ? event.key : [])) ?? [];
    const attempt = { event: 'attempt', key: first };
    expect(row).toMatchObject({ row: 2, status: 'created', attempts: 4, id: expect.stringMatching(/./) });
    expect(row?.history).toMatchObject([
      { event: 'staged' },
      { event: 'request_written', run: 1 },
      { ...attempt, run: 1, attempt: 1, outcome: 'unknown', reason: 'server_error', http_status: 503 },
      { ...attempt, run: 1, attempt: 2, outcome: 'unknown' },
      {
        ...attempt,
        run: 2,
        attempt: 3,
        outcome: 'refused',
        http_status: 422,
        answer: expect.stringMatching(/error/),
      },
      { event: 'verdict', verdict: 'not-created', from: 'held', attempts: 3, note: 'they looked' },
      { event: 'request_written', run: 4 },
      { event: 'attempt', key: second, run: 4, attempt: 4, outcome: 'created', id: row?.id },
    ]);
    const sent = row?.history.flatMap((event) => (event.event === 'attempt' ? event.time : [])) ?? [];
    expect(new Set(sent).size).toBe(4);
    expect(sent).toEqual([...sent].sort());
    expect(stdout).toContain('request 3: refused');
    expect(stdout).toContain('HTTP 422 after');
    expect(stdout).toContain('not-created: they looked');

    const duplicate = statusObject.parse((await desk.call(['status', batch, '--row', '3'])).document);
    expect(duplicate.row).toMatchObject({ status: 'existing', same_as: 2, attempts: 0 });
  });

  it('says it when there is no such row, and wants a batch', async () => {
    const desk = await openInProcessDesk();
    const people = await desk.write('people.csv', csvOf(customers(1)));
    const imported = await desk.call(['import', people]);
    const batch = (imported.document as CallResult).batches[0]?.id ?? '';
    const missing = await desk.call(['status', batch, '--row', '3']);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has no row 3') });
    const [, next = ''] = /next: paybatch (.*)/.exec(missing.stderr) ?? [];
    expect(await desk.call(next.split(' '))).toMatchObject({ exitCode: 0 });
    for (const words of [
      ['--row', '2'],
      [batch, '--row', 'two'],
    ]) {
      expect((await desk.call(['status', ...words])).exitCode).toBe(2);
    }
  });
});

describe('the commands that status says come next', () => {
  it('run as they are printed, whatever folder and ledger they need', async () => {
    const desk = await openInProcessDesk();
    const rows = [
      ...[customer(1, { last_name: 'Lost Once' }), customer(2, { email: 'none' }), customer(3)],
      customer(4, { last_name: 'Refused' }),
    ];
    const people = await desk.write('people.csv', csvOf(rows));
    await desk.call(['import', people, '--out', 'my results', '--max-attempts', '1']);
    const { batches } = statusObject.parse((await desk.call(['status', '--out', 'my results'])).document);
    const commands = batches[0]?.next.map(({ command }) => command) ?? [];
    expect(commands.map((command) => command.split(' ')[1]).sort()).toEqual(['import', 'resume', 'retry']);
    for (const command of commands) {
      const words = Array.from(
        command.matchAll(/'([^']*)'|(\S+)/g),
        ([, quoted, plain]) => quoted ?? plain ?? '',
      );
      const { exitCode, stderr } = await desk.call(words.slice(1));
      expect([0, 1, 5], `${command}: ${stderr}`).toContain(exitCode);
    }
  });
});

describe('rows in doubt', () => {
  it('two runs that brought no answer end the advice to resume', async () => {
    const desk = await openInProcessDesk({ onRequest: () => '503' });
    const people = await desk.write('people.csv', csvOf(customers(1)));
    const first = await desk.call(['import', people, '--max-attempts', '1']);
    expect(first.stdout).toContain('paybatch resume');
    const second = await desk.call(['resume', '--max-attempts', '1']);
    expect(second.stdout).not.toContain('paybatch resume');
    expect(second.stdout).toContain('Ask the provider about the key of 1 row in doubt');
    const { batches } = statusObject.parse((await desk.call(['status'])).document);
    expect(batches).toMatchObject([
      { state: 'unfinished', needs_person: 1, doubt: { unsettled: 1, expired: 0 } },
    ]);
    const [next] = batches[0]?.next ?? [];
    expect((await desk.call(next?.command.split(' ').slice(1) ?? [])).exitCode).toBe(5);
    const late = statusObject.parse((await desk.call(['status', '--key-lifetime', '1ms'])).document);
    expect(late.batches).toMatchObject([{ needs_person: 1, doubt: { unsettled: 0, expired: 1 } }]);
  });
});

describe('resume', () => {
  it('without a name continues the newest unfinished import, all of its files', async () => {
    let isOpen = false;
    const desk = await openDesk({ onRequest: () => (isOpen ? undefined : 'redirect') });
    const people = await desk.write('people.csv', csvOf([customer(1), customer(2)]));
    const account = {
      customer_external_id: 'C-1',
      currency: 'USD',
      blockchain_network: 'polygon',
      label: 'Main',
    };
    const wallets = await desk.write('wallets.csv', csvOf([account]));
    const stopped = await desk.json(['import', wallets, people]);
    expect(stopped.summary.batches.map(({ counts }) => counts)).toEqual([{ unknown: 2 }, { not_sent: 1 }]);
    isOpen = true;
    const resumed = await desk.json(['resume']);
    expect(resumed.summary).toMatchObject({
      exit_code: 0,
      batches: [
        { kind: 'customers', counts: { created: 2 } },
        { kind: 'accounts', counts: { created: 1 } },
      ],
    });
  });

  it('holds an unknown row whose key is too old instead of sending it again', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1, { last_name: 'Lost Once' })]));
    expect((await desk.run(['import', people, '--max-attempts', '1'])).exitCode).toBe(5);
    const resumed = await desk.json(['resume', '--key-lifetime', '1ms']);
    expect(resumed.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { held: 1 } }] });
    expect((await desk.results())[0]).toMatchObject({ result_code: 'key_expired', result_attempts: '1' });
    expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: 1 }, replayed: 0 });
  });

  it('does not send an unknown row again under another API key', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1, { last_name: 'Lost Once' })]));
    expect((await desk.run(['import', people, '--max-attempts', '1'])).exitCode).toBe(5);
    const env = { PAYBATCH_API_KEY: 'rotated-key' };
    const resumed = await desk.json(['resume'], { env });
    expect(resumed.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { unknown: 1 } }] });
    expect((await desk.results())[0]).toMatchObject({
      result_code: 'other_credential',
      result_attempts: '1',
    });
    const back = await desk.json(['import', people]);
    expect(back.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1 } }] });
  });
});

describe('a row in doubt', () => {
  /** The next step that each command prints, without the file of verdicts, which only some of them know. */
  async function stepsOf(desk: InProcessDesk, batch: string, ...words: string[]): Promise<string[][]> {
    const commands = [
      ['status', batch],
      ['status', batch, '--row', '2'],
      ['reconcile', batch],
    ];
    const ends = [];
    for (const command of commands) ends.push((await desk.call([...command, ...words])).stdout);
    return ends.map((stdout) => {
      const lines = stdout.split('\n');
      return lines.flatMap((line, at) =>
        /^ {4}paybatch /.test(line) ? [`${lines[at - 1]?.trim()} ${line.trim().split(' ')[1]}`] : [],
      );
    });
  }

  it('has one next step, wherever somebody looks: a run while its key lives, then the provider', async () => {
    const desk = await openInProcessDesk({ onRequest: () => '503' });
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const imported = await desk.call(['import', people, '--max-attempts', '1']);
    const batch = (imported.document as CallResult).batches[0]?.id ?? '';
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    for (const [only, ...others] of await stepsOf(desk, batch)) {
      expect(others).toEqual([]);
      expect(only).toMatch(/ask the provider\. resume$/);
    }
    const { stdout } = await desk.call(['reconcile', batch]);
    expect(stdout.replaceAll(/\s+/g, ' ').split(`until ${until}`)).toHaveLength(3);
    await desk.call(['resume', '--max-attempts', '1']);
    for (const words of [[], ['--key-lifetime', '1ms']]) {
      const [ofBatch, ofRow, ofReconcile] = await stepsOf(desk, batch, ...words);
      expect(ofBatch).toEqual([expect.stringMatching(/ reconcile$/)]);
      expect(ofRow).toEqual(ofBatch);
      // This command has just written the file of verdicts.
      expect(ofReconcile).toEqual([expect.stringMatching(/verdicts, then: resolve$/)]);
    }
  });
});
