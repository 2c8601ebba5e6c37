import { expect, it } from 'vitest';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport, type Trial } from '../../../src/propose/dialogue/reading-source.ts';
import { everyRowPasses, gridOf, proposingOf } from '../grids.ts';

const lines = [
  ['Payments of May'],
  ['Code', 'Name', 'IBAN', 'Bank', 'Street', 'City', 'ZIP', 'Country', 'Art', 'Remark'],
  [
    'C-1',
    'Lukas Schneider',
    'DE89370400440532013000',
    'ING',
    'Allee 5',
    'Berlin',
    '10115',
    'DE',
    'Privat',
    'new roof',
  ],
  [
    'C-2',
    'Dubois SARL',
    'FR1420041010050500013M02606',
    'LCL',
    'Foch 2',
    'Paris',
    '75001',
    'FR',
    'Firma',
    'by hand',
  ],
  ['Total', '', '', '', '', '', '', '', '', ''],
];

it('says which lines are rows, how sure each column is, and what is asked next', async () => {
  const own = new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)])), everyRowPasses);
  const review = await own.next();
  const seen = await own.seen();
  expect(seen.header).toEqual([2]);
  expect([...seen.rows]).toEqual([3, 4]);
  expect(seen.columns.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(seen.columns[2]?.sureness).toBe('sure');
  expect(seen.columns[9]?.sureness).toBe('left_out');
  expect(seen.next.map(({ kind, about }) => `${kind} ${about}`)).toContain('values Art');
  own.answer(review?.question ?? 0, { columns: { Name: 'account_name', Art: 'ignore' } });
  await own.next();
  const { columns } = await own.seen();
  expect([columns[1]?.sureness, columns[8]?.sureness]).toEqual(['decided', 'decided']);
});

it('counts repairs that help among what is asked next', async () => {
  const shortened = lines.map((cells) => cells.map((text) => (text === '10115' ? '1115' : text)));
  const helping: Trial = async ({ mapping }) => {
    const isMended = mapping.repair?.['ZIP']?.includes('lost_zeros') === true;
    return { forecast: { pass: isMended ? 2 : 1, refused: isMended ? 0 : 1, left_out: 1 }, reasons: [] };
  };
  const nextWith = async (trial: Trial): Promise<readonly string[]> => {
    const own = new MappingDialogue(rowsToImport(proposingOf([gridOf(shortened)])), trial);
    await own.next();
    return (await own.seen()).next.map(({ kind, about }) => `${kind} ${about}`);
  };
  expect(await nextWith(helping)).toContain('repair ZIP');
  expect(await nextWith(everyRowPasses)).not.toContain('repair ZIP');
});

it('counts a group of rows that would be refused where nothing else is asked', async () => {
  const people = Array.from({ length: 12 }, (_, at) => [
    ...[`C-${at}`, 'Wambui', `Njoki${at}`, at < 6 ? 'by post' : `w${at}@post.example`],
  ]);
  const titles = ['External id', 'First name', 'Last name', 'Email'];
  const grid = gridOf([titles, ...people]);
  const finding = {
    severity: 'invalid',
    field: 'email',
    column: 'Email',
    code: 'invalid_email',
    message: 'no address',
  } as const;
  const refusing: Trial = async (_, __, watch) => {
    for (const at of people.keys())
      watch?.({
        row: at + 2,
        isPassed: at >= 6,
        record: {},
        findings: at >= 6 ? [] : [finding],
      });
    return { forecast: { pass: 6, refused: 6, left_out: 0 }, reasons: [] };
  };
  const own = new MappingDialogue(rowsToImport(proposingOf([grid])), refusing);
  expect((await own.next())?.kind).toBe('review');
  expect((await own.seen()).next).toMatchObject([{ kind: 'refused', about: 'Email', code: 'invalid_email' }]);
});

it('calls a column a guess if only its values are evidence for it', async () => {
  const strange = lines.map((cells) => cells.map((text) => (text === 'IBAN' ? 'Xyz' : text)));
  const own = new MappingDialogue(rowsToImport(proposingOf([gridOf(strange)])), everyRowPasses);
  await own.next();
  expect((await own.seen()).columns[2]?.sureness).toBe('guess');
});

it('has the heading of each row among its cells', async () => {
  const people = ['Ann', 'Ben', 'Eve', 'Dan'].map((name, at) => [`C-${at}`, name, `+25471234567${at}`]);
  const grouped = [['Code', 'Name', 'Phone'], ['M-PESA'], ...people.slice(0, 2), ['MTN'], ...people.slice(2)];
  const own = new MappingDialogue(rowsToImport(proposingOf([gridOf(grouped)])), everyRowPasses);
  await own.next();
  const { grid, columns } = await own.seen();
  expect(columns.at(-1)?.index).toBe(3);
  expect(grid.rows.map(({ cells }) => cells[3])).toEqual([
    ...[undefined, undefined, 'M-PESA', 'M-PESA', undefined, 'MTN', 'MTN'],
  ]);
});
