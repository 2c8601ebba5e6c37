import { expect, it } from 'vitest';
import type { StagedRow } from '../../../src/domain/rows/ledger-row.ts';
import { PayeeWatch } from '../../../src/pipeline/judging/payee-watch.ts';
import type { PayeePort } from '../../../src/pipeline/ports.ts';

const ibans = ['DE89370400440532013000', 'DE75512108001245126199', 'AT611904300234573201'];

function row(number: number, name: string, iban = ibans[0], customer = 'id-1'): StagedRow {
  const record = { customer_id: customer, account_name: name, iban: iban ?? '', bank_name: 'Bank' };
  return {
    ...{
      row: number,
      resource: 'recipients/sepa',
      state: 'staged',
      cells: [],
      record,
      findings: [],
      notes: [],
    },
    ...{ handle: null, sameAs: null, objectId: null, reason: null },
  };
}

type Answers = Partial<{ readonly [Name in keyof PayeePort]: Awaited<ReturnType<PayeePort[Name]>> }>;

function watch(answers: Answers = {}, isHeld = false): PayeeWatch {
  return new PayeeWatch(
    {
      familyOf: async () => answers.familyOf ?? [],
      findPayees: async () => answers.findPayees ?? [],
      findNamedPayees: async () => answers.findNamedPayees ?? [],
      findDecisions: async () => answers.findDecisions ?? [],
    },
    isHeld,
  );
}

const before = {
  ...{ n: 0, batch: 'b4000000-0000-8000-8000-000000000001', row: 7 },
  ...{ isSameCustomer: true, isSameName: true, isSameDetails: false },
};

const codesOf = (rows: readonly StagedRow[]): unknown =>
  rows.map(({ changes = [] }) => changes.map(({ code }) => code));

it('compares the rows of one file with each other, over groups, and forgets them at its end', async () => {
  const own = watch();
  expect(codesOf(await own.judge([row(2, 'Joan Wanjiru'), row(3, 'Wanjiru, Joan')]))).toEqual([[], []]);
  const [shared] = await own.judge([row(4, 'John Kamau')]);
  expect(shared?.changes).toMatchObject([{ code: 'account_shared', earlier: { batch: null, row: 2 } }]);
  expect(codesOf(await own.judge([row(5, 'Joan Wanjiru', ibans[0], 'id-2')]))).toEqual([['account_shared']]);
  own.end();
  expect(codesOf(await own.judge([row(6, 'John Kamau')]))).toEqual([[]]);
});

it('says nothing of a payee who has these details too, whatever others there are', async () => {
  const known = [before, { ...before, row: 8, isSameDetails: true }];
  expect(codesOf(await watch({ findPayees: known }).judge([row(2, 'Joan Wanjiru')]))).toEqual([[]]);
});

it('tells of the newest earlier details, and of somebody else who has the new ones', async () => {
  const other = { ...before, row: 9, isSameCustomer: false };
  const [told] = await watch({ findPayees: [before, { ...before, row: 6 }, other] }).judge([row(2, 'J W')]);
  expect(told?.changes).toMatchObject([
    { code: 'payee_details_changed', earlier: { row: 7 } },
    { code: 'account_shared', earlier: { row: 9 } },
  ]);
  expect([told?.state, told?.notes]).toEqual([
    'staged',
    [
      'the payee had other account details before: row 7 of batch b4000000',
      'the account belongs to another payee too: row 9 of batch b4000000',
    ],
  ]);
});

it('finds names that are written otherwise among those of the customer', async () => {
  const findNamedPayees = [{ n: 0, batch: before.batch, row: 4, name: 'Grace Achieng Okello' }];
  expect(codesOf(await watch({ findNamedPayees }).judge([row(2, 'Okello Grace')]))).toEqual([
    ['payee_details_changed'],
  ]);
  expect(codesOf(await watch({ findNamedPayees }).judge([row(2, 'Okello Peter')]))).toEqual([[]]);
});

it('holds on request, and not what a person has decided about', async () => {
  const [held] = await watch({ findPayees: [before] }, true).judge([row(2, 'Joan Wanjiru')]);
  expect(held).toMatchObject({ state: 'held', reason: { code: 'payee_details_changed', field: 'iban' } });
  const send = { n: 0, verdict: 'send', objectId: null } as const;
  const [sent] = await watch({ findPayees: [before], findDecisions: [send] }, true).judge([
    row(2, 'Joan Wanjiru'),
  ]);
  expect([sent?.state, sent?.changes]).toEqual(['staged', undefined]);
  const existing = { n: 0, verdict: 'existing', objectId: 'rec_1' } as const;
  const [stands] = await watch({ findPayees: [before], findDecisions: [existing] }, true).judge([
    row(2, 'Joan Wanjiru'),
  ]);
  expect(stands).toMatchObject({ state: 'existing', objectId: 'rec_1' });
});

it('has no look at rows that are no candidates', async () => {
  const invalid = { ...row(2, 'Joan Wanjiru'), state: 'invalid' } as const;
  const rows = await watch({ findPayees: [before] }, true).judge([invalid, { ...invalid, resource: null }]);
  expect(rows.map(({ state }) => state)).toEqual(['invalid', 'invalid']);
});
