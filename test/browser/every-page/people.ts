/* What people see who sign in: approving, links, what a role may not do, and a session that has ended. */

import { csvOf, customers } from '../../support/cli-files.ts';
import { letTimePass, openConsoleWithUsers } from '../../support/console-users.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { dropDatabase } from '../../support/ledger.ts';
import { password } from '../../support/passwords.ts';
import { openPage } from '../browser.ts';
import { Person, sample, signIn } from './person.ts';

/** Signing in, approving, links, and what is refused. */
export async function walkPeople(): Promise<void> {
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
    if (tries === 0) await stranger.see('sign-in-wrong');
  }
  await stranger.see('sign-in-too-often');
  const [mo, ada, root] = [
    await signIn(world, 'mo'),
    await signIn(world, 'ada'),
    await signIn(world, 'root'),
  ];
  await ada.see('home-approver');
  await mo.upload(sample('customers.csv'));
  await mo.see('plan-unapproved');
  const batch = mo.path();
  await ada.look('/', 'home-to-approve');
  await ada.look(`${batch}/approval`, 'approval');
  await mo.look(`${batch}/approval`, 'approval-of-maker');
  await ada.page
    .getByLabel(/password/i)
    .first()
    .fill('not the password');
  await ada.click('Approve this plan');
  await ada.see('approval-wrong-password');
  await ada.page
    .getByLabel(/password/i)
    .first()
    .fill(password);
  await ada.click('Approve this plan');
  await ada.see('approval-given');
  await mo.upload(await mo.write('others.csv', csvOf(customers(2))));
  const rejected = mo.path();
  await ada.go(`${rejected}/approval`);
  await ada.page.getByLabel('Note').fill('These are last month');
  await ada.page
    .getByLabel(/password/i)
    .first()
    .fill(password);
  await ada.click('Reject it');
  await ada.reads('These are last month');
  await ada.see('approval-rejected');
  await mo.look(rejected, 'batch-rejected');
  await mo.look('/', 'home-rejected');
  await mo.look(batch, 'batch-approved');
  await mo.upload(sample('accounts.csv'));
  const other = mo.path();
  if (other.startsWith('/batches/')) await ada.look(`${other}/approval`, 'approval-own-key');
  await root.look('/users', 'users');
  await root.look('/users/ada/lock', 'lock');
  await root.go('/users');
  await root.click(/^Make a link/);
  await root.see('link');
  const link = (await root.page.locator('pre').first().innerText()).trim();
  await stranger.look(new URL(link).pathname + new URL(link).search, 'welcome');
  await stranger.page.getByLabel('New password').fill('one two three four');
  await stranger.page.getByLabel('The same again').fill('four three two one');
  await stranger.click('Set the password');
  await stranger.see('welcome-refused');
  await stranger.page.getByLabel('New password').fill(password);
  await stranger.page.getByLabel('The same again').fill(password);
  await stranger.click('Set the password');
  await stranger.see('welcome-set');
  await stranger.look('/welcome?token=nothing', 'error-welcome-used');
  // The sessions of before have ended with the password of before.
  await mo.look('/', 'sign-in-again');
  await mo.signInAs('mo');
  await mo.page.getByRole('heading', { name: 'To do' }).waitFor();
  await mo.look('/users', 'error-403');
  await mo.go(`${batch}/close`);
  await mo.page.getByLabel(/Why/).fill('The wrong month');
  await letTimePass(world, '31 minutes');
  await mo.click('Close the batch');
  await mo.see('sign-in-with-form');
  await mo.signInAs('mo');
  await mo.see('kept-form');
  await letTimePass(world, '31 minutes');
  await mo.look(batch, 'sign-in-timed-out');
  const again = await signIn(world, 'mo');
  await again.go(`${batch}/reconcile`);
  await again.page.setInputFiles('#files', await again.write('export.csv', 'external_id\r\nS-1\r\n'));
  await letTimePass(world, '31 minutes');
  await again.click('Reconcile');
  await again.see('sign-in-with-files');
  await again.signInAs('mo');
  await again.see('reconcile-kept');
  await again.look('/halt', 'halt');
  await again.page.getByLabel('Why').fill('The bank has called');
  await again.click('Stop everything');
  await again.page.getByText('The bank has called').waitFor();
  await again.see('halted');
  await again.look('/', 'home-halted');
  await dropDatabase(world.desk.databaseUrl ?? '');
  await again.look('/batches', 'error-503');
}
