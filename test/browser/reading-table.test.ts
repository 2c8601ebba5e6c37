/* The table on which a person says how a file is read: by keys alone, magnified, without scripts, and in both themes. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openConsole } from '../support/console.ts';
import { accessFindings, browserPath, expectPleasant, openPage, uploaded, useBrowser } from './browser.ts';
import { partnerList } from './every-page/reading.ts';

useBrowser();

/** Opens the first page of questions about a list. */
async function openReading(page: Page, list = partnerList()): Promise<void> {
  const { console: ours, desk } = await openConsole({ enters: false });
  await page.goto(ours.entry);
  await page.setInputFiles('#files', `${desk.folder}/${await desk.write('november.csv', list)}`);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await uploaded(page);
  await heading(page, 'How the file is read').waitFor();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** Presses the Tab key until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the tabulator does not come to ${selector}`);
}

const answer = 'button[value=answer]';

/** Answers what is asked as it is proposed, until a page comes: by default the whole reading again. @param press presses the button */
async function goOn(page: Page, press: () => Promise<void>, until = 'How the file is read'): Promise<void> {
  for (let step = 0; step < 10; step += 1) {
    const turn = await page.locator('input[name=turn]').inputValue();
    await press();
    await page.locator(`input[name=turn]:not([value="${turn}"])`).waitFor({ state: 'attached' });
    if ((await heading(page, until).count()) > 0) return;
  }
  throw new Error(`the page "${until}" does not come`);
}

describe.skipIf(browserPath === undefined)('the table of a reading', () => {
  it('is worked on by keys alone: a use is searched by typing, taken and given up', async () => {
    const page = await openPage();
    await openReading(page);
    const field = page.getByRole('combobox', { name: 'Bemerkung' });
    const chosen = page.locator('select[data-searched]').last();
    expect(await field.inputValue()).toBe('Leave out');
    await tabTo(page, 'input[aria-labelledby=column-5]');
    await page.keyboard.type('city');
    await page.locator('[role=option]').first().waitFor();
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await page.locator('[role=option]').count()).toBe(0);
    expect(await field.inputValue()).toBe('Leave out');

    await page.keyboard.press('ArrowDown');
    await page.locator('[role=option]').first().waitFor();
    await expectPleasant(page, 'reading-searched');
    await page.keyboard.type('city');
    // Behind it are the parts of an address with a city.
    await expect.poll(() => page.locator('[role=option]').allInnerTexts()).toHaveLength(5);
    expect(await page.locator('[role=option]').first().innerText()).toMatch(/^City\s/);
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('City');
    expect(await chosen.inputValue()).toBe('city');
    // What is no option is not taken.
    await page.keyboard.type('nothing like that');
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('City');

    await goOn(page, async () => {
      await tabTo(page, answer);
      await page.keyboard.press('Enter');
    });
    expect(await page.locator('td.decided input').inputValue()).toBe('City');
  });

  it('is read and answered with a magnification of 400 %, in both themes', async () => {
    const page = await openPage({ viewport: { width: 320, height: 256 } });
    await openReading(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
    const field = page.getByRole('combobox', { name: 'Bemerkung' });
    await field.focus();
    await page.keyboard.type('postal');
    await page.getByRole('option', { name: /Postal code/ }).click();
    expect(await field.inputValue()).toBe('Postal code');
    // Nothing that stays in sight covers what has the focus.
    const button = page.getByRole('button', { name: 'Go on' });
    await field.focus();
    const [box, below] = [await field.boundingBox(), await button.boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await goOn(page, () => page.locator(answer).click());
    expect(await page.locator('td.decided input').inputValue()).toBe('Postal code');
  });

  it('has drop-downs without scripts, and the same answers', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    const { console: ours, desk } = await openConsole({ enters: false });
    await page.goto(ours.entry);
    await page.setInputFiles('#files', `${desk.folder}/${await desk.write('november.csv', partnerList())}`);
    await page.getByRole('button', { name: 'Upload and check' }).click();
    await heading(page, 'How the file is read').waitFor();
    const field = page.getByLabel('Bemerkung');
    expect(await field.inputValue()).toBe('ignore');
    await field.selectOption('city');
    await goOn(page, () => page.locator(answer).click());
    expect(await page.locator('td.decided select').inputValue()).toBe('city');
  });

  it('takes what is typed for a refused value, and not the answer that was chosen before', async () => {
    const page = await openPage();
    const rows = Array.from({ length: 30 }, (_, at) => {
      const phone = at < 24 ? `+2547123450${10 + at}` : `noch offen ${at}`;
      return `K-${at};Lena;Vogel${at};l${at}@post.example;${phone}`;
    });
    await openReading(page, ['Kd-Nr;Vorname;Nachname;E-Mail;Telefon', ...rows, ''].join('\r\n'));
    const asked = 'What do these values of "Telefon" mean?';
    await goOn(page, () => page.locator(answer).click(), asked);
    const chosen = page.locator('input[name=answer]:checked');
    expect(await chosen.inputValue()).toBe('wrong');
    await page.getByLabel('what noch offen 24 means').fill('+254712345099');
    expect(await chosen.inputValue()).toBe('values');
    await expectPleasant(page, 'reading-refused');
  });
});
