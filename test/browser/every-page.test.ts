/* Pictures of every page of the console, for people to look at: `PAYBATCH_PICTURES=/tmp/pictures npx vitest run test/browser/pictures.test.ts`. */

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { csvOf, customers, readCsv } from '../support/cli-files.ts';
import { type ConsoleOfTest, openConsole } from '../support/console.ts';
import { letTimePass, openConsoleWithUsers } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { dropDatabase } from '../support/ledger.ts';
import { password } from '../support/passwords.ts';
import { textRow, workbook } from '../support/workbook.ts';
import { browserPath, expectPleasant, openPage, pictureFolder, useBrowser } from './browser.ts';

useBrowser();
cheapScrypt();

/** A folder with further files, each of which is uploaded and pictured as far as its first question. */
const furtherFiles = process.env['PAYBATCH_PICTURED_FILES'];

const samples = fileURLToPath(new URL('../../samples', import.meta.url));
const sample = (name: string): string => join(samples, name);

/** A person in front of a console. */
class Person {
  readonly page: Page;
  readonly #world: ConsoleOfTest;

  constructor(page: Page, world: ConsoleOfTest) {
    this.page = page;
    this.#world = world;
  }

  async look(path: string, picture: string): Promise<void> {
    await this.page.goto(new URL(path, this.#world.console.url).href);
    await expectPleasant(this.page, picture);
  }

  async upload(...paths: readonly string[]): Promise<void> {
    await this.page.goto(this.#world.console.url);
    await this.page.setInputFiles('#files', [...paths]);
    await this.click('Upload and check');
    await this.settled();
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    return join(this.#world.desk.folder, await this.#world.desk.write(name, content));
  }

  async click(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).first().click();
  }

  /** Until nothing is under way. */
  async settled(): Promise<void> {
    await this.page.locator('main:not(:has([data-live]))').waitFor({ timeout: 120_000 });
  }

  async send(): Promise<void> {
    await this.click(/^Send \d+ row/);
    await this.settled();
  }

  /** Of the batch whose page is open. */
  batch(): string {
    return new URL(this.page.url()).pathname;
  }
}

/** A list of payees as a partner keeps it: names of the bank, words for nothing, a title above and a total below. */
function partnerList(): string {
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

if (pictureFolder !== undefined) mkdirSync(pictureFolder, { recursive: true });

describe.skipIf(browserPath === undefined || pictureFolder === undefined)('pictures of', () => {
  it('one person, from an empty console to results and corrections', async () => {
    const world = await openConsole({ enters: false });
    const person = new Person(await openPage(), world);
    const { page } = person;
    await person.look('/', 'enter');
    await page.goto(world.console.entry);
    await expectPleasant(page, 'home-empty');
    await person.look('/batches', 'batches-empty');
    await person.look('/mappings', 'mappings-empty');
    await person.look('/search?q=nobody', 'search-nothing');
    await person.look('/doctor', 'doctor');
    await person.upload(sample('customers.csv'), sample('accounts.csv'), sample('recipients.csv'));
    await expectPleasant(page, 'upload-several');
    await person.upload(sample('customers.csv'));
    await expectPleasant(page, 'plan-customers');
    await person.send();
    await expectPleasant(page, 'batch-created');
    const people = person.batch();
    await person.upload(sample('recipients-with-errors.csv'));
    await expectPleasant(page, 'upload-findings');
    const batch = person.batch();
    for (const [path, name] of [
      ['/rows', 'rows'],
      ['/rows?status=invalid', 'rows-filtered'],
      ['/rows?text=zzz', 'rows-none'],
      ['/rows/4', 'row-edit'],
      ['/edit?status=invalid', 'edit-group'],
      ['/draft', 'draft-empty'],
      ['/close', 'close'],
      ['/reconcile', 'reconcile'],
    ] as const) {
      await person.look(`${batch}${path}`, name);
    }
    await page.goto(new URL(`${batch}/rows/4`, world.console.url).href);
    await page.getByLabel('amount').fill('500.00');
    await person.click('Keep in the draft');
    await expectPleasant(page, 'row-edited');
    await page.goto(new URL(`${batch}/edit?status=invalid`, world.console.url).href);
    await page.getByLabel('Column').selectOption({ label: 'amount' });
    await page.getByText('The same value for all').click();
    await page.getByLabel('New', { exact: true }).fill('750.00');
    await person.click('Show what it would do');
    await expectPleasant(page, 'edit-group-preview');
    await person.look(`${batch}/draft`, 'draft');
    await person.click('Plan the corrections');
    await person.settled();
    await expectPleasant(page, 'plan-corrections');
    await page.goto(new URL(batch, world.console.url).href);
    await person.send();
    await expectPleasant(page, 'batch-finished');
    await person.look(`${batch}/rows/2`, 'row-history');
    await person.look('/', 'home-todo');
    await person.look('/batches', 'batches');
    await person.look('/search?q=recipients', 'search');
    await person.look('/nowhere', 'error-404');
    await page.goto(new URL(`${batch}/reconcile`, world.console.url).href);
    await person.click('Reconcile');
    await person.settled();
    await expectPleasant(page, 'reconciled-alone');
    const created = (await world.desk.results('customers')).filter(({ result_id: id }) => id !== '');
    const exported = created.slice(0, 6).map(({ result_id: id, external_id: reference, email }, at) => {
      const other = at < 2 ? `another.${email}` : email;
      return `${id},${reference},${at === 3 ? 'Another name of some length' : ''},${other}`;
    });
    const strangers = Array.from({ length: 30 }, (_, at) => `cus_${at},STRANGER-${at},,s${at}@example.com`);
    const lines = ['id,external_id,first_name,email', ...exported, ...strangers].join('\r\n');
    await page.goto(new URL(`${people}/reconcile`, world.console.url).href);
    await page.setInputFiles('#files', await person.write('export of the provider.csv', lines));
    await page.getByLabel('It covers days from').fill('2020-01-01');
    await page.getByLabel('to', { exact: true }).fill('2100-01-01');
    await person.click('Reconcile');
    await person.settled();
    await expectPleasant(page, 'reconciled');
    const found = new URL(page.url()).pathname;
    await person.look(`${found}?kind=missing_there`, 'reconciled-missing');
    await person.look(`${found}?kind=unknown_here&page=2`, 'reconciled-second-page');
    await person.look(`${people}/reconcile`, 'reconcile-again');
    await page.setInputFiles('#files', await person.write('notes.pdf', '%PDF-1.7\n'));
    await person.click('Reconcile');
    await person.settled();
    await expectPleasant(page, 'reconcile-refused');
  }, 600_000);

  it('rows in doubt, and rows that only a person decides about', async () => {
    const world = await openConsole(
      { enters: false, faults: parseFaults('seed=1,timeout_after=1') },
      {},
      undefined,
      { sending: { timeout: 1, maxAttempts: 1 } },
    );
    const person = new Person(await openPage(), world);
    await person.page.goto(world.console.entry);
    await person.upload(sample('customers.csv'));
    await person.send();
    await expectPleasant(person.page, 'batch-in-doubt');
    const batch = person.batch();
    await person.look('/', 'home-in-doubt');
    await person.look(`${batch}/rows/2`, 'row-verdict');
    await person.look(`${batch}/decide?status=unknown`, 'decide');
    await person.look(`${batch}/decide?where=status%3Dunknown&verdict=not-created`, 'decide-preview');
    await person.look(`${batch}/decide?where=nothing&verdict=send`, 'decide-refused');
    await person.look(`${batch}/close`, 'close-in-doubt');
    await person.page.goto(new URL(`${batch}/reconcile`, world.console.url).href);
    const [held] = await readCsv(await world.desk.resultText('.results.csv'));
    const exported = `id,external_id,email\r\ncus_found,${held?.['external_id']},${held?.['email']}\r\n`;
    await person.page.setInputFiles('#files', await person.write('export.csv', exported));
    await person.click('Reconcile');
    await person.settled();
    await expectPleasant(person.page, 'reconciled-in-doubt');
  }, 300_000);

  it('sending under way', async () => {
    const world = await openConsole({ enters: false, latencyInMs: 400 }, {}, undefined, {
      sending: { concurrency: 2 },
    });
    const person = new Person(await openPage(), world);
    await person.page.goto(world.console.entry);
    await person.upload(await person.write('people.csv', csvOf(customers(400))));
    await person.click(/^Send 400 rows/);
    await person.page.getByText(/a second, about/).waitFor();
    await expectPleasant(person.page, 'sending');
    await person.look('/', 'home-running');
    await person.look('/batches', 'batches-running');
    await person.page.goBack();
    await person.page.goBack();
    await person.click('Stop');
    await person.settled();
    await expectPleasant(person.page, 'stopped');
  }, 300_000);

  it("saying how a partner's file is read", async () => {
    const world = await openConsole({ enters: false });
    const person = new Person(await openPage(), world);
    const { page } = person;
    await page.goto(world.console.entry);
    await person.upload(sample('customers.csv'));
    await person.send();
    await person.upload(await person.write('strange.csv', 'a;b\n1;2\n'));
    await expectPleasant(page, 'refused');
    await person.upload(await person.write('notes.pdf', '%PDF-1.7\n'));
    await expectPleasant(page, 'refused-pdf');
    await person.upload(
      sample('accounts.csv'),
      await person.write('strange.csv', 'a;b\n1;2\n'),
      await person.write('notes.pdf', '%PDF-1.7\n'),
    );
    await expectPleasant(page, 'refused-among-several');
    const header = ['Personal-Nr', 'Vorname', 'Nachname', 'E-Mail'];
    const staff = [header, ...[1, 2, 3].map((at) => [`${at}`, 'Lena', `Vogel${at}`, `l${at}@post.example`])];
    const sheets = [sheetOf('Mai', staff), sheetOf('Juni', staff.slice(0, 3))];
    await person.upload(await person.write('staff.xlsx', workbook({ sheets })));
    await person.click('Go on');
    await person.settled();
    await expectPleasant(page, 'mapping-sheet');
    await person.upload(await person.write('november.csv', partnerList()));
    await expectPleasant(page, 'mapping-1');
    const table = page.getByRole('link', { name: 'Another sheet, header or kind of rows' });
    if ((await table.count()) > 0) {
      await table.click();
      await expectPleasant(page, 'mapping-table');
      await page.goBack();
    }
    for (let asked = 2; asked < 12; asked += 1) {
      const question = page.locator('form:has(input[name="turn"]) button').first();
      if ((await question.count()) === 0) break;
      await question.click();
      await person.settled();
      await expectPleasant(page, `mapping-${asked}`);
    }
    await person.look('/mappings', 'mappings');
    const shown = page.locator('main a[href^="/mappings/"]').first();
    if ((await shown.count()) > 0) {
      await shown.click();
      await expectPleasant(page, 'mapping-shown');
      await page.getByRole('link', { name: 'Forget it' }).click();
      await expectPleasant(page, 'mapping-forget');
    }
  }, 600_000);

  it('people: signing in, approving, links, and what is refused', async () => {
    const world = await openConsoleWithUsers({}, {}, async (database) => {
      const rules = [
        testRule({ mode: 'sandbox', kinds: ['customers'], console: true }),
        testRule({ mode: 'sandbox', kinds: ['accounts', 'recipients', 'collections'] }),
        testRule(),
      ];
      await proposePolicy(database, { rules, approvers: ['ada'] });
    });
    const stranger = new Person(await openPage(), world);
    await stranger.look('/', 'sign-in');
    for (let tries = 0; tries < 6; tries += 1) {
      await stranger.page.getByLabel('Name').fill('nobody');
      await stranger.page.getByLabel('Password').fill('wrong wrong wrong');
      await stranger.click('Sign in');
      if (tries === 0) await expectPleasant(stranger.page, 'sign-in-wrong');
    }
    await expectPleasant(stranger.page, 'error-429');
    const as = async (name: string): Promise<Person> => {
      const person = new Person(await openPage(), world);
      await person.page.goto(world.console.url);
      await person.page.getByLabel('Name').fill(name);
      await person.page.getByLabel('Password').fill(password);
      await person.click('Sign in');
      await person.page.getByRole('heading', { name: 'To do' }).waitFor();
      return person;
    };
    const [mo, ada, root] = [await as('mo'), await as('ada'), await as('root')];
    await expectPleasant(ada.page, 'home-approver');
    await mo.upload(sample('customers.csv'));
    await expectPleasant(mo.page, 'plan-unapproved');
    const batch = mo.batch();
    await ada.look('/', 'home-to-approve');
    await ada.look(`${batch}/approval`, 'approval');
    await mo.look(`${batch}/approval`, 'approval-of-maker');
    await ada.page
      .getByLabel(/password/i)
      .first()
      .fill('not the password');
    await ada.click('Approve this plan');
    await expectPleasant(ada.page, 'approval-wrong-password');
    await ada.page
      .getByLabel(/password/i)
      .first()
      .fill(password);
    await ada.click('Approve this plan');
    await expectPleasant(ada.page, 'approval-given');
    await mo.upload(sample('accounts.csv'));
    const other = mo.batch();
    if (other.startsWith('/batches/')) await ada.look(`${other}/approval`, 'approval-own-key');
    await root.look('/users', 'users');
    await root.look('/users/ada/lock', 'lock');
    await root.page.goto(new URL('/users', world.console.url).href);
    await root.click(/^Make a link/);
    await expectPleasant(root.page, 'link');
    const link = (await root.page.locator('pre').first().innerText()).trim();
    await stranger.look(new URL(link).pathname + new URL(link).search, 'welcome');
    await stranger.look('/welcome?token=nothing', 'welcome-used');
    await mo.look('/users', 'error-403');
    await mo.page.goto(new URL(`${batch}/close`, world.console.url).href);
    await mo.page.getByLabel(/Why/).fill('The wrong month');
    await letTimePass(world, '31 minutes');
    await mo.click('Close the batch');
    await expectPleasant(mo.page, 'sign-in-with-form');
    await mo.page.getByLabel('Name').fill('mo');
    await mo.page.getByLabel('Password').fill(password);
    await mo.click('Sign in');
    await expectPleasant(mo.page, 'kept-form');
    const again = await as('mo');
    await again.page.goto(new URL(`${batch}/reconcile`, world.console.url).href);
    await again.page.setInputFiles('#files', await again.write('export.csv', 'external_id\r\nS-1\r\n'));
    await letTimePass(world, '31 minutes');
    await again.click('Reconcile');
    await expectPleasant(again.page, 'sign-in-with-files');
    await again.page.getByLabel('Name').fill('mo');
    await again.page.getByLabel('Password').fill(password);
    await again.click('Sign in');
    await expectPleasant(again.page, 'reconcile-kept');
    await dropDatabase(world.desk.databaseUrl ?? '');
    await again.look('/batches', 'error-503');
  }, 600_000);

  it.skipIf(furtherFiles === undefined)(
    'further files, as far as their first question',
    async () => {
      const world = await openConsole({ enters: false });
      const person = new Person(await openPage(), world);
      await person.page.goto(world.console.entry);
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
