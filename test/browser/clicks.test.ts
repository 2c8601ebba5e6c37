/*
 * How many clicks a file takes from its drop to the rows that are sent, printed as a table. With `PAYBATCH_CLICKED_FILES=DIR` the
 * files of a folder are walked as well, such as the folder that `npm run bench:partners` takes.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type ConsoleOfTest, openConsole } from '../support/console.ts';
import { browserPath, countClicks, dropFile, openPage, useBrowser } from './browser.ts';

useBrowser();

const samples = fileURLToPath(new URL('../../samples', import.meta.url));
const further = process.env['PAYBATCH_CLICKED_FILES'];

/** From drop to sent: a remembered file, and an unseen one besides its questions. */
const most = { remembered: 4, unseen: 5 };

/** What it took to send a file. */
interface Walked {
  readonly file: string;
  readonly clicks: number;
  readonly questions: number;
  /** What the page says at last. */
  readonly end: string;
}

/** More questions than any file has. */
const mostSteps = 40;

/** A person who takes each proposal, and sends what would be sent. */
async function walk(page: Page, clicked: () => number, name: string, content: Buffer): Promise<Walked> {
  await page.goto('/');
  const before = clicked();
  await dropFile(page, name, content);
  const question = page.locator('form:has(input[name="turn"])');
  const send = page.getByRole('button', { name: /^Send [\d,]+ rows?/ });
  const offered = page.locator('main :is(.problem, .note) .actions button:visible');
  let questions = 0;
  for (let step = 0; step < mostSteps; step += 1) {
    await page.locator('main:not(:has([data-live], .uploading))').waitFor();
    if (new URL(page.url()).pathname === '/') continue;
    if ((await send.count()) > 0) {
      await send.first().click();
      break;
    }
    const isQuestion = (await question.count()) > 0;
    const next = isQuestion ? question.locator('button').first() : offered.first();
    if ((await next.count()) === 0) break;
    questions += 1;
    const shown = await page.locator('main').innerHTML();
    await next.click();
    await expect.poll(() => page.locator('main').innerHTML(), { timeout: 60_000 }).not.toBe(shown);
  }
  await page.locator('main:not(:has([data-live]))').waitFor();
  await expect
    .poll(() => page.locator('h1').innerText(), { timeout: 60_000 })
    .not.toMatch(/^(?:Under way|Sending|To be sent)/);
  // A click is told by the page that it was made on, shortly after.
  await page.waitForTimeout(100);
  return { file: name, clicks: clicked() - before, questions, end: await page.locator('h1').innerText() };
}

function print(title: string, all: readonly Walked[]): void {
  const lines = all.map(({ file, clicks, questions, end }) =>
    [file.padEnd(42), String(clicks).padStart(6), String(questions).padStart(9), `  ${end}`].join(' '),
  );
  const head = ['file'.padEnd(42), 'clicks', 'questions', '  end'].join(' ');
  process.stdout.write(`\n${title}\n${[head, ...lines].join('\n')}\n`);
}

async function begin(world: ConsoleOfTest): Promise<{ page: Page; clicked: () => number }> {
  const page = await openPage({ baseURL: world.console.url });
  const clicked = await countClicks(page);
  await page.goto(world.console.entry);
  return { page, clicked };
}

describe.skipIf(browserPath === undefined)('from a dropped file to rows that are sent', () => {
  it('a file with known titles, and one with titles that nobody has seen, take few clicks', async () => {
    const { page, clicked } = await begin(await openConsole({ enters: false }));
    const known: Walked[] = [];
    for (const name of ['customers', 'accounts', 'recipients', 'collections', 'recipients-with-errors']) {
      const file = `${name}.csv`;
      known.push(await walk(page, clicked, file, readFileSync(join(samples, file))));
    }
    const list = (month: string): Buffer =>
      Buffer.from(
        [
          'Kd-Nr;Vorname;Nachname;E-Mail',
          ...[1, 2, 3].map((at) => `${month}-${at};Lena;Vogel${month}${at};l${at}.${month}@post.example`),
          '',
        ].join('\r\n'),
      );
    const unseen = await walk(page, clicked, 'november.csv', list('nov'));
    const remembered = await walk(page, clicked, 'december.csv', list('dec'));
    print('Sample files, one with unseen titles, and the next one like it', [...known, unseen, remembered]);
    for (const { clicks, questions } of [...known, remembered]) {
      expect(clicks).toBeLessThanOrEqual(most.remembered);
      expect(questions).toBe(0);
    }
    expect(unseen.questions).toBeGreaterThan(0);
    expect(unseen.clicks).toBeLessThanOrEqual(most.unseen + unseen.questions);
    expect([unseen.end, remembered.end]).toEqual(['Sent: 3 rows', 'Sent: 3 rows']);
  });

  it.skipIf(further === undefined)(
    'further files',
    async () => {
      const all: Walked[] = [];
      for (const name of readdirSync(further ?? '').filter((each) => !/\.(?:json|mjs|md|py)$/.test(each))) {
        const { page, clicked } = await begin(await openConsole({ enters: false }));
        all.push(await walk(page, clicked, basename(name), readFileSync(join(further ?? '', name))));
      }
      print(`Files of ${further}`, all);
      for (const { file, clicks, questions } of all)
        expect(clicks, file).toBeLessThanOrEqual(most.unseen + questions);
    },
    3_600_000,
  );
});
