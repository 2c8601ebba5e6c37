import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { openConsole } from '../support/console.ts';
import { openConsoleWithUsers } from '../support/console-users.ts';
import { givePassword } from '../support/passwords.ts';
import { addTestUser } from '../support/user-key.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';
import { focused, openRows, paste, press, said, signIn, tabToGrid } from './row-grid.ts';

useBrowser();

/** Two valid rows, and three whose e-mail address is none: rows 4 to 6. */
const people = [
  ...customers(2),
  ...[3, 4, 5].map((number) => customer(number, { email: `nowhere${number}` })),
];

describe.skipIf(browserPath === undefined)('the table of rows', () => {
  it('is corrected with the keyboard alone: typed, left, pasted, filled down and undone', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    expect(await focused(page)).toBe('4 nowhere3');
    await page.getByText('is not one e-mail address').first().waitFor();
    await expectPleasant(page, 'rows-focus');
    await page.keyboard.type('three@post.example');
    await press(page, 'Enter');
    expect(await focused(page)).toBe('5 nowhere4');
    await said(page, 'Saved: 1 cell; 1 row passes now. The draft: 1 edit in 1 row');
    await press(page, 'F2');
    await page.keyboard.type('x');
    await press(page, 'Escape');
    expect(await focused(page)).toBe('5 nowhere4');
    await press(page, 'Control+d');
    await said(page, 'The draft: 2 edits in 2 rows');
    // The link that the page has beside the table says the same.
    const link = page.locator('.actions a', { hasText: 'The draft' });
    expect(await link.allTextContents()).toEqual(['The draft: 2 edits in 2 rows']);
    // As with Caps Lock on.
    await press(page, 'Control+Z');
    await said(page, 'Undone: 1 cell is as before. The draft: 1 edit in 1 row');
    expect(await link.allTextContents()).toEqual(['The draft: 1 edit in 1 row']);
    await paste(page, 'four@post.example\r\n=1+1\r\n');
    await said(page, 'Saved: 2 cells; 1 row passes now, 1 row is still faulty. The draft: 3 edits in 3 rows');
    await expectPleasant(page, 'rows-pasted');
    await press(page, 'ArrowDown');
    expect(await focused(page)).toBe('6 =1+1');
    await press(page, 'ArrowUp', 'ArrowUp');
    await page.keyboard.type('again');
    await press(page, 'Tab');
    await said(page, '1 row is still faulty');
    await press(page, 'Control+z', 'Control+z', 'Control+z');
    await said(page, 'The draft: 0 edits in 0 rows');
    expect(await link.count()).toBe(0);
  });

  it('keeps name and faulty column in sight, one beside the other, while it scrolls to its end', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage({ viewport: { width: 1_280, height: 800 } });
    await page.goto(console.entry);
    const long = 'a very long line of an address without an end';
    const more = { middle_name: long, address_line1: long, address_line2: long, city: long, country: 'KE' };
    const wide = people.map((person) => ({ ...person, ...more }));
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(wide))));
    const placed = async (): Promise<number[]> => {
      const boxes = await Promise.all(
        ['.standing', '.naming', '.pinned'].map((name) =>
          page.locator(`tbody tr[data-row="4"] ${name}`).first().boundingBox(),
        ),
      );
      return boxes.flatMap((box) => (box === null ? [] : [Math.round(box.x), Math.round(box.x + box.width)]));
    };
    await page.locator('.row-table').evaluate((box) => box.scrollTo(box.scrollWidth, 0));
    const places = await placed();
    expect(places).toHaveLength(6);
    // None covers the one before it, and none is out of sight.
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places[2]).toBeLessThanOrEqual((places[1] ?? 0) + 2);
    expect(places[4]).toBeLessThanOrEqual((places[3] ?? 0) + 2);
    await expectPleasant(page, 'rows-wide');
  });

  it('is corrected with a magnification of 400 %: what a fault says covers no field', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage({ viewport: { width: 320, height: 225 } });
    await page.goto(console.entry);
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    const why = page.getByText('is not one e-mail address').first();
    await why.waitFor();
    await press(page, 'F2');
    const field = page.locator('td.editing > input');
    const [own, below] = [await field.boundingBox(), await why.boundingBox()];
    const isCovered =
      own !== null && below !== null && own.y < below.y + below.height && below.y < own.y + own.height;
    expect(isCovered).toBe(false);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('three@post.example');
    await press(page, 'Enter');
    await said(page, 'Saved: 1 cell; 1 row passes now');
  });

  it('refuses what cannot be pasted, says why, and changes nothing', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    await paste(page, '<p>a@b.example</p>', 'text/html');
    await said(page, 'There is no text to paste.');
    await paste(page, Array.from({ length: 10_000 }, (_, at) => `a${at}@b.example`).join('\n'));
    await said(
      page,
      'The block has 10,000 lines, and from row 4 on this page has 3 rows. Nothing was changed',
    );
    await paste(page, Array.from({ length: 40 }, () => 'x').join('\t'));
    await said(page, 'The block has 40 columns');
    await paste(page, 'x'.repeat(2_100_000));
    await said(page, 'That is too much to paste');
    await paste(page, '<img src=x onerror=alert(1)>');
    await said(page, '1 row is still faulty');
    expect(await page.locator('table img').count()).toBe(0);
  });

  it('keeps what was typed while there is no connection, says so, and saves it afterwards', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    await page.context().setOffline(true);
    await page.keyboard.type('three@post.example');
    await press(page, 'Enter');
    await said(
      page,
      'No connection to the console: it is tried again. 1 cell that you typed is kept in this page.',
    );
    await page.keyboard.type('four@post.example');
    await press(page, 'Enter');
    await said(page, '2 cells that you typed are kept in this page.');
    await expectPleasant(page, 'rows-lost');
    await page.context().setOffline(false);
    await said(page, 'The draft: 2 edits in 2 rows');
    expect(await page.locator('td.unsaved').count()).toBe(0);
  });

  it('goes on where it was once a person whose session has ended has signed in again', async () => {
    const { desk, console } = await openConsoleWithUsers();
    const page = await openPage();
    await signIn(page, console.url, 'mo');
    await openRows(page, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await tabToGrid(page);
    await page.context().clearCookies();
    await page.keyboard.type('three@post.example');
    await press(page, 'Enter');
    await said(page, 'Your session has ended. Sign in again in another window');
    await signIn(await page.context().newPage(), console.url, 'mo');
    await said(page, 'The draft: 1 edit in 1 row');
  });

  it('shows the second of two people who edit one block the values of the first', async () => {
    const { console, desk } = await openConsoleWithUsers({}, {}, async (database) => {
      await addTestUser(database, 'kim', 'maker');
      await givePassword(database, 'kim');
    });
    const [mo, kim] = [await openPage(), await openPage()];
    await signIn(mo, console.url, 'mo');
    await signIn(kim, console.url, 'kim');
    await openRows(mo, join(desk.folder, await desk.write('people.csv', csvOf(people))));
    await kim.goto(mo.url());
    await tabToGrid(mo);
    await tabToGrid(kim);
    await paste(mo, 'a@post.example\nb@post.example');
    await said(mo, 'Saved: 2 cells; 2 rows pass now');
    await press(kim, 'ArrowDown');
    await paste(kim, 'c@post.example\nd@post.example');
    await said(kim, 'Nothing of this step was saved');
    await said(kim, /it is “b@post.example” now, by mo.*You typed “c@post.example”/);
    expect(await focused(kim)).toBe('5 b@post.example');
    await press(kim, 'ArrowDown');
    expect(await focused(kim)).toBe('6 nowhere5');
    await expectPleasant(kim, 'rows-conflict');
  });
});
