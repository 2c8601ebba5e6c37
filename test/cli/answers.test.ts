import { createServer, type ServerResponse } from 'node:http';
import knex from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressOf, startChangingApi } from '../support/changing-api.ts';
import { openDesk } from '../support/cli-desk.ts';
import { account, csvOf, customer, customers, readCsv, recipient } from '../support/cli-files.ts';
import { openInProcessDesk } from './reconciling/in-process.ts';

interface Post {
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** How often the key was sent before. */
  readonly repeats: number;
}

/** An API that answers customers as a test has it. */
async function startApi(answer: (post: Post, response: ServerResponse) => void): Promise<string> {
  const uses = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const key = String(request.headers['idempotency-key']);
    const repeats = uses.get(key) ?? 0;
    uses.set(key, repeats + 1);
    response.setHeader('content-type', 'application/json');
    answer({ body: JSON.parse(Buffer.concat(chunks).toString('utf8')), key, repeats }, response);
  });
  return addressOf(server);
}

const created = (response: ServerResponse, data: object): void => {
  response.writeHead(201).end(JSON.stringify({ data, error: null }));
};

describe('an answer that contradicts what was sent', () => {
  it('leaves its row created, is reported first, and ends the run with 5', async () => {
    const desk = await openDesk();
    const url = await startApi(({ body }, response) => {
      const isOther = body['external_id'] === 'C-2';
      const email = isOther ? 'grace.other@people.example' : String(body['email']).toUpperCase();
      created(response, { id: `id-${body['external_id']}`, email, phone: body['phone'] });
    });
    const file = await desk.write('people.csv', csvOf(customers(3)));
    const env = { PAYBATCH_BASE_URL: url };
    const end = await desk.run(['import', file], { env });
    expect(end.exitCode).toBe(5);
    const rows = await desk.results();
    expect(rows.map((row) => [row['result_status'], row['result_id'], row['result_code']])).toEqual([
      ['created', 'id-C-1', ''],
      ['created', 'id-C-2', 'answer_differs'],
      ['created', 'id-C-3', ''],
    ]);
    expect(rows[1]?.['result_message']).toContain('email (sent ***le, answered ***le)');
    const warning = '1 created row whose answer contradicts what was sent';
    const [, second] = end.stdout.trimStart().split('\n');
    expect(second?.trim()).toBe(warning);
    const report = await desk.resultText('.report.html');
    expect(report.indexOf(warning)).toBeGreaterThan(0);
    expect(report.indexOf(warning)).toBeLessThan(report.indexOf('rows created'));
    expect(report + end.stdout + end.stderr).not.toContain('grace.other');
    expect(await desk.resultText('.run.jsonl')).not.toContain('grace.other');
    const again = await desk.json(['import', file], { env });
    expect([again.exitCode, again.summary.batches[0]?.counts]).toEqual([5, { created: 3 }]);
    const batch = again.summary.batches[0]?.batch ?? '';
    expect((await desk.run(['results', batch], { env })).exitCode).toBe(5);
  });
});

describe('a recipient at another institution, or under another name, than was asked for', () => {
  const changed: Readonly<Record<string, object>> = {
    '7700000001': { institution_name: 'KCB BANK, kenya', account_name: 'AMINA1 ODHIAMBO' },
    '7700000002': { institution_name: 'Equity Bank Kenya' },
    '7700000003': { account_name: 'Amina W. Odhiambo' },
  };

  it('contradicts what was sent, or is a note with both names in the objects file', async () => {
    const desk = await openInProcessDesk();
    const url = await startChangingApi(desk.sandbox.url, ({ json }) => {
      const { data } = json as { data?: { account_number?: string } };
      return { ...json, data: { ...data, ...changed[data?.account_number ?? ''] } };
    });
    const people = await desk.write('people.csv', csvOf(customers(3)));
    const payees = await desk.write('payees.csv', csvOf([recipient(1), recipient(2), recipient(3)]));
    const env = { PAYBATCH_BASE_URL: url };
    const end = await desk.call(['import', people, payees], env);
    expect([end.exitCode, end.stderr]).toEqual([5, expect.anything()]);
    const rows = await desk.results('payees');
    expect(rows.map((row) => [row['result_status'], row['result_code']])).toEqual([
      ['created', ''],
      ['created', 'answer_differs'],
      ['created', ''],
    ]);
    expect(rows[1]?.['result_message']).toContain(
      'institution name (sent KCB Bank Kenya, answered Equity Bank Kenya)',
    );
    const names = (await desk.resultNames()).filter((name) => /^payees.*objects/.test(name));
    const objects = readCsv(await desk.resultText(names[0] ?? ''));
    expect(objects.map((row) => [row['result_reference'], row['account_name']])).toEqual([
      ['Amina1 Odhiambo', 'AMINA1 ODHIAMBO'],
      ['Amina2 Odhiambo', 'Amina2 Odhiambo'],
      ['Amina3 Odhiambo', 'Amina W. Odhiambo'],
    ]);
    expect(objects.map((row) => /name_differs/.test(row['result_notes'] ?? ''))).toEqual([
      false,
      false,
      true,
    ]);
    const batch = rows[0]?.['result_batch'] ?? '';
    const account = await desk.call(['reconcile', batch], env);
    expect(account.stdout).toContain('institution_name');
  });
});

describe('an answer that is larger, or of another form, than it should be', () => {
  it('costs no row that it creates, and never more than its row', async () => {
    const desk = await openInProcessDesk();
    const padding = new Map([
      ['Large', 'x'.repeat(100_000)],
      ['Huge', 'x'.repeat(2_000_000)],
    ]);
    const odd = { wallet_address: { polygon: '0xabc' }, label: ['Odd'], assets: 'none', capabilities: null };
    const url = await startChangingApi(desk.sandbox.url, ({ json }) => {
      const data = json['data'] as { label?: string } | undefined;
      const label = data?.label ?? '';
      if (label === 'Odd') return { ...json, data: { ...data, ...odd } };
      return { ...json, note: padding.get(label) };
    });
    const env = { PAYBATCH_BASE_URL: url };
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const labels = ['Plain', 'Odd', 'Large', 'Huge'];
    const wallets = await desk.write('wallets.csv', csvOf(labels.map((label) => account(1, { label }))));
    const end = await desk.call(['import', people, wallets], env);
    expect(end.exitCode).toBe(5);
    expect((await desk.results('wallets')).map((row) => [row['result_status'], row['result_code']])).toEqual([
      ['created', ''],
      ['created', ''],
      ['created', ''],
      ['unknown', 'answer_too_large'],
    ]);
    // Of what is too long to be kept, the id is; that the rest is missing is said once.
    expect(end.stdout.match(/what the API answered about 1 object is not in this ledger/g)).toHaveLength(1);
    const names = (await desk.resultNames()).filter((name) => /^wallets.*objects/.test(name));
    const [plain, other, large, none] = readCsv(await desk.resultText(names[0] ?? ''));
    expect(plain?.['wallet_address']).toMatch(/^0x/);
    expect(other).toMatchObject({ wallet_address: '', label: '', 'assets.symbol': '', capabilities: '' });
    expect(other?.['virtual_account_bank_name']).toBe(plain?.['virtual_account_bank_name']);
    expect(other?.['result_notes']).toMatch(/label is not text.*wallet_address is not text/);
    expect([large?.['wallet_address'], large?.['result_id']]).toEqual(['', expect.stringMatching(/.{30}/)]);
    expect(none).toBeUndefined();
    padding.clear();
    const batch = plain === undefined ? '' : ((await desk.results('wallets'))[0]?.['result_batch'] ?? '');
    expect((await desk.call(['reconcile', batch, '--replay', '--yes'], env)).exitCode).toBe(0);
    expect((await desk.results('wallets')).every((row) => row['result_status'] === 'created')).toBe(true);
    expect(desk.sandbox.counts().sandbox.created.accounts).toBe(4);
  });
});

describe('a confirmation that names an error', () => {
  it('leaves its row unknown with what the API says, and is not asked again in the same run', async () => {
    const desk = await openDesk();
    let requests = 0;
    const url = await startApi((_, response) => {
      requests += 1;
      const error = { code: 'kyc_pending', message: 'verification is not done' };
      response.writeHead(200).end(JSON.stringify({ data: { id: 'c-1' }, error }));
    });
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const { exitCode } = await desk.run(['import', file], { env: { PAYBATCH_BASE_URL: url } });
    expect([exitCode, requests]).toEqual([5, 1]);
    expect((await desk.results())[0]).toMatchObject({
      result_status: 'unknown',
      result_code: 'kyc_pending',
      result_message: expect.stringContaining('verification is not done'),
    });
  });
});

describe('a conflict with a request of the same key', () => {
  it('that is still under way leaves the row unknown, and a later run settles it', async () => {
    const desk = await openDesk();
    let isDone = false;
    const url = await startApi(({ repeats }, response) => {
      if (isDone) created(response, { id: 'c-1' });
      else if (repeats === 0) response.destroy();
      else response.writeHead(409).end('{"error":{"code":"request_in_progress"}}');
    });
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const env = { PAYBATCH_BASE_URL: url };
    expect((await desk.run(['import', file, '--max-attempts', '3'], { env })).exitCode).toBe(5);
    expect((await desk.results())[0]).toMatchObject({ result_status: 'unknown', result_code: 'conflict' });
    isDone = true;
    expect((await desk.run(['import', file], { env })).exitCode).toBe(0);
    expect((await desk.results())[0]).toMatchObject({ result_status: 'created', result_id: 'c-1' });
  });
});

describe('a redirect', () => {
  it('never lets the first sending of its row be forgotten', async () => {
    const desk = await openDesk();
    const url = await startApi((_, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    });
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const env = { PAYBATCH_BASE_URL: url };
    expect((await desk.run(['import', file], { env })).exitCode).toBe(4);
    // The key is too old by now: sending it again could make a second object.
    const again = await desk.json(['import', file, '--key-lifetime', '1ms'], { env });
    expect([again.exitCode, again.summary.batches[0]?.counts]).toEqual([5, { held: 1 }]);
    expect((await desk.results())[0]).toMatchObject({ result_code: 'key_expired' });
  });
});

describe('the API key in what the API says', () => {
  it('is in no file, no output and no table', async () => {
    const desk = await openDesk();
    const key = 'sk_test_that-nobody-may-see';
    const url = await startApi((_, response) => {
      const message = `The key Bearer ${key} (${encodeURIComponent(key)}) may not do this`;
      response.writeHead(422).end(JSON.stringify({ error: { code: key, message }, request: { key } }));
    });
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    const env = { PAYBATCH_BASE_URL: url, PAYBATCH_API_KEY: key };
    const end = await desk.run(['import', file, '--verbose'], { env });
    expect(end.exitCode).toBe(1);
    const names = await desk.resultNames();
    const files = await Promise.all(names.map((name) => desk.resultText(name)));
    expect([end.stdout, end.stderr, ...files].join('\n')).not.toContain('nobody-may-see');
    const database = knex({ client: 'pg', connection: desk.databaseUrl ?? '' });
    onTestFinished(() => database.destroy());
    const tables = await Promise.all(
      ['attempts', 'row_states', 'requests'].map((table) => database.select('*').from(table)),
    );
    expect(JSON.stringify(tables)).toContain('may not do this');
    expect(JSON.stringify(tables)).not.toContain('nobody-may-see');
  });
});
