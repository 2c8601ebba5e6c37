/*
 * A real browser for tests: Chromium of the system, as its headless shell where that is there. Where there is neither, the
 * tests say that they did not run.
 */

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
import { beforeAll, expect, onTestFinished } from 'vitest';
import { allDefinitions, columnsOf, kinds } from '../../src/kinds/registry.ts';
import { isSampled } from '../support/sampled.ts';

/**
 * Where Debian and others put it; `PAYBATCH_CHROMIUM` names another one. The shell draws no window, and saves two fifths of the
 * processor's time.
 */
const places = [
  process.env['PAYBATCH_CHROMIUM'],
  ...['chromium-headless-shell', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`),
];

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

/**
 * Starts the browser before the tests of a file, unless an earlier file of this process has: its first pages take seconds of a
 * processor. It ends with the process.
 */
export function useBrowser(): void {
  beforeAll(async () => {
    if (browserPath === undefined || browser?.isConnected() === true) return;
    // As root Chromium has no sandbox of its own, and it sees nothing here but our own pages.
    browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  });
}

/** A page of a person's own, far from UTC, whose errors fail the test. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const context: BrowserContext = await browser.newContext({ timezoneId: 'Africa/Nairobi', ...options });
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

const ofColours = ['color-contrast', 'link-in-text-block'];
/** Rules of WCAG 2.2 that axe leaves out unless they are asked for; it looks at A, AA and what is good practice by itself. */
const besides = { 'target-size': { enabled: true } };
const withoutColours = Object.fromEntries(ofColours.map((rule) => [rule, { enabled: false }]));

/** What axe looks at. Another theme changes nothing but colours, and another width changes all but these. */
const looks = {
  all: { resultTypes: ['violations'], rules: besides },
  colours: { resultTypes: ['violations'], runOnly: ofColours },
  layout: { resultTypes: ['violations'], rules: { ...besides, ...withoutColours } },
};

/** All barriers for people who use a screen reader or a keyboard or have weak eyes, minor ones included. */
export async function accessFindings(
  page: Page,
  look: keyof typeof looks = 'all',
): Promise<readonly string[]> {
  // Evaluated by the browser's tools, for which the page's own policy does not count.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const violations: readonly AxeFinding[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify(looks[look])}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${page.url()} ${id}: ${node.html}`));
}

/** Words that have an underscore and are what people write themselves: titles of their files, and values of these. */
const wordsOfFiles = new Set([
  // A mistake in a sample.
  'bank_acount',
  ...kinds.flatMap((kind) => [...columnsOf(kind)]),
  ...allDefinitions.flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType])),
]);

/** Finds what people do not call things by: internal codes, a zone beside their own, figures that read oddly. */
async function oddWords(page: Page): Promise<readonly string[]> {
  const text: string = await page.evaluate('document.body.innerText + "\\n" + document.title');
  // What is to be typed as it stands, such as a condition, is marked.
  const marked: string = await page.evaluate(
    '[...document.querySelectorAll("code, pre")].map((element) => element.innerText).join("\\n")',
  );
  const codes = [...text.matchAll(/(?<![\w./-])[a-z\d]+(?:_[a-z\d]+)+(?![\w./-])/g)].map(([word]) => word);
  const title = await page.title();
  return [
    ...codes.filter((word) => !wordsOfFiles.has(word) && !marked.includes(word)),
    ...(text.match(/.*\bUTC\b.*/g) ?? []),
    ...(text.match(/\bAll 1 row.*|\b1 rows\b.*|\bThe setting [a-z].*|\bthe setting [a-z].*/g) ?? []),
    ...(title.match(/(?:\.(?:csv|xlsx)\b.*){3}/g) ?? []),
  ];
}

/** Elements beyond the right edge of the window, except for those in a scrolling frame. */
const tooWide = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && element.closest('.scroll, .skip, .visually-hidden, pre') === null)
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** Where pictures of the pages are put for people to look at; nowhere where the variable is not set. */
export const pictureFolder = process.env['PAYBATCH_PICTURES'];

/**
 * Looks at the page as it is with both themes and widths, and at its words.
 * @param picture the name under which it is kept for people to look at; it is not kept when absent
 */
export async function expectPleasant(page: Page, picture?: string): Promise<void> {
  expect.soft(await oddWords(page), picture ?? page.url()).toEqual([]);
  await expectAccessible(page, picture);
}

/**
 * How each element of the page looks, as far as style sheets mostly tell: its tag, its classes and its state, and the tag and the
 * classes of its parent.
 */
const elementsOfPage = `(() => {
  const states = /^(?:type|role|disabled|readonly|data-title|aria-(?:busy|checked|current|disabled|expanded|invalid|pressed|selected|sort))$/;
  const named = ({ localName, className }) => localName + '.' + className;
  const stateOf = ({ attributes }) => [...attributes]
    .filter(({ name }) => states.test(name))
    .map(({ name, value }) => name === 'data-title' ? name : name + '=' + value)
    .join();
  const elements = [...document.querySelectorAll('body *')];
  return [...new Set(elements.map((element) => [named(element.parentElement), named(element), stateOf(element)].join(' ')))];
})()`;

/** All kinds of elements that this process has looked at with both themes and widths. */
const known = new Set<string>();

/** Whether the page has an element such as no page had before; always so unless the run is a sampled one. */
async function hasNewElement(page: Page): Promise<boolean> {
  if (!isSampled || pictureFolder !== undefined) return true;
  const elements: readonly string[] = await page.evaluate(elementsOfPage);
  const isNew = elements.some((element) => !known.has(element));
  for (const element of elements) known.add(element);
  return isNew;
}

/**
 * Looks at the page as it is with both themes and widths, whatever its words are. In a sampled run a page whose elements all look
 * like those of pages before is looked at once, for all but its colours; its widths are measured as ever. That misses a colour
 * that comes from further up than an element's parent or from a selector of what stands beside it, and targets that come too
 * close to each other in the narrow window only.
 * @param picture as above
 */
export async function expectAccessible(page: Page, picture?: string): Promise<void> {
  // A page to which a script has led is there before its style sheet.
  await page.waitForLoadState();
  const isNew = await hasNewElement(page);
  for (const colorScheme of isNew ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme });
    // Without pictures the dark theme needs one width: its colours are the same in the other.
    for (const width of colorScheme === 'dark' && pictureFolder === undefined ? [1600] : [1600, 400]) {
      await page.setViewportSize({ width, height: 900 });
      const place = `${picture ?? page.url()}, ${colorScheme}, ${width}`;
      const look = colorScheme === 'dark' ? 'colours' : width === 400 || !isNew ? 'layout' : 'all';
      if (isNew || width === 1600) expect.soft(await accessFindings(page, look), place).toEqual([]);
      expect.soft(await page.evaluate(tooWide), place).toEqual([]);
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect.soft(over, place).toBeLessThanOrEqual(0);
      if (picture === undefined || pictureFolder === undefined) continue;
      const path = join(pictureFolder, `${picture}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
}

/** Drops a file onto the page, as from a window of the system. */
export async function dropFile(page: Page, name: string, content: Buffer): Promise<void> {
  const given = JSON.stringify([name, content.toString('base64')]);
  const dataTransfer = await page.evaluateHandle(`(([name, base64]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
    return transfer;
  })(${given})`);
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

/** Waits until chosen files are sent and the page that follows is there: a script sends them, so that the click waits for nothing. */
export async function uploaded(page: Page): Promise<void> {
  await page.locator('.uploading').waitFor({ state: 'detached', timeout: 60_000 });
}
