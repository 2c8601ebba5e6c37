import { expect, it } from 'vitest';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { PayeePort } from '../../src/watch/payee.ts';
import { PayeeWatch } from '../../src/watch/payee-watch.ts';

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

/** What is read of a known payee besides the name. */
const unread = { account: '', cells: [] };

const unmarked = { name: 'another name key', marks: null };

/** @param answers of the look-ups; the first two let through what the others answer about */
function watch(answers: Answers = {}, isHeld = false): PayeeWatch {
  return new PayeeWatch(
    {
      readings: async () => answers.readings ?? [],
      findFamilyRows: async () => answers.findFamilyRows ?? [],
      findKnownNames: async (customers) =>
        answers.findKnownNames ??
        (answers.findNamedPayees === undefined ? [] : customers.map((_, n) => ({ n, names: [unmarked] }))),
      findKnownAccounts: async (accounts) =>
        answers.findKnownAccounts ?? new Set(answers.findPayees === undefined ? [] : accounts.keys()),
      findPayees: async () => answers.findPayees ?? [],
      findNamedPayees: async () => answers.findNamedPayees ?? [],
      readKnownNames: async function* () {
        yield* [];
      },
      findDecisions: async () => answers.findDecisions ?? [],
    },
    { isHeld },
  );
}

async function all(own: PayeeWatch, groups: readonly (readonly StagedRow[])[]): Promise<StagedRow[][]> {
  async function* given(): AsyncGenerator<readonly StagedRow[]> {
    yield* groups;
  }
  const judged: StagedRow[][] = [];
  for await (const group of own.judgeAll(given())) judged.push(group);
  return judged;
}

async function judge(own: PayeeWatch, rows: readonly StagedRow[]): Promise<StagedRow[]> {
  return (await all(own, [rows])).flat();
}

const before = {
  ...{ n: 0, batch: 'b4000000-0000-8000-8000-000000000001', row: 7 },
  ...{ isSameCustomer: true, isSameName: true, isSameDetails: false },
};

const codesOf = (rows: readonly StagedRow[]): unknown =>
  rows.map(({ changes = [] }) => changes.map(({ code }) => code));

it('compares the rows of one file with each other, over groups, and forgets them at its end', async () => {
  const own = watch();
  const groups = await all(own, [
    [row(2, 'Joan Wanjiru'), row(3, 'Wanjiru, Joan')],
    [row(4, 'John Kamau')],
    [row(5, 'Joan Wanjiru', ibans[0], 'id-2')],
  ]);
  expect(groups.map(codesOf)).toEqual([[[], []], [['account_shared']], [['account_shared']]]);
  expect(groups[1]?.[0]?.changes).toMatchObject([{ earlier: { batch: null, row: 2 } }]);
  expect((await all(own, [[row(6, 'John Kamau')]])).map(codesOf)).toEqual([[[]]]);
});

it('reports nothing of a payee who has these details too, whatever others there are', async () => {
  const known = [before, { ...before, row: 8, isSameDetails: true }];
  expect(codesOf(await judge(watch({ findPayees: known }), [row(2, 'Joan Wanjiru')]))).toEqual([[]]);
});

it('reports the newest earlier details, and another payee who has the new ones', async () => {
  const other = { ...before, row: 9, isSameCustomer: false };
  const [told] = await judge(watch({ findPayees: [before, { ...before, row: 6 }, other] }), [row(2, 'J W')]);
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
  const findNamedPayees = [{ n: 0, batch: before.batch, row: 4, name: 'Grace Achieng Okello', ...unread }];
  expect(codesOf(await judge(watch({ findNamedPayees }), [row(2, 'Okello Grace')]))).toEqual([
    ['payee_details_changed'],
  ]);
  expect(codesOf(await judge(watch({ findNamedPayees }), [row(2, 'Okello Peter')]))).toEqual([[]]);
});

it('holds on request, and not what a person has decided about', async () => {
  const [held] = await judge(watch({ findPayees: [before] }, true), [row(2, 'Joan Wanjiru')]);
  expect(held).toMatchObject({ state: 'held', reason: { code: 'payee_details_changed', field: 'iban' } });
  const send = { n: 0, verdict: 'send', objectId: null } as const;
  const [sent] = await judge(watch({ findPayees: [before], findDecisions: [send] }, true), [
    row(2, 'Joan Wanjiru'),
  ]);
  expect([sent?.state, sent?.changes]).toEqual(['staged', undefined]);
  const existing = { n: 0, verdict: 'existing', objectId: 'rec_1' } as const;
  const [stands] = await judge(watch({ findPayees: [before], findDecisions: [existing] }, true), [
    row(2, 'Joan Wanjiru'),
  ]);
  expect(stands).toMatchObject({ state: 'existing', objectId: 'rec_1' });
});

it('has no look at rows that are no candidates', async () => {
  const invalid = { ...row(2, 'Joan Wanjiru'), state: 'invalid' } as const;
  const rows = await judge(watch({ findPayees: [before] }, true), [invalid, { ...invalid, resource: null }]);
  expect(rows.map(({ state }) => state)).toEqual(['invalid', 'invalid']);
});

it('looks a payee of a customer of very many up by its own name', async () => {
  const many = { findKnownNames: [{ n: 0, names: null }], findKnownAccounts: new Set<number>() };
  const rows = [row(2, 'Joan Wanjiru')];
  expect(codesOf(await judge(watch({ ...many, findPayees: [before] }), rows))).toEqual([
    ['payee_details_changed'],
  ]);
});

it('asks the ledger for nothing more where neither customer nor account is known', async () => {
  const nothing = { findKnownNames: [], findKnownAccounts: new Set<number>() };
  expect(codesOf(await judge(watch({ ...nothing, findPayees: [before] }), [row(2, 'J W')]))).toEqual([[]]);
});

it('compares with the newest of several names that are alike', async () => {
  const known = [
    { n: 1, batch: before.batch, row: 9, name: 'Grace Achieng Okello', ...unread },
    { n: 0, batch: before.batch, row: 4, name: 'Grace A. Wambui Okello', ...unread },
  ];
  const names = ['one key', 'another key'].map((name) => ({ name, marks: null }));
  const [told] = await judge(watch({ findKnownNames: [{ n: 0, names }], findNamedPayees: known }), [
    row(2, 'Okello Grace'),
  ]);
  expect(told?.changes).toMatchObject([{ code: 'payee_details_changed', earlier: { row: 9 } }]);
});
