import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConsole } from '../support/console.ts';
import { type XlsCell, xlsFile } from '../support/xls.ts';
import { browserPath, expectPleasant, openPage, useBrowser } from './browser.ts';

useBrowser();

const [struck, yellow, red] = [0, 1, 2];
const styles = [{ isStruck: true }, { fill: 13 }, { textColour: 10 }];

/** The list of a month: the rows of these places are struck through or yellow, and its last column has a status. */
function list(month: string, looks: Readonly<Record<number, number>>, status: readonly string[]): Buffer {
  const rows = status.map((word, at) => {
    const [look, place] = [looks[at], at + 1];
    const cells = [
      `${month}-${place}`,
      'Lena',
      `Vogel${month}${place}`,
      `l${place}.${month}@post.example`,
      word,
    ];
    return cells.map((text): XlsCell => (look === undefined ? text : [text, look]));
  });
  const header = ['Kd-Nr', 'Vorname', 'Nachname', 'E-Mail', 'Freigegeben'];
  return xlsFile({ sheets: [{ name: 'Liste', rows: [header, ...rows] }], styles });
}

describe.skipIf(browserPath === undefined)('rows that a file sets apart', () => {
  it('are sent, left out and held as a person says on a page, and only what is new is asked the next time', async () => {
    const { desk, console } = await openConsole({ enters: false });
    const page = await openPage();
    await page.goto(console.entry);
    const heading = page.locator('h1');
    const plan = page.getByRole('heading', { name: 'What would be sent' });
    const next = page.locator('form:has(input[name="turn"]) button').first();
    const counted: string[] = [];
    /** Uploads a list, and answers its questions: those about marked rows with these meanings, by the value. */
    const upload = async (name: string, file: Buffer, meanings: Readonly<Record<string, string>>) => {
      await page.goto(console.url);
      const path = join(desk.folder, name);
      await writeFile(path, file);
      await page.setInputFiles('#files', path);
      await page.getByRole('button', { name: 'Upload and check' }).click();
      const asked: string[] = [];
      counted.length = 0;
      for (let question = 0; ; question += 1) {
        expect(question).toBeLessThan(10);
        await plan.or(next).first().waitFor();
        if (await plan.isVisible()) return asked;
        for (const [value, meaning] of Object.entries(meanings)) {
          const choice = page.getByLabel(`what becomes of rows with ${value}`);
          if ((await choice.count()) === 0) continue;
          asked.push(
            `${await heading.innerText()} ${value}: ${await choice.locator('option:checked').innerText()}`,
          );
          await choice.selectOption(`word:${meaning}`);
          counted.push(await page.getByRole('status').innerText());
        }
        await expectPleasant(page, `marked-rows-${question}`);
        await next.click();
      }
    };
    const status = Array.from({ length: 12 }, (_, at) => (at === 11 ? 'nein' : 'ja'));
    const looks = { 1: struck, 2: struck, 5: yellow };
    const ofRows = 'What becomes of the rows that are set apart?';
    const ofStatus = 'What becomes of rows by their value of "Freigegeben"?';
    const held = 'hold them until a person decides about each';
    expect(
      await upload('nov.xls', list('nov', looks, status), {
        'struck through': 'leave_out',
        'yellow FFFF00': 'hold',
        nein: 'leave_out',
        ja: 'send',
      }),
    ).toEqual([
      `${ofRows} struck through: ${held} (no row sent)`,
      `${ofRows} yellow FFFF00: ${held} (no row sent)`,
      `${ofStatus} nein: ${held} (no row sent)`,
      `${ofStatus} ja: send them like the others (8 rows sent)`,
    ]);
    expect(counted).toEqual(
      [9, 9, 8, 8].map((rows) => `With these answers, ${rows} of 12 rows would be sent.`),
    );
    const created = (): number => desk.sandbox.counts().sandbox.created.customers ?? 0;
    await page.getByRole('button', { name: /^Send 8 rows/ }).click();
    await page.locator('main:not(:has([data-live]))').waitFor();
    await expect.poll(created).toBe(8);
    await expect.poll(() => page.locator('main').innerText()).toMatch(/\bheld\b/i);
    const later = list('dec', { 1: struck, 4: red, 5: yellow }, [...status, 'Storno']);
    expect(await upload('dec.xls', later, { 'red text FF0000': 'send', Storno: 'leave_out' })).toEqual([
      `${ofRows} red text FF0000: ${held} (no row sent)`,
      `${ofStatus} Storno: ${held} (no row sent)`,
    ]);
    await page.getByRole('button', { name: /^Send 9 rows/ }).click();
    await expect.poll(created).toBe(17);
  });
});
