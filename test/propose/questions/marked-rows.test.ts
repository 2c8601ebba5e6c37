import { describe, expect, it } from 'vitest';
import type { ReadingProfile } from '../../../src/domain/settings/definitions.ts';
import type { RowLook } from '../../../src/domain/tables/row-marks.ts';
import type { Decision, Decisions } from '../../../src/propose/decisions.ts';
import { decisionOf } from '../../../src/propose/dialogue/answers.ts';
import { rowsSent, rowsSentOf, rowsToSend } from '../../../src/propose/dialogue/marked-effects.ts';
import type { TriedRow } from '../../../src/propose/dialogue/refused-groups.ts';
import { isMarkedPoint, markedDecisions } from '../../../src/propose/questions/marked-decisions.ts';
import { rowsPoint } from '../../../src/propose/questions/marked-rows.ts';
import type { Point } from '../../../src/propose/questions/point.ts';
import { proposeReadings } from '../../../src/propose/reading/propose.ts';
import { forProgram } from '../../../src/propose/session/program-question.ts';
import { openPointsOf } from '../../../src/propose/session/question-reason.ts';
import { newMarksIn } from '../../../src/propose/session/trial.ts';
import type { Grid } from '../../../src/propose/sheet/grid.ts';
import type { InputFile } from '../../../src/read/rows/input-table.ts';
import { explainsMarks, explainsValue, saysNotToSend } from '../../../src/read/rows/marked-rows.ts';
import { gridOf, type Lines, proposingOf } from '../grids.ts';

const titles = ['Ref', 'Account name', 'IBAN', 'Currency', 'Pd?'];

function linesOf(paid: (at: number) => string, rows = 30): Lines {
  return [
    titles,
    ...Array.from({ length: rows }, (_, at) => [
      `C-${at}`,
      `Name ${at}`,
      'DE89370400440532013000',
      'EUR',
      paid(at),
    ]),
  ];
}

function looking(grid: Grid, looks: Readonly<Record<number, RowLook>>): Grid {
  return {
    ...grid,
    rows: grid.rows.map((row) => {
      const look = looks[row.number];
      return look === undefined ? row : { ...row, look };
    }),
  };
}

const file: InputFile = {
  path: 'list.xlsx',
  name: 'list.xlsx',
  format: 'xlsx',
  contentHash: '',
  bytes: 0,
  tables: [],
  inDialect: async () => file,
  close: async () => undefined,
};

const profile: ReadingProfile = {
  ...{ kind: undefined, sheet: undefined, hidden: undefined, leaveOutNonRows: false },
  ...{ delimiter: undefined, encoding: undefined, mapping: undefined, noRememberedMapping: false },
  ...{ acceptDrift: undefined, rules: undefined },
};

async function read(grid: Grid, decisions: Decisions = new Map()) {
  const [reading] = await proposeReadings(proposingOf([grid]), decisions);
  if (reading === undefined) throw new Error('nothing was proposed');
  const marked = rowsPoint(reading, await newMarksIn(file, reading, false, profile));
  const points = [...marked, ...reading.points];
  return { reading: { ...reading, points }, points: points.filter(isMarkedPoint) };
}

function linesIn({ subject }: Point) {
  return subject.kind === 'values'
    ? subject.values.map(({ value, rows, proposal }) => [value, rows, proposal])
    : [];
}

/** The rows of a trial in which all pass but one. */
function triedRows(rows: Grid['rows'], refused?: number): readonly TriedRow[] {
  return rows.map(({ number: row }) => ({ row, isPassed: row !== refused, record: {}, findings: [] }));
}

const struck: RowLook = { marks: ['struck through'], partly: [] };
const yellow: RowLook = { marks: ['yellow FFFF00'], partly: [] };
const plain = gridOf(linesOf(() => ''));

describe('rows that are set apart', () => {
  it('are one question with a line for each mark, and open without a person', async () => {
    const { reading, points } = await read(looking(plain, { 4: struck, 9: yellow, 17: struck }));
    expect(points.map(linesIn)).toEqual([
      [
        ['struck through', 2, 'hold'],
        ['yellow FFFF00', 1, 'hold'],
      ],
    ]);
    expect(openPointsOf(reading).map(({ about }) => about)).toContain('marked_rows');
    expect(reading.mapping.markedRows).toBeUndefined();
  });

  it('are one line where the same rows have several marks', async () => {
    const both: RowLook = { marks: ['struck through', 'grey text 808080'], partly: [] };
    const { points } = await read(looking(plain, { 4: both, 9: both }));
    expect(points.map(linesIn)).toEqual([[['struck through + grey text 808080', 2, 'hold']]]);
    const said = { 'struck through + grey text 808080': 'leave_out' };
    const { reading } = await read(plain, new Map([[points[0]?.id ?? '', { values: said }]]));
    expect(reading.mapping.markedRows).toEqual({
      'struck through': 'leave_out',
      'grey text 808080': 'leave_out',
    });
  });

  it('are asked about with the line that explains them', async () => {
    const grid = gridOf([...linesOf(() => ''), [], ['', 'struck through = cancelled']]);
    const { points } = await read(looking(grid, { 4: struck }));
    expect(points[0]?.why).toEqual({ code: 'rows_marked', explained: ['struck through = cancelled'] });
  });

  it('are asked about where a line explains colours that the file has lost', async () => {
    const { points } = await read(gridOf([...linesOf(() => ''), [], ['', 'Rows in yellow: do not pay']]));
    expect(points.map(linesIn)).toEqual([[['said: Rows in yellow: do not pay', 30, null]]]);
  });

  /** Lists of customers, whose mapping needs nothing else. */
  const people: Lines = [
    ['Ref', 'First name', 'Last name', 'E-mail'],
    ...Array.from({ length: 12 }, (_, at) => [`KD-${at}`, 'Lena', 'Vogel', `l${at}@post.example`]),
  ];

  it('are those of an import: neither headings nor totals in a column of references', async () => {
    const [head = [], ...lines] = people;
    const grid = gridOf([head, ['FILIALE 07 NORD'], ...lines, ['Summe Filiale 7: 12 Kunden']]);
    const grey: RowLook = { marks: ['grey D9D9D9'], partly: [] };
    const { points } = await read(looking(grid, { 2: grey, 5: struck, 15: yellow }));
    expect(points.map(linesIn)).toEqual([[['struck through', 1, 'hold']]]);
  });

  it('are counted once where they have several marks, by what is said of each', async () => {
    const both: RowLook = { marks: ['struck through', 'yellow FFFF00'], partly: [] };
    const { reading, points } = await read(looking(plain, { 4: struck, 9: yellow, 12: yellow, 17: both }));
    expect(points.map(linesIn)).toEqual([
      [
        ['struck through', 2, 'hold'],
        ['yellow FFFF00', 3, 'hold'],
      ],
    ]);
    const [point] = points;
    if (point === undefined) throw new Error('no question');
    const sending = rowsToSend(point, reading.sheet, triedRows(reading.sheet.rows));
    expect(rowsSent(sending, () => 'send')).toBe(30);
    expect(rowsSent(sending, () => 'hold')).toBe(26);
    expect(rowsSent(sending, (value) => (value === 'yellow FFFF00' ? 'send' : 'leave_out'))).toBe(28);
  });

  it('are found in each sheet by itself, as an import reads them', async () => {
    const [head = [], ...lines] = people;
    const sheetOf = (from: number, sheet: string): Grid =>
      looking(gridOf([head, ...lines.slice(from, from + 4)], sheet), { 3: yellow, 5: yellow });
    const grids = [sheetOf(0, 'May'), sheetOf(4, 'June')];
    const [reading] = await proposeReadings(proposingOf(grids, { stated: { kind: 'customers' } }), new Map());
    if (reading === undefined) throw new Error('nothing was proposed');
    expect(reading.mapping.sheets).toEqual(['May', 'June']);
    expect(await newMarksIn(file, reading, false, profile)).toEqual([
      { mark: 'yellow FFFF00', rows: 4, first: [3, 5, 7, 9] },
    ]);
  });

  it('become part of the mapping, and are not asked about again; a new mark is', async () => {
    const { points } = await read(looking(plain, { 4: struck }));
    const answered = new Map<string, Decision>([
      [points[0]?.id ?? '', { values: { 'struck through': 'leave_out' } }],
    ]);
    const { reading, points: left } = await read(looking(plain, { 4: struck }), answered);
    expect(reading.mapping.markedRows).toEqual({ 'struck through': 'leave_out' });
    expect(left).toEqual([]);
    const known = markedDecisions(reading.mapping);
    const next = await read(looking(plain, { 8: struck, 11: yellow }), known);
    expect(next.points.map(linesIn)).toEqual([[['yellow FFFF00', 1, 'hold']]]);
    expect(next.reading.mapping.markedRows).toEqual({ 'struck through': 'leave_out' });
  });
});

describe('a column of few values', () => {
  it.each([
    ['yes and nothing', (at: number) => (at % 7 === 0 ? 'yes' : '')],
    ['sí and no', (at: number) => (at % 7 === 0 ? 'sí' : 'no')],
    ['ok and hold', (at: number) => (at % 7 === 0 ? 'HOLD' : 'ok')],
  ])('is a question: %s', async (_, paid) => {
    const { points } = await read(gridOf(linesOf(paid)));
    expect(points.map(linesIn)).toEqual([
      [
        [paid(1), 25, 'send'],
        [paid(0), 5, 'hold'],
      ],
    ]);
  });

  it('is a question where nearly all rows have the same words and a few have others, in any language', async () => {
    const service = (at: number) =>
      at % 50 === 7 ? 'Bedank' : at % 50 === 9 ? 'Verlof' : at % 3 ? 'In diens' : 'Kontrak';
    const [head = [], ...lines] = linesOf(service, 100);
    const { points } = await read(gridOf([head.with(-1, 'Diens'), ...lines]));
    expect(points.map(linesIn)).toEqual([
      [
        ['In diens', 64, 'send'],
        ['Kontrak', 32, null],
        ['Bedank', 2, null],
        ['Verlof', 2, null],
      ],
    ]);
  });

  it('is a question where a few rows have a day of the last years: somebody has left', async () => {
    const left = (at: number) => (at % 25 === 7 ? `2026-0${at % 9 || 9}-30` : '');
    const { points } = await read(gridOf(linesOf(left, 100)));
    expect(points.map(linesIn)).toEqual([
      [
        ['', 96, 'send'],
        ['2026-07-30', 1, 'hold'],
        ['2026-05-30', 1, 'hold'],
        ['2026-03-30', 1, 'hold'],
        ['2026-01-30', 1, 'hold'],
      ],
    ]);
  });

  it.each([
    ['lie far apart', (at: number) => (at % 20 === 7 ? `${1960 + at}-05-30` : '')],
    ['are in most rows', (at: number) => `2026-0${at % 9 || 9}-30`],
    ['are beside remarks', (at: number) => (at === 7 ? 'soon' : at % 20 === 8 ? '2026-05-30' : '')],
  ])('is none where its days %s', async (_, value) => {
    expect((await read(gridOf(linesOf(value, 100)))).points).toEqual([]);
  });

  it('is a question where the rare words have figures of their own', async () => {
    const terms = (at: number) => (at % 50 === 7 ? 'Ri.Ba. 60 gg' : `Bonifico ${(at % 3) * 30} gg`);
    expect((await read(gridOf(linesOf(terms, 100)))).points).toHaveLength(1);
  });

  it.each([
    ['T and F', (at: number) => (at % 9 ? 'T' : 'F')],
    ['VRAI and FAUX', (at: number) => (at % 9 ? 'VRAI' : 'FAUX')],
    ['nothing and a sign', (at: number) => (at % 9 ? '' : '#')],
  ])('is a question: %s', async (_, value) => {
    expect((await read(gridOf(linesOf(value)))).points).toHaveLength(1);
  });

  it.each([
    ['numbered', (at: number) => (at % 50 === 7 ? 'Tranche 2' : 'Tranche 1')],
    [
      'many words',
      (at: number) => (at === 7 ? 'Guide' : ['Chef', 'Waiter', 'Askari', 'Guard'][at % 4]) ?? '',
    ],
    ['words of several sizes', (at: number) => (at % 9 ? 'Permanent' : at % 2 ? 'Casual' : 'Intern')],
    ['codes', (at: number) => (at % 50 === 7 ? 'CODE-2' : 'CODE-1')],
  ])('is none where its values are %s', async (_, value) => {
    expect((await read(gridOf(linesOf(value, 100)))).points).toEqual([]);
  });

  it.each([
    ['words about something else', (at: number) => (at % 2 ? 'Day shift' : 'Night shift')],
    ['one word in all rows', () => 'yes'],
  ])('is none: %s', async (_, paid) => {
    expect((await read(gridOf(linesOf(paid)))).points).toEqual([]);
  });

  it('is a question where one of more values says that rows are not sent', async () => {
    const status = (at: number) => (at === 4 ? 'Paid' : (['Active', 'Probation', 'Contract'][at % 3] ?? ''));
    const { points } = await read(gridOf(linesOf(status)));
    expect(points.map(linesIn)).toEqual([
      [
        ['Active', 10, 'send'],
        ['Contract', 10, null],
        ['Probation', 9, null],
        ['Paid', 1, 'hold'],
      ],
    ]);
  });

  it('is a question where its title asks, and proposes nothing for words that are not known', async () => {
    const status = (at: number) => ['Active', 'Probation', 'Gone fishing', 'Trainee', 'Active'][at % 5] ?? '';
    const { points } = await read(gridOf(linesOf(status)));
    expect(points.map(linesIn)).toEqual([
      [
        ['Active', 12, 'send'],
        ['Probation', 6, null],
        ['Gone fishing', 6, null],
        ['Trainee', 6, null],
      ],
    ]);
  });

  it.each(['STAT', 'Vendor sts', 'Κατάσταση'])('is a question under the title %s', async (title) => {
    const [head = [], ...lines] = linesOf((at) => (at === 9 ? 'I' : 'A'));
    const { points } = await read(gridOf([head.with(-1, title), ...lines]));
    expect(points.map(linesIn)).toEqual([
      [
        ['A', 29, 'send'],
        ['I', 1, 'hold'],
      ],
    ]);
  });

  it('is a question about the remarks that say it, and about all others together', async () => {
    const remark = (at: number) =>
      at % 10 === 4 ? `HOLD - case ${at}` : at % 3 === 0 ? '' : `promised on day ${at}`;
    const [head = [], ...lines] = linesOf(remark);
    const grid = gridOf([head.with(-1, 'Remarks'), ...lines]);
    const { points } = await read(grid);
    expect(points.map(linesIn)).toEqual([
      [
        ['HOLD - case 4', 1, 'hold'],
        ['HOLD - case 14', 1, 'hold'],
        ['HOLD - case 24', 1, 'hold'],
        ['*', 27, 'send'],
      ],
    ]);
    const said = {
      'HOLD - case 4': 'hold',
      'HOLD - case 14': 'send',
      'HOLD - case 24': 'leave_out',
      '*': 'send',
    };
    const { reading, points: left } = await read(grid, new Map([[points[0]?.id ?? '', { values: said }]]));
    expect(reading.mapping.markedValues).toEqual({ Remarks: said });
    expect(left).toEqual([]);
    const none = await read(gridOf([head.with(-1, 'Remarks'), ...linesOf((at) => `day ${at}`).slice(1)]));
    expect(none.points).toEqual([]);
  });

  it('is a question where a line explains one of its values, and shows the line', async () => {
    const status = (at: number) => (at % 15 === 4 ? 'LGL' : (['A', 'B', 'C'][at % 3] ?? ''));
    const [head = [], ...lines] = linesOf(status);
    const file = (note: string) => gridOf([[note], head.with(-1, 'Status'), ...lines]);
    const note = 'NB: Status LGL = the file is with the lawyers';
    const { points } = await read(file(note));
    expect(points.map(linesIn)).toEqual([
      [
        ['A', 10, 'send'],
        ['C', 10, 'send'],
        ['B', 8, 'send'],
        ['LGL', 2, 'hold'],
      ],
    ]);
    expect(points[0]?.samples[0]).toBe(note);
  });

  it('is none where all codes are frequent', async () => {
    const [head = [], ...lines] = linesOf((at) => ['A', 'B', 'C'][at % 3] ?? '');
    expect((await read(gridOf([head.with(-1, 'Status'), ...lines]))).points).toEqual([]);
  });

  it('is a question where its title alone says what would not be sent', async () => {
    const [head = [], ...lines] = linesOf((at) => (at % 7 === 0 ? 'si' : ''));
    const { points } = await read(gridOf([head.with(-1, 'Anulado ?'), ...lines]));
    expect(points.map(linesIn)).toEqual([
      [
        ['', 25, 'send'],
        ['si', 5, 'hold'],
      ],
    ]);
  });

  it('has no proposal for unknown values where almost no row would be sent, and counts spellings as one', async () => {
    const status = (at: number) =>
      at % 5 === 0 ? 'Paid' : at % 5 === 1 ? '' : at % 10 === 2 ? 'bado' : 'Bado';
    const [head = [], ...lines] = linesOf(status);
    const note = 'Hali: Bado = not yet paid';
    const { points } = await read(gridOf([[note], head.with(-1, 'Hali'), ...lines]));
    expect(points.map(linesIn)).toEqual([
      [
        ['Bado', 18, null],
        ['Paid', 6, 'hold'],
        ['', 6, null],
      ],
    ]);
    const known = markedDecisions({ markedValues: { Hali: { Bado: 'send', '': 'hold' } } });
    const again = await read(gridOf([[note], head.with(-1, 'Hali'), ...lines]), known);
    expect(again.points.map(linesIn)).toEqual([[['Paid', 6, 'hold']]]);
  });

  it('says how many rows would be sent with each answer', async () => {
    const status = (at: number) => (at % 5 === 0 ? 'yes' : 'no');
    const { reading, points } = await read(gridOf(linesOf(status)));
    const [point] = points;
    if (point === undefined) throw new Error('no question');
    const sending = rowsToSend(point, reading.sheet, triedRows(reading.sheet.rows, 3));
    expect(sending).toEqual({
      all: 30,
      isUntried: false,
      groups: [
        { values: ['yes'], rows: 6 },
        { values: ['no'], rows: 23 },
      ],
    });
    expect(rowsSent(sending, (value) => (value === 'no' ? 'send' : 'hold'))).toBe(23);
    expect(rowsSent(sending, () => 'send')).toBe(29);
    expect(rowsSent(sending, () => null)).toBe(0);
    expect(rowsSentOf(sending, 'yes')).toBe(6);
    const untried = rowsToSend(point, reading.sheet, []);
    expect(untried).toMatchObject({ isUntried: true, all: 30 });
    expect(rowsSentOf(untried, 'no')).toBe(24);
  });

  it('becomes part of the mapping with every value, and an impossible answer is refused', async () => {
    const grid = gridOf(linesOf((at) => (at === 3 ? 'paid' : '')));
    const { points } = await read(grid);
    const [point] = points;
    if (point === undefined || point.subject.kind !== 'values') throw new Error('no question');
    const forecast = { pass: 30, refused: 0, left_out: 0 };
    const { about, rows, samples, why, subject } = point;
    const question = {
      ...{ question: 1, sheet: null, about, rows, samples, why, options: [], free_text: false, forecast },
      ...subject,
    };
    expect(forProgram(question).question).toMatchObject({ kind: 'values', finding: 'marked_row' });
    expect(decisionOf(question, { values: { paid: 'burn' } })).toHaveProperty('error');
    const decision = decisionOf(question, { values: { paid: 'leave_out' } });
    expect(decision).toEqual({ values: { '': 'send', paid: 'leave_out' } });
    if (typeof decision === 'object' && decision !== null && 'error' in decision) return;
    const { reading } = await read(grid, new Map([[point.id, decision]]));
    expect(reading.mapping.markedValues).toEqual({ 'Pd?': { '': 'send', paid: 'leave_out' } });
  });
});

it.each([
  ['Status W/off = file is with the lawyers', 'Status', 'W/off', true],
  ['Members whose status is W/off: do not send', 'Status', 'W/off', true],
  ['Branch: Nairobi', 'Branch', 'Nairobi', false],
  ['Status report', 'Status', 'OK', false],
  ['W/offset = something', 'Status', 'W/off', false],
  ['Status: A-1 (new) = to be looked at', 'Status', 'A-1 (new)', true],
  ['Kunden November', '', 'November', false],
  ['Members with WAIVED in Remarks must not be prompted.', 'Remarks', 'Waived - funeral', true],
  ['Waliosamehewa katika Maoni wasilipwe', 'Maoni', 'Waliosamehewa', true],
  ['Members of Branch Nairobi meet on Friday', 'Branch', 'Nairobi', false],
])('"%s" explains the value of a column: %s, %s: %s', (line, title, value, isExplained) => {
  expect(explainsValue(line, title, value)).toBe(isExplained);
});

it.each([
  ['HOLD', true],
  ['HOLD - clearance', true],
  ['Paid 12/11', true],
  ['stopped: see mail', true],
  ['Avliden', true],
  ['on hold (new account)', true],
  ['holdings', false],
  ['Stop Street 4', false],
  ['paid by Amina', false],
  ['Cancelled by the client', true],
  ['Anulado pelo cliente', true],
  ['Perdido', true],
])('the value "%s" says by itself that its row is not to be sent: %s', (value, says) => {
  expect(saysNotToSend(value)).toBe(says);
});

describe('a line that explains marks', () => {
  it.each([
    ['red = left the company', true],
    ['rows in yellow: do not pay', true],
    ['Leyenda: tachado = anulado', true],
    ['Gelb markierte Zeilen nicht zahlen', true],
    ['Sarı satırlar ödenmeyecek', true],
    ['Red Cross: payroll November', false],
    ['Blue Nile Bank', false],
    ['Prepared by: Green', false],
  ])('"%s": %s', (text, isOne) => {
    expect(explainsMarks(text)).toBe(isOne);
  });
});
