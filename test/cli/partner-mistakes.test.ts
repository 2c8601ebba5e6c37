import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readCsv } from '../support/cli-files.ts';
import { agreeing, openEngine } from '../support/engine.ts';
import { textRow, workbookParts, zip } from '../support/workbook.ts';

/** What validate finds in a file, as `row column code`. */
async function findingsOf(desk: Desk, words: readonly string[]): Promise<readonly string[]> {
  const { summary } = await desk.json(['validate', ...words]);
  expect(summary.error).toBeNull();
  const findings = readCsv(await desk.resultText('.findings.csv'));
  return findings.map(({ row, column, code }) => `${row} ${column} ${code}`);
}

describe('two header rows', () => {
  it.each([
    ['the same again', 'first_name,last_name', 'unexpected_value'],
    ['in another language', 'Vorname,Nachname', 'unexpected_value'],
    ['explanations', '(as in the passport),(surname)', 'unexpected_value'],
  ])('%s: the second is no payee', async (_, second, code) => {
    const desk = await openDesk();
    const file = await desk.write('p.csv', `first_name,last_name\n${second}\nAmina,Otieno\n`);
    expect(await findingsOf(desk, [file])).toEqual([`2 first_name ${code}`]);
    expect(await findingsOf(desk, [file, '--leave-out-non-rows'])).toEqual([]);
  });

  it('groups of columns above the header are not read', async () => {
    const desk = await openDesk();
    const file = await desk.write(
      'p.csv',
      'Person,,Contact\nfirst_name,last_name,email\nAmina,Otieno,a@b.example\n',
    );
    const { stdout, exitCode } = await desk.run(['validate', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('the header is row 2; the lines above it are not read as rows');
  });
});

describe('what workbooks have beside their values', () => {
  const namespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const book = (rows: readonly string[], after = ''): Buffer =>
    zip([
      ...workbookParts({ sheets: [{ name: 'people', rows: rows.join(''), after }] }),
      {
        name: 'xl/comments1.xml',
        data: `<comments xmlns="${namespace}"><authors><author>x</author></authors><commentList><comment ref="A2" authorId="0"><text><t>Is this right?</t></text></comment></commentList></comments>`,
      },
    ]);

  it('comments and the protection of a sheet change nothing', async () => {
    const desk = await openDesk();
    const rows = [textRow(1, ['first_name', 'last_name']), textRow(2, ['Amina', 'Otieno'])];
    await desk.write('p.xlsx', book(rows, '<sheetProtection sheet="1" objects="1" password="CC1A"/>'));
    expect(await findingsOf(desk, ['p.xlsx', '--kind', 'customers'])).toEqual([]);
  });

  it('merged cells of the header leave columns without a name, which are not guessed', async () => {
    const desk = await openDesk();
    const rows = [
      textRow(1, ['external_id', 'first_name', '', 'last_name']),
      textRow(2, ['C-1', 'Amina', 'Wanjiku', 'Otieno']),
    ];
    await desk.write('p.xlsx', book(rows, '<mergeCells count="1"><mergeCell ref="B1:C1"/></mergeCells>'));
    const { summary } = await desk.json(['validate', 'p.xlsx', '--kind', 'customers']);
    expect(summary.error).toMatchObject({
      code: 'unnamed_column',
      message: expect.stringContaining('column 3 has no name in the header, but row 2 has a value in it'),
    });
  });

  it('a formula without a value is refused, whatever it may come to', async () => {
    const desk = await openDesk();
    const formula = '<row r="2"><c r="A2"><f>B2</f></c><c r="B2" t="str"><f>"x"</f><v>Otieno</v></c></row>';
    await desk.write('p.xlsx', book([textRow(1, ['first_name', 'last_name']), formula]));
    expect(await findingsOf(desk, ['p.xlsx', '--kind', 'customers'])).toEqual([
      '2 first_name spreadsheet_error',
    ]);
  });
});

it('a phone number that is valid in another country too is not read as one of the declared country', async () => {
  const desk = await openDesk();
  // 254 712 345 678 is Kenyan with its country code; 0712 345 678 may be of many countries.
  const phones = ['0712 345 678', '254712345678', '+254712345678'];
  const rows = phones.map((phone, at) => `C-${at},Amina,Otieno,${phone}`);
  const file = await desk.write('p.csv', `external_id,first_name,last_name,phone\n${rows.join('\n')}\n`);
  expect(await findingsOf(desk, [file])).toEqual(['2 phone invalid_phone', '3 phone invalid_phone']);
  const kenyan = await desk.write('m.json', JSON.stringify({ phoneCountry: 'KE' }));
  expect(await findingsOf(desk, [file, '--mapping', kenyan])).toEqual([]);
  const tanzanian = await desk.write('m.json', JSON.stringify({ phoneCountry: 'TZ' }));
  expect(await findingsOf(desk, [file, '--mapping', tanzanian])).toEqual(['3 phone invalid_phone']);
});

it.each([
  [{ colums: { A: 'phone' } }, 'colums'],
  [{ columns: { A: 'fone' } }, 'names a column "fone" that paybatch does not have (the nearest is "phone")'],
  [{ columns: { A: 'phone' }, ignore: ['a'] }, 'lists "A" under "columns" and under "ignore"'],
  [{ decimal: ',', thousands: ',' }, 'the same sign for decimals and thousands'],
  [{ dateFormat: 'DD/MM/DD' }, 'dateFormat'],
  [{ controlLine: 'Total' }, 'must have words, and {rows} or {total}'],
  [{ phoneCountry: 'Kenya' }, 'must be the two letters of a country'],
])('a mapping with a mistake is refused before the file is read: %j', async (mapping, problem) => {
  const desk = await openDesk();
  const call = ['validate', await desk.write('p.csv', csvOf(customers(1))), '--mapping', 'm.json'];
  await desk.write('m.json', JSON.stringify(mapping));
  const { summary } = await desk.json(call);
  expect(summary).toMatchObject({ exit_code: 2, error: { code: 'mapping_invalid' } });
  expect(summary.error?.message).toContain(problem);
});

describe('a remembered mapping, on a server', () => {
  const header = 'first_name,last_name,phone,country';
  const row = 'Amina,Otieno,0712 345 678,KE';

  /** A desk whose ledger remembers that numbers of a file with columns of our own names are Kenyan. */
  async function deskThatRemembers(): Promise<Desk> {
    const desk = await openDesk();
    const file = join(desk.folder, await desk.write('one.csv', `${header}\n${row}\n`));
    const engine = await openEngine({
      ledger: { databaseUrl: desk.databaseUrl ?? '' },
      reading: { kind: 'customers' },
    });
    const request = { file, answer: () => 'accept', stem: join(desk.folder, 'umoja') };
    const { agreed } = await engine.mapping(request, agreeing).result;
    expect(agreed?.remembered).toBe('umoja');
    return desk;
  }

  it('is used for the same header, and reported', async () => {
    const desk = await deskThatRemembers();
    const imported = await desk.json(['import', await desk.write('two.csv', `${header}\n${row}\n`)]);
    expect(imported.summary.batches[0]?.counts).toEqual({ created: 1 });
    expect(imported.stderr.split('\n')[0]).toContain('read with the remembered mapping "umoja"');
    const without = await desk.json(['validate', 'two.csv', '--no-remembered-mapping']);
    expect(without.summary.batches[0]?.counts).toEqual({ invalid: 1 });
  });

  it('is asked for again where the header has changed, even if that could be read without it', async () => {
    const desk = await deskThatRemembers();
    await desk.write('two.csv', `${header},email\n${row},a@b.example\n`);
    const { summary } = await desk.json(['import', 'two.csv']);
    expect(summary).toMatchObject({
      exit_code: 3,
      batches: [],
      error: {
        code: 'mapping_outdated',
        message:
          'two.csv: its header is not the one that the remembered mapping "umoja" is for: “email” is new.',
        next: expect.stringContaining('--no-remembered-mapping'),
      },
    });
    const plain = `${header},email\n${row.replace('0712', '+254712')},a@b.example\n`;
    await desk.write('three.csv', plain);
    expect((await desk.run(['validate', 'three.csv', '--no-remembered-mapping'])).exitCode).toBe(0);
    const mapping = await desk.write('m.json', JSON.stringify({ phoneCountry: 'KE' }));
    expect((await desk.run(['validate', 'two.csv', '--mapping', mapping])).exitCode).toBe(0);
  });

  it('is not applied to rows of another kind', async () => {
    const desk = await deskThatRemembers();
    const { summary, stderr } = await desk.json(['validate', 'one.csv', '--kind', 'accounts']);
    expect(summary.exit_code).toBe(3);
    expect(stderr).not.toContain('remembered mapping "umoja"');
    // A file with our columns and more has its own reading.
    const own = await desk.write('own.csv', csvOf(customers(1)));
    expect((await desk.run(['validate', own])).exitCode).toBe(0);
  });
});
