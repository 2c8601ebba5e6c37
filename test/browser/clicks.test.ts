/*
 * How many clicks a file takes from its drop to the rows that are sent, printed as a table. With `PAYBATCH_CLICKED_FILES=DIR` the
 * files of a folder as `npm run bench:partners` takes it are walked as well, by a person who knows them.
 */

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Desk } from '../support/cli-desk.ts';
import { type ConsoleOfTest, openConsole } from '../support/console.ts';
import { type Judged, judge, readTruths, resultsOption, type Truth } from '../support/partner-truth.ts';
import { browserPath, countClicks, openPage, useBrowser } from './browser.ts';
import { type Walked, walk, watchQuestions } from './partner-walk.ts';

useBrowser();

const samples = fileURLToPath(new URL('../../samples', import.meta.url));
const further = process.env['PAYBATCH_CLICKED_FILES'];

/** From drop to sent: a remembered file, and an unseen one besides its questions. */
const most = { remembered: 4, unseen: 5 };

/** The share of good rows that a file comes to; some of the others are refused for reasons of their own. */
const leastOfGood = 0.98;

/** Somebody who takes each proposal. */
const proposals = (page: Page) => ({ page, truth: null, open: () => null });

function print(title: string, all: readonly Walked[]): void {
  const lines = all.map(({ file, clicks, choices, questions, end }) =>
    [
      file.padEnd(50),
      ...[clicks, choices, questions].map((count) => String(count).padStart(9)),
      `  ${end}`,
    ].join(' '),
  );
  const head = ['file'.padEnd(50), '   clicks', '  choices', 'questions', '  end'].join(' ');
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
    for (const name of ['customers', 'accounts', 'recipients-with-errors', 'recipients', 'collections']) {
      const file = `${name}.csv`;
      known.push(await walk(proposals(page), clicked, file, readFileSync(join(samples, file))));
    }
    const list = (month: string): Buffer =>
      Buffer.from(
        [
          'Kd-Nr;Vorname;Nachname;E-Mail',
          ...[1, 2, 3].map((at) => `${month}-${at};Lena;Vogel${month}${at};l${at}.${month}@post.example`),
          '',
        ].join('\r\n'),
      );
    const unseen = await walk(proposals(page), clicked, 'november.csv', list('nov'));
    const remembered = await walk(proposals(page), clicked, 'december.csv', list('dec'));
    print('Sample files, one with unseen titles, and the next one like it', [...known, unseen, remembered]);
    for (const { clicks, questions } of [...known, remembered]) {
      expect(clicks).toBeLessThanOrEqual(most.remembered);
      expect(questions).toBe(0);
    }
    expect(unseen.questions).toBeGreaterThan(0);
    expect(unseen.clicks).toBeLessThanOrEqual(most.unseen + unseen.questions);
    expect([unseen.end, remembered.end]).toEqual(['Sent: 3 rows', 'Sent: 3 rows']);
  });

  const walked: Walked[] = [];
  afterAll(() => {
    if (walked.length > 0) print(`Files of ${further}`, walked);
  });

  it.each(further === undefined ? [] : readTruths(further).map((truth) => ({ name: truth.file, truth })))(
    'a person who knows it sends what is right of $name, and nothing else',
    async ({ name, truth }) => {
      const folder = further ?? '';
      const world = await openConsole({ enters: false });
      const before = await importBefore(world, folder, truth);
      const open = watchQuestions(world.engine);
      const { page, clicked } = await begin(world);
      const one = await walk({ page, truth, open }, clicked, name, readFileSync(join(folder, name)));
      const judged = await judgeResults(world, folder, truth, before);
      const { bad_created: bad, not_rows_created: others, wrong_values: wrong } = judged;
      walked.push({ ...one, end: `${one.end}; ${goodText(judged)}` });
      expect({ bad, others, wrong }).toEqual({ bad: 0, others: 0, wrong: 0 });
      expect(judged.good_created / judged.good).toBeGreaterThanOrEqual(leastOfGood);
      expect(one.clicks).toBeLessThanOrEqual(most.unseen + one.questions);
    },
    600_000,
  );
});

/** Imports the files that another one needs. @returns the judge's options for them */
async function importBefore(
  { desk }: ConsoleOfTest,
  folder: string,
  { before }: Truth,
): Promise<readonly string[]> {
  const options: string[] = [];
  for (const file of before) {
    await desk.write(file, readFileSync(join(folder, file)));
    const known = await desk.resultNames();
    await desk.run(['import', file]);
    options.push(resultsOption(file), await newResults(desk, known));
  }
  return options;
}

/** The path of the results file that is new. */
async function newResults({ folder, resultNames }: Desk, known: readonly string[]): Promise<string> {
  const fresh = (await resultNames()).filter(
    (name) => name.endsWith('.results.csv') && !known.includes(name),
  );
  if (fresh.length !== 1) throw new Error(`${fresh.length} new results files`);
  return join(folder, 'results', fresh[0] ?? '');
}

function judgeResults(
  { desk }: ConsoleOfTest,
  folder: string,
  { file }: Truth,
  before: readonly string[],
): Promise<Judged> {
  const known = before.map((path) => basename(path));
  const journal = join(desk.folder, 'api/journal.jsonl');
  return newResults(desk, known).then((results) =>
    judge(folder, { file, results, journal, before, isPerson: true }),
  );
}

function goodText({
  good,
  good_created: created,
  after_yes: asked,
  after_yes_created: agreed,
}: Judged): string {
  return `${created} of ${good} good rows${asked === 0 ? '' : `, ${agreed} of ${asked} after a yes`}`;
}
