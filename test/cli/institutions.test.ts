import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { controlHeaders, KENYAN_BANK } from '../sandbox/harness.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, recipient } from '../support/cli-files.ts';
import { openInProcessDesk } from './reconciling/in-process.ts';

async function setLimits(desk: Desk, min: number, max: number): Promise<void> {
  const institutions = [{ id: KENYAN_BANK, min_amount: min, max_amount: max }];
  const answer = await fetch(`${desk.sandbox.url}/sandbox/institutions`, {
    method: 'POST',
    headers: { ...controlHeaders(desk.sandbox), 'content-type': 'application/json' },
    body: JSON.stringify({ institutions }),
  });
  expect(answer.status).toBe(200);
}

/** A desk with two customers that are there, and a planned file of their recipients. */
async function deskWithPlan(): Promise<{ desk: Desk; batch: string; planHash: string }> {
  const desk = await openDesk();
  await desk.write('people.csv', csvOf(customers(2)));
  expect((await desk.run(['import', 'people.csv'])).exitCode).toBe(0);
  const rows = [recipient(1, { amount: '100.00' }), recipient(2, { amount: '5000.00' })];
  await desk.write('payees.csv', csvOf(rows));
  const { summary } = await desk.json(['plan', 'payees.csv']);
  return {
    desk,
    batch: summary.batches[0]?.batch ?? '',
    planHash: summary.batches[0]?.plan_hash ?? '',
  };
}

const anew = ['--institutions-max-age', '1ms'];

describe('rows that are in the ledger', () => {
  it('are judged again by lists that have changed, before anything is sent', async () => {
    const { desk, batch } = await deskWithPlan();
    await setLimits(desk, 1_000, 999_999);
    const { exitCode, summary, stderr } = await desk.json(['submit', batch, ...anew]);
    expect(exitCode).toBe(1);
    expect(summary.batches[0]?.counts).toEqual({ created: 1, invalid: 1 });
    expect(stderr).toContain('the institutions of KE have changed; 1 row no longer passes');
    const [first] = await desk.results('payees');
    expect(first).toMatchObject({
      result_code: 'below_minimum',
      result_field: 'amount',
      result_attempts: '0',
    });
    expect(first?.['result_message']).toContain('takes 1000 KES at least');
    expect(desk.sandbox.counts().sandbox.created.external_accounts).toBe(1);
  });

  it('are left alone while the list is young enough, or has not changed', async () => {
    const { desk, batch } = await deskWithPlan();
    expect((await desk.json(['submit', batch, ...anew])).stderr).not.toContain('have changed');
    await setLimits(desk, 1_000, 999_999);
    const { exitCode, summary } = await desk.json(['submit', batch]);
    expect(exitCode).toBe(0);
    expect(summary.batches[0]?.counts).toEqual({ created: 2 });
  });

  it('change the plan when they no longer pass', async () => {
    const { desk, batch, planHash } = await deskWithPlan();
    await setLimits(desk, 1_000, 999_999);
    const { exitCode, summary } = await desk.json(['submit', batch, '--plan-hash', planHash, ...anew]);
    expect(exitCode).toBe(3);
    expect(summary.error?.message).toContain('2 rows with 5,100.00, now 1 row with 5,000.00');
    expect(await desk.results('payees')).toMatchObject([
      { result_status: 'invalid' },
      { result_status: 'not_sent' },
    ]);
  });

  it('are never judged again once they may exist', async () => {
    const { desk, batch } = await deskWithPlan();
    expect((await desk.json(['submit', batch])).exitCode).toBe(0);
    await setLimits(desk, 1_000, 999_999);
    const { exitCode, summary } = await desk.json(['submit', batch, ...anew]);
    expect({ exitCode, counts: summary.batches[0]?.counts }).toEqual({ exitCode: 0, counts: { created: 2 } });
  });
});

it('rows are held, never invalid, where the list of institutions cannot be read in full', async () => {
  const desk = await openDesk({ pageParameter: 'ignored', pageSize: 5 });
  await desk.write('people.csv', csvOf(customers(2)));
  const rows = [recipient(1), recipient(2, { institution_name: 'Sidian Bank' })];
  await desk.write('payees.csv', csvOf(rows));
  const { exitCode, summary, stderr } = await desk.json(['import', 'people.csv', 'payees.csv']);
  expect(exitCode).toBe(5);
  // Once, although two rows and the check before the sending asked for the list.
  expect(stderr.match(/of KE could not be read in full \(5 institutions of it\)/g)).toHaveLength(1);
  expect(stderr.match(/--institutions-page-parameter .* --institutions-first-page/g)).toHaveLength(1);
  expect(summary.batches[1]?.counts).toEqual({ created: 1, held: 1 });
  expect((await desk.results('payees'))[1]).toMatchObject({
    result_code: 'institution_unverifiable',
    result_attempts: '0',
  });
  const { stdout } = await desk.run(['institutions', 'KE']);
  expect(stdout).toContain('could not be read in full');
  expect(stdout).toContain('--institutions-page-parameter');
});

it('a row whose payee type depends on the missing part of the list is held, and is sent by a later run', async () => {
  const desk = await openDesk({ pageParameter: 'offset', pageSize: 5 });
  await desk.run(['import', await desk.write('people.csv', csvOf(customers(1)))]);
  const mapping = {
    columns: { Name: 'account_name', Account: 'account_number', Bank: 'institution_name' },
    constants: {
      payee_type: { from: 'institution_name' },
      currency: 'KES',
      institution_country: 'KE',
      amount: '100',
      customer_external_id: customers(1)[0]?.['external_id'],
    },
    phoneCountry: 'KE',
  };
  await desk.write('m.json', JSON.stringify(mapping));
  await desk.write('payees.csv', 'Name,Account,Bank\nAmina Otieno,0712 345 001,M-PESA\n');
  const wrong = ['--institutions-page-parameter', 'seite', '--institutions-max-age', '1ms'];
  const held = await desk.json(['import', 'payees.csv', '--mapping', 'm.json', ...wrong]);
  expect(held.summary.batches[0]?.counts).toEqual({ held: 1 });
  const batch = held.summary.batches[0]?.batch ?? '';
  const refused = await desk.run(['resolve', batch, '--row', '2', '--as', 'send']);
  expect(refused.stderr).toContain('its payee type is not known yet');
  const sent = await desk.json(['submit', batch, '--institutions-max-age', '1ms']);
  expect(sent.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1 } }] });
});

it.each(['from_0', 'offset', 'limit'] as const)(
  'an API whose pages are chosen by %s is understood without an option',
  async (pageParameter) => {
    const desk = await openInProcessDesk({ pageParameter, pageSize: 5 });
    const { stdout } = await desk.call(['institutions', 'KE']);
    expect(stdout).toContain('27 institutions');
    expect(stdout).toContain('The list is complete.');
  },
);

it('pages are chosen as options say', async () => {
  const desk = await openInProcessDesk({ pageParameter: 'offset', pageSize: 5 });
  const wrong = ['--institutions-page-parameter', 'seite', '--institutions-max-age', '1ms'];
  expect((await desk.call(['institutions', 'KE', ...wrong])).stdout).toContain('could not be read in full');
  const right = ['--institutions-page-parameter', 'offset', '--institutions-first-page', '0'];
  expect((await desk.call(['institutions', 'KE', ...right])).stdout).toContain('The list is complete.');
  const refused = await desk.call(['institutions', 'KE', '--institutions-first-page', 'one']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('--institutions-first-page'),
  ]);
});

describe('rows that no complete list could verify', () => {
  it.each(['server', 'embedded'] as const)(
    'go on or are refused once there is one, on the %s ledger',
    async (ledger) => {
      const desk = await openDesk({ ledger, pageParameter: 'ignored', pageSize: 5 });
      await desk.write('people.csv', csvOf(customers(3)));
      const rows = [
        recipient(1, { institution_name: 'Sidian Bank', amount: '' }),
        recipient(2, { institution_name: 'Sidian Bnak' }),
        recipient(3, { institution_name: 'Sidian Bank', currency: 'UGX' }),
      ];
      await desk.write('payees.csv', csvOf(rows));
      const first = await desk.json(['import', 'people.csv', 'payees.csv']);
      expect(first.summary.batches[1]?.counts).toEqual({ held: 3 });
      const still = await desk.json(['import', 'payees.csv']);
      expect(still.summary.batches[0]?.counts).toEqual({ held: 3 });

      await desk.sandbox.close();
      const port = Number(new URL(desk.sandbox.url).port);
      const whole = await startSandbox({ dataDir: join(desk.folder, 'api'), port, pageSize: 5 });
      onTestFinished(() => whole.close());
      const { summary, stderr } = await desk.json(['import', 'payees.csv']);
      expect(summary.batches[0]?.counts).toEqual({ created: 1, invalid: 2 });
      expect(stderr).toContain('3 rows could be verified now, and are held no longer');
      const [created, misspelt, mismatched] = await desk.results('payees');
      expect(created).toMatchObject({ result_status: 'created', result_attempts: '1' });
      expect(created?.['result_notes']).toContain('limits not checked');
      expect(misspelt).toMatchObject({
        result_code: 'institution_unknown',
        result_field: 'institution_name',
      });
      expect(mismatched).toMatchObject({ result_code: 'currency_mismatch', result_field: 'currency' });
      expect(whole.counts().sandbox.created.external_accounts).toBe(1);
    },
  );
});

it('an API that is down while rows are checked again is reported together with the batch', async () => {
  const { desk, batch } = await deskWithPlan();
  await desk.sandbox.close();
  const { exitCode, summary } = await desk.json(['submit', batch, ...anew, '--max-attempts', '1']);
  expect(exitCode).toBe(4);
  expect(summary.error).not.toBeNull();
  expect(summary.batches).toMatchObject([{ batch, file: 'payees.csv', counts: { not_sent: 2 } }]);
});

describe('paybatch institutions', () => {
  it('lists a country by name, with limits, in full', async () => {
    const desk = await openDesk();
    const { exitCode, stdout } = await desk.run(['institutions', 'ke']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Kenya (KE) · 27 institutions · read just now');
    expect(stdout).toMatch(/KCB Bank Kenya +bank +KES +50(\.\d+)? +999,999(\.\d+)? +f9aeb346-/);
    expect(stdout).toMatch(/M-PESA +mobile money +KES +10 +250,000/);
    expect(stdout).toContain('The list is complete.');
    const names = stdout
      .split('\n')
      .flatMap((line) => /^ {2}(\S.*?) {2,}(?:bank|mobile)/.exec(line)?.[1] ?? []);
    expect(names).toHaveLength(27);
    expect(names).toEqual([...names].sort(new Intl.Collator('en').compare));
  });

  it('prints one object with --json, as every command does', async () => {
    const desk = await openDesk();
    const { stdout } = await desk.run(['institutions', 'KE', '--json']);
    const { institutions, ...about } = JSON.parse(stdout);
    expect(about).toEqual({ exit_code: 0, country: 'KE', is_complete: true, fetched_at: expect.any(String) });
    expect(institutions).toHaveLength(27);
    expect(institutions.find(({ id }: { id: string }) => id === KENYAN_BANK)).toEqual({
      id: KENYAN_BANK,
      name: 'KCB Bank Kenya',
      country: 'KE',
      type: 'bank',
      currency: 'KES',
      account_number_type: 'bank_account_number',
      min_amount: '50',
      max_amount: '999999',
    });
  });
});
