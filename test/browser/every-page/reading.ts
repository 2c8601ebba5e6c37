/* Saying how a file is read whose columns are not known. */

import { openConsole } from '../../support/console.ts';
import { textRow, workbook } from '../../support/workbook.ts';
import { enter, sample } from './person.ts';

/** A list of payees as a partner keeps it: names of the bank, words for nothing, a title above and a total below. */
export function partnerList(): string {
  const banks = ['KCB', 'Equity', 'M-Pesa', 'n/a'];
  const rows = Array.from({ length: 24 }, (_, at) =>
    [
      `C-100${(at % 4) + 1}`,
      `Otieno, Amina ${at}`,
      `01234567${10 + at}`,
      banks[at % 7] ?? 'KCB',
      `${(1_500 + at * 10).toLocaleString('de')},50`,
      at % 5 === 0 ? '' : 'paid every month by the head office in Mombasa',
    ].join(';'),
  );
  return `Payments of November;;;;;\r\nKd-Nr;Kontoinhaber;Kontonummer;Bank;Betrag;Bemerkung\r\n${rows.join('\r\n')}\r\nSumme;;;;38.772,00;\r\n`;
}

function sheetOf(name: string, lines: readonly (readonly string[])[]): { name: string; rows: string } {
  return { name, rows: lines.map((cells, at) => textRow(at + 1, [...cells])).join('') };
}

/** Saying how a partner's file is read. */
export async function walkQuestions(): Promise<void> {
  const world = await openConsole({ enters: false });
  const person = await enter(world);
  const { page } = person;
  await person.upload(sample('customers.csv'));
  await person.send();
  await person.upload(await person.write('strange.csv', 'a;b\n1;2\n'));
  await person.see('refused');
  await person.upload(await person.write('notes.pdf', '%PDF-1.7\n'));
  await person.see('refused-pdf');
  await person.upload(
    sample('accounts.csv'),
    await person.write('strange.csv', 'a;b\n1;2\n'),
    await person.write('notes.pdf', '%PDF-1.7\n'),
  );
  await person.see('refused-among-several');
  const upload = /\/uploads\/[^/"]+/.exec(await page.content())?.[0] ?? '';
  await person.look(`${upload}/mapping`, 'mapping-which-file');
  const header = ['Personal-Nr', 'Vorname', 'Nachname', 'E-Mail'];
  const staff = [header, ...[1, 2, 3].map((at) => [`${at}`, 'Lena', `Vogel${at}`, `l${at}@post.example`])];
  // Sheets with one header are one file; with two, one of them is meant.
  const contacts = staff.map(([number = '', ...names]) => [...names, number, names[0] ?? '']);
  const sheets = [sheetOf('Mai', staff), sheetOf('Juni', contacts)];
  await person.upload(await person.write('staff.xlsx', workbook({ sheets })));
  await person.settled();
  await person.see('mapping-sheet');
  await person.upload(await person.write('november.csv', partnerList()));
  await person.see('mapping-1');
  const stopped = `${person.path()}/stopped`;
  const questions = page.url();
  await person.look('/', 'questions-to-do');
  await page.goto(questions);
  const table = page.getByRole('link', { name: 'Another sheet, header or kind of rows' });
  if ((await table.count()) > 0) {
    await table.click();
    await person.see('mapping-table');
    await page.goBack();
  }
  for (let asked = 2; asked < 12; asked += 1) {
    const question = await person.question();
    if (question === null) break;
    await question.click();
    await person.settled();
    await person.see(`mapping-${asked}`);
    if (asked === 3) {
      await page.evaluate('document.querySelector("main [name=turn]").value = "99"');
      await question.click();
      await person.reads('That question is not open any more');
      await person.see('mapping-too-late');
    }
  }
  await person.look(stopped, 'mapping-stopped');
  await person.look('/mappings', 'mappings');
  const shown = page.locator('main a[href^="/mappings/"]').first();
  if ((await shown.count()) > 0) {
    await shown.click();
    await person.see('mapping-shown');
    await page.getByRole('link', { name: 'Forget it' }).click();
    await person.see('mapping-forget');
  }
}
