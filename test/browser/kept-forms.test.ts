import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, startOn } from '../support/console.ts';
import { letTimePass, openConsoleWithUsers } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { password } from '../support/passwords.ts';
import { browserPath, expectPleasant, openPage, uploaded, useBrowser } from './browser.ts';

useBrowser();
cheapScrypt();

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Somebody who has signed in. */
async function as(world: ConsoleOfTest, name: string): Promise<Page> {
  const page = await openPage();
  await page.goto(world.console.url);
  await signIn(page, name);
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  return page;
}

async function upload(world: ConsoleOfTest, page: Page, name: string, content: string): Promise<void> {
  await page.goto(world.console.url);
  await page.setInputFiles('#files', join(world.desk.folder, await world.desk.write(name, content)));
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await uploaded(page);
  await page.locator('main:not(:has([data-live]))').waitFor({ timeout: 60_000 });
}

describe.skipIf(browserPath === undefined)('after the session has ended, and signing in again,', () => {
  /** Sends a form of a page when the session has ended, and signs in again. */
  async function sendLate(world: ConsoleOfTest, page: Page, name: string, button: string): Promise<string> {
    const address = page.url();
    await letTimePass(world, '31 minutes');
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByText('What you filled in is kept').waitFor();
    await signIn(page, name);
    await page.getByText('Your session had ended, so nothing was done').waitFor();
    expect(new URL(page.url()).pathname).toBe(new URL(address).pathname);
    return address;
  }

  it('a typed cell is in its row again, unless another person has changed the cell meanwhile', async () => {
    const world = await openConsoleWithUsers();
    const mo = await as(world, 'mo');
    const rows = [customer(1), customer(2, { email: 'nowhere', first_name: 'Amna' })];
    await upload(world, mo, 'people.csv', csvOf(rows));
    const row = `${mo.url()}/rows/3`;
    await mo.goto(row);
    await mo.getByLabel('email', { exact: true }).fill('mo@people.example');
    await sendLate(world, mo, 'mo', 'Keep in the draft');
    expect(await mo.getByLabel('email', { exact: true }).inputValue()).toBe('mo@people.example');
    expect(await mo.getByLabel('first_name', { exact: true }).inputValue()).toBe('Amna');
    await mo.getByText('What you filled in to correct cells is in the form again').waitFor();
    await expectPleasant(mo, 'form-filled-in');
    await mo.getByRole('button', { name: 'Keep in the draft' }).click();
    await mo.getByText('With its edits it passes.').waitFor();
    await mo.getByLabel('email', { exact: true }).fill('later@people.example');
    await mo.getByLabel('first_name', { exact: true }).fill('Amina');
    const other = await as(world, 'mo');
    await other.goto(row);
    await other.getByLabel('email', { exact: true }).fill('other@people.example');
    await other.getByRole('button', { name: 'Keep in the draft' }).click();
    await sendLate(world, mo, 'mo', 'Keep in the draft');
    expect(await mo.getByLabel('email', { exact: true }).inputValue()).toBe('other@people.example');
    expect(await mo.getByLabel('first_name', { exact: true }).inputValue()).toBe('Amina');
    expect(await mo.locator('.kept').innerText()).toContain('later@people.example');
  }, 120_000);

  it('notes, choices and answers are filled in on their pages', async () => {
    const world = await openConsoleWithUsers(
      { faults: parseFaults('seed=1,timeout_after=1') },
      {},
      async () => {},
      () => ({ sending: { timeout: 1, maxAttempts: 1 } }),
    );
    const mo = await as(world, 'mo');
    await upload(world, mo, 'people.csv', csvOf(customers(3)));
    const batch = mo.url();
    await mo.goto(`${batch}/close`);
    await mo.getByLabel(/Why/).fill('The wrong month');
    await sendLate(world, mo, 'mo', 'Close the batch');
    expect(await mo.getByLabel(/Why/).inputValue()).toBe('The wrong month');
    await mo.goto(batch);
    await mo.getByRole('button', { name: /^Send 3 rows/ }).click();
    await mo.locator('main:not(:has([data-live]))').waitFor({ timeout: 60_000 });
    await mo.goto(`${batch}/rows/2`);
    await mo.getByText('It was not created').click();
    await mo.getByLabel('Note: how do you know?').fill('They said so');
    await sendLate(world, mo, 'mo', 'Record this');
    expect(await mo.getByLabel('Note: how do you know?').inputValue()).toBe('They said so');
    expect(await mo.getByRole('radio', { name: /It was not created/ }).isChecked()).toBe(true);
    await mo.goto(`${batch}/decide?where=status%3Dunknown&verdict=not-created`);
    await mo.getByLabel('Note: how do you know?').fill('All of them');
    await sendLate(world, mo, 'mo', 'Record it for 3 rows');
    expect(await mo.getByLabel('Note: how do you know?').inputValue()).toBe('All of them');
    expect(new URL(mo.url()).searchParams.get('verdict')).toBe('not-created');
    await upload(world, mo, 'staff.csv', 'Kd-Nr;Vorname;Nachname;E-Mail\r\n1;Lena;Vogel;l@post.example\r\n');
    const column = mo.locator('form:has(input[name="turn"])').getByRole('combobox').first();
    await column.fill('middle name');
    await column.press('Enter');
    await sendLate(world, mo, 'mo', 'Go on');
    expect(await column.inputValue()).toBe('Middle name');
    expect(await mo.locator('form:has(input[name="turn"]) select').first().inputValue()).toBe('middle_name');
  }, 180_000);

  it('the note of an approval is there again, and the password is not', async () => {
    const world = await openConsoleWithUsers({}, {}, async (database) => {
      const rules = [testRule({ mode: 'sandbox', console: true }), testRule()];
      await proposePolicy(database, { rules, approvers: ['ada'] });
    });
    const mo = await as(world, 'mo');
    await upload(world, mo, 'people.csv', csvOf(customers(3)));
    const ada = await as(world, 'ada');
    await ada.goto(`${mo.url()}/approval`);
    await ada.getByLabel('Note', { exact: true }).fill('Looked at every row');
    await ada.getByLabel('Your password, once more').fill('not the password at all');
    await ada.getByRole('button', { name: 'Approve this plan' }).click();
    expect(await ada.getByLabel('Note', { exact: true }).inputValue()).toBe('Looked at every row');
    await ada.goto(`${mo.url()}/approval`);
    await ada.getByLabel('Note', { exact: true }).fill('Looked at every row');
    await ada.getByLabel('Your password, once more').fill(password);
    await sendLate(world, ada, 'ada', 'Approve this plan');
    expect(await ada.getByLabel('Note', { exact: true }).inputValue()).toBe('Looked at every row');
    expect(await ada.getByLabel('Your password, once more').inputValue()).toBe('');
    await ada.getByLabel('Your password, once more').fill(password);
    await ada.getByRole('button', { name: 'Approve this plan' }).click();
    await ada.getByText('You have approved this plan.').waitFor();
  }, 120_000);

  it('a typed cell is there again for a person who enters a console without users once more', async () => {
    const world = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(world.console.entry);
    await upload(world, page, 'people.csv', csvOf([customer(1, { email: 'nowhere' })]));
    await page.goto(`${page.url()}/rows/2`);
    await page.getByLabel('email', { exact: true }).fill('right@people.example');
    const sessionFile = join(world.desk.folder, 'console.sessions');
    await world.console.close();
    const sessions: readonly { seenAtInMs: number }[] = JSON.parse(await readFile(sessionFile, 'utf8'));
    const old = sessions.map((session) => ({ ...session, seenAtInMs: session.seenAtInMs - 31 * 60_000 }));
    await writeFile(sessionFile, JSON.stringify(old));
    const again = await startOn(world, { port: Number(new URL(world.console.url).port) });
    await page.getByRole('button', { name: 'Keep in the draft' }).click();
    await page.getByText('What you filled in is kept').waitFor();
    await expectPleasant(page, 'enter-again');
    await page.getByLabel('The address that was printed').fill(again.entry);
    await page.getByRole('button', { name: 'Enter' }).click();
    expect(await page.getByLabel('email', { exact: true }).inputValue()).toBe('right@people.example');
  }, 60_000);
});
