import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { accessFindings, browserPath, countClicks, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

describe.skipIf(browserPath === undefined)('somebody with a browser', () => {
  it.each([true, false])('takes a file to its results, with scripts: %s', async (javaScriptEnabled) => {
    const { desk, console } = await openConsole({ latencyInMs: 20, enters: false });
    const page = await openPage({ javaScriptEnabled });
    await page.goto(console.entry);
    let clicks = 0;
    const click = async (name: string | RegExp): Promise<void> => {
      clicks += 1;
      await page.getByRole('button', { name }).click();
    };
    const file = join(desk.folder, await desk.write('people.csv', csvOf(customers(12))));
    await page.setInputFiles('#files', file);
    clicks += 2;
    await click('Upload and check');
    await page.getByRole('heading', { name: 'What would be sent' }).waitFor();
    if (javaScriptEnabled) await expectPleasant(page);
    expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    await click(/^Send 12 rows/);
    await page.getByText('All 12 rows created').waitFor({ timeout: 30_000 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(12);
    expect(clicks).toBeLessThanOrEqual(12);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Results (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^people\..*\.results\.csv$/);
  });

  it("says how a partner's file is read, sends it, and is not asked again for the next one", async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    const list = (month: string): string =>
      [
        'Kd-Nr;Vorname;Nachname;E-Mail',
        ...[1, 2, 3].map((at) => `${month}-${at};Lena;Vogel${month}${at};l${at}.${month}@post.example`),
        '',
      ].join('\r\n');
    const upload = async (month: string): Promise<void> => {
      await page.goto(console.url);
      await page.setInputFiles('#files', join(desk.folder, await desk.write(`${month}.csv`, list(month))));
      await page.getByRole('button', { name: 'Upload and check' }).click();
    };
    const plan = page.getByRole('heading', { name: 'What would be sent' });
    await upload('nov');
    for (let asked = 0; ; asked += 1) {
      expect(asked).toBeLessThan(10);
      const question = page.locator('form:has(input[name="turn"]) button').first();
      await plan.or(question).first().waitFor();
      if (await plan.isVisible()) break;
      await expectPleasant(page);
      await question.click();
    }
    await page.getByRole('button', { name: /^Send 3 rows/ }).click();
    await page.getByText('All 3 rows created').waitFor({ timeout: 30_000 });
    const clicksOnPages = await countClicks(page);
    await upload('dec');
    await page.getByRole('button', { name: /^Send 3 rows/ }).click();
    await page.getByText('All 3 rows created').waitFor({ timeout: 30_000 });
    const results = page.getByRole('link', { name: 'Results (CSV)' });
    const [download] = await Promise.all([page.waitForEvent('download'), results.click()]);
    expect(download.suggestedFilename()).toMatch(/^dec\..*\.results\.csv$/);
    // And two that no page sees: on the field, and on the file in the window of the system. Twelve are the most.
    await expect.poll(clicksOnPages).toBe(3);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(6);
  });

  it('corrects a whole group in place, with a preview, and sends the corrections once', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    const rows = customers(6).map((row, at) =>
      at < 4 ? { ...row, email: `someone${at}(at)post.example` } : row,
    );
    await page.setInputFiles('#files', join(desk.folder, await desk.write('people.csv', csvOf(rows))));
    await page.getByRole('button', { name: 'Upload and check' }).click();
    const plan = page.getByRole('heading', { name: 'What would be sent' });
    await plan.waitFor();
    const { pathname: batch } = new URL(page.url());
    await page.goto(new URL(`${batch}/rows?status=invalid`, console.url).href);
    await expectPleasant(page);
    await page.goto(new URL(`${batch}/edit?status=invalid`, console.url).href);
    await page.getByLabel('Column').selectOption({ label: 'email' });
    await page.getByText('The same value for all').click();
    await page.getByLabel('New', { exact: true }).fill('office@post.example');
    await page.getByRole('button', { name: 'Show what it would do' }).click();
    await expectPleasant(page);
    const keep = page.getByRole('button', { name: 'Keep 4 edits in the draft' });
    await keep.click();
    await keep.waitFor({ state: 'detached' });
    await page.goto(new URL(`${batch}/draft`, console.url).href);
    await expectPleasant(page);
    await page.getByRole('button', { name: 'Plan the corrections' }).click();
    await page.getByRole('button', { name: /^Send 4 rows/ }).click();
    await page.getByText('All 4 rows created').first().waitFor({ timeout: 30_000 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
    await page.goto(new URL(batch, console.url).href);
    await page.getByRole('button', { name: /^Send 2 rows/ }).click();
    await page
      .getByText(/2 of 6 rows created/)
      .first()
      .waitFor({ timeout: 30_000 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(6);
  });

  it('decides about many rows at once, after a look at exactly these', async () => {
    const faults = parseFaults('seed=1,timeout_after=1');
    const { desk, console } = await openConsole({ enters: false, faults }, {}, undefined, {
      sending: { timeout: 1, maxAttempts: 1 },
    });
    const page = await openPage();
    await page.goto(console.entry);
    await page.setInputFiles(
      '#files',
      join(desk.folder, await desk.write('people.csv', csvOf(customers(3)))),
    );
    await page.getByRole('button', { name: 'Upload and check' }).click();
    await page.getByRole('button', { name: /^Send 3 rows/ }).click();
    await page.getByText(/3 unknown/).waitFor({ timeout: 60_000 });
    const { pathname: batch } = new URL(page.url());
    await page.goto(new URL(`${batch}/decide?where=status%3Dunknown&verdict=not-created`, console.url).href);
    await expectPleasant(page);
    await page
      .getByLabel(/Note|Why/)
      .first()
      .fill('asked the provider');
    const record = page.getByRole('button', { name: 'Record it for 3 rows' });
    await record.click();
    await record.waitFor({ state: 'detached' });
    await page.locator('#progress').waitFor({ state: 'detached' });
    await page.goto(new URL(batch, console.url).href);
    expect(await page.getByText(/3 unknown/).count()).toBe(0);
  });

  it('has a check for barriers that detects them', async () => {
    const page = await openPage();
    await page.setContent(
      '<main><img src="data:,"><input><p style="color:#bbb;background:#fff">pale</p></main>',
    );
    expect((await accessFindings(page)).map((finding) => finding.split(' ')[1])).toEqual(
      expect.arrayContaining(['image-alt:', 'label:', 'color-contrast:']),
    );
  });
});
