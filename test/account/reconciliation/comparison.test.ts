import { describe, expect, it } from 'vitest';
import {
  type BreakLine,
  differenceText,
  firstTexts,
  notComparedTexts,
  stateRows,
} from '../../../src/account/reconciliation/comparison.ts';
import { comparisonSummary } from '../../../src/cli/views/reconciliation.ts';
import type { ComparisonFigures } from '../../../src/domain/batches/reconciliation.ts';
import { plainText } from '../../../src/domain/settings/message.ts';
import { typedWords } from '../../support/words.ts';

const sum = (currency: string, rows: number, amount: string) => ({ currency, rows, amount });

const figures: ComparisonFigures = {
  hereName: 'p.csv',
  thereName: 'june.xlsx:Payments',
  breakCount: 7,
  amounts: 'compared',
  columns: [],
  unread: [],
  onlyInSome: ['date'],
  remarks: [],
  isCoverageDeclared: true,
  compared: ['id', 'reference', 'amount', 'currency'],
  here: {
    records: 3,
    leftOut: [],
    firstDay: null,
    lastDay: null,
    repeated: { records: 0, sums: [] },
    sums: [sum('KES', 2, '1234.5'), sum('UGX', 1, '1000')],
  },
  there: {
    records: 4,
    firstDay: null,
    lastDay: null,
    leftOut: [{ reason: 'State: Failed', records: 1_200 }],
    repeated: { records: 2, sums: [sum('KES', 2, '5')] },
    sums: [sum('KES', 3, '-1234567.25'), sum('UGX', 1, '1000')],
  },
  states: [
    {
      side: 'here',
      state: 'matched',
      isDifference: false,
      records: 3,
      sums: [sum('KES', 2, '1234.5'), sum('UGX', 1, '1000')],
    },
    {
      side: 'there',
      state: 'matched',
      isDifference: false,
      records: 3,
      sums: [sum('KES', 2, '1234.50'), sum('UGX', 1, '1000')],
    },
    {
      side: 'there',
      state: 'unknown_here',
      isDifference: true,
      records: 1,
      sums: [sum('KES', 1, '-1235801.75')],
    },
  ],
};

const line: BreakLine = {
  state: 'mismatched',
  hereRow: 2,
  thereRow: 9,
  thereFile: 'rest.csv',
  evidence: 'same id',
  action: { action: 'look_into', state: 'mismatched' },
  differences: [{ field: 'amount', here: '1.00', there: '' }],
};

describe('the states of a comparison', () => {
  it('have a row for each currency, counts once, and amounts of a currency with as many decimals', () => {
    const rows = stateRows(figures).map(({ state, isDifference, counts, currency, amounts }) =>
      [state, isDifference, counts?.here, counts?.there, currency, amounts.here, amounts.there].join(' '),
    );
    expect(rows).toEqual([
      'matched false 3 3 KES 1234.50 1234.50',
      'matched false   UGX 1000 1000',
      'unknown_here true 0 1 KES  -1235801.75',
    ]);
  });
});

describe('the summary of a comparison', () => {
  const text = comparisonSummary(figures, Array(6).fill(line), typedWords, false);

  it('is in aligned columns, with figures to the right', () => {
    expect(text).toContain(
      [
        '        state         here  there  currency  amount here   amount there',
        '  ok    matched          3      3  KES          1,234.50       1,234.50',
        '                                   UGX             1,000          1,000',
        '  DIFF  unknown_here     0      1  KES                    -1,235,801.75',
      ].join('\n'),
    );
  });

  it('lists the first differences by row and file, and the number of further ones', () => {
    expect(text).toContain('  mismatched  row 2 here, row 9 of rest.csv there\n');
    expect(text.split('mismatched')).toHaveLength(6);
    expect(text).toContain('and 2 more differences: see the breaks file');
  });

  it('says first what is not compared, and what counts once', () => {
    const [, ...lines] = text.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '  Left out there by the mapping: 1,200 records: State: Failed (1,200).',
      '  Not compared, since not every file has it: date.',
      '  2 records are in a second file there with the same content, and count once.',
    ]);
    expect(
      notComparedTexts({ ...figures, there: figures.here, onlyInSome: [], remarks: ['e.csv: x'] }),
    ).toEqual(['e.csv: x']);
  });
});

describe('what no coverage is declared for', () => {
  const state = (given: object) => ({
    side: 'here',
    state: 'not_covered',
    isDifference: false,
    records: 2,
    sums: [sum('KES', 2, '40.00')],
    ...given,
  });
  const undeclared = {
    ...figures,
    isCoverageDeclared: false,
    states: [...figures.states, state({})],
  } as ComparisonFigures;

  it('is reported in the first lines, with the settings for the coverage, and does not count as ok', () => {
    expect(firstTexts(undeclared).map(plainText)).toEqual([
      'Compared: id, reference, amount, currency.',
      'Not judged: 2 records here that are not there (40.00 KES): no coverage is declared. The setting coversFrom and ' +
        'the setting coversTo say of which days the other side holds everything; what is missing then is a difference.',
    ]);
    expect(firstTexts(figures)).toHaveLength(1);
    const text = comparisonSummary(undeclared, [], typedWords, false).replace(/\s+/g, ' ');
    expect(text).toContain('note not_covered');
  });
});

describe('the first lines of a comparison', () => {
  const column = (title: string, hasAmounts: boolean) =>
    ({ side: 'there', file: 'e.csv', title, hasAmounts }) as const;
  const unread = [column('Amount paid', true), column('Fee', true), column('Branch', false)];

  it('say that amounts were not compared, which columns may have them, and what was not read', () => {
    const notRead = { ...figures, compared: ['id', 'date'], amounts: 'not_read', unread } as const;
    expect(firstTexts(notRead).map(plainText)).toEqual([
      'Compared: id, date.',
      'Amounts were not compared: nothing says whether Amount paid or Fee is the amount. No pair counts as matched until ' +
        'a mapping says which column it is, or until the setting compare leaves amounts out.',
      'Not read: Amount paid, Fee and Branch.',
    ]);
    expect(firstTexts({ ...figures, amounts: 'not_wanted' })).toContain(
      'Amounts were not compared, as somebody has said.',
    );
  });

  it('say what was read by its values, once for all files, and leave out the rest of many titles', () => {
    const columns = ['june.csv', 'july.csv'].map(
      (file) => ({ side: 'there', file, title: 'Paid', as: 'amount', by: 'values' }) as const,
    );
    const many = Array.from({ length: 20 }, (_, at) => column(`Column ${at}`, false));
    const [, read, rest] = firstTexts({ ...figures, columns, unread: many });
    expect(read).toBe('Read by their values: Paid as amount.');
    expect(rest).toContain('Column 11 and 8 more columns.');
  });
});

describe('a matched record that needs a person', () => {
  it('is in a row of its own, which is a difference', () => {
    const matched = { side: 'here', state: 'matched', isDifference: true, records: 1, sums: [] } as const;
    const rows = stateRows({ ...figures, states: [...figures.states, matched] });
    expect(rows.map(({ state, isDifference, counts }) => [state, isDifference, counts?.here])).toEqual([
      ['matched', false, 3],
      ['matched', false, undefined],
      ['unknown_here', true, 0],
      ['matched', true, 1],
    ]);
    const text = comparisonSummary({ ...figures, states: [matched] }, [], typedWords, false);
    expect(text).toContain('  DIFF  matched, to be resolved');
  });
});

describe('a difference in words', () => {
  it('has the values of fields that are about money, and of no others', () => {
    expect(differenceText(line)).toBe('amount: 1.00 here, (empty) there');
    const personal = [{ field: 'phone_number', here: '+254712345001', there: '+254712345002' }];
    expect(differenceText({ ...line, differences: personal })).toBe(
      'phone_number differs: see the breaks file',
    );
    expect(differenceText({ ...line, differences: [] })).toBe('same id');
  });
});
