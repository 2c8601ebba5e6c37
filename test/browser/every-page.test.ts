/*
 * Every page of the console, in each of its states: no page has barriers for people, and no page uses internal names.
 * `PAYBATCH_PICTURES=DIR` keeps a picture of each, for people to look at.
 */

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { openConsole } from '../support/console.ts';
import { browserPath, expectPleasant, pictureFolder, useBrowser } from './browser.ts';
import { walkAlone, walkComparison, walkRefusals, walkSeveral } from './every-page/alone.ts';
import { walkPeople } from './every-page/people.ts';
import { allPages, enter, walked } from './every-page/person.ts';
import { walkQuestions } from './every-page/reading.ts';
import {
  walkDoubts,
  walkHeld,
  walkLive,
  walkRefusedAlike,
  walkReports,
  walkSending,
  walkWaiting,
} from './every-page/sending.ts';

useBrowser();
cheapScrypt();

/** A folder with further files, each of which is uploaded and looked at as far as its first question. */
const furtherFiles = process.env['PAYBATCH_PICTURED_FILES'];

const longInMs = 1_200_000;

if (pictureFolder !== undefined) mkdirSync(pictureFolder, { recursive: true });

describe.skipIf(browserPath === undefined)('every page is pleasant', () => {
  it.each([
    ['to one person, from an empty console to corrections', walkAlone],
    ['with several files that are sent together', walkSeveral],
    ['to one who compares', walkComparison],
    ['with what cannot be had', walkRefusals],
    ['with rows in doubt', walkDoubts],
    ['while rows are sent', walkSending],
    ['while something takes long', walkWaiting],
    ['where all rows are refused alike', walkRefusedAlike],
    ['with rows that wait for a person', walkHeld],
    ['when money moves', walkLive],
    ['as a report', walkReports],
    ["with questions about a partner's file", walkQuestions],
    ['to people who sign in', walkPeople],
  ] as const)('%s', async (_, walk) => walk(), longInMs);

  it('and no page is missing', () => {
    const seen = new Set(walked.values());
    expect(allPages.filter((page) => !seen.has(page))).toEqual([]);
  });

  it.skipIf(furtherFiles === undefined)(
    'further files, as far as their first question',
    async () => {
      const person = await enter(await openConsole({ enters: false }));
      const names = readdirSync(furtherFiles ?? '').filter((name) => /\.(xlsx|csv|ods)$/.test(name));
      const before = names.filter((name) => /\.(customers|accounts)\.csv$/.test(name)).sort();
      for (const name of before.reverse()) {
        await person.upload(join(furtherFiles ?? '', name));
        const send = person.page.getByRole('button', { name: /^Send / });
        if ((await send.count()) > 0) await person.send();
      }
      for (const [at, name] of names.filter((each) => !before.includes(each)).entries()) {
        await person.upload(join(furtherFiles ?? '', name));
        await expectPleasant(person.page, `file-${at}`);
        for (let asked = 1; asked < 15; asked += 1) {
          await person.settled();
          await expectPleasant(person.page, `file-${at}-question-${asked}`);
          const question = person.page.locator('form:has(input[name="turn"]) button').first();
          if ((await question.count()) === 0) break;
          await question.click();
        }
      }
    },
    1_800_000,
  );
});
