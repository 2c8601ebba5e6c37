import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { csvOf, customers } from '../support/cli-files.ts';
import { openConsoleWithUsers } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { password } from '../support/passwords.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

describe.skipIf(browserPath === undefined)('two people with a browser each', () => {
  it('one uploads and cannot send alone, the other approves what is shown, and then it is sent', async () => {
    const { console, desk } = await openConsoleWithUsers({}, {}, async (database) => {
      const rules = [testRule({ mode: 'sandbox', console: true }), testRule()];
      await proposePolicy(database, { rules, approvers: ['ada'] });
    });
    const as = async (name: string): Promise<Page> => {
      const page = await openPage();
      await page.goto(console.url);
      await expectPleasant(page);
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'To do' }).waitFor();
      return page;
    };
    const [mo, ada, root] = [await as('mo'), await as('ada'), await as('root')];
    await mo.setInputFiles('#files', join(desk.folder, await desk.write('people.csv', csvOf(customers(2)))));
    await mo.getByRole('button', { name: 'Upload and check' }).click();
    await mo.getByRole('heading', { name: 'What would be sent' }).waitFor();
    const batch = mo.url();
    await expectPleasant(mo);
    await ada.goto(`${batch}/approval`);
    await expectPleasant(ada);
    await ada
      .getByLabel(/password/i)
      .first()
      .fill(password);
    await ada.getByRole('button', { name: 'Approve this plan' }).click();
    await ada.getByText('You have approved this plan').waitFor();
    expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    await mo.goto(batch);
    await mo
      .getByRole('button', { name: /^Send 2 rows|^Go on/ })
      .first()
      .click();
    await mo.getByText('All 2 rows created').waitFor({ timeout: 30_000 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
    await root.goto(new URL('/users', console.url).href);
    await expectPleasant(root);
  });
});
