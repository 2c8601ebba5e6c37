import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as library from '../../../src/index.ts';
import { openSourceCopies, type SourceCopies } from '../../simulation/patched-source.ts';
import { csvOf } from '../../support/cli-files.ts';

/**
 * What a new kind and a new payee type take: a folder or a file, and a line each, with nothing else changed. The
 * program is compiled with them, and does everything with their rows that it does with all others.
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

/** The files of this folder, as they would stand in `src/kinds`. */
async function newFiles(): Promise<{ file: string; text: string }[]> {
  const names = ['suppliers/kind.ts', 'suppliers/suppliers.ts', 'recipients/cheque.ts'];
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
      const file = `src/kinds/${name}`;
      return { file, text: source.replaceAll('../../../../src/kinds/', '../') };
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
  const load = await copies.copyWith([kindLine, payeeTypeLine], await newFiles());
  const { Engine } = (await load('src/index.ts')) as typeof library;
  const { port } = server.address() as AddressInfo;
  reopen = () =>
    Engine.open({
      api: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sandbox-key' },
      ledger: { ledgerDir: join(folder, 'ledger') },
      output: { out: join(folder, 'results') },
    });
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
  // The copy of the program has no template of a ledger: it makes two from nothing, half a minute each on a busy machine.
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
