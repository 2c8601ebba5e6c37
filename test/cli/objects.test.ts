import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inCurrency } from '../../src/domain/money/money.ts';
import { kinds, ownReferenceOf } from '../../src/kinds/registry.ts';
import { controlHeaders } from '../sandbox/harness.ts';
import { startChangingApi } from '../support/changing-api.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { account, collection, csvOf, customer, type ResultRecord, readCsv } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';
import { quiet } from '../support/lost-ledger.ts';

const samples = fileURLToPath(new URL('../../samples', import.meta.url));

/** The columns by which people recognise a row, directly after its reference. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  accounts: ['customer_external_id'],
  recipients: ['customer_external_id', 'account_type', 'amount', 'reference'],
  collections: ['customer_external_id'],
};

/** What the sandbox holds, by id. */
async function heldObjects({ sandbox }: Desk): Promise<Map<string, Record<string, unknown>>> {
  const path = '/sandbox/objects';
  const reply = await fetch(sandbox.url + path, { headers: controlHeaders(sandbox, path) });
  const lines = (await reply.text()).trim().split('\n');
  return new Map(
    lines
      .map((line) => JSON.parse(line))
      .map(({ id, object }): [string, Record<string, unknown>] => [id, object]),
  );
}

/** The file of one kind, by the beginning of its name. */
async function objectsOf(desk: Desk, stem: string): Promise<ResultRecord[]> {
  const names = (await desk.resultNames()).filter(
    (name) => name.startsWith(stem) && name.endsWith('.objects.csv'),
  );
  expect(names).toHaveLength(1);
  return readCsv(await readFile(join(desk.folder, 'results', names[0] ?? ''), 'utf8'));
}

/** A cell as it has to be for what the sandbox holds. */
function cellFor(object: unknown, column: string): string {
  const [name = '', ...rest] = column.split('.');
  if (Array.isArray(object)) return object.map((each) => cellFor(each, column)).join('; ');
  const value: unknown =
    typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
  if (value === undefined || value === null) return '';
  if (rest.length > 0) return cellFor(value, rest.join('.'));
  return Array.isArray(value) ? value.join('; ') : String(value);
}

/** The sandbox's instructions are numbered steps, in whose text the numbers to dial and to pay to are marked. */
function stepsOf(markup: string): string {
  const steps = [...markup.matchAll(/<li>(.*?)<\/li>/g)].map(([, step = '']) => step.replace(/<[^>]*>/g, ''));
  return steps.map((step, index) => `${index + 1}. ${step}`).join('; ');
}

/** Result files guard what a spreadsheet would take for a formula. */
const unguarded = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

describe('what was created is handed over', () => {
  it('every cell of the samples is what the sandbox holds', async () => {
    const desk = await openDesk();
    const { exitCode, summary } = await desk.json([
      'import',
      ...kinds.map((kind) => `${samples}/${kind}.csv`),
    ]);
    expect(exitCode).toBe(0);
    const held = await heldObjects(desk);
    let cells = 0;
    for (const kind of kinds) {
      const results = await desk.results(kind);
      const objects = await objectsOf(desk, kind);
      expect(objects.map((row) => [row['result_row'], row['result_id']])).toEqual(
        results.map((row) => [row['result_row'], row['result_id']]),
      );
      expect(objects.map((row) => row['result_reference'])).toEqual(
        results.map((row) => row[ownReferenceOf(kind)]),
      );
      const first = Object.keys(objects[0] ?? {});
      expect(first.slice(first.indexOf('result_reference') + 1, first.indexOf('result_id'))).toEqual(
        ownColumns[kind] ?? [],
      );
      const own = (ownColumns[kind] ?? []).filter((column) => results[0]?.[column] !== undefined);
      const amounts = results.map(({ amount = '', currency = '' }) => ({
        amount: inCurrency(amount, currency),
      }));
      const expected = results.map((row, at) => pick({ ...row, ...amounts[at] }, ...own));
      expect(objects.map((row) => pick(row, ...own))).toEqual(expected);
      for (const row of objects) {
        const object = held.get(row['result_id'] ?? '');
        expect(object).toBeDefined();
        for (const [column, cell] of Object.entries(row)) {
          if (column.startsWith('result_') || ownColumns[kind]?.includes(column)) continue;
          const whole = cellFor(object, column);
          const expected = column === 'instruction' ? stepsOf(whole) : whole;
          expect(`${column}=${unguarded(cell)}`).toBe(`${column}=${expected}`);
          cells += 1;
        }
      }
    }
    expect(cells).toBeGreaterThan(400);
    const { files } = summary.batches.find(({ kind }) => kind === 'collections') ?? {};
    expect((await stat(files?.objects ?? '')).mode & 0o777).toBe(0o600);
    expect((await stat(files?.instructions ?? '')).mode & 0o777).toBe(0o600);
    const [first] = await objectsOf(desk, 'collections');
    const instruction = String(held.get(first?.['result_id'] ?? '')?.['instruction']);
    expect(await readFile(files?.instructions ?? '', 'utf8')).toContain(
      /<ol>.*<\/ol>/.exec(instruction)?.[0] ?? 'no steps',
    );
    expect(first?.['instruction']).toMatch(/^1\. Dial \*\d+#; 2\. Select Payments, then Pay bill; 3\. /);
    expect(summary.batches.find(({ kind }) => kind === 'accounts')?.files.instructions).toBeNull();
  });

  it('the objects file names the customer of a recipient, the amount in its currency and the reference of the file', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const { summary } = await desk.json(['import', people]);
    expect(summary.exit_code).toBe(0);
    const [{ result_id: id = '' } = {}] = await desk.results('people');
    const payee = (person: Record<string, string>, iban: string, amount: string, reference: string) => ({
      payee_type: 'sepa',
      'Client No': '',
      customer_id: '',
      ...person,
      iban,
      Amount: amount,
      account_name: 'Amina Odhiambo',
      bank_name: 'Bank',
      currency: 'EUR',
      account_owner_type: 'individual',
      address_line1: 'Street 1',
      city: 'Berlin',
      postal_code: '10115',
      country: 'DE',
      'Payment reference': reference,
      Remark: 'urgent',
    });
    const rows = [
      payee({ 'Client No': 'C-1' }, 'DE89370400440532013000', '1.234,5', 'INV-7'),
      payee({ customer_id: id }, 'FR1420041010050500013M02606', '', '=INV'),
    ];
    const file = await desk.write('payees.csv', csvOf(rows));
    const mapping = {
      columns: { 'Client No': 'customer_external_id', Amount: 'amount' },
      decimal: ',',
      thousands: '.',
      ignore: ['Payment reference', 'Remark'],
    };
    const reading = ['--mapping', await desk.write('mapping.json', JSON.stringify(mapping))];
    expect((await desk.json(['import', file, ...reading])).summary.batches[0]?.counts).toEqual({
      created: 2,
    });
    const objects = await objectsOf(desk, 'payees');
    const own = ['customer_external_id', 'amount', 'reference'];
    expect(objects.map((row) => pick(row, ...own))).toEqual([
      { customer_external_id: 'C-1', amount: '1234.50', reference: 'INV-7' },
      // Guarded from spreadsheet programs.
      { customer_external_id: '', amount: '', reference: "'=INV" },
    ]);
  });

  it('a customer is identified by a column that is not read, where rows name them by id only', async () => {
    const desk = await openDesk();
    await desk.run(['import', await desk.write('people.csv', csvOf([customer(1)]))]);
    const [{ result_id: id = '' } = {}] = await desk.results('people');
    const { customer_external_id: _, ...wallet } = account(1);
    const rows = [{ 'Member No': 'M-17', ...wallet, customer_id: id }];
    const file = await desk.write('wallets.csv', csvOf(rows));
    const mapping = await desk.write('mapping.json', JSON.stringify({ ignore: ['Member No'] }));
    expect((await desk.run(['import', file, '--mapping', mapping])).exitCode).toBe(0);
    const [object] = await objectsOf(desk, 'wallets');
    expect(object?.['customer_external_id']).toBe('M-17');
  });

  it('rows of earlier batches and repeated rows have the facts of their object, and one sheet', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const first = await desk.write('first.csv', csvOf([collection(1)]));
    expect((await desk.run(['import', people, wallets, first])).exitCode).toBe(0);
    const other = collection(2, { customer_external_id: 'C-1' });
    const again = await desk.write('again.csv', csvOf([collection(1), other, other]));
    expect((await desk.run(['import', again])).exitCode).toBe(0);
    const before = await objectsOf(desk, 'first');
    const rows = await objectsOf(desk, 'again');
    expect(rows.map((row) => row['result_status'])).toEqual(['existing', 'created', 'existing']);
    expect({ ...rows[0], ...pick(before[0], 'result_status', 'result_notes') }).toEqual(before[0]);
    expect(rows[2]?.['transaction_id']).toBe(rows[1]?.['transaction_id']);
    const names = (await desk.resultNames()).filter((name) => /^again.*instructions/.test(name));
    const sheets = await readFile(join(desk.folder, 'results', names[0] ?? ''), 'utf8');
    expect(sheets.match(/<article /g)).toHaveLength(2);
    expect(sheets).not.toContain('Do not hand out');
  });

  it('the sheet of an earlier object whose answer contradicted what was sent is not to be handed out either', async () => {
    const desk = await openDesk();
    const url = await startChangingApi(desk.sandbox.url, ({ json }) =>
      'instruction' in json ? { ...json, amount: '9999.00' } : json,
    );
    const env = { PAYBATCH_BASE_URL: url };
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const first = await desk.write('first.csv', csvOf([collection(1)]));
    expect((await desk.run(['import', people, wallets, first], { env })).exitCode).toBe(5);
    const other = collection(2, { customer_external_id: 'C-1', client_reference: 'INV-OTHER' });
    const again = await desk.write('again.csv', csvOf([collection(1), other]));
    await desk.run(['import', again], { env });
    const names = (await desk.resultNames()).filter((name) => /^again.*instructions/.test(name));
    const sheets = await readFile(join(desk.folder, 'results', names[0] ?? ''), 'utf8');
    expect(sheets.match(/\(do not hand out\)/g)).toHaveLength(2);
    expect(
      sheets.match(/Do not hand out before it is looked at: .*contradicts what was sent: amount/g),
    ).toHaveLength(2);
    const [existing] = await objectsOf(desk, 'again');
    expect(existing?.['result_status']).toBe('existing');
    expect(existing?.['result_notes']).toContain('contradicts what was sent');
  });

  it('`results` writes the files again, byte for byte', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const bills = await desk.write('bills.csv', csvOf([collection(1)]));
    const { summary } = await desk.json(['import', people, wallets, bills]);
    const { batch, files } = summary.batches.find(({ kind }) => kind === 'collections') ?? {};
    const read = (): Promise<string[]> =>
      Promise.all([files?.objects, files?.instructions].map((path) => readFile(path ?? '', 'utf8')));
    const written = await read();
    const end = await desk.json(['results', batch ?? '']);
    expect(end.summary.batches[0]?.files).toEqual(files);
    expect(await read()).toEqual(written);
  });

  it('a batch that was recovered says once that the facts are gone', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1), customer(2)]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1), account(2)]));
    await desk.run(['import', people, wallets]);
    const logs = (await desk.resultNames()).filter((name) => name.endsWith('.run.jsonl'));
    const databaseUrl = await createDatabase();
    onTestFinished(() => dropDatabase(databaseUrl));
    const env = { DATABASE_URL: databaseUrl };
    const said = /what the API answered about 2 objects is not in this ledger/g;
    const recover = async (log = '', file = ''): Promise<string> =>
      (await desk.run(['recover', '--log', join('results', log), file], { env })).stdout;
    expect(await recover(logs[0], people)).not.toMatch(said);
    expect((await recover(logs[1], wallets)).match(said)).toHaveLength(1);
    const rows = await objectsOf(desk, 'wallets');
    expect(rows.map((row) => [row['result_status'], row['wallet_address'], row['result_notes']])).toEqual([
      ['created', '', ''],
      ['created', '', ''],
    ]);
    expect(rows.every((row) => row['result_id'] !== '' && row['result_reference'] === 'Main wallet')).toBe(
      true,
    );
  });

  it('a replay brings the facts of a recovered batch back, and creates nothing', async () => {
    const desk = await openDesk();
    const lost = await importedAndLost(desk);
    const before = await filesOf(lost);
    const batches = await recoverAll(desk, lost);
    expect(await filesOf(lost)).not.toEqual(before);
    // What cannot be asked for any more is still there.
    expect(await filesOf(lost, '.before-recover')).toEqual([undefined, ...before.slice(1)]);
    const held = desk.sandbox.counts().sandbox;
    const sends = async (batch: string, ...words: string[]) => {
      const end = await desk.json(['reconcile', batch, '--replay', '--yes', ...words], lost);
      return [end.exitCode, JSON.parse(end.stdout).reconciliation];
    };
    const [customers = '', ...others] = batches;
    expect(await sends(customers)).toMatchObject([0, { facts: { filled: 0, missing: [] } }]);
    for (const batch of others) {
      expect(await sends(batch)).toMatchObject([
        0,
        { facts: { filled: 2, missing: [] }, replayedRows: 0, account: { contradictions: [] } },
      ]);
      expect(await sends(batch)).toMatchObject([0, { facts: { filled: 0, missing: [] } }]);
      expect((await desk.run(['results', batch], lost)).exitCode).toBe(0);
      const { stdout } = await desk.json(['status', batch, '--row', '2'], lost);
      const told = JSON.parse(stdout).row.history.filter(
        ({ event }: { event: string }) => event === 'attempt',
      );
      expect(told).toMatchObject([
        { attempt: 1, run: null },
        { attempt: 2, outcome: 'created' },
      ]);
    }
    expect(await filesOf(lost)).toEqual(before);
    expect(desk.sandbox.counts().sandbox).toEqual({ ...held, replayed: 4 });
  });

  it('a key that is too old, or another API key, brings nothing back, and it says so', async () => {
    const desk = await openDesk();
    const lost = await importedAndLost(desk);
    const batch = (await recoverAll(desk, lost))[1] ?? '';
    const said = async (words: string[], env = {}): Promise<string> => {
      const options = { env: { ...lost.env, ...env } };
      const { stdout, exitCode } = await desk.run(['reconcile', batch, '--replay', ...words], options);
      expect(exitCode).toBe(0);
      return stdout;
    };
    expect(await said(['--key-lifetime', '10m'])).toContain(
      '2 rows keep empty facts: the key is too old to be sent again safely.',
    );
    const otherKey = { PAYBATCH_API_KEY: 'another-key' };
    expect(await said([], otherKey)).toContain('2 rows keep empty facts: sent under another API key.');
    const { exitCode, stderr } = await desk.run(['reconcile', batch, '--replay'], lost);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nobody has agreed to it')]);
    expect(desk.sandbox.counts().sandbox.replayed).toBe(0);
  });

  it('an API that forgot its keys creates one object more, and is asked for no other', async () => {
    const desk = await openDesk({ keyLifetimeInMs: 0 });
    const lost = await importedAndLost(desk);
    const batch = (await recoverAll(desk, lost))[1] ?? '';
    const before = await desk.results('wallets');
    const replay = ['reconcile', batch, '--replay', '--yes'];
    const missing = { missing: [expect.objectContaining({ rows: 1 }), { reason: 'not_asked', rows: 1 }] };
    for (const facts of [missing, { missing: [{ reason: 'other_object', rows: 2 }] }]) {
      const end = await desk.json(replay, lost);
      expect(end.exitCode).toBe(5);
      expect(JSON.parse(end.stdout).reconciliation).toMatchObject({
        facts: { filled: 0, ...facts },
        account: { counts: { created: 2 }, contradictions: [{ kind: 'unrecorded' }] },
      });
    }
    const after = await desk.results('wallets');
    expect(after.map((row) => [row['result_status'], row['result_id']])).toEqual(
      before.map((row) => ['created', row['result_id']]),
    );
    expect(desk.sandbox.counts().sandbox.created.accounts).toBe(3);
  });

  it('rows in doubt of a recovered batch have their facts again after a replay', async () => {
    // A program of its own, which is over when the log is read.
    const desk = await openDesk({ program: 'started' });
    const people = await desk.write('people.csv', csvOf([customer(1)]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1), account(1, { label: 'Second' })]));
    await desk.run(['import', people, wallets]);
    const before = await objectsOf(desk, 'wallets');
    const [peopleLog = '', walletsLog = ''] = (await desk.resultNames()).filter((name) =>
      name.endsWith('.run.jsonl'),
    );
    const path = join(desk.folder, 'results', walletsLog);
    // The machine was lost before the log had the answers.
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(
      path,
      lines.filter((line) => !/"row\.(answered|final)"|"run\.finished"/.test(line)).join('\n'),
    );
    await quiet(path);
    const databaseUrl = await createDatabase();
    onTestFinished(() => dropDatabase(databaseUrl));
    const env = { DATABASE_URL: databaseUrl };
    await desk.run(['recover', '--log', join('results', peopleLog), people], { env });
    const recovered = await desk.json(['recover', '--log', path, wallets], { env });
    expect(recovered.summary.batches[0]?.counts).toEqual({ unknown: 2 });
    const batch = recovered.summary.batches[0]?.batch ?? '';
    expect((await desk.run(['reconcile', batch, '--replay', '--yes'], { env })).exitCode).toBe(0);
    expect(await objectsOf(desk, 'wallets')).toEqual(before);
    expect(desk.sandbox.counts().sandbox.created.accounts).toBe(2);
  });
});

/** The environment of a ledger that knows nothing yet, and what went into the one that was lost. */
interface LostLedger {
  readonly env: Readonly<Record<string, string>>;
  readonly imported: readonly (readonly [log: string, file: string])[];
}

/** Imports customers, accounts and collections, two of each, and loses the ledger. */
async function importedAndLost(desk: Desk): Promise<LostLedger> {
  const files = [
    await desk.write('people.csv', csvOf([customer(1), customer(2)])),
    await desk.write('wallets.csv', csvOf([account(1), account(2)])),
    await desk.write('bills.csv', csvOf([collection(1), collection(2)])),
  ];
  const { summary } = await desk.json(['import', ...files]);
  expect(summary.batches.map(({ counts }) => counts)).toEqual(Array(3).fill({ created: 2 }));
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const imported = summary.batches.map(({ file, files: { log } }) => [log ?? '', file ?? ''] as const);
  return { env: { DATABASE_URL: databaseUrl }, imported };
}

/** @returns the ids of the batches; batches that others refer to come first */
async function recoverAll(desk: Desk, { env, imported }: LostLedger): Promise<string[]> {
  const ids: string[] = [];
  for (const [log, file] of imported) {
    const { summary } = await desk.json(['recover', '--log', log, file], { env });
    ids.push(summary.batches[0]?.batch ?? '');
  }
  return ids;
}

/** What was handed over, all files together. */
async function filesOf({ imported }: LostLedger, aside = ''): Promise<(string | undefined)[]> {
  const stems = imported.map(([log]) => log.replace(/run\.jsonl$/, ''));
  const paths = stems.flatMap((stem) => [`${stem}objects${aside}.csv`, `${stem}instructions${aside}.html`]);
  return Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => undefined)));
}

function pick(row: ResultRecord | undefined, ...columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, row?.[column] ?? '']));
}
