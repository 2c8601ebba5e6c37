import { describe, expect, it } from 'vitest';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { UndecidedRow } from '../../../src/domain/rows/ledger-row.ts';
import { adviceOn, type JudgedRow, meets, parseWhere } from '../../../src/reconcile/verdicts/waiting-rows.ts';

const held: UndecidedRow = {
  changedAt: '2026-01-01T00:00:00.000Z',
  row: 2,
  state: 'held',
  code: null,
  message: null,
  record: {},
  attempts: 0,
  httpStatus: null,
  firstSentAt: null,
  idempotencyKey: null,
  ageInMs: 0,
  isUnsettled: false,
};

const sent = { ...held, state: 'unknown', firstSentAt: '2026-01-01T10:00:00.000Z', attempts: 1 } as const;
const hourInMs = 3_600_000;

it.each([
  [
    { ...held, code: 'differs_from_created' },
    { action: 'decide', reason: 'differs_from_created' },
  ],
  [
    { ...held, code: 'file_may_be_cut' },
    { action: 'decide', reason: 'file_may_be_cut' },
  ],
  [
    { ...held, code: 'something_new' },
    { action: 'decide', reason: null },
  ],
  [{ ...sent, state: 'held', code: 'conflict' } as const, { action: 'ask_provider' }],
  [{ ...sent, ageInMs: hourInMs }, { action: 'ask_provider' }],
  [{ ...sent, state: 'sending' } as const, { action: 'resume_interrupted' }],
  [
    { ...sent, code: 'other_credential' },
    { action: 'resume', needsOwnApiKey: true, runsOutAt: '2026-01-01T11:00:00.000Z' },
  ],
])('what helps a waiting row is reported as data: %o', (row, advice) => {
  expect(adviceOn(row, hourInMs, undefined).advice).toEqual(advice);
  expect(adviceOn(row, hourInMs, 'o-1').advice).toEqual({ action: 'confirm_found', id: 'o-1' });
});

const header = ['Client Reference', 'Bank name', 'Status', 'and', 'say "hi"'];

function row(cells: readonly string[], given: Partial<JudgedRow> = {}): JudgedRow {
  return { state: 'held', code: 'key_expired', cells, ...given };
}

function isMet(where: string, judged: JudgedRow): boolean {
  return meets(judged, parseWhere(where, header));
}

describe('conditions', () => {
  it.each([
    ['status=held and "Bank name"=Equity', true],
    ['status=held AND bank_name = "Equity"', true],
    ["Bank name=Equity and code='key_expired'", true],
    ['CODE = KEY_EXPIRED', true],
    ['"status"=Paid and client-reference=R-1', true],
    ['status=Paid', false],
    ['status=unknown and Bank name=Equity', false],
    ['Bank name=equity', false],
    ['Bank name=Equ*', false],
    ['"and"="this and that"', true],
    ['"say ""hi"""=""', true],
  ])('%s: %s', (where, expected) => {
    expect(isMet(where, row(['R-1', ' Equity ', 'Paid', 'this  and that', '']))).toBe(expected);
  });

  it('takes a value with blanks without quotes, and one with "and" in it only in quotes', () => {
    expect(isMet('Bank name=Equity Bank Kenya', row(['', 'Equity Bank Kenya']))).toBe(true);
    expect(isMet('Bank name="Bread and Butter"', row(['', 'Bread and Butter']))).toBe(true);
    expect(() => parseWhere('Bank name=Bread and Butter', header)).toThrow(/"Butter" is no condition/);
  });

  it('compares text as people see it: composed letters and single spaces', () => {
    expect(isMet('Bank name="Cre\u0301dit  Agricole"', row(['', 'Cr\u00e9dit\u00a0Agricole']))).toBe(true);
  });

  it.each([
    ['', /no condition/],
    ['held', /no condition/],
    ['=held', /no condition/],
    ['status=', /a value is missing/],
    ['status=held and', /nothing follows/],
    ['status=held and ', /nothing follows/],
    ['and status=held', /there is no column "and status"/],
    ['status=held or code=x', /needs quotes/],
    ['status!=held', /only "=" compares/],
    ['status==held', /needs quotes/],
    ['"Bank name=Equity', /not closed/],
    ['"Bank name" Equity', /"=" is missing/],
    ['"Bank name"="Equity" code=x', /"and" is missing/],
    ['bnk=Equity', /there is no column "bnk"; there are status, code, "Client Reference"/],
  ])('refuses %j', (where, problem) => {
    expect(() => parseWhere(where, header)).toThrow(problem);
    expect(() => parseWhere(where, header)).toThrow(PaybatchError);
  });

  it('refuses a name that several columns have', () => {
    expect(() => parseWhere('bank=x', ['Bank', 'BANK '])).toThrow(/several columns/);
  });
});
