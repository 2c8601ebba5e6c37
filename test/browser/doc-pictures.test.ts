/*
 * The pictures of README and docs. `PAYBATCH_DOC_PICTURES=yes` makes them anew from the pages; else they only have to be small,
 * and shown somewhere.
 */

import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openConsole } from '../support/console.ts';
import { browserPath, openPage, useBrowser } from './browser.ts';
import { enter, sample } from './every-page/person.ts';
import { partnerList } from './every-page/reading.ts';

useBrowser();

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/pictures');
const mostBytes = 120 * 1024;
const isMade = process.env['PAYBATCH_DOC_PICTURES'] !== undefined;

async function take(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 760 });
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

describe.skipIf(browserPath === undefined || !isMade)('the pictures of the docs', () => {
  it('are made from the pages', async () => {
    const world = await openConsole({ enters: false });
    const person = await enter(world);
    await person.upload(sample('customers.csv'));
    await person.send();
    await take(person.page, 'batch');
    const { request } = person.page.context();
    const report = await request.get(new URL(`${person.path()}/files/report`, world.console.url).href);
    const page = await openPage();
    await page.setContent(await report.text());
    await take(page, 'report');
    await person.upload(await person.write('november.csv', partnerList()));
    await take(person.page, 'reading');
  }, 300_000);
});

it('keeps pictures that are small and shown', () => {
  const texts = ['README.md', 'docs/console.md'].map((name) => readFileSync(join(root, name), 'utf8')).join();
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).size, name).toBeLessThanOrEqual(mostBytes);
    expect(texts).toContain(`pictures/${name}`);
  }
});
