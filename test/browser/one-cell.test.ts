import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { csvOf, customer } from '../support/cli-files.ts';
import { openConsoleWithUsers } from '../support/console-users.ts';
import { givePassword, password } from '../support/passwords.ts';
import { addTestUser } from '../support/user-key.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

describe.skipIf(browserPath === undefined)('two people who correct one cell, with a browser each', () => {
  it('the second is refused, sees the newer value and by whom, and goes on from it', async () => {
    const { console, desk } = await openConsoleWithUsers({}, {}, async (database) => {
      await addTestUser(database, 'kim', 'maker');
      await givePassword(database, 'kim');
    });
    const as = async (name: string): Promise<Page> => {
      const page = await openPage();
      await page.goto(console.url);
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'To do' }).waitFor();
      return page;
    };
    const [mo, kim] = [await as('mo'), await as('kim')];
    const rows = [customer(1), customer(2, { email: 'nowhere' })];
    await mo.setInputFiles('#files', join(desk.folder, await desk.write('people.csv', csvOf(rows))));
    await mo.getByRole('button', { name: 'Upload and check' }).click();
    await mo.getByRole('heading', { name: 'What would be sent' }).waitFor();
    const row = `${mo.url()}/rows/3`;
    const keepAs = async (page: Page, value: string): Promise<void> => {
      await page.getByLabel('email', { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Keep in the draft' }).click();
    };
    await Promise.all([mo.goto(row), kim.goto(row)]);
    await keepAs(mo, 'mo@people.example');
    await mo.getByText('With its edits it passes.').waitFor();
    await keepAs(kim, 'kim@people.example');
    await kim.getByText('out of date').first().waitFor();
    expect(await kim.getByText('mo@people.example').count()).toBeGreaterThan(0);
    expect(await kim.getByText('kim@people.example').count()).toBeGreaterThan(0);
    await expectPleasant(kim);
    await mo.goto(row);
    expect(await mo.getByLabel('email', { exact: true }).inputValue()).toBe('mo@people.example');
    await kim.goto(row);
    expect(await kim.getByLabel('email', { exact: true }).inputValue()).toBe('mo@people.example');
    await keepAs(kim, 'kim@people.example');
    await kim.getByText('With its edits it passes.').waitFor();
    expect(await kim.getByLabel('email', { exact: true }).inputValue()).toBe('kim@people.example');
  });
});
