/* What one person sees without users: from an empty console to results, corrections and a comparison. */

import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { openConsole } from '../../support/console.ts';
import { onLedgerOf } from '../../support/console-users.ts';
import { executeByHand } from '../../support/ledger-rows.ts';
import { openPage } from '../browser.ts';
import { enter, Person, sample } from './person.ts';

/** One person, from an empty console to results and corrections. */
export async function walkAlone(): Promise<void> {
  const world = await openConsole({ enters: false });
  const person = new Person(await openPage(), world);
  const { page } = person;
  await person.look('/', 'enter');
  await page.getByLabel('The address that was printed').fill('nothing');
  await person.click('Enter');
  await person.see('enter-refused');
  await page.goto(world.console.entry);
  await person.see('home-empty');
  await person.look('/batches', 'batches-empty');
  await person.look('/mappings', 'mappings-empty');
  await person.look('/search?q=nobody', 'search-nothing');
  await person.look('/institutions', 'institutions-empty');
  await person.look('/doctor', 'doctor');
  await person.upload(sample('customers.csv'), sample('accounts.csv'), sample('recipients.csv'));
  await person.see('upload-several');
  await person.look('/institutions', 'institutions');
  await person.go('/institutions/KE');
  await person.settled();
  await person.see('institutions-of-a-country');
  await person.look('/institutions/XX', 'error-unknown-country');
  await person.upload(sample('customers.csv'));
  await person.see('plan-customers');
  await person.send();
  await person.upload(sample('recipients-with-errors.csv'));
  await person.see('upload-findings');
  const batch = person.path();
  for (const [path, name] of [
    ['/rows', 'rows'],
    ['/rows?status=invalid', 'rows-filtered'],
    ['/rows?text=zzz', 'rows-none'],
    ['/rows/4', 'row-edit'],
    ['/rows/9', 'row-damaged-number'],
    ['/rows/12', 'row-duplicate'],
    ['/edit?status=invalid', 'edit-group'],
    ['/draft', 'draft-empty'],
    ['/close', 'close'],
    ['/reconcile', 'reconcile'],
  ] as const) {
    await person.look(`${batch}${path}`, name);
  }
  await person.go(`${batch}/rows/4`);
  await page.getByLabel('amount').fill('500.00');
  await person.click('Keep in the draft');
  await person.see('row-edited');
  await person.look(`${batch}/rows`, 'rows-with-a-draft');
  await person.go(`${batch}/edit?status=invalid`);
  await page.getByLabel('Column').selectOption({ label: 'amount' });
  await page.getByText('The same value for all').click();
  await page.getByLabel('New', { exact: true }).fill('750.00');
  await person.click('Show what it would do');
  await person.see('edit-group-preview');
  await person.look(`${batch}/draft`, 'draft');
  await person.click('Plan the corrections');
  await person.settled();
  await person.see('plan-corrections');
  await person.go(batch);
  await person.send();
  await person.see('batch-finished');
  await person.look(`${batch}/rows/2`, 'row-history');
  await person.look('/', 'home-todo');
  await person.look('/batches', 'batches');
  await person.look('/search?q=recipients', 'search');
  await person.look(`${batch}/rows/4`, 'row-corrected');
  await person.look(`${batch}/draft`, 'draft-after-corrections');
  await person.go(`${batch}/reconcile`);
  await person.click('Reconcile');
  await person.settled();
  await person.see('reconciled-alone');
  await person.go(`${batch}/close`);
  await page.getByLabel(/Why/).fill('The rest is not needed');
  await person.click('Close the batch');
  await person.settled();
  await person.see('batch-closed');
  await person.look(`${batch}/close`, 'close-closed');
}

/** A batch that was sent, and an export of the other side that differs. */
export async function walkComparison(): Promise<void> {
  const world = await openConsole({ enters: false });
  const person = await enter(world);
  const { page } = person;
  await person.upload(sample('customers.csv'));
  await person.send();
  await person.see('batch-created');
  const people = person.path();
  const created = (await world.desk.results('customers')).filter(({ result_id: id }) => id !== '');
  const exported = created.slice(0, 6).map(({ result_id: id, external_id: reference, email }, at) => {
    const other = at < 2 ? `another.${email}` : email;
    return `${id},${reference},${at === 3 ? 'Another name of some length' : ''},${other}`;
  });
  const strangers = Array.from({ length: 30 }, (_, at) => `cus-${at},STRANGER-${at},,s${at}@example.com`);
  const lines = ['id,external_id,first_name,email', ...exported, ...strangers].join('\r\n');
  await person.go(`${people}/reconcile`);
  await page.setInputFiles('#files', await person.write('export of the provider.csv', lines));
  await page.getByLabel('It covers days from').fill('2020-01-01');
  await page.getByLabel('to', { exact: true }).fill('2100-01-01');
  await person.click('Reconcile');
  await person.settled();
  await person.see('reconciled');
  const found = new URL(page.url()).pathname;
  await person.look(`${found}?kind=missing_there`, 'reconciled-missing');
  await person.look(`${found}?kind=unknown_here&page=2`, 'reconciled-second-page');
  await page.getByRole('checkbox').first().check();
  await page.getByLabel('Or somebody looks into it').fill('Ben');
  await person.click('Give to');
  await person.see('reconciled-given');
  await page.getByText(/^All of this kind/).click();
  await page.getByLabel('Note: why?').fill('Made by hand at the provider');
  await person.click('Accept');
  await person.see('reconciled-accepted');
  await person.look(`${found}?kind=accepted`, 'reconciled-list-of-accepted');
  await person.go(found);
  await person.click(/^Say how/);
  for (let asked = 1; asked < 12; asked += 1) {
    await person.settled();
    const question = await person.question();
    if (question === null) break;
    await person.see(`export-mapping-${asked}`);
    await question.click();
  }
  await person.see('reconciled-as-said');
  await person.look('/mappings', 'mappings-of-exports');
  await person.look(`${people}/reconcile`, 'reconcile-again');
  await page.setInputFiles('#files', await person.write('notes.pdf', '%PDF-1.7\n'));
  await person.click('Reconcile');
  await person.settled();
  await person.see('reconcile-refused');
}

/** Files that are sent together. */
export async function walkSeveral(): Promise<void> {
  const person = await enter(await openConsole({ enters: false }));
  await person.upload(sample('customers.csv'), sample('accounts.csv'), sample('recipients.csv'));
  await person.click(/^Send \d+ rows of 3 files/);
  await person.settled();
  await person.see('sent-several');
  await person.look('/', 'home-after-several');
}

/** What one person asks for that cannot be had. */
export async function walkRefusals(): Promise<void> {
  const world = await openConsole({ enters: false });
  const person = await enter(world);
  const { page } = person;
  const rows = [...customers(2), customer(3, { email: 'nowhere' })];
  await person.upload(await person.write('people.csv', csvOf(rows)));
  const batch = person.path();
  const nobody = '/batches/00000000-0000-4000-8000-000000000000';
  for (const [path, state] of [
    ['/nowhere', 'error-404'],
    ['/search?q=a%00b', 'error-400'],
    [nobody, 'error-404-batch'],
    [`${batch}/rows/99`, 'error-404-row'],
    [`${batch}/rows/none`, 'error-row-number'],
    [`${batch}/rows?status=nothing`, 'error-422'],
    [`${batch}/reconcile/nothing`, 'error-404-reconciliation'],
    [`${batch}/mapping`, 'mapping-again'],
    ['/calls/nothing', 'error-404-call'],
    ['/uploads/nothing', 'error-404-upload'],
    ['/mappings/nothing', 'error-404-mapping'],
  ] as const) {
    await person.look(path, state);
  }
  await person.go(`${batch}/close`);
  await page.getByLabel(/Why/).fill('Not needed');
  await page.evaluate('document.querySelector("main [name=_csrf]").value = "another"');
  await person.click('Close the batch');
  await person.see('error-403-form');
  await person.go('/');
  await person.click('Upload and check');
  await person.settled();
  await person.see('upload-without-file');
  const other = new Person(await page.context().newPage(), world);
  await Promise.all([person.go(`${batch}/rows/4`), other.go(`${batch}/rows/4`)]);
  for (const [each, value] of [
    [other, 'first@people.example'],
    [person, 'second@people.example'],
  ] as const) {
    await each.page.getByLabel('email', { exact: true }).fill(value);
    await each.click('Keep in the draft');
    await each.page.waitForLoadState();
  }
  await person.reads('out of date');
  await person.see('error-409-draft');
  for (let tries = 0; tries < 21; tries += 1) await person.go('/enter?token=nothing');
  await person.see('error-429');
  await onLedgerOf(world.desk, async (database) => {
    await executeByHand(database, 'ALTER TABLE remembered_mappings RENAME TO other_mappings');
  });
  await person.look('/mappings', 'error-500');
}
