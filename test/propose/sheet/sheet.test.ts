import { describe, expect, it } from 'vitest';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport } from '../../../src/propose/dialogue/reading-source.ts';
import { sheetOf } from '../../../src/propose/sheet/sheet.ts';
import { everyRowPasses, gridOf, proposingOf } from '../grids.ts';

const header = ['Staff ID', 'Full name', 'Mobile', 'Amount'];
const listOf = (from: number, count: number) => [
  header,
  ...Array.from({ length: count }, (_, at) => [
    `C-${from + at}`,
    `Ann Other ${at}`,
    `+25471200${1000 + at}`,
    500 + at,
  ]),
];

const nairobi = gridOf(listOf(1, 6), 'Nairobi');
const coast = gridOf(listOf(20, 4), 'Coast');
const old = gridOf([['Paid in October'], ['Staff ID', 'Total'], ['C-1', 5], ['C-2', 6]], 'October');

function dialogueOf(...grids: readonly (typeof nairobi)[]) {
  const proposing = proposingOf(grids, { stated: { kind: 'recipients' } });
  return new MappingDialogue(rowsToImport(proposing), everyRowPasses);
}

describe('the sheets of a file', () => {
  it('with the same header are read together', async () => {
    const sheet = await sheetOf(proposingOf([nairobi, coast, old]), new Map());
    expect(sheet.grid.sheets).toEqual(['Nairobi', 'Coast']);
    expect(sheet.rows).toHaveLength(10);
    expect(new Set(sheet.rows.map(({ number }) => number)).size).toBe(10);
    const one = await sheetOf(proposingOf([nairobi, coast]), new Map([['reading:sheet', 'Coast']]));
    expect([one.grid.sheets, one.rows.length]).toEqual([undefined, 4]);
  });

  it('are asked about before the reading is shown, and the others are named in it', async () => {
    const dialogue = dialogueOf(nairobi, coast, old);
    const first = await dialogue.next();
    expect(first).toMatchObject({ kind: 'reading', about: 'sheet', proposal: '*' });
    expect(first?.options.map(({ id }) => id)).toEqual(['*', 'Nairobi', 'Coast', 'October']);
    expect(dialogue.answer(first?.question ?? 0, 'accept')).toBe(undefined);
    const review = await dialogue.next();
    expect(review).toMatchObject({ kind: 'review', left_out_sheets: [{ sheet: 'October', rows: 2 }] });
    dialogue.answer(review?.question ?? 0, 'accept');
    await dialogue.next();
    const { mapping } = await dialogue.reading();
    expect(mapping).toMatchObject({ sheets: ['Nairobi', 'Coast'], leaveOutSheets: ['October'] });
    expect(mapping.sheet).toBe(undefined);
    // Going back to the first question is possible.
    expect(dialogue.canGoBack).toBe(true);
  });
});

describe('remarks behind the last title', () => {
  const remarked = listOf(1, 6).map((row, at) => (at === 3 ? [...row, '', 'called twice'] : row));

  it('are a column of their own in a workbook, which a mapping names by its place', async () => {
    const sheet = await sheetOf(proposingOf([gridOf(remarked, 'Nairobi')]), new Map());
    expect(sheet.titles).toEqual([...header, '', '(column 6)']);
    expect(sheet.columns.at(-1)?.values).toEqual([{ text: 'called twice', rows: 1 }]);
  });

  it('are none in a CSV file, where a separator inside a value may have shifted the cells', async () => {
    const sheet = await sheetOf(proposingOf([gridOf(remarked)]), new Map());
    expect(sheet.titles).toEqual(header);
  });
});

describe('what is written beside the rows', () => {
  const grouped = (...texts: readonly string[]) =>
    gridOf([header, ...texts.flatMap((text, at) => [[text], ...listOf(at * 10, 3).slice(1)])]);

  it('is a column with the heading of each row', async () => {
    const sheet = await sheetOf(proposingOf([grouped('M-PESA', 'Operator: MTN')]), new Map());
    expect(sheet.titles).toEqual([...header, '(heading)']);
    expect(sheet.columns.at(-1)).toMatchObject({
      title: '(heading)',
      values: [
        { text: 'M-PESA', rows: 3 },
        { text: 'MTN', rows: 3 },
      ],
    });
    expect(sheet.rows[0]?.cells).toHaveLength(5);
  });

  it.each([
    ['the same everywhere', ['M-PESA', 'M-PESA']],
    ['above a few rows only', ['M-PESA']],
  ])('is no column where it is %s', async (_, texts) => {
    const sheet = await sheetOf(proposingOf([grouped(...texts)]), new Map());
    expect(sheet.titles).toEqual(header);
  });

  it('is above the header for the first group where each group has the titles', async () => {
    const [, ...people] = listOf(1, 4);
    const grid = gridOf([['M-PESA'], header, ...people.slice(0, 2), ['MTN'], header, ...people.slice(2)]);
    const sheet = await sheetOf(proposingOf([grid]), new Map());
    expect(sheet.rows.map(({ cells }) => cells[4])).toEqual(['M-PESA', 'M-PESA', 'MTN', 'MTN']);
    const once = gridOf([['Payments'], header, ...people, ['MTN'], ...listOf(20, 4).slice(1)]);
    expect((await sheetOf(proposingOf([once]), new Map())).titles).toEqual(header);
  });

  it('is no column where a heading is above each row', async () => {
    const lines = [1, 2, 3, 4].flatMap((at) => [[`Group ${at}`], ...listOf(at, 1).slice(1)]);
    const sheet = await sheetOf(proposingOf([gridOf([header, ...lines])]), new Map());
    expect(sheet.titles).toEqual(header);
  });

  it('is a column for each label, where the headings have cells of their own', async () => {
    const titles = [...header, 'Gross', 'Fees'];
    const [, ...people] = listOf(1, 4).map((cells) => [...cells, 900, 10]);
    const [ann = [], ben = [], eve = [], dan = []] = people;
    const bank = (code: string, name: string) => ['Bank :', code, name];
    const lines = [
      ...[titles, ['Branch', '1', 'North'], bank('68', 'Equity Bank'), ann, bank('01', 'KCB Bank'), ben],
      ...[['Total bank', '2', 'rows'], ['Branch', '2', 'South'], bank('68', 'Equity Bank'), eve, dan],
    ];
    const sheet = await sheetOf(proposingOf([gridOf(lines)]), new Map());
    expect(sheet.titles.slice(6)).toEqual(['(heading Branch)', '(heading Bank)']);
    expect(sheet.rows.map(({ cells }) => cells.slice(6))).toEqual([
      ['North', 'Equity Bank'],
      ['North', 'KCB Bank'],
      ['South', 'Equity Bank'],
      ['South', 'Equity Bank'],
    ]);
  });

  it('has no label where rows begin with the same word, or a row has few columns', async () => {
    const titles = [...header, 'Gross', 'Fees'];
    const rows = listOf(1, 6)
      .slice(1)
      .map((cells) => ['Guard', ...cells.slice(1), 900, 10]);
    const sparse = [
      ['Guard', '1', 'Ann Other'],
      ['Guard', '2', 'Ben Other'],
    ];
    const sheet = await sheetOf(proposingOf([gridOf([titles, ...rows, ...sparse])]), new Map());
    expect(sheet.titles).toEqual(titles);
    const narrow = [header, ...listOf(1, 4).slice(1), ['Bank', '1', 'Equity'], ['Bank', '2', 'KCB']];
    expect((await sheetOf(proposingOf([gridOf(narrow)]), new Map())).titles).toEqual(header);
  });

  it('is a column with the sheet of each row, and a heading ends with its sheet', async () => {
    const [first, ...rows] = listOf(1, 4);
    const mtn = gridOf([first ?? [], ['North'], ...rows.slice(0, 2), ['South'], ...rows.slice(2)], 'MTN');
    const sheet = await sheetOf(proposingOf([mtn, gridOf(listOf(20, 4), 'Airtel')]), new Map());
    expect(sheet.titles).toEqual([...header, '(heading)', '(sheet)']);
    expect(sheet.rows.map(({ cells }) => cells.slice(4))).toEqual([
      ...['North', 'North', 'South', 'South'].map((heading) => [heading, 'MTN']),
      ...['', '', '', ''].map((heading) => [heading, 'Airtel']),
    ]);
  });
});

describe('a second line of titles', () => {
  const titles = ['Réf. client', 'Prénom', 'Nom', 'GSM', 'Courriel', 'Né(e) le'];
  const inArabic = ['المرجع', 'الاسم الشخصي', 'الاسم العائلي', 'الهاتف المحمول', 'البريد', 'تاريخ الازدياد'];
  const people = Array.from({ length: 8 }, (_, at) => [
    ...[
      `CL-${at}`,
      'Hajar',
      'Tazi',
      `+21261234567${at}`,
      `h${at}@post.example`,
      at === 3 ? '-' : `1${at}/04/1990`,
    ],
  ]);

  it('in a language that is stated nowhere is no row', async () => {
    const sheet = await sheetOf(proposingOf([gridOf([titles, inArabic, ...people])]), new Map());
    expect(sheet.header).toEqual([1]);
    expect(sheet.rows.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect(sheet.otherLines).toBe(1);
  });

  it('is a row where only its phone, its address or its day is a word, or further below', async () => {
    for (const at of [3, 4, 5]) {
      const odd = (people[0] ?? []).with(at, 'inconnu');
      const sheet = await sheetOf(proposingOf([gridOf([titles, odd, ...people])]), new Map());
      expect(sheet.rows).toHaveLength(9);
    }
    const later = await sheetOf(proposingOf([gridOf([titles, ...people, inArabic])]), new Map());
    expect(later.rows).toHaveLength(9);
  });
});
