import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { csvOf, customer } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { openConsoleWithUsers } from '../support/console-users.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';
import { focused, openRows, paste, press, said, signIn, tabToGrid } from './row-grid.ts';

useBrowser();

/** More rows than a page has: rows 2 to 251, each with two faults, and one without any. */
const people = [
  ...Array.from({ length: 250 }, (_, at) =>
    customer(at + 1, { email: `p${at + 1}@post.example.0`, country: 'Kenia' }),
  ),
  customer(251, { country: 'KE' }),
];

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `b${at}@post.example`).join('\n');

async function openTable(): Promise<Page> {
  const { desk, console } = await openConsole({ enters: false });
  const page = await openPage();
  await page.goto(console.entry);
  await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
  await tabToGrid(page);
  return page;
}

/** Goes to the first cell of a column with the keyboard. */
async function goToColumn(page: Page, title: string): Promise<void> {
  await press(page, 'Control+Home');
  for (let steps = 0; steps < 60; steps += 1) {
    const here: string = await page.evaluate('document.activeElement.dataset.title ?? ""');
    if (here === title) return;
    await press(page, 'ArrowRight');
  }
  throw new Error(`there is no column ${title}`);
}

describe.skipIf(browserPath === undefined)('a table of rows with several pages', () => {
  it('takes a block that is longer than the page as one step, once a person has said so, and undoes it', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    await paste(page, lines(150));
    await said(page, 'The block has 150 lines, and this page has 100 rows from here. The other 50 lines');
    await expectPleasant(page, 'rows-block');
    await press(page, 'Enter');
    await said(
      page,
      'Saved: 150 cells in 150 rows; 0 of these 150 rows pass now. The draft: 150 edits in 150 rows',
    );
    expect(await focused(page)).toBe('2 b0@post.example');
    await press(page, 'Control+z');
    await said(page, 'Undone: 150 cells are as before.');
    expect(await focused(page)).toBe('2 p1@post.example.0');
    await paste(page, lines(10_000));
    await press(page, 'Enter');
    await said(
      page,
      'The block has 9,900 lines for the rows behind the page, of which there are 151. Nothing was changed.',
    );
    expect(await focused(page)).toBe('2 p1@post.example.0');
    await paste(page, lines(150));
    await press(page, 'Tab', 'Enter');
    await said(page, 'Saved: 100 cells');
  });

  it('shows a block before it is saved, says that it is saved before it is checked, and undoes it meanwhile', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    const held: Record<string, () => void> = {};
    const asked: string[] = [];
    await page.route(/\/draft(?:\/check|\/undo)?$/, async (route) => {
      const [, way = ''] = /\/draft\/?(\w*)$/.exec(route.request().url()) ?? [];
      asked.push(way);
      await new Promise<void>((resume) => {
        held[way] = resume;
      });
      await route.continue();
    });
    const release = async (way: string): Promise<void> => {
      await expect.poll(() => held[way] !== undefined).toBe(true);
      held[way]?.();
      delete held[way];
    };
    const marked = async (): Promise<readonly number[]> => [
      await page.locator('td.unsaved').count(),
      await page.locator('td.unchecked').count(),
    ];
    await paste(page, lines(150));
    await press(page, 'Enter');
    await said(page, 'Saving …');
    // Nothing was answered yet.
    expect([await focused(page), await marked()]).toEqual(['2 b0@post.example', [100, 0]]);
    await release('');
    await said(page, 'Saved: 150 cells. Checking …');
    expect(await marked()).toEqual([0, 100]);
    await expectPleasant(page, 'rows-block-unchecked');
    // Only unsaved cells ask the person to stay on the page.
    expect(await page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")).toBe(true);
    await press(page, 'Control+z');
    expect([await focused(page), await marked()]).toEqual(['2 p1@post.example.0', [100, 0]]);
    expect(await page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")).toBe(false);
    await release('check');
    await release('undo');
    await said(page, 'Undone: 150 cells are as before.');
    expect([await focused(page), await marked()]).toEqual(['2 p1@post.example.0', [0, 0]]);
    expect(asked).toEqual(['', 'check', 'undo']);
  });

  it('tries the check of a saved block again when its answer is lost, and saves what is typed meanwhile first', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    const asked: string[] = [];
    await page.route(/\/draft(?:\/check)?$/, (route) => {
      const isCheck = route.request().url().endsWith('/check');
      asked.push(isCheck ? 'check' : 'save');
      return isCheck && asked.length < 3 ? route.abort() : route.continue();
    });
    await paste(page, lines(150));
    await press(page, 'Enter');
    await said(page, 'No connection to the console: it is tried again. What you typed is saved.');
    await page.keyboard.type('typed@post.example');
    await press(page, 'Enter');
    await said(page, 'Saved: 150 cells in 150 rows');
    expect(asked).toEqual(['save', 'check', 'save', 'check']);
    await press(page, 'ArrowUp');
    expect(await focused(page)).toBe('2 typed@post.example');
    expect(await page.locator('td.unsaved, td.unchecked').count()).toBe(0);
  });

  it('keeps a long block while the session has ended, and saves it afterwards', async () => {
    const { desk, console } = await openConsoleWithUsers();
    const page = await openPage();
    await signIn(page, console.url, 'mo');
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    await goToColumn(page, 'email');
    await paste(page, lines(150));
    await page.context().clearCookies();
    await press(page, 'Enter');
    await said(page, 'Your session has ended. Sign in again in another window');
    await said(page, '150 cells that you typed are kept in this page.');
    await signIn(await page.context().newPage(), console.url, 'mo');
    await said(page, 'The draft: 150 edits in 150 rows');
  });

  it('takes the table of a web page that comes without text, its markup as text and over several pages', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    const cells = Array.from(
      { length: 150 },
      (_, at) => `<tr><td>\n  <b>h${at}</b>@post.example <script>alert(1)</script></td></tr>`,
    );
    await paste(page, '<p>no table, and no text</p>', 'text/html');
    await said(page, 'There is no text to paste.');
    await paste(page, `<meta charset="utf-8"><table>${cells.join('')}</table>`, 'text/html');
    await said(page, 'The block has 150 lines, and this page has 100 rows from here.');
    await press(page, 'Enter');
    await said(page, 'Saved: 150 cells in 150 rows');
    expect(await focused(page)).toBe('2 h0@post.example alert(1)');
    await paste(page, '<table><tr><td colspan="2">a@post.example</td><th>+1</th></tr></table>', 'text/html');
    await said(page, 'Saved: 3 cells');
    await press(page, 'ArrowRight', 'ArrowRight');
    expect(await focused(page)).toBe('2 +1');
  });

  it('says what is not saved yet while the connection is slow, and keeps the page with it', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    await page.route('**/draft', async (route) => {
      await page.waitForTimeout(3_000);
      await route.continue();
    });
    for (const name of ['one', 'two', 'three']) {
      await page.keyboard.type(`${name}@post.example`);
      await press(page, 'Enter');
    }
    await said(page, 'Saving … 3 cells that you typed are kept in this page. Do not close it.');
    expect(await page.locator('td.unsaved').allTextContents()).toEqual(
      ['one', 'two', 'three'].map((name) => `${name}@post.example`),
    );
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.assign("/"))');
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await said(page, 'The draft: 3 edits in 3 rows');
    expect(await page.locator('td.unsaved').count()).toBe(0);
  });

  it('undoes a long block whose answer was lost, and that was sent again', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    let lost = 0;
    await page.route('**/draft', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await paste(page, lines(150));
    await press(page, 'Enter');
    await said(
      page,
      'No connection to the console: it is tried again. 150 cells that you typed are kept in this page.',
    );
    await said(page, 'Saved: 150 cells in 150 rows');
    await press(page, 'Control+z');
    await said(page, 'Undone: 150 cells are as before.');
    expect([lost, await focused(page)]).toEqual([1, '2 p1@post.example.0']);
  });

  it('offers the values of a column as a list that is searched by typing', async () => {
    const page = await openTable();
    await goToColumn(page, 'country');
    await press(page, 'F2');
    await page.getByRole('listbox', { name: 'country of row 2' }).waitFor();
    await expectPleasant(page, 'rows-choices');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('keny');
    await expect
      .poll(() => page.getByRole('listbox').getByRole('option').allTextContents())
      .toEqual(['KE Kenya']);
    await press(page, 'ArrowDown');
    const marked = page.getByRole('listbox').getByRole('option', { selected: true });
    expect(await page.getByRole('combobox', { name: 'country' }).getAttribute('aria-activedescendant')).toBe(
      await marked.getAttribute('id'),
    );
    await expectPleasant(page, 'rows-choices-found');
    await press(page, 'Enter');
    await said(page, 'Saved: 1 cell; 1 row is still faulty.');
    expect(await focused(page)).toBe('3 Kenia');
    await page.keyboard.type('Ger');
    await page.getByRole('listbox').getByRole('option', { name: 'DE Germany' }).click();
    await said(page, 'The draft: 2 edits in 2 rows');
    expect(await focused(page)).toBe('3 DE');
    await press(page, 'ArrowDown', 'F2');
    await page.getByRole('listbox').waitFor();
    await press(page, 'Escape');
    expect([await focused(page), await page.getByRole('listbox').count()]).toEqual(['4 Kenia', 0]);
  });

  it('finds and replaces in a column of all pages with the keyboard, and takes it back', async () => {
    const page = await openTable();
    await goToColumn(page, 'email');
    await press(page, 'Control+h');
    await page.keyboard.type('.0');
    await expectPleasant(page, 'rows-find');
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'email: 250 rows would change' }).waitFor();
    await expectPleasant(page, 'rows-find-preview');
    await page.getByRole('button', { name: 'Keep 250 edits in the draft' }).press('Enter');
    await page.getByText('250 cells changed; 0 of these 250 rows pass now.').waitFor();
    await expectPleasant(page, 'rows-found');
    await page.locator('.step-said button').press('Enter');
    await page.getByText('250 cells are as before').waitFor();
    await page.getByRole('button', { name: 'Do it again' }).waitFor();
  });
});
