import { describe, expect, it } from 'vitest';
import { planTable } from '../../../src/cli/views/plan-table.ts';
import type { BatchSummary } from '../../../src/domain/batches/batch-summary.ts';
import type { PlanTotals } from '../../../src/domain/batches/plan.ts';
import { typedWords } from '../../support/words.ts';

const batch: BatchSummary = {
  batch: '0f9d2b1c-0000-8000-8000-000000000000',
  kind: 'recipients',
  file: 'payees.csv',
  sheet: null,
  rows: 10,
  counts: {},
  planHash: 'abcdef',
  files: { results: 'r.csv', failed: 'f.csv', log: 'l.jsonl', report: 'r.html' },
};

const group = (institution: string, amount: string | null, given = {}) => ({
  resource: 'recipients/bank_account',
  institution,
  currency: 'KES',
  rows: 2,
  rowsWithAmount: amount === null ? 0 : 2,
  amount,
  ...given,
});

function shown(totals: Partial<PlanTotals>, given: Partial<BatchSummary> = {}, canBeSent = true): string {
  return planTable(
    { ...batch, ...given },
    { send: [], skip: [], ...totals },
    {
      environment: { mode: 'live', origin: 'https://api.example.test' },
      useColour: false,
      words: typedWords,
      canBeSent,
    },
  );
}

describe('a plan on the terminal', () => {
  it('adds amounts up exactly, by currency, and says where some are missing', () => {
    const text = shown({
      send: [group('A', '0.10'), group('B', '99999999999999.99'), group('C', '5', { rowsWithAmount: 1 })],
    });
    expect(text).toMatch(/all +KES +6 +100,000,000,000,005\.09 \(5 of them\)/);
    expect(text).toContain('6 of 10 rows would be sent');
  });

  it('gives the command that sends exactly this', () => {
    expect(shown({ send: [group('A', null)] })).toContain(
      'paybatch submit 0f9d2b1c --plan-hash abcdef --mode live --base-url https://api.example.test',
    );
    expect(shown({ send: [group('A', null)] }, {}, false)).not.toContain('submit');
  });

  it('tells every reason not to send, and gives no command when nothing is left', () => {
    const text = shown({
      skip: [
        { status: 'invalid', code: 'required', rows: 6, firstRow: 2 },
        { status: 'existing', code: 'existing', rows: 2, firstRow: 3 },
        { status: 'not_sent', code: 'duplicate', rows: 1, firstRow: 4 },
        { status: 'held', code: 'differs_from_created', rows: 1, firstRow: 1234 },
      ],
    });
    expect(text).toContain('Of 10 rows, none would be sent');
    expect(text).toMatch(/6 +invalid +required +from row 2 on/);
    expect(text).toMatch(/2 +existing +created before +from row 3 on/);
    expect(text).toMatch(/1 +duplicate +same as an earlier row of the file +row 4/);
    expect(text).toMatch(/1 +held +differs_from_created +row 1,234/);
    expect(text).toContain('f.csv');
    expect(text).not.toContain('submit');
  });

  it('gives the command for the corrected file where rows need correction, and only there', () => {
    const skip = (status: 'invalid' | 'existing') => [{ status, code: 'required', rows: 6, firstRow: 2 }];
    expect(shown({ skip: skip('invalid') })).toContain('paybatch plan f.csv --mode live');
    expect(shown({ skip: skip('existing') })).not.toContain('paybatch plan');
    expect(shown({ skip: skip('invalid'), send: [group('A', null)] })).toMatch(
      /submit[\s\S]*paybatch plan f\.csv/,
    );
  });

  it('stays within bounds for a file with very many groups', () => {
    const text = shown({ send: Array.from({ length: 90 }, (_, at) => group(`Bank ${at}`, '1')) });
    expect(text).toContain('and 50 more groups');
    expect(text.split('\n').length).toBeLessThan(60);
  });

  it('says that an empty file is nothing to do', () => {
    expect(shown({}, { rows: 0 })).toContain('nothing to do');
  });
});
