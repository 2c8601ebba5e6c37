import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/faults.ts';
import type { Desk } from '../support/cli-desk.ts';
import { account, csvOf, customer, customers, readCsv, recipient } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { onLedgerOf } from '../support/console-users.ts';
import { executeByHand } from '../support/ledger-rows.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

const payee = (name: string, iban: string): Readonly<Record<string, string>> => ({
  ...{ payee_type: 'sepa', customer_external_id: 'C-1', account_name: name, iban, bank_name: 'Bank' },
  ...{ currency: 'EUR', account_owner_type: 'individual', address_line1: 'Street 1', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE', amount: '1250.00' },
});

/** A day of imports, after which something is left in each section. */
async function busyDay(desk: Desk, setFault: (fault: FaultName | undefined) => void): Promise<void> {
  const put = (name: string, rows: readonly Readonly<Record<string, string>>[]): Promise<string> =>
    desk.write(name, csvOf(rows));
  await desk.run(['import', await put('people.csv', customers(2))]);
  await desk.run(['import', await put('wallets.csv', [account(1)])]);
  await desk.run(['import', await put('payees october.csv', [payee('Jo Roe', 'DE89370400440532013000')])]);
  const moved = await put('payees november.csv', [payee('Jo Roe', 'DE75512108001245126199')]);
  await desk.run(['import', moved, '--changes', 'hold']);
  await desk.run(['import', await put('renamed.csv', [customer(1, { last_name: 'Other' })])]);
  await desk.run(['import', await put('wrong.csv', [customer(7, { email: 'no address' }), customer(8)])]);
  await desk.run(['plan', await put('planned.csv', customers(3, 20))]);
  await desk.run(['plan', await put('banks.csv', [recipient(1, { institution_name: 'No Such Bank' })])]);
  for (const [fault, name, number] of [
    ['empty_answer', 'doubt.csv', 30],
    ['empty_answer', 'old doubt.csv', 31],
    ['422', 'refused.csv', 40],
  ] as const) {
    setFault(fault);
    await desk.run(['import', await put(name, [customer(number)]), '--max-attempts', '1']);
  }
  setFault(undefined);
  const { stdout } = await desk.json(['status']);
  const people = JSON.parse(stdout).batches.find(({ file }: { file: string }) => file === 'people.csv');
  const other = await desk.write('export.csv', 'id,email\r\nS-1,a@b.example\r\n');
  await desk.run(['reconcile', people.batch, '--against', other]);
  await desk.run(['import', await desk.write('night.csv', 'foo,bar\r\n1,2\r\n')]);
}

/** As if the rows of a file had been sent two days ago. */
async function ageBatch(desk: Desk, file: string): Promise<void> {
  await onLedgerOf(desk, async (database) => {
    await executeByHand(
      database,
      `UPDATE row_states SET first_sent_at = first_sent_at - interval '2 days'
       WHERE batch_id = (SELECT id FROM batches WHERE file_name = ?)`,
      [file],
    );
  });
}

describe.skipIf(browserPath === undefined)('the work list in a browser', () => {
  it('is pleasant with every section, leads to what is to be done, and gives its tables as files', async () => {
    let fault: FaultName | undefined;
    const { console } = await openConsole(
      { enters: false, kyc: 'required', onRequest: () => fault },
      {},
      async (desk) => {
        await busyDay(desk, (next) => {
          fault = next;
        });
        await ageBatch(desk, 'old doubt.csv');
      },
    );
    const page = await openPage({ acceptDownloads: true });
    await page.goto(console.entry);
    await page.getByText('11 things to do').waitFor();
    expect(await page.locator('#differences tbody tr').textContent()).toContain('not assigned: 1');
    const doubts = page.locator('#doubts tbody tr');
    expect(await doubts.first().textContent()).toContain('ran out');
    expect(await doubts.last().textContent()).toContain('runs out');
    await expectPleasant(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#doubts').getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('To do - In doubt.csv');
    expect(readCsv(readFileSync(await download.path(), 'utf8')).map(({ Batch }) => Batch)).toEqual([
      expect.stringContaining('old doubt.csv'),
      expect.stringContaining('doubt.csv'),
      // The line with the total.
      'all',
    ]);
    await page.getByRole('button', { name: 'Put away' }).press('Enter');
    await page.getByText('10 things to do').waitFor();
    await page.getByRole('link', { name: 'Reconcile here' }).click();
    await page.getByRole('heading', { name: 'Reconcile people.csv' }).waitFor();
    await page.goBack();
    await page.locator('#payees').getByRole('link', { name: 'Decide about them' }).click();
    await page.getByRole('heading', { name: 'Decide about many rows' }).waitFor();
    await page.getByText('Rows: all that are held, because: payee details changed.').waitFor();
    expect(await page.getByLabel('Condition').inputValue()).toBe(
      'status=held and code=payee_details_changed',
    );
    await expectPleasant(page);
    await page.getByRole('link', { name: 'Institutions' }).first().click();
    await page.getByLabel('Country').selectOption('KE');
    await page.getByRole('button', { name: 'Show its institutions' }).click();
    await page.getByText('The list is complete').waitFor();
    await expectPleasant(page);
  });
});
