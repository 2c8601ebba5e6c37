/* What people do in the table of rows, with the keyboard and the clipboard. */

import type { Page } from 'playwright-core';
import { password } from '../support/passwords.ts';

/** Uploads the file, and opens its rows. */
export async function openRows(page: Page, file: string): Promise<void> {
  await page.setInputFiles('#files', file);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByRole('heading', { name: 'What would be sent' }).waitFor();
  await page.goto(`${page.url()}/rows`);
  await page.getByRole('grid').waitFor();
}

/** Signs in with the password of the tests. */
export async function signIn(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'To do' }).waitFor();
}

/** Presses keys, one after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Until the table says it. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.grid-said').filter({ hasText: text }).waitFor();
}

/** Goes to a cell with the keyboard, through the page from its top. */
export async function tabToGrid(page: Page): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    if (await page.evaluate('document.activeElement.closest("table[role=grid]") !== null')) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the table was not reached');
}

/** The row and the value of the cell with the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(
    '[document.activeElement.parentElement.dataset.row, document.activeElement.dataset.value ?? document.activeElement.textContent].join(" ")',
  );
}

/** Pastes as a browser does. @param type of the clipboard's content */
export async function paste(page: Page, text: string, type = 'text/plain'): Promise<void> {
  await page.evaluate(
    `(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData(${JSON.stringify(type)}, ${JSON.stringify(text)});
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`,
  );
}
