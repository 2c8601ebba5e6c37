/* What makes the pages quick for who works with them every day: keys, dropped files, the progress of an upload, a notice. */

import { describe, expect, it } from 'vitest';
import { csvOf, customers } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { accessFindings, browserPath, dropFile, openPage, useBrowser } from './browser.ts';

useBrowser();

const people = Buffer.from(csvOf(customers(3)));

describe.skipIf(browserPath === undefined)('somebody who works with the pages every day', () => {
  it('finds, turns pages and comes to the button by single keys, which do nothing while something is typed', async () => {
    const { console } = await openConsole({ enters: false });
    const page = await openPage({ baseURL: console.url });
    await page.goto(console.entry);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    expect(await accessFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await help.waitFor();
    // Keys that arrive in the task that closes the dialog: it has the focus, and is in the page, until later ones.
    const closeAndPress = (key: string): Promise<unknown> =>
      page.evaluate(`
        document.querySelector('dialog[open]').close();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
      `);
    await closeAndPress('?');
    await help.waitFor();
    await closeAndPress('/');
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('q');
    await page.keyboard.type('n?/u');
    expect(await page.inputValue('#q')).toBe('n?/u');
    expect(await help.count()).toBe(0);

    await dropFile(page, 'people.csv', Buffer.from(csvOf(customers(250))));
    const send = page.getByRole('button', { name: /^Send 250 rows/ });
    await send.waitFor();
    await page.waitForLoadState();
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement?.textContent')).toContain('Send 250 rows');
    await page.keyboard.press('Enter');
    await page.getByText('All 250 rows created').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'All rows' }).click();
    // A key that is pressed before the next page has loaded goes to the page before it.
    await page.waitForURL(/\/rows$/);
    // A capital, as with Caps Lock on.
    await page.keyboard.press('N');
    await page.waitForURL(/after=/);
    await page.keyboard.press('p');
    await page.waitForURL(/before=/);

    // People who speak to the browser, or type by chance, can turn them off.
    await page.getByRole('button', { name: /Keys/ }).click();
    await help.getByLabel('Single keys work').uncheck();
    await help.getByRole('button', { name: 'Close' }).click();
    const { href } = new URL(page.url());
    await page.keyboard.press('n');
    await page.keyboard.press('u');
    expect(page.url()).toBe(href);
  });

  it('drops a file on any page, sees how much of it has arrived, and what went wrong', async () => {
    const { console, desk } = await openConsole({ enters: false });
    const page = await openPage({ baseURL: console.url });
    await page.goto(console.entry);
    await page.goto('/batches');
    await page.route('**/uploads', (route) => route.abort());
    await dropFile(page, 'people.csv', people);
    await page.getByText('The connection was lost: nothing was done').waitFor();
    await page.unroute('**/uploads');
    let arrives: () => void = () => {};
    const mayArrive = new Promise<void>((resume) => {
      arrives = resume;
    });
    await page.route('**/uploads', async (route) => {
      await mayArrive;
      await route.continue();
    });
    await dropFile(page, 'people.csv', people);
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    expect(await accessFindings(page)).toEqual([]);
    arrives();
    await page.getByRole('button', { name: /^Send 3 rows/ }).waitFor();
    expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    // What the console refuses is shown as its page.
    await dropFile(page, 'letter.pdf', Buffer.from('%PDF-1.7\n'));
    await page.getByRole('alert').waitFor();
  });

  it('gets a notice of the browser that a batch is done, if the notice was requested', async () => {
    const { console } = await openConsole({ enters: false, latencyInMs: 300 }, {}, undefined, {
      sending: { concurrency: 1 },
    });
    const page = await openPage({ baseURL: console.url });
    // The browser of the test shows no notices itself.
    await page.addInitScript(`
      globalThis.notices = [];
      globalThis.Notification = class extends EventTarget {
        static permission = sessionStorage.getItem('permission') ?? 'default';
        static async requestPermission() {
          sessionStorage.setItem('permission', 'granted');
          return (Notification.permission = 'granted');
        }
        constructor(title) {
          super();
          notices.push(title);
        }
        close() {}
      };
      Object.defineProperty(document, 'hidden', { get: () => sessionStorage.getItem('hidden') === 'yes' });
    `);
    await page.goto(console.entry);
    await dropFile(page, 'people.csv', Buffer.from(csvOf(customers(12))));
    await page.getByRole('button', { name: /^Send 12 rows/ }).click();
    await page.getByRole('button', { name: 'Tell me when it is done' }).click();
    await page.evaluate("sessionStorage.setItem('hidden', 'yes')");
    await page.getByText('All 12 rows created').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.evaluate('notices')).toEqual(['Sent: 12 rows']);
  });
});
