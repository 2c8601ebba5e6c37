import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as commandLine from '../../../src/cli/run-command-line.ts';
import type * as consoleServer from '../../../src/console/server.ts';
import type * as library from '../../../src/index.ts';
import { openSourceCopies, type SourceCopies } from '../../simulation/patched-source.ts';
import { csvOf } from '../../support/cli-files.ts';
import { Visitor } from '../../support/console.ts';

/**
 * What a new kind, a new payee type, a new statement format and a new fact of a batch take: a folder or a file, and a line
 * each; the fact its lines in three files. Nothing else is changed. The program is compiled with them, and does
 * everything with them that it does with all others.
 */
const kindLine = {
  within: 'registry',
  find: 'customersKind,',
  replace: 'suppliersKind, customersKind,',
  add: "import { suppliersKind } from './suppliers/kind.ts';\n",
};
const payeeTypeLine = {
  within: 'recipientsKind',
  find: 'definitions: [',
  replace: 'definitions: [cheque, ',
  add: "import { cheque } from './cheque.ts';\n",
};
const formatLine = {
  within: 'formats',
  find: '[camt, mt940]',
  replace: '[camt, mt940, tally]',
  add: "import { tally } from './tally.ts';\n",
};

/** The fact: how many rows have a request, with a key of its own. Its type, its reading, its sentence, its public key. */
const factLines = [
  {
    within: 'BatchFacts',
    find: 'readonly unrecorded: number;',
    replace: 'readonly unrecorded: number; readonly requested: number;',
  },
  {
    within: 'factsIn',
    find: 'const heads = await readAuditHeads(transaction, ids);',
    replace: `const heads = await readAuditHeads(transaction, ids);
  const requested = await sql.query(transaction, { id: sql.uuid, rows: sql.int4 },
    'SELECT batch_id AS id, count(DISTINCT row_number)::int AS rows FROM requests WHERE batch_id = ANY(?::uuid[]) GROUP BY 1',
    [ids]);`,
  },
  {
    within: 'factsIn',
    find: 'auditHead: heads.get(id) ?? null,',
    replace:
      'auditHead: heads.get(id) ?? null, requested: requested.find((found) => found.id === id)?.rows ?? 0,',
  },
  {
    within: 'sentencesOf',
    find: '...approvalSentences(account),',
    replace:
      "...approvalSentences(account), ...said('plain', 'Requests were made of ' + countOf(account.requested, 'row')),",
  },
  {
    within: 'publicFacts',
    find: 'last_run_at: fact(',
    replace: 'requested: fact(count, ({ requested }) => requested), last_run_at: fact(',
  },
];

/** The files of this folder, by their place in `src`. */
const places = {
  'suppliers/kind.ts': 'kinds/suppliers/kind.ts',
  'suppliers/suppliers.ts': 'kinds/suppliers/suppliers.ts',
  'recipients/cheque.ts': 'kinds/recipients/cheque.ts',
  'statement/tally.ts': 'read/statement/tally.ts',
};

async function newFiles(): Promise<{ file: string; text: string }[]> {
  return Promise.all(
    Object.entries(places).map(async ([name, place]) => {
      const source = await readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
      return { file: `src/${place}`, text: source.replaceAll('../../../../src/', '../../') };
    }),
  );
}

const customer = '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94';
const requests: { path: string; body: Record<string, string> }[] = [];
let server: Server;
let copies: SourceCopies;
let folder: string;
let paybatch: library.Engine;
let reopen: () => Promise<library.Engine>;
let startConsole: typeof consoleServer.startConsole;
let runProgram: (...words: readonly string[]) => Promise<string>;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body: Record<string, string> = JSON.parse(await text(request));
    requests.push({ path: request.url ?? '', body });
    const data = { ...body, id: `object-${requests.length}` };
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: null, data }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'paybatch-new-kind-'));
  copies = await openSourceCopies(['src', 'migrations']);
  const load = await copies.copyWith([kindLine, payeeTypeLine, formatLine, ...factLines], await newFiles());
  const { Engine } = (await load('src/index.ts')) as typeof library;
  const program = (await load('src/cli/run-command-line.ts')) as typeof commandLine;
  ({ startConsole } = (await load('src/console/server.ts')) as typeof consoleServer);
  const { port } = server.address() as AddressInfo;
  reopen = () =>
    Engine.open({
      api: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sandbox-key' },
      ledger: { ledgerDir: join(folder, 'ledger') },
      output: { out: join(folder, 'results') },
    });
  runProgram = async (...words) => {
    let printed = '';
    const stdout = { write: (text: string | Uint8Array) => (printed += String(text)) };
    const environment = {
      ...{ PAYBATCH_BASE_URL: `http://127.0.0.1:${port}`, PAYBATCH_API_KEY: 'sandbox-key' },
      ...{ PAYBATCH_LEDGER_DIR: join(folder, 'ledger'), PAYBATCH_OUT: join(folder, 'results') },
    };
    await program.runCommandLine(words, environment, { stdout, stderr: process.stderr });
    return printed;
  };
  paybatch = await reopen();
});

afterAll(async () => {
  await paybatch.close();
  server.close();
  await copies.remove();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(name: string, rows: readonly Readonly<Record<string, string>>[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, csvOf(rows));
  return file;
}

const resultFile = async (name: RegExp): Promise<string> => {
  const names = await readdir(join(folder, 'results'));
  return join(folder, 'results', names.find((each) => name.test(each)) ?? 'none');
};

it('are imported, planned, reconciled and recovered as all others are', async () => {
  const suppliers = await fileOf('suppliers.csv', [
    { supplier_number: '0007', company: 'Nyota Ltd', credit_limit: '1500.00' },
    { supplier_number: '0008', company: 'Jua Ltd', credit_limit: '' },
    { supplier_number: '0009', company: '', credit_limit: '20.00' },
  ]);
  const cheques = await fileOf('cheques.csv', [
    { payee_type: 'cheque', customer_id: customer, account_name: 'Amina Otieno', currency: 'KES' },
  ]);

  const planned = await paybatch.plan({ files: [suppliers] }).result;
  expect(planned.batches).toMatchObject([
    { kind: 'suppliers', rows: 3, counts: { not_sent: 2, invalid: 1 } },
  ]);
  expect(requests).toEqual([]);

  const imported = await paybatch.import({ files: [cheques, suppliers] }).result;
  expect(imported.batches).toMatchObject([
    { kind: 'suppliers', counts: { created: 2, invalid: 1 } },
    { kind: 'recipients', counts: { created: 1 } },
  ]);
  expect(requests).toHaveLength(3);
  expect(requests).toContainEqual({
    path: '/v1/suppliers',
    body: { supplier_number: '0007', company: 'Nyota Ltd', credit_limit: '1500.00' },
  });
  expect(requests).toContainEqual({
    path: expect.stringMatching(/^\/v1\/external[-_]accounts$/),
    body: { payee_type: 'cheque', account_name: 'Amina Otieno', currency: 'KES', customer_id: customer },
  });
  expect(await readFile(await resultFile(/^suppliers.*objects\.csv$/), 'utf8')).toContain('supplier_number');
  expect(await readFile(await resultFile(/^suppliers.*report\.html$/), 'utf8')).toContain('Suppliers');

  const batch = imported.batches[0]?.id ?? '';
  const nyota = { supplier_number: '0007', company: 'Nyota Ltd', credit_limit: '1500.00' };
  const reconcileWith = async (records: readonly Readonly<Record<string, string>>[]) => {
    const against = [await fileOf('export.csv', records)];
    return paybatch.reconcile({ batch, against, rules: {}, source: suppliers, replay: false }).result;
  };
  expect(await reconcileWith([{ ...nyota, company: 'Another Ltd' }])).toMatchObject({
    outcome: 'decision_needed',
  });
  const jua = { supplier_number: '0008', company: 'Jua Ltd', credit_limit: '' };
  expect(await reconcileWith([nyota, jua])).toMatchObject({ outcome: 'done' });

  const log = await resultFile(/^suppliers.*run\.jsonl$/);
  await paybatch.close();
  await rm(join(folder, 'ledger'), { recursive: true });
  paybatch = await reopen();
  const recovered = await paybatch.recover({ file: suppliers, logs: [log] }).result;
  expect(recovered.batches).toMatchObject([{ id: batch, counts: { created: 2, invalid: 1 } }]);
  expect(basename(log)).toContain(batch.slice(0, 8));
  await paybatch.import({ files: [suppliers] }).result;
  expect(requests).toHaveLength(3);
  // The copy of the program has no template of a ledger: it makes each from nothing, half a minute on a busy machine.
}, 240_000);

it('are in the templates', async () => {
  const { bytes } = await paybatch.template({ kind: 'suppliers', format: 'csv', folder: null, force: false })
    .result;
  expect(bytes.toString('utf8')).toContain('supplier_number,company,credit_limit');
  const cheque = {
    kind: 'recipients',
    payeeType: 'cheque',
    format: 'csv',
    folder: null,
    force: false,
  } as const;
  expect((await paybatch.template(cheque).result).bytes.toString('utf8')).toContain('Amina Otieno');
});

it('a statement of the new format is compared as those of all others are', async () => {
  const ours = await fileOf('ours.csv', [
    { reference: 'INV-1001', amount: '10.50', currency: 'KES' },
    { reference: 'INV-1002', amount: '7.00', currency: 'KES' },
  ]);
  const differencesTo = async (...lines: readonly string[]) => {
    const statement = join(folder, 'bank.txt');
    await writeFile(statement, ['TALLY|A-1|KES', 'B1|2026-11-10|10.50|INV-1001', ...lines].join('\n'));
    const sides = { left: [ours], right: [statement], rules: {} };
    return (await paybatch.compare(sides).result).compared.comparison.breakCount;
  };
  expect(await differencesTo('B2|2026-11-10|8.00|INV-1002')).toBe(1);
  await expect(differencesTo('B2')).rejects.toThrow('a line of it has no amount');
}, 240_000);

it('a new fact of a batch is shown by every channel', async () => {
  const told = 'Requests were made of 2 rows';
  const file = await fileOf('more-suppliers.csv', [
    { supplier_number: '1007', company: 'Nyota Ltd', credit_limit: '1500.00' },
    { supplier_number: '1008', company: 'Jua Ltd', credit_limit: '' },
    { supplier_number: '1009', company: '', credit_limit: '20.00' },
  ]);
  await paybatch.close();

  expect(await runProgram('import', file)).toContain(told);
  expect(await readFile(await resultFile(/^more-suppliers.*report\.html$/), 'utf8')).toContain(told);
  const { batches } = JSON.parse(await runProgram('status', '--json'));
  const [batch] = batches.filter((each: { file: string }) => each.file.endsWith('more-suppliers.csv'));
  expect(batch).toMatchObject({ requested: 2 });
  expect(await runProgram('status', batch.batch)).toContain(told);

  paybatch = await reopen();
  const console = await startConsole({
    ...{
      engine: paybatch,
      port: 0,
      host: '127.0.0.1',
      uploadFolder: join(folder, 'uploads'),
      owner: 'amina',
    },
    ...{ keyFile: join(folder, 'key'), sessionFile: join(folder, 'sessions'), isForTrying: true },
  });
  const visitor = new Visitor(console.url);
  await visitor.get(console.entry);
  expect((await visitor.get(`/batches/${batch.batch}`)).text).toContain(told);
  await console.close();
});
