import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { onLedgerOf } from '../support/console-users.ts';
import { freePort } from '../support/free-port.ts';
import { givePassword, password } from '../support/passwords.ts';
import { type ServedConsole, serveConsole } from '../support/served-console.ts';
import { addTestUser } from '../support/user-key.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

const rows = 800;

/** For what hangs: that it takes twenty seconds is shown in virtual time by `test/console/pages/assets.test.ts`. */
const soonInMs = 45_000;

/** The page says that it has no connection, and offers nothing that cannot be done. */
async function expectLost(page: Page): Promise<void> {
  await page.getByText('No connection to the console since').waitFor({ timeout: soonInMs });
  expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
}

/** The page counts on, as it did before. */
async function expectCountingOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Stop' }).waitFor({ timeout: soonInMs });
  expect(await page.getByText('No connection').count()).toBe(0);
  const figures = page.locator('#progress');
  const before = await figures.innerText();
  await expect.poll(() => figures.innerText(), { timeout: soonInMs }).not.toBe(before);
}

describe.skipIf(browserPath === undefined)('a page that shows sending', () => {
  it.each([false, true])(
    'says soon that the console was killed, and counts on soon after its restart; people sign in: %s',
    async (hasUsers) => {
      const desk = await openDesk();
      if (hasUsers) {
        await onLedgerOf(desk, async (database) => {
          await addTestUser(database, 'mo', 'maker');
          await givePassword(database, 'mo');
        });
      }
      const port = String(await freePort());
      const serve = (): Promise<ServedConsole> =>
        serveConsole(desk, ['--port', port, '--rate', '10', ...(hasUsers ? ['--users'] : [])]);
      const first = await serve();
      const page = await openPage();
      await page.goto(first.url + first.entry);
      if (hasUsers) {
        await page.getByLabel('Name').fill('mo');
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'To do' }).waitFor();
      }
      const file = join(desk.folder, await desk.write('people.csv', csvOf(customers(rows))));
      await page.setInputFiles('#files', file);
      await page.getByRole('button', { name: 'Upload and check' }).click();
      await page.getByRole('button', { name: `Send ${rows} rows` }).click();
      // Planning counts its rows as well.
      await page.getByText(`of ${rows} rows done`).first().waitFor({ timeout: soonInMs });
      await expectCountingOn(page);
      const text = await page.locator('main').innerText();
      expect(text).toMatch(/\d+ of 800 rows done/);
      expect(text).toMatch(/In this run: \d+ created/);
      expect(text).not.toMatch(/0 of 800 rows created/);
      first.program.child.kill('SIGKILL');
      await expectLost(page);
      await expectPleasant(page, 'connection-lost');
      await first.program.ended;
      await serve();
      await expectCountingOn(page);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Go on with').waitFor({ timeout: soonInMs });
      expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    },
    300_000,
  );

  it('says so too where the console hangs, and loads itself anew once it answers', async () => {
    const desk = await openDesk();
    const { program, url, entry } = await serveConsole(desk, ['--port', '0', '--rate', '10']);
    const page = await openPage();
    await page.goto(url + entry);
    const file = join(desk.folder, await desk.write('people.csv', csvOf(customers(rows))));
    await page.setInputFiles('#files', file);
    await page.getByRole('button', { name: 'Upload and check' }).click();
    await page.getByRole('button', { name: `Send ${rows} rows` }).click();
    await expectCountingOn(page);
    program.child.kill('SIGSTOP');
    await expectLost(page);
    program.child.kill('SIGCONT');
    await page.getByText('No connection').waitFor({ state: 'detached', timeout: soonInMs });
    // A run that was suspended for so long may have lost its lease, and ends then.
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.or(page.getByText('Go on with')).first().waitFor({ timeout: soonInMs });
  }, 300_000);
});
