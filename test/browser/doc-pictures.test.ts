/*
 * The pictures of README and docs. `PAYBATCH_DOC_PICTURES=yes` makes them anew from the pages; else they only have to be small,
 * and shown somewhere.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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

async function take(page: Page, name: string, height = 760): Promise<void> {
  await page.setViewportSize({ width: 1280, height });
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** A workbook as LibreOffice shows it, from its first sheet on. @param path of the workbook */
async function takeWorkbook(path: string, name: string): Promise<void> {
  const own = dirname(path);
  const profile = `-env:UserInstallation=${pathToFileURL(join(own, 'profile')).href}`;
  execFileSync('soffice', [profile, '--headless', '--convert-to', 'html', '--outdir', own, path]);
  const page = await openPage();
  await page.setContent(readFileSync(path.replace(/\.xlsx$/, '.html'), 'utf8'));
  // Without the list of sheets, with the lines of a sheet, and in a font that the program itself falls back to.
  await page.addStyleTag({
    content: `body { margin: 0 } body > :not(table) { display: none } table { width: 1900px }
      td { border: 1px solid #d4d4d4; padding: 2px 4px } td, font { font: 12px/1.35 'Liberation Sans', sans-serif !important }
      td:first-child { min-width: 300px }`,
  });
  await take(page, name, 580);
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
    await person.upload(sample('recipients-with-errors.csv'));
    const failed = `${new URL(person.page.url()).pathname}/files/failedWorkbook`;
    const workbook = join(world.desk.folder, 'failed.xlsx');
    writeFileSync(workbook, await (await request.get(new URL(failed, world.console.url).href)).body());
    await takeWorkbook(workbook, 'failed');
    await person.upload(await person.write('november.csv', partnerList()));
    await take(person.page, 'reading');
  }, 300_000);
});

it('keeps pictures that are small and shown', () => {
  const texts = ['README.md', 'docs/console.md', 'docs/results.md']
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join();
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).size, name).toBeLessThanOrEqual(mostBytes);
    expect(texts).toContain(`pictures/${name}`);
  }
});
