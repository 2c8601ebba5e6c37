import { describe, expect, it } from 'vitest';
import type { SourceTable } from '../../../src/domain/tables/table.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import {
  areTitles,
  titlesApart,
  titlesNamed,
  titlesOfFile,
  withTitlesNamed,
} from '../../../src/read/mapping/titles.ts';
import { nonRowCheckOf } from '../../../src/read/rows/prepared-rows.ts';

describe('columns with the same title', () => {
  it('are distinguished by their place among those of that title', () => {
    expect(titlesApart(['Name', 'Amount', 'Ccy', 'amount'])).toEqual([
      'Name',
      'Amount (1 of 2)',
      'Ccy',
      'amount (2 of 2)',
    ]);
  });

  it.each([[['Name', 'Amount']], [['', 'Name', '']], [['result_row', 'result_row']]])(
    'stay as they are where there is nothing to distinguish: %j',
    (header) => {
      expect(titlesApart(header)).toEqual(header);
    },
  );

  it('never get the title that another column has', () => {
    expect(titlesApart(['Amount', 'Amount', 'Amount (1 of 2)'])).toEqual([
      'Amount',
      'Amount (2 of 2)',
      'Amount (1 of 2)',
    ]);
  });

  const header = ['Name', 'Amount', 'Amount', 'Note', 'Note'];

  it('have a name of their own where a mapping names each of them', () => {
    expect(titlesNamed(header, { columns: { 'Amount (2 of 2)': 'amount' }, ignore: ['Note'] })).toEqual([
      'Name',
      'Amount (1 of 2)',
      'Amount (2 of 2)',
      'Note',
      'Note',
    ]);
    expect(titlesNamed(header, { columns: { Amount: 'amount' } })).toEqual(header);
  });
});

describe('what is written beside the rows', () => {
  const table: SourceTable = {
    sheet: 'Kisumu',
    header: ['Name', 'Phone'],
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield [
        { number: 2, cells: ['Ann', '0712'], kinds: new Map([[1, 'number' as const]]) },
        { number: 3, cells: ['Ben', '0713', '', 'behind'], kinds: new Map([[3, 'number' as const]]) },
      ];
    },
  };
  const mapping = { columns: { '(heading)': 'institution_name', '(sheet)': 'city' } };

  it('is a column behind those of the file, where a mapping reads it', async () => {
    const named = withTitlesNamed(table, mapping);
    expect(named.header).toEqual(['Name', 'Phone', '(heading)', '(sheet)']);
    const rows: unknown[] = [];
    for await (const group of named.rows()) rows.push(...group);
    // A value behind the last title stays behind it, as a reason to refuse its row.
    expect(rows).toEqual([
      { number: 2, cells: ['Ann', '0712', '', 'Kisumu'], kinds: new Map([[1, 'number']]) },
      { number: 3, cells: ['Ben', '0713', '', 'Kisumu', '', 'behind'], kinds: new Map([[5, 'number']]) },
    ]);
    expect(withTitlesNamed(table, { columns: { Name: 'account_name' }, ignore: ['(heading)'] })).toBe(table);
  });

  it('is read from its own column in a failed file, and does not belong to the header of the partner', () => {
    expect(titlesNamed(['Name', '(heading)', 'result_row'], mapping)).toEqual([
      ...['Name', '(heading)', 'result_row', '(sheet)'],
    ]);
    expect(titlesOfFile(['Name', 'Phone', '(heading)', '(sheet)'])).toEqual(['Name', 'Phone']);
  });
});

const named = [0, 1, 2, 3, 4];
const figures = [2, 3, 4];

describe('a line of titles in another language', () => {
  it.each([
    ['المرجع|الاسم|الهاتف|البريد الإلكتروني|تاريخ الازدياد', true],
    ['Ref|Nimi|Puhelin|Sähköposti|Syntymäaika', true],
    ['C-1|Ann|+254712345678|a@post.example|1980-01-31', false],
    ['Ref|Ann|none|none|none', false],
    ['Ref|Ann|lost|a@post.example|unknown', false],
    ['Ref|Ann||unknown|ask Mary', false],
    ['Ref|Ann|lost|unknown|3 May', false],
    ['Ref|-|Puhelin|Sähköposti|Syntymäaika', false],
  ])('"%s": %s', (line, isOne) => {
    expect(areTitles(line.split('|'), named, figures)).toBe(isOne);
  });

  it('is not recognised by fewer columns of numbers, days or addresses', () => {
    expect(areTitles(['المرجع', 'الاسم', 'الهاتف', 'البريد', 'تاريخ'], named, [2, 3])).toBe(false);
  });

  it('is no row of an import right below the header, and is one elsewhere', () => {
    const header = ['Ref', 'Prénom', 'Nom', 'Né(e) le', 'GSM', 'Courriel', 'Commercial'];
    const mapping = mapTable(
      { sheet: null, header },
      {
        kind: 'customers',
        fileName: 'list.xlsx',
        path: 'list.xlsx',
        mapping: {
          columns: {
            ...{ Ref: 'external_id', Prénom: 'first_name', Nom: 'last_name', 'Né(e) le': 'date_of_birth' },
            ...{ GSM: 'phone', Courriel: 'email' },
          },
          ignore: ['Commercial'],
        },
      },
    );
    const check = nonRowCheckOf({ header, headerRow: 3 }, mapping);
    const cells = ['المرجع', 'الاسم', 'العائلي', 'تاريخ', 'الهاتف', 'البريد', ''];
    expect(check({ number: 4, cells })).toBe('repeated header');
    expect(check({ number: 9, cells })).toBeNull();
    expect(check({ number: 4, cells: cells.with(4, '+212612345678') })).toBeNull();
  });
});

describe('columns without a title', () => {
  const header = ['', 'Name', '', 'Amount'];

  it('have a name by their place where a mapping names it', () => {
    expect(titlesNamed(header, { columns: { '(column 3)': 'city' } })).toEqual([
      '',
      'Name',
      '(column 3)',
      'Amount',
    ]);
    expect(titlesNamed(header, { ignore: ['(Column 1)', '(column 3)'] })).toEqual([
      '(column 1)',
      'Name',
      '(column 3)',
      'Amount',
    ]);
  });

  it('have one behind the last title as well, where a mapping names it', () => {
    expect(titlesNamed(['Name', 'Amount'], { ignore: ['(column 4)'] })).toEqual([
      'Name',
      'Amount',
      '',
      '(column 4)',
    ]);
    expect(titlesNamed(['Name', 'Amount'], { ignore: ['(column 999)'] })).toEqual(['Name', 'Amount']);
  });

  it('have none where the mapping does not name it, or another column has that title', () => {
    expect(titlesNamed(header, { ignore: ['Name'] })).toEqual(header);
    expect(titlesNamed(['', '(column 1)'], { ignore: ['(column 1)'] })).toEqual(['', '(column 1)']);
  });
});
