import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvOf, customers, readCsv } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

describe.skipIf(browserPath === undefined)('somebody who reconciles with a browser', () => {
  it.each([true, false])(
    'sees both sides of each difference, with scripts: %s',
    async (javaScriptEnabled) => {
      const { desk, console } = await openConsole({ enters: false });
      const page = await openPage({ javaScriptEnabled });
      await page.goto(console.entry);
      await page.setInputFiles(
        '#files',
        join(desk.folder, await desk.write('people.csv', csvOf(customers(4)))),
      );
      await page.getByRole('button', { name: 'Upload and check' }).click();
      await page.getByRole('button', { name: /^Send 4 rows/ }).click();
      await page.getByText('All 4 rows created').waitFor({ timeout: 30_000 });
      const [first, , third] = await readCsv(await desk.resultText('.results.csv'));
      const exported = [
        'id,external_id,email',
        `${first?.['result_id']},${first?.['external_id']},other@example.com`,
        `${third?.['result_id']},${third?.['external_id']},${third?.['email']}`,
        'c0ffee00-0000-4000-8000-000000000000,S-1,stranger@example.com',
      ].join('\r\n');
      await page.getByRole('link', { name: 'Reconcile' }).click();
      await page.setInputFiles('#files', join(desk.folder, await desk.write('export.csv', exported)));
      await page.getByLabel('It covers days from').fill('2020-01-01');
      await page.getByLabel('to', { exact: true }).fill('2100-01-01');
      await page.getByRole('button', { name: 'Reconcile' }).click();
      await page.getByText('4 differences', { exact: true }).waitFor({ timeout: 30_000 });
      if (javaScriptEnabled) await expectPleasant(page);
      await page.getByRole('link', { name: 'Missing there' }).click();
      await page.getByText('1 to 2 of 2 differences').waitFor();
      expect(await page.getByText('stranger@example.com').count()).toBe(0);
      if (javaScriptEnabled) {
        // The form comes back with what was entered, and says at the field what is missing.
        await page.getByLabel('Note: why?').fill('looked at');
        await page.getByRole('button', { name: 'Give to' }).click();
        await page.waitForURL(/filled_in=/);
        await page.locator('#lacking').waitFor();
        expect(await page.getByLabel('Note: why?').inputValue()).toBe('looked at');
        expect(await page.locator(':focus').getAttribute('name')).toBe('to');
        await expectPleasant(page);
      }
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /^Download as CSV ?: Missing there$/ }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('people.differences.csv');
      await page.getByRole('link', { name: 'row 3', exact: true }).click();
      await page.getByRole('heading', { name: 'Row 3 of people.csv' }).waitFor();
    },
  );
});
