import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlHeaders } from '../sandbox/harness.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, readCsv, readCsvLines, readLog } from '../support/cli-files.ts';

const resultColumns = [
  'result_row',
  'result_status',
  'result_id',
  'result_code',
  'result_field',
  'result_message',
  'result_http_status',
  'result_attempts',
  'result_idempotency_key',
  'result_batch',
  'result_at',
  'result_notes',
];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Rows of every end that one run can come to, in a file with blank lines and a column order of its own. */
const mixedFile = [
  'Last Name,FIRST_NAME,external-id,Phone,email',
  'Odhiambo,Amina,C-1,+254712000001,c1@people.example',
  '',
  'Odhiambo,=Brian,C-2,+254712000002,c2@people.example',
  'Odhiambo,Chep,C-3,+254712000003,nobody',
  'Refused,Dina,C-4,+254712000004,c4@people.example',
  'Lost Always,Esther,C-5,+254712000005,c5@people.example',
  'Odhiambo,Amina,C-1,+254712000001,c1@people.example',
  '',
].join('\n');

async function importMixed(): Promise<{ desk: Desk; batch: string; stem: string }> {
  const desk = await openDesk();
  const file = await desk.write('pay day (März) & co.csv', mixedFile);
  const { summary } = await desk.json(['import', file, '--max-attempts', '1']);
  const batch = summary.batches[0]?.batch ?? '';
  return { desk, batch, stem: `pay_day__März____co.${batch.slice(0, 8)}` };
}

describe('the result files of a batch', () => {
  it('have the names of the contract, and are readable by their owner only', async () => {
    const { desk, stem } = await importMixed();
    const names = [
      ...['failed.csv', 'failed.xlsx', 'objects.csv', 'report.html', 'results.csv', 'run.head', 'run.jsonl'],
    ].map((end) => `${stem}.${end}`);
    expect(await desk.resultNames()).toEqual(names);
    for (const name of names) {
      const { mode } = await stat(join(desk.folder, 'results', name));
      expect(`${name} ${(mode & 0o777).toString(8)}`).toBe(`${name} 600`);
    }
  });

  it('hold every row once, in input order, its own columns as they came and what became of it', async () => {
    const { desk, batch } = await importMixed();
    const text = await desk.resultText('.results.csv');
    expect(text.startsWith('\ufeffLast Name,FIRST_NAME,external-id,Phone,email,result_row')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(readCsvLines(text)[0]).toEqual([
      'Last Name',
      'FIRST_NAME',
      'external-id',
      'Phone',
      'email',
      ...resultColumns,
    ]);
    const rows = readCsv(text);
    expect(rows.map((row) => [row['result_row'], row['result_status'], row['result_code']])).toEqual([
      ['2', 'created', ''],
      ['4', 'created', ''],
      ['5', 'invalid', 'invalid_email'],
      ['6', 'rejected', 'customer_refused'],
      ['7', 'unknown', 'connection_lost'],
      ['8', 'existing', ''],
    ]);
    expect(
      rows.map((row) => [row['result_http_status'], row['result_attempts'], row['result_field']]),
    ).toEqual([
      ['201', '1', ''],
      ['201', '1', ''],
      ['', '0', 'email'],
      ['422', '1', ''],
      ['', '1', ''],
      ['', '0', ''],
    ]);
    expect(rows.map((row) => uuid.test(row['result_idempotency_key'] ?? ''))).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(rows[5]).toMatchObject({ result_id: rows[0]?.['result_id'], result_notes: 'same as row 2' });
    expect(new Set(rows.map((row) => row['result_batch']))).toEqual(new Set([batch]));
    for (const row of rows) expect(row['result_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    // What a spreadsheet program would take for a formula is kept from being one, phones included.
    expect(rows[1]).toMatchObject({ FIRST_NAME: "'=Brian", Phone: "'+254712000002" });
  });

  it('a failed file holds the rows that are not done, and survives being corrected and imported', async () => {
    const { desk } = await importMixed();
    const failed = readCsv(await desk.resultText('.failed.csv'));
    expect(failed.map((row) => row['result_status'])).toEqual(['invalid', 'rejected', 'unknown']);
    const corrected = failed
      .slice(0, 2)
      .map((row) => ({ ...row, email: `${row['external-id']}@people.example`, 'Last Name': 'Mumbi' }));
    const file = await desk.write('corrected.csv', `\ufeff${csvOf(corrected)}`);
    const { exitCode, summary } = await desk.json(['import', file]);
    expect(exitCode).toBe(0);
    // Named after the first file, whatever the corrected one is called.
    const path = summary.batches[0]?.files.results ?? '';
    expect(basename(path)).toMatch(/^pay_day__März____co\.[\da-f]{8}\.results\.csv$/);
    const rows = readCsv(await readFile(path, 'utf8'));
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'Last Name',
      'FIRST_NAME',
      'external-id',
      'Phone',
      'email',
      ...resultColumns,
    ]);
    expect(rows.map((row) => [row['result_status'], row['Phone']])).toEqual([
      ['created', "'+254712000003"],
      ['created', "'+254712000004"],
    ]);
    const phones = await objectsOf(desk);
    expect(phones).toContain('+254712000003');
    expect(phones).toContain('+254712000004');
  });

  it('the failed file goes when nothing failed any more, and files written again are the same', async () => {
    let isLost = true;
    const desk = await openDesk({ onRequest: () => (isLost ? 'reset_after' : undefined) });
    const file = await desk.write('people.csv', csvOf([customer(1)]));
    expect((await desk.run(['import', file, '--max-attempts', '1'])).exitCode).toBe(5);
    expect((await desk.resultNames()).map((name) => name.split('.').slice(2).join('.'))).toEqual([
      'failed.csv',
      'failed.xlsx',
      'report.html',
      'results.csv',
      'run.head',
      'run.jsonl',
    ]);
    const { result_idempotency_key: key } = (await desk.results())[0] ?? {};
    isLost = false;
    expect((await desk.run(['import', file])).exitCode).toBe(0);
    expect((await desk.resultNames()).some((name) => name.endsWith('.failed.csv'))).toBe(false);
    // The second run sent the very same key, and the API gave the very same object.
    expect((await desk.results())[0]).toMatchObject({
      result_idempotency_key: key,
      result_status: 'created',
      result_attempts: '2',
    });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
    const before = await desk.resultText('.results.csv');
    const runs = readLog(await desk.resultText('.run.jsonl')).length;
    const batch = (await desk.results())[0]?.['result_batch'] ?? '';
    expect((await desk.run(['results', batch.slice(0, 4)])).exitCode).toBe(0);
    expect(await desk.resultText('.results.csv')).toBe(before);
    expect(readLog(await desk.resultText('.run.jsonl'))).toHaveLength(runs);
  });
});

async function objectsOf(desk: Desk): Promise<string> {
  const address = `${desk.sandbox.url}/sandbox/objects?kind=customers&mode=sandbox`;
  return (await fetch(address, { headers: controlHeaders(desk.sandbox) })).text();
}
