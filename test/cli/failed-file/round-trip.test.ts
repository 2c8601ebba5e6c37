import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customer, customers, readCsv, recipient } from '../../support/cli-files.ts';
import { textRow, workbook } from '../../support/workbook.ts';

type Change = (record: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/** Changes the only failed file in place, as a person would, and returns its path from the desk's folder. */
async function correct(desk: Desk, change: Change, ending = '.failed.csv'): Promise<string> {
  const names = (await desk.resultNames()).filter((name) => name.endsWith(ending));
  expect(names).toHaveLength(1);
  const path = join('results', names[0] ?? '');
  const records = readCsv(await readFile(join(desk.folder, path), 'utf8'));
  await writeFile(join(desk.folder, path), csvOf(records.map(change)));
  return path;
}

/** The words of the command that a summary prints for its failed file. */
function printedImport(stdout: string): string[] {
  const line = stdout.split('\n').find((text) => text.includes('paybatch import '));
  return (line?.trim().split(' ') ?? []).slice(1);
}

const mapping = {
  kind: 'customers',
  sheet: 'List',
  headerRows: [2],
  encoding: 'windows-1252',
  delimiter: ';',
  columns: { Surname: 'last_name', 'Given name': 'first_name', Born: 'date_of_birth', Mail: 'email' },
  constants: { country: 'KE' },
  ignore: ['Remark'],
  dateFormat: 'DD/MM/YYYY',
};

it('a mapped workbook’s failed file is corrected and imported by the printed command, without options', async () => {
  const desk = await openDesk();
  const born = (day: number, row: number): string => `<c r="C${row}" s="1"><v>${day}</v></c>`;
  const row = (number: number, cells: readonly string[], day: number): string =>
    textRow(number, cells).replace(/<c r="C\d+".*?<\/c>/, born(day, number));
  const book = workbook({
    formats: ['dd/mm/yyyy'],
    sheets: [
      {
        name: 'List',
        rows: [
          textRow(1, ['Members', 'of the year']),
          textRow(2, ['Surname', 'Given name', 'Born', 'Mail', 'Remark']),
          row(3, ['Odhiambo', 'Amína', '', 'nobody', 'x'], 32904),
          row(4, ['Kamau', 'Brian', '', 'brian@people.example', 'y'], 31232),
        ].join(''),
      },
    ],
  });
  const file = await desk.write('partner.xlsx', book);
  await desk.write('m.json', JSON.stringify(mapping));
  const first = await desk.run(['import', file, '--mapping', 'm.json']);
  expect(first.exitCode).toBe(1);
  const path = await correct(desk, (record) => ({ ...record, Mail: 'amina@people.example' }));
  expect(readCsv(await desk.resultText('.failed.csv'))[0]).toMatchObject({ Born: '31/01/1990' });
  const words = printedImport(first.stdout);
  expect(words.slice(0, 3)).toEqual(['import', expect.stringContaining(path), '--base-url']);
  expect(words).toHaveLength(4);
  const second = await desk.json(words);
  expect(second.summary.batches[0]).toMatchObject({ counts: { created: 1 }, file: 'partner.xlsx' });
  // Its files are named after the first one, and its row names the row that it corrects.
  expect(
    (await desk.resultNames()).filter((name) => !/^partner\.List\.[\da-f]{8}\.[a-z]+\.\w+$/.test(name)),
  ).toEqual([]);
  const written = (await desk.resultNames()).filter((name) => name.endsWith('results.csv'));
  expect(written).toHaveLength(2);
  expect(second.summary.batches[0]?.files.results).toMatch(/partner\.List\.[\da-f]{8}\.results\.csv$/);
  const [result] = readCsv(await readFile(second.summary.batches[0]?.files.results ?? '', 'utf8'));
  expect(result?.['result_notes']).toContain('corrects row 3 of partner.xlsx');
});

it('the rules of the first round hold in the second, unless others are stated', async () => {
  const desk = await openDesk();
  await desk.write('rules.json', JSON.stringify({ customers: { external_id: { pattern: 'C-\\d+' } } }));
  const file = await desk.write('people.csv', csvOf([customer(1, { external_id: 'X' })]));
  expect((await desk.json(['import', file, '--rules', 'rules.json'])).summary.batches[0]?.counts).toEqual({
    invalid: 1,
  });
  const path = await correct(desk, (record) => ({ ...record, external_id: 'Y' }));
  const second = await desk.json(['validate', path]);
  expect(second.summary.batches[0]?.counts).toEqual({ invalid: 1 });
  await desk.write('none.json', '{}');
  const third = await desk.json(['validate', path, '--rules', 'none.json']);
  expect(third.summary.batches[0]?.counts).toEqual({ not_sent: 1 });
});

/** Imports one recipient with `firstText` as account number. The corrected failed file has another text for it. */
async function secondRound(
  firstText: string,
  secondText: string,
  given: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(1)))]);
  const file = await desk.write('payees.csv', csvOf([recipient(1, { account_number: firstText, ...given })]));
  expect((await desk.json(['import', file])).summary.batches[0]?.counts).toEqual({ invalid: 1 });
  const path = await correct(desk, (record) => ({
    ...record,
    ...recipient(1, { account_number: secondText }),
  }));
  await desk.json(['import', path]);
  const names = (await desk.resultNames()).filter((name) => name.startsWith('payees.'));
  const results = names.filter((name) => name.endsWith('.results.csv'));
  const records = await Promise.all(
    results.map(async (name) => readCsv(await readFile(join(desk.folder, 'results', name), 'utf8'))),
  );
  const last = records.flat().find((record) => record['account_number'] === secondText);
  return last === undefined ? undefined : `${last['result_status']} ${last['result_code']}`;
}

it.each([
  ['1067.0', '1067', 'invalid damaged_number'],
  ['1067.0', '1068', 'created '],
])('an account number that was refused as %s and comes back as %s is %s', async (first, second, expected) => {
  expect(await secondRound(first, second)).toBe(expected);
});

it('a sound account number that has lost its zero since is refused', async () => {
  const other = { currency: 'Shilling' };
  expect(await secondRound('0110123456789', '110123456789', other)).toBe('invalid damaged_number');
});

it('a damaged number is remembered through a round in which nothing could be said about it', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(1)))]);
  const file = await desk.write('payees.csv', csvOf([recipient(1, { account_number: '1067.0' })]));
  await desk.run(['import', file]);
  // Without a valid payee type, the rules of the account number are unknown.
  const broken = await correct(desk, (record) => ({ ...record, payee_type: 'bank', account_number: '1067' }));
  await rename(join(desk.folder, broken), join(desk.folder, 'second.csv'));
  await desk.run(['import', 'second.csv']);
  const third = await correct(desk, (record) => ({ ...record, payee_type: 'bank_account' }));
  const { summary } = await desk.json(['validate', third]);
  expect(summary.batches[0]?.counts).toEqual({ invalid: 1 });
  expect(readCsv(await desk.resultText('.findings.csv'))).toMatchObject([{ code: 'damaged_number' }]);
});

it('numeric cells of a workbook that a spreadsheet made of the failed file count by what they were before', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const payees = [
    recipient(1, { account_number: '7700000001', currency: 'Shilling' }),
    recipient(2, { account_number: '0770000002', currency: 'Shilling' }),
    recipient(3, { account_number: '1.23E+9' }),
  ];
  await desk.run(['import', await desk.write('payees.csv', csvOf(payees))]);
  const records = readCsv(await desk.resultText('.failed.csv'));
  const header = Object.keys(records[0] ?? {});
  const rows = records.map((record, index) => {
    const values = { ...record, currency: 'KES' };
    const xml = textRow(
      index + 2,
      header.map((title) => (values as Readonly<Record<string, string>>)[title] ?? ''),
    );
    const column = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[header.indexOf('account_number')];
    const number = Number(record['account_number']);
    return xml.replace(
      new RegExp(`<c r="${column}${index + 2}".*?</c>`),
      `<c r="${column}${index + 2}"><v>${number}</v></c>`,
    );
  });
  const saved = workbook({ sheets: [{ name: 'payees.failed', rows: textRow(1, header) + rows.join('') }] });
  const { summary } = await desk.json(['import', await desk.write('saved.xlsx', saved)]);
  // What every digit of is still there is no damage; the others have lost something.
  expect(summary.batches[0]).toMatchObject({ counts: { created: 1, invalid: 2 }, file: 'payees.csv' });
});

it('a row that a person has added is a new one, and a row that is not there refuses the file', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf([customer(1, { email: 'nobody' })]));
  await desk.run(['import', file]);
  const [record] = readCsv(await desk.resultText('.failed.csv'));
  const added = { ...record, ...customer(2), result_batch: '', result_row: '' };
  const both = await desk.write('both.csv', csvOf([{ ...record, ...customer(1) }, added]));
  expect((await desk.json(['import', both])).summary.batches[0]?.counts).toEqual({ created: 2 });
  for (const wrong of [{ result_row: '99' }, { result_row: '' }, { result_batch: 'x' }]) {
    const name = await desk.write(
      'wrong.csv',
      csvOf([
        { ...record, ...customer(1) },
        { ...added, ...record, ...wrong },
      ]),
    );
    const refused = await desk.json(['import', name]);
    expect(refused.summary).toMatchObject({ exit_code: 3, error: { code: 'row_unknown' } });
  }
});

it('a failed file of a batch that the ledger does not have is refused, since nothing shows what was damaged', async () => {
  const [first, second] = [await openDesk(), await openDesk()];
  await first.run(['import', await first.write('people.csv', csvOf([customer(1, { email: 'nobody' })]))]);
  const failed = await first.resultText('.failed.csv');
  for (const command of ['import', 'validate']) {
    const { summary } = await second.json([command, await second.write('failed.csv', failed)]);
    expect(summary).toMatchObject({ exit_code: 3, error: { code: 'unknown_batch' } });
  }
});
