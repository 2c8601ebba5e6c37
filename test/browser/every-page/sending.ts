/* Batches that are sent, or whose sending has stopped: under way, stopped by a person, in doubt, refused alike, live. */

import { parseFaults } from '../../../src/sandbox/faults.ts';
import { csvOf, customers, readCsv, recipient } from '../../support/cli-files.ts';
import { openConsole } from '../../support/console.ts';
import { openConsoleWithUsers } from '../../support/console-users.ts';
import { enter, sample, signIn } from './person.ts';

/** Rows in doubt, and rows that only a person decides about. */
export async function walkDoubts(): Promise<void> {
  const world = await openConsole(
    { enters: false, faults: parseFaults('seed=1,timeout_after=1') },
    {},
    undefined,
    { sending: { timeout: 1, maxAttempts: 1 } },
  );
  const person = await enter(world);
  await person.upload(sample('customers.csv'));
  await person.send();
  await person.see('batch-in-doubt');
  const batch = person.path();
  await person.look('/', 'home-in-doubt');
  await person.look(`${batch}/rows/2`, 'row-verdict');
  await person.look(`${batch}/decide?status=unknown`, 'decide');
  await person.look(`${batch}/decide?where=status%3Dunknown&verdict=not-created`, 'decide-preview');
  await person.look(`${batch}/decide?where=nothing&verdict=send`, 'decide-refused');
  await person.look(`${batch}/close`, 'close-in-doubt');
  await person.go(`${batch}/reconcile`);
  const [held] = await readCsv(await world.desk.resultText('.results.csv'));
  const exported = `id,external_id,email\r\ncus-found,${held?.['external_id']},${held?.['email']}\r\n`;
  await person.page.setInputFiles('#files', await person.write('export.csv', exported));
  await person.click('Reconcile');
  await person.settled();
  await person.see('reconciled-in-doubt');
}

/** Sending under way, and stopped. */
export async function walkSending(): Promise<void> {
  const world = await openConsole({ enters: false, latencyInMs: 400 }, {}, undefined, {
    sending: { concurrency: 2 },
  });
  const person = await enter(world);
  await person.upload(await person.write('people.csv', csvOf(customers(400))));
  await person.click(/^Send 400 rows/);
  await person.page.getByText(/a second, about/).waitFor();
  await person.see('sending');
  await person.look('/', 'home-running');
  await person.look('/batches', 'batches-running');
  await person.page.goBack();
  await person.page.goBack();
  await person.click('Stop');
  await person.settled();
  await person.see('stopped');
}

/** Pages of long tasks: they do not change, since no new answer arrives. */
export async function walkWaiting(): Promise<void> {
  const world = await openConsole({ enters: false, latencyInMs: 8_000 });
  const person = await enter(world);
  const { page } = person;
  await page.route('**/progress', (route) => route.fulfill({ status: 204 }));
  await person.look('/doctor', 'doctor-under-way');
  await person.look('/institutions/KE', 'institutions-under-way');
  await person.go('/');
  await page.setInputFiles('#files', [sample('recipients.csv'), sample('collections.csv')]);
  await person.click('Upload and check');
  await page.locator('main [data-live]').waitFor();
  await person.see('call-under-way');
  await page.unroute('**/progress');
  await page.route('**/progress', (route) => route.fulfill({ status: 502 }));
  await person.reads('No connection to the console since');
  await person.see('connection-lost');
}

/** Every row is refused for the same reason, so sending stops. */
export async function walkRefusedAlike(): Promise<void> {
  const world = await openConsole({
    enters: false,
    onRequest: ({ method }) => (method === 'POST' ? '422' : undefined),
  });
  const person = await enter(world);
  await person.upload(await person.write('people.csv', csvOf(customers(120))));
  await person.send();
  await person.see('batch-refused-alike');
  const batch = person.path();
  await person.look('/', 'home-refused-alike');
  await person.look(`${batch}/rows?status=rejected`, 'rows-rejected');
  await person.look(`${batch}/rows?status=rejected&after=51`, 'rows-second-page');
  await person.look(`${batch}/rows/2`, 'row-rejected');
  await person.look(`${batch}/edit?status=rejected`, 'edit-rejected');
}

/** A payee whose details have changed since the last file: only a person lets it be sent. */
export async function walkHeld(): Promise<void> {
  const world = await openConsole({ enters: false }, {}, undefined, { controls: { changes: 'hold' } });
  const person = await enter(world);
  for (const [name, rows] of [
    ['people.csv', customers(2)],
    ['october.csv', [recipient(1), recipient(2)]],
  ] as const) {
    await person.upload(await person.write(name, csvOf(rows)));
    await person.send();
  }
  const changed = [recipient(1, { account_number: '7700009999' }), recipient(2)];
  await person.upload(await person.write('november.csv', csvOf(changed)));
  await person.see('plan-with-changes');
  const batch = person.path();
  await person.look('/', 'home-held');
  await person.look(`${batch}/rows?status=held`, 'rows-held');
  await person.look(`${batch}/rows/2`, 'row-held');
  await person.look(`${batch}/decide?status=held`, 'decide-held');
  await person.go(`${batch}/rows/2`);
  await person.page.getByText('Send it all the same').first().click();
  await person.page.getByLabel(/Note/).first().fill('Asked her');
  await person.click('Record this');
  await person.settled();
  await person.see('row-decided');
  await person.look('/search?q=Amina1 Odhiambo', 'search-rows');
}

/** Live money: the banner, and the page on which somebody agrees. */
export async function walkLive(): Promise<void> {
  const world = await openConsoleWithUsers({ ledger: 'durable' }, {}, undefined, ({ sandbox }) => ({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.live, mode: 'live' },
  }));
  const mo = await signIn(world, 'mo');
  await mo.see('live-home');
  await mo.upload(await mo.write('people.csv', csvOf(customers(3))));
  await mo.see('live-plan');
  const batch = mo.path();
  await mo.look(`${batch}/agree/resume`, 'live-agree');
  await world.engine.submit({ batch: batch.split('/').at(-1) ?? '', sending: { yes: true } }).result;
  await mo.click('Yes, send them');
  await mo.see('live-agree-outdated');
  await mo.look(batch, 'live-created');
}

/** The embedded ledger, and what a report looks like that is opened from the folder of results. */
export async function walkReports(): Promise<void> {
  const world = await openConsole({ enters: false, ledger: 'embedded' });
  const person = await enter(world);
  await person.see('home-embedded');
  await person.upload(sample('customers.csv'));
  await person.send();
  await person.upload(sample('recipients-with-errors.csv'));
  const batch = person.path();
  await person.report(batch, 'report-planned');
  await person.send();
  await person.report(batch, 'report-finished');
  await person.go(`${batch}/reconcile`);
  await person.click('Reconcile');
  await person.settled();
  await person.report(batch, 'report-reconciled');
}
