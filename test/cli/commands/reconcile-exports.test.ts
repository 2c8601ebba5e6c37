import * as xlsx from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { controlHeaders } from '../../sandbox/harness.ts';
import {
  accounts,
  customer,
  type Held,
  heldByApi,
  importAll,
  importCollections,
  reconcile,
  stateCounts,
  wideCoverage,
} from '../reconciling/batches.ts';
import { type InProcessDesk, openInProcessDesk } from '../reconciling/in-process.ts';

const titles = ['Transaction', 'Your ref', 'Value', 'Ccy', 'Booked', 'State'];

const columns = {
  Transaction: 'id',
  'Your ref': 'reference',
  Value: 'amount',
  Ccy: 'currency',
  Booked: 'date',
};

/** A dashboard's workbook: amounts are numbers, moments are dates, and there is a sheet of notes. */
function workbook(held: readonly Held[], bookType: 'xlsx' | 'ods'): Buffer {
  const noon = new Date(`${new Date().toISOString().slice(0, 10)}T12:00:00Z`);
  const records = held.map(({ id, client_reference, amount, currency }) => [
    // A cell of a workbook is a floating-point number, whatever wrote it.
    ...[id, client_reference, Number(amount), currency, noon, 'Completed'],
  ]);
  const book = xlsx.utils.book_new();
  const sheet = xlsx.utils.aoa_to_sheet([titles, ...records], { cellDates: true, UTC: true });
  xlsx.utils.book_append_sheet(book, sheet, 'Payments');
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([['Notes'], ['by hand']]), 'About');
  return xlsx.write(book, { type: 'buffer', bookType });
}

function csv(held: readonly Held[], state: (held: Held) => string = () => 'Completed'): string {
  const day = new Date().toISOString();
  const lines = held.map((each) =>
    [each.id, each.client_reference, each.amount, each.currency, day, state(each)].join(),
  );
  return [titles.join(), ...lines].join('\n');
}

async function write(desk: InProcessDesk, mapping: object): Promise<string> {
  return desk.write('m.json', JSON.stringify(mapping));
}

describe('reconcile --against', () => {
  it('reads workbooks and CSV files of one call as one side, whatever overlaps', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.50'], ['R-2', '20.00'], ['R-3', '30.00']);
    const held = await heldByApi(desk);
    await desk.write('all.xlsx', workbook(held, 'xlsx'));
    await desk.write('first.ods', workbook(held.slice(0, 2), 'ods'));
    await desk.write('last.csv', csv(held.slice(2)));
    const mapping = await write(desk, { columns });
    const against = (...files: string[]) =>
      reconcile(desk, batch, '--against', ...files, '--mapping', mapping, ...wideCoverage);
    const whole = await against('all.xlsx');
    expect([whole.exitCode, stateCounts(whole, 'there')]).toEqual([0, { matched: 3 }]);
    expect(whole.reconciliation.comparison?.compared).toEqual([
      ...['id', 'reference', 'amount', 'currency', 'date'],
    ]);
    expect(whole.stderr).toContain('sheet "About" is left out');
    const parts = await against('first.ods', 'last.csv');
    expect([parts.exitCode, stateCounts(parts, 'there')]).toEqual([0, { matched: 3 }]);
    const overlapping = await against('all.xlsx', 'last.csv');
    expect([overlapping.exitCode, stateCounts(overlapping, 'there')]).toEqual([0, { matched: 3 }]);
    expect(overlapping.stdout).toContain('1 record is in a second file there with the same content');
    const twice = await against('all.xlsx', 'all.xlsx');
    expect(stateCounts(twice, 'there')).toEqual({ matched: 3 });
    expect(twice.stderr).toContain('this very content');
    await desk.write('other.csv', csv(held.slice(2).map((each) => ({ ...each, amount: '30.01' }))));
    const other = await against('all.xlsx', 'other.csv');
    expect([other.exitCode, stateCounts(other, 'there')]).toEqual([5, { matched: 3, duplicate_there: 1 }]);
    expect(other.stdout).toContain('row 2 of other.csv there');
  });

  it('says what is not compared because some of the exports do not have it', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.50'], ['R-2', '20.00']);
    const [first, second] = await heldByApi(desk);
    await desk.write('a.csv', `id,amount,currency\n${first?.id},10.50,KES\n`);
    await desk.write('b.csv', `id\n${second?.id}\n`);
    const found = await reconcile(desk, batch, '--against', 'a.csv', 'b.csv');
    const { exitCode, stdout, reconciliation } = found;
    expect([exitCode, reconciliation.comparison?.onlyInSome]).toEqual([5, ['amount', 'currency']]);
    expect(stateCounts(found, 'here')).toEqual({ matched_by_id: 2 });
    expect(stdout).toContain('Not compared, since not every file has it: amount, currency.');
  });

  it('recognises a copy of a record in a second file that lacks a column, which is then not compared', async () => {
    const desk = await openInProcessDesk();
    const batch = await importAll(desk, {
      'c.csv':
        'external_id,first_name,last_name,email,phone\nC-1,Amina,Otieno,a@example.test,+254712345001\n',
    });
    await desk.write('a.csv', 'external_id,email,phone\nC-1,a@example.test,+254712345001\n');
    await desk.write('b.csv', 'external_id,phone\nC-1,+254712345001\n');
    const found = await reconcile(desk, batch, '--against', 'a.csv', 'b.csv');
    expect([found.exitCode, stateCounts(found, 'there')]).toEqual([0, { matched: 1 }]);
    expect(found.reconciliation.comparison?.onlyInSome).toEqual(['email']);
  });

  it('counts what the mapping leaves out by its state, and drops nothing silently', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.00'], ['R-2', '20.00'], ['R-3', '30.00']);
    const states: Record<string, string> = { 'R-1': 'COMPLETED', 'R-2': 'Failed', 'R-3': 'settled ' };
    const listed = csv(await heldByApi(desk), (held) => states[held.client_reference] ?? '');
    // What is left out is not even read: a failed record may have an amount of any form.
    await desk.write('e.csv', `${listed}\nx,FOREIGN,none,KES,,Failed\ny,OTHER,1,KES,2026-01-01,\n`);
    const mapping = await write(desk, { columns, include: { state: ['Completed', 'Settled'] } });
    const words = ['--against', 'e.csv', '--mapping', mapping, ...wideCoverage];
    const found = await reconcile(desk, batch, ...words);
    expect(found.exitCode).toBe(5);
    expect(stateCounts(found, 'here')).toEqual({ matched: 2, left_out: 1 });
    expect(stateCounts(found, 'there')).toEqual({ matched: 2 });
    expect(found.reconciliation.comparison?.there.leftOut).toEqual([
      { reason: 'state: Failed', records: 2 },
      { reason: 'state: (empty)', records: 1 },
    ]);
    const text = found.stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      'Left out there by the mapping: 3 records: state: Failed (2), state: (empty) (1).',
    );
    expect(text).toContain('left out there by the mapping (state: Failed)');
  });

  it('adds parts and refunds up, and translates what the export calls its currencies', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '60.00'], ['R-2', '20.00']);
    await desk.write(
      'e.csv',
      'Payment,For,Value,Ccy\np1,R-1,100.00,KSh\np2,R-1,-40.00,KSh\np3,R-2,15.00,KSh\np4,R-2,4.99,KSh\n',
    );
    const grouped = { Payment: 'id', For: 'group', Value: 'amount', Ccy: 'currency' };
    const mapping = await write(desk, { columns: grouped, values: { currency: { KSh: 'KES' } } });
    const found = await reconcile(desk, batch, '--against', 'e.csv', '--mapping', mapping);
    expect(stateCounts(found, 'here')).toEqual({ matched: 1, mismatched: 1 });
    expect(stateCounts(found, 'there')).toEqual({ matched: 2, mismatched: 2 });
    expect(found.stdout).toContain('sum: 20.00 KES here, 19.99 KES there');
  });
});

describe('reconcile --against, never sure and wrong', () => {
  it('offers no id of a group for a row in doubt, and marks a proposal as a proposal', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['LOST-ALWAYS-1', '20.00'], ['LOST-ALWAYS-2', '7.00']);
    await desk.write(
      'e.csv',
      'id,group,reference,amount,currency\np1,LOST-ALWAYS-1,,15.00,KES\np2,LOST-ALWAYS-1,,5.00,KES\np3,,LOST ALWAYS 2,7.00,KES\n',
    );
    const names = {
      id: 'id',
      group: 'group',
      reference: 'reference',
      amount: 'amount',
      currency: 'currency',
    };
    const mapping = await write(desk, { columns: names });
    const found = await reconcile(desk, batch, '--against', 'e.csv', '--mapping', mapping);
    expect(stateCounts(found, 'here')).toEqual({ matched: 1, proposed: 1 });
    const verdicts = await desk.resultText('.verdicts.csv');
    expect(verdicts).not.toMatch(/\bp[123]\b/);
    const breaks = await desk.resultText('.breaks.csv');
    expect(breaks).toContain('find out which id row 2 has there');
    expect(breaks.split('and there it exists')).toHaveLength(2);
  });

  it('compares exports of accounts, whatever else these have', async () => {
    const desk = await openInProcessDesk();
    const batch = await importAll(desk, { 'c.csv': customer, 'a.csv': accounts('Main', 'Other') });
    const answer = await fetch(`${desk.sandbox.url}/sandbox/objects?kind=accounts&mode=sandbox`, {
      headers: controlHeaders(desk.sandbox),
    });
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const rows = lines.map(({ id, object }) =>
      [id, object.label, 'USD', 'polygon', '0xabc', 'GB00 1', '1,250.75', object.customer_id.toUpperCase()]
        .map((cell) => `"${cell}"`)
        .join(),
    );
    const title = 'id,label,currency,blockchain_network,wallet,virtual_account,balance,customer_id';
    await desk.write('e.csv', [title, ...rows].join('\n'));
    const found = await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
    expect([found.exitCode, stateCounts(found, 'here')]).toEqual([0, { matched: 2 }]);
    const keyless = rows.map((row) => row.replace(/^"[^"]*"/, '""').replace('regular', ''));
    await desk.write('n.csv', [`${title},type`, ...keyless.map((row) => `${row},regular`)].join('\n'));
    const natural = await reconcile(desk, batch, '--against', 'n.csv', ...wideCoverage);
    expect([natural.exitCode, stateCounts(natural, 'here')]).toEqual([0, { matched: 2 }]);
  });

  it('reconciles a file with a repeated row, and reports the repetition separately', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.50'], ['R-2', '20.00'], ['R-1', '10.50']);
    const found = await reconcile(desk, batch);
    expect([found.exitCode, found.reconciliation.account.source?.isEqual]).toEqual([0, true]);
    expect(found.stdout).toContain('1 row of it (10.50 KES) repeats another one exactly');
  });

  it('refuses amounts in another writing than was declared, and says which would fit', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '1250'], ['R-2', '15']);
    await desk.write('e.csv', 'client_reference,amount,currency\nR-1,12.50,KES\nR-2,1.5,KES\n');
    const mapping = await write(desk, { decimal: ',', thousands: '.' });
    const end = await desk.call(['reconcile', batch, '--against', 'e.csv', '--mapping', mapping]);
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toContain('rows 2, 3: the amount cannot be read');
    expect(end.stderr).toContain('Every amount of the column can be read with "decimal": "."');
  });

  it('matches nothing with an export that its declared reading contradicts, and names what would be misread', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '12.50'], ['R-2', '1500']);
    await desk.write(
      'e.csv',
      'client_reference,amount,currency,date\nR-1,"12,500",KES,03/04/2026\nR-2,"1,500.00",KES,12/25/2026\n',
    );
    const mapping = await write(desk, { decimal: ',', thousands: '.', dateFormat: 'DD/MM/YYYY' });
    const end = await desk.call(['reconcile', batch, '--against', 'e.csv', '--mapping', mapping]);
    expect(end).toMatchObject({ exitCode: 3, document: { error: { code: 'reading_contradicted' } } });
    const said = end.stderr.replaceAll(/\s+/g, ' ');
    expect(said).toContain('“12,500” in row 2 would be read as 12.5, and means 12500.');
    expect(said).toContain('“03/04/2026” in row 2 would be read as 2026-04-03, and means 2026-03-04.');
    expect(said).toContain('"decimal": ".", "thousands": "," and "dateFormat": "MM/DD/YYYY"');
  });
});

describe('reconcile with something wrong', () => {
  it('says in a sentence what, and does nothing', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.00']);
    await desk.write('e.csv', 'Transaction,Value,Ccy\nx,10.00,KSh\ny,11.00,KSh\n');
    await desk.write('good.csv', 'id\nx\n');
    await desk.write('torn.csv', 'id,amount,currency\nx,"1,KES\ny,2,KES\n');
    await desk.write('notes.csv', 'Some,thing\n1,2\n');
    await desk.write('book.xlsx', workbook([], 'xlsx').subarray(0, 900));
    const mappings = {
      'read.json': { columns: { Transaction: 'id', Value: 'amount', Ccy: 'currency' } },
      'one.json': { columns: { Transaction: 'id', Value: 'amount' } },
      'title.json': { columns: { Transaction: 'id', Valeu: 'amount' } },
      'field.json': { columns: { Transaction: 'ident' } },
      'key.json': { colums: {} },
      'state.json': { columns: { Transaction: 'id' }, include: { Status: ['Completed'] } },
    };
    for (const [name, mapping] of Object.entries(mappings)) await desk.write(name, JSON.stringify(mapping));
    await desk.write('list.json', '[');
    const against = (file: string, mapping: string): string[] => [
      ...[batch, '--against', file, '--mapping', mapping],
    ];
    const wrong: readonly (readonly [words: string[], exitCode: number, sentence: string])[] = [
      [['ffffffff'], 2, 'There is no batch ffffffff'],
      [[], 2, 'Which batch?'],
      [[batch, '--against', 'nowhere.csv'], 3, 'nowhere.csv: There is no such file.'],
      [[batch, '--against', 'notes.csv'], 3, 'notes.csv: no column of it can tell a record'],
      [[batch, '--against', 'book.xlsx'], 3, 'book.xlsx: The file is cut off'],
      [[batch, '--against', 'torn.csv'], 3, 'torn.csv: In row 2 a quotation mark'],
      [against('e.csv', 'nowhere.json'), 2, 'The mapping nowhere.json is not there.'],
      [against('e.csv', 'list.json'), 2, 'The mapping list.json is not JSON.'],
      [against('e.csv', 'key.json'), 2, 'Unrecognized key: "colums"'],
      [against('e.csv', 'title.json'), 3, 'no export has such a column. The nearest is “Value”.'],
      [against('e.csv', 'field.json'), 2, '“ident” under "columns", which collections do not have'],
      [against('e.csv', 'state.json'), 3, 'but e.csv does not have such a column'],
      [against('e.csv', 'read.json'), 3, 'e.csv: rows 2, 3: the currency is no code of ISO 4217'],
      [against('e.csv', 'one.json'), 2, 'Only one side says in which currency its amounts are.'],
      [
        [batch, '--against', 'good.csv', '--covers-from', '2026-11-30', '--covers-to', '2026-11-01'],
        2,
        '--covers-from lies after --covers-to.',
      ],
      [[batch, '--against', 'good.csv', '--covers-to', 'today'], 2, 'no day such as'],
      [[batch, '--against', 'good.csv', '--tolerance', '-1'], 2, '--tolerance'],
      [[batch, '--covers-to', '2026-11-30'], 2, 'there is no --against'],
      [[batch, 'good.csv'], 2, 'good.csv: exports are named with --against.'],
      [['--left', 'good.csv'], 2, '--left and --right go together.'],
      [[batch, '--left', 'good.csv', '--right', 'good.csv'], 2, 'without a ledger'],
    ];
    for (const [words, exitCode, sentence] of wrong) {
      const end = await desk.call(['reconcile', ...words]);
      expect([words.join(' '), end.exitCode, end.stderr]).toEqual([
        ...[words.join(' '), exitCode, expect.stringContaining(sentence)],
      ]);
      expect(end.stdout).toBe('');
    }
    expect((await desk.resultNames()).filter((name) => /pairs|breaks/.test(name))).toEqual([]);
  });

  it('reads every export to its end before a replay sends anything', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['ERROR-ONCE-1', '10.00']);
    await desk.write('e.csv', 'id,amount,currency\nx,much,KES\n');
    const words = ['reconcile', batch, '--replay', '--yes', '--against', 'e.csv'];
    expect((await desk.call(words)).exitCode).toBe(3);
    expect((await desk.call([...words, '--tolerance', 'some'])).exitCode).toBe(2);
    expect(desk.sandbox.counts().sandbox.created.collections).toBe(0);
  });
});
