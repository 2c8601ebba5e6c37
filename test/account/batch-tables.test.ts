/* What would be sent has the same totals wherever it is shown: on the page, on its button, in the work list, before an approver. */

import { expect, it } from 'vitest';
import { callTables, plannedRows, planTables } from '../../src/account/batch-tables.ts';
import { cellText, type Table } from '../../src/account/table.ts';
import type { PlanGroup, PlanTotals } from '../../src/domain/batches/account.ts';
import { csvOf, customers, readCsvLines } from '../support/cli-files.ts';
import { uploadAndCheck } from '../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { password } from '../support/passwords.ts';

function group(
  currency: string | null,
  rows: number,
  amount: string | null,
  institution = 'Chase',
): PlanGroup {
  const resource = 'recipients/bank_account_us';
  return { resource, institution, currency, rows, rowsWithAmount: amount === null ? 0 : rows, amount };
}

function textOf({ rows, totals = [] }: Table): readonly string[] {
  return [...rows, ...totals].map((line) => line.map(cellText).join(' | '));
}

const skip: PlanTotals['skip'] = [{ status: 'invalid', code: 'required', rows: 2, firstRow: 7 }];

it('adds up what would be sent by currency, and does not add currencies to each other', () => {
  const send = [group('KES', 2, '100.5'), group('KES', 1, null, 'KCB'), group('XOF', 3, '6898301')];
  const [sent] = planTables({ send, skip });
  expect(sent && textOf(sent).slice(3)).toEqual([
    'all |  | KES | 3 | 100.50 (2 of 3 rows)',
    'all |  | XOF | 3 | 6,898,301',
  ]);
  expect(plannedRows({ send })).toBe(6);
});

it('adds up several files in one table, each line with its file', () => {
  const plans = [
    { file: 'a.csv', sheet: null, totals: { send: [group('TZS', 1, '900000')], skip } },
    { file: 'b.xlsx', sheet: 'May', totals: { send: [group('TZS', 1, '900000', 'CRDB')], skip: [] } },
  ];
  const [sent, left] = callTables(plans);
  expect(sent && textOf(sent)).toEqual([
    'a.csv | bank account us | Chase | TZS | 1 | 900,000.00',
    'b.xlsx, sheet May | bank account us | CRDB | TZS | 1 | 900,000.00',
    'all |  |  | TZS | 2 | 1,800,000.00',
  ]);
  expect(left && textOf(left)).toEqual(['a.csv | invalid | required | 2 | 7']);
});

function payee(account: number, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...{ payee_type: 'bank_account_us', customer_external_id: 'C-1', account_name: 'Amina Otieno' },
    ...{ account_number: String(40_001_000 + account), routing_number: '021000021', bank_name: 'Chase' },
    ...{ currency: 'USD', amount: '1000.5', account_owner_type: 'individual', account_type: 'checking' },
    ...{ address_line1: '1 Main Street', city: 'San Francisco', state: 'US-CA', country: 'US' },
    ...{ postal_code: '94103', ...given },
  };
}

it('has one total in the table, on the button, in the list of approvals, and before the approver', async () => {
  const world = await openConsoleWithUsers({}, {}, (database) =>
    proposePolicy(database, {
      rules: [testRule({ mode: 'sandbox', kinds: ['recipients'], console: true }), testRule()],
      approvers: ['ada'],
    }).then(() => undefined),
  );
  const [mo, ada] = [await visitorAs(world, 'mo'), await visitorAs(world, 'ada')];
  const people = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  const hashIn = (text: string): string => /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  await mo.post(`${people.path}/send`, { plan_hash: hashIn(people.text) });
  await mo.until(people.path, ({ text }) => text.includes('1 row created'));

  // Three are sent, of which one has no amount; the fourth repeats the first, and the fifth is invalid.
  const rows = [payee(1), payee(2), payee(3, { amount: '' }), payee(1), payee(4, { routing_number: 'none' })];
  const { path } = await uploadAndCheck(mo, [{ name: 'payees.csv', content: csvOf(rows) }]);
  const linesOn = async (address: string, id: string): Promise<readonly string[]> =>
    readCsvLines((await ada.get(`${address}?csv=${id}`)).text).map((line) => line.join(' | '));
  const totalOn = async (address: string): Promise<string | undefined> =>
    (await linesOn(address, 'what-would-be-sent')).at(-1);
  const total = 'all |  | USD | 3 | 2001';
  expect(await totalOn(path)).toContain(total);
  const approval = await ada.get(`${path}/approval`);
  expect(approval.text).toContain('3 rows would be sent');
  expect(await totalOn(`${path}/approval`)).toContain(total);
  const waiting = /<section id="approvals">[\s\S]*?<\/section>/.exec((await ada.get('/')).text)?.[0] ?? '';
  expect(waiting.match(/<td[^>]*>3<\/td>/g)).toHaveLength(2);
  expect(waiting.match(/2,001\.00 USD/g)).toHaveLength(2);
  expect(waiting.match(/of 2 of 3 rows/g)).toHaveLength(2);

  const planHash = /<code>([0-9a-f]{64})</.exec(approval.text)?.[1] ?? '';
  await ada.get(`${path}/approval`);
  await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password });
  const approved = await mo.get(path);
  expect(approved.text).toContain('Send 3 rows');
  expect(await totalOn(path)).toContain(total);
  expect(await linesOn(path, 'amounts')).toContain('not sent | USD | 2 | 2001.00');
  await mo.post(`${path}/send`, { plan_hash: hashIn(approved.text) });
  await mo.until(path, ({ text }) => text.includes('3 of 5 rows created'));
  expect(world.desk.sandbox.counts().sandbox.created).toMatchObject({ external_accounts: 3 });
});
