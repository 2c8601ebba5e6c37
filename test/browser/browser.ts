/* A real browser for tests: Chromium of the system. Where there is none, the tests say that they did not run. */

import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** Where Debian and others put it; `PAYBATCH_CHROMIUM` names another one. */
const places = [process.env['PAYBATCH_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];

function isProgram(path: string | undefined): path is string {
  if (path === undefined) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the browser; undefined where there is none. */
export const browserPath: string | undefined = places.find(isProgram);

let browser: Browser | undefined;

/** Starts the browser before the tests of a file, and ends it behind them. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (browserPath === undefined) return;
    // As root Chromium has no sandbox of its own, and it sees nothing here but our own pages.
    browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => browser?.close());
}

/** A page of a person's own, whose errors fail the test. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const context: BrowserContext = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // What a browser says of an answer with an error status is what the test looks at itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  return page;
}

/** Counts the clicks of a person on pages, from now on. @returns how many there were */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countedClick', () => {
    clicks += 1;
  });
  await page.addInitScript("addEventListener('click', (event) => event.isTrusted && countedClick(), true)");
  return () => clicks;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What hinders somebody with a screen reader, a keyboard or weak eyes, however little. */
export async function accessFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser's tools, for which the page's own policy does not count.
  await page.evaluate(axe);
  const violations: readonly AxeFinding[] = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${page.url()} ${id}: ${node.html}`));
}

/** What stands beyond the right edge of the window, but for what is scrolled in a frame of its own. */
const tooWide = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && element.closest('.scroll, .skip, .visually-hidden, pre') === null)
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** Where pictures of the pages are put for people to look at; nowhere where the variable is not set. */
export const pictureFolder = process.env['PAYBATCH_PICTURES'];

/**
 * Looks at the page as it is with both themes and widths.
 * @param picture the name under which it is kept for people to look at; it is not kept when absent
 */
export async function expectPleasant(page: Page, picture?: string): Promise<void> {
  const text = await page.evaluate('document.body.innerText');
  expect(text, page.url()).not.toMatch(/\b[Tt]he setting [a-z]/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1600, 400]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await accessFindings(page), `${colorScheme}, ${width}`).toEqual([]);
      expect(await page.evaluate(tooWide), `${page.url()} at ${width}`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      if (picture === undefined || pictureFolder === undefined) continue;
      const path = join(pictureFolder, `${picture}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
}
