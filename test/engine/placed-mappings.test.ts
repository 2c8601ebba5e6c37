import { type BookType, utils, write } from '@e965/xlsx';
import { afterEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/call/settings.ts';
import type { RememberedMapping } from '../../src/domain/tables/mapping.ts';
import { type OpenInputs, openInputs } from '../../src/read/sources/inputs.ts';
import { headerKeyOf } from '../../src/read/sources/remembered-mappings.ts';
import { removeTemporaryFiles, rowsOf, temporaryFile } from '../read/reading.ts';

afterEach(removeTemporaryFiles);

const lines = [
  ['New customers', '', '', '', ''],
  ['No.', 'Person', '', 'Contact', ''],
  ['', 'Surname', 'First', 'Mail', 'Born'],
  ['C-1', 'Otieno', 'Amina', 'amina@people.example', '01/02/1990'],
];

const header = ['No.', 'Person / Surname', 'Person / First', 'Contact / Mail', 'Contact / Born'];

/** A workbook whose list is on one of three sheets, the last of which has paybatch's own columns. */
function workbook(sheet = 'NOV', bookType: BookType = 'xlsx'): string {
  const list = utils.aoa_to_sheet(lines);
  list['!merges'] = ['B2:C2', 'D2:E2', 'A2:A3'].map((range) => utils.decode_range(range));
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Read me'], ['Ask Ann']]), 'Notes');
  utils.book_append_sheet(book, list, sheet);
  const own = [
    ['first_name', 'last_name', 'external_id'],
    ['Own', 'Form', 'C-9'],
  ];
  utils.book_append_sheet(book, utils.aoa_to_sheet(own), 'Others');
  return temporaryFile(`list.${bookType}`, write(book, { bookType, type: 'buffer' }));
}

const mapping = {
  kind: 'customers' as const,
  sheet: 'NOV',
  headerRows: [2, 3],
  dateFormat: 'DD/MM/YYYY',
  columns: {
    'No.': 'external_id',
    'Person / Surname': 'last_name',
    'Person / First': 'first_name',
    'Contact / Mail': 'email',
    'Contact / Born': 'date_of_birth',
  },
};

const latin = {
  kind: 'customers' as const,
  encoding: 'windows-1252',
  delimiter: '|',
  hidden: 'skip' as const,
  columns: { Naam: 'last_name', Vorname: 'first_name' },
};

function latinFile(): string {
  return temporaryFile('list.csv', Buffer.from('Naam|Vorname\nM\xfcller|J\xfcrgen\n', 'latin1'));
}

function remembered(own: object & { sheet?: string }, titles: readonly string[]): RememberedMapping {
  const headerKey = headerKeyOf(titles, own.sheet);
  return { headerKey, header: titles, name: 'umoja', kind: 'customers', mapping: JSON.stringify(own) };
}

interface Given {
  readonly mapping?: object;
  readonly remembered?: readonly RememberedMapping[];
  readonly settings?: object;
}

async function opened<Result>(path: string, given: Given, look: (inputs: OpenInputs) => Promise<Result>) {
  const file =
    given.mapping === undefined ? undefined : temporaryFile('m.json', JSON.stringify(given.mapping));
  const settings = readSettings({ ...given.settings, mapping: file });
  const { remembered = [] } = given;
  const findOriginalBatch = async (): Promise<undefined> => undefined;
  const inputs = await openInputs([path], { settings, rules: {}, remembered, findOriginalBatch });
  try {
    return await look(inputs);
  } finally {
    await inputs.close();
  }
}

async function tablesOf(inputs: OpenInputs) {
  return Promise.all(
    inputs.inputTables.map(async ({ mapping: { kind }, table, hiddenChoice }) => ({
      kind,
      sheet: table.sheet,
      header: table.header,
      hiddenChoice,
      first: (await rowsOf(table))[0]?.cells,
    })),
  );
}

const read = [
  { sheet: 'NOV', kind: 'customers', header, first: lines[3] },
  { sheet: 'Others', kind: 'customers', first: ['Own', 'Form', 'C-9'] },
];

describe('a mapping that says where the rows are', () => {
  it.each<BookType>(['xlsx', 'ods'])(
    'needs no other option, and serves its sheet only (%s)',
    async (type) => {
      await opened(workbook('NOV', type), { mapping }, async (inputs) => {
        expect(await tablesOf(inputs)).toMatchObject(read);
        expect(inputs.notes).toContainEqual(expect.stringContaining('sheet "Notes" is left out'));
      });
    },
  );

  it('is for all sheets that it names; others with rows are left out, and named unless it says so', async () => {
    const list = [
      ['No.', 'Name'],
      ['1', 'Ann'],
    ];
    const book = utils.book_new();
    const all = {
      May: [
        ['ref', 'first_name', 'last_name'],
        ['C-1', 'Ann', 'Lee'],
      ],
      June: [
        ['ref', 'first_name', 'last_name'],
        ['C-2', 'Ben', 'Lee'],
      ],
    };
    for (const [name, rows] of Object.entries(all))
      utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
    utils.book_append_sheet(book, utils.aoa_to_sheet(list), 'Old list');
    const path = temporaryFile('months.xlsx', write(book, { bookType: 'xlsx', type: 'buffer' }));
    const both = {
      kind: 'customers',
      sheets: ['May', 'June'],
      headerRows: [1],
      columns: { ref: 'external_id' },
    };
    await opened(path, { mapping: both }, async (inputs) => {
      expect(await tablesOf(inputs)).toMatchObject([
        { sheet: 'May', first: ['C-1', 'Ann', 'Lee'] },
        { sheet: 'June', first: ['C-2', 'Ben', 'Lee'] },
      ]);
      expect(inputs.leftOut).toEqual([{ file: 'months.xlsx', sheet: 'Old list', rows: 1 }]);
    });
    await opened(path, { mapping: { ...both, leaveOutSheets: ['old list'] } }, async ({ leftOut }) => {
      expect(leftOut).toEqual([]);
    });
  });

  it('is the same reading as with the options that say the same', async () => {
    const options = { encoding: 'windows-1252', delimiter: '|', kind: 'customers', hidden: 'skip' };
    const path = latinFile();
    const hash = await opened(path, { mapping: latin }, async (inputs) => {
      expect(await tablesOf(inputs)).toMatchObject([{ first: ['Müller', 'Jürgen'], hiddenChoice: 'skip' }]);
      return inputs.inputTables[0]?.readingHash;
    });
    const given = { mapping: { columns: latin.columns }, settings: options };
    expect(await opened(path, given, async ({ inputTables }) => inputTables[0]?.readingHash)).toBe(hash);
  });

  it('is refused where its sheet, its header or its columns are not there', async () => {
    const refusal = (own: object) => opened(workbook(), { mapping: own }, tablesOf);
    await expect(refusal({ ...mapping, sheet: 'DEC' })).rejects.toThrow(
      'The sheets are “Notes”, “NOV”, “Others”',
    );
    await expect(refusal({ ...mapping, headerRows: [90, 91] })).rejects.toThrow(
      'the header is row 90 and 91',
    );
    await expect(refusal({ ...mapping, headerRows: undefined })).rejects.toThrow(
      'no header has such a column',
    );
    const repair = { ...mapping, repair: { Zip: ['number_cells'] } };
    await expect(refusal(repair)).rejects.toThrow('repairs “Zip”, but no header has such a column');
  });
});

describe('a remembered mapping', () => {
  it('is the whole reading, also of the sheet of another month', async () => {
    const known = [remembered(mapping, header)];
    await opened(workbook(), { remembered: known }, async (inputs) => {
      expect(await tablesOf(inputs)).toMatchObject(read);
    });
    await opened(workbook('DEC'), { remembered: known }, async (inputs) => {
      expect(await tablesOf(inputs)).toMatchObject([{ ...read[0], sheet: 'DEC' }, read[1]]);
      expect(inputs.inputTables[0]?.reading.sheet).toBe('DEC');
    });
  });

  it('is the one for the sheet where two sheets have one header', async () => {
    const december = { ...mapping, sheet: 'DEC', constants: { country: 'KE' } };
    const known = [remembered(mapping, header), remembered(december, header)];
    await opened(workbook('DEC'), { remembered: known }, async ({ inputTables }) => {
      expect(inputTables[0]?.reading.constants).toEqual({ country: 'KE' });
    });
  });

  it('brings its encoding and delimiter', async () => {
    const known = [remembered(latin, ['Naam', 'Vorname'])];
    await opened(latinFile(), { remembered: known }, async (inputs) => {
      expect(await tablesOf(inputs)).toMatchObject([{ first: ['Müller', 'Jürgen'], hiddenChoice: 'skip' }]);
    });
  });
});
