import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { account, collection, csvOf, customer, customers, recipient } from '../support/cli-files.ts';

interface Planned {
  readonly batch: string;
  readonly planHash: string;
}

/** Plans files and gives each batch with its hash, in the order in which they would be sent. */
async function plan(desk: Desk, words: readonly string[], exitCode = 0): Promise<Planned[]> {
  const planned = await desk.json(['plan', ...words]);
  expect(planned.exitCode, planned.stderr).toBe(exitCode);
  return planned.summary.batches.map(({ batch, plan_hash: planHash }) => {
    if (batch === null || planHash === null) throw new Error('a plan without batch or hash');
    return { batch, planHash };
  });
}

function submit(desk: Desk, planned: Planned | undefined): ReturnType<Desk['json']> {
  return desk.json(['submit', planned?.batch ?? '', '--plan-hash', planned?.planHash ?? '']);
}

function createdAt(desk: Desk): number {
  return Object.values(desk.sandbox.counts().sandbox.created).reduce((sum, count) => sum + count, 0);
}

describe.each(['server', 'embedded'] as const)('a plan on the %s ledger', (ledger) => {
  it('sends nothing, keeps the batch, and is what submit then sends', async () => {
    const desk = await openDesk({ ledger });
    await desk.write('people.csv', csvOf(customers(3)));
    const first = await desk.json(['plan', 'people.csv']);
    expect(first.summary.batches[0]).toMatchObject({ rows: 3, counts: { not_sent: 3 } });
    expect((await desk.results()).map((row) => [row['result_status'], row['result_attempts']])).toEqual(
      Array(3).fill(['not_sent', '0']),
    );
    expect(createdAt(desk)).toBe(0);

    const [planned] = await plan(desk, ['people.csv']);
    expect(planned?.planHash).toBe(first.summary.batches[0]?.plan_hash);
    const sent = await submit(desk, planned);
    expect(sent.exitCode, sent.stderr).toBe(0);
    expect(sent.summary.batches[0]).toMatchObject({ counts: { created: 3 }, plan_hash: planned?.planHash });
    expect((await submit(desk, planned)).exitCode).toBe(0);
    expect(createdAt(desk)).toBe(3);
  });
});

it('a batch that was only planned is not resumed, and is listed as planned', async () => {
  const desk = await openDesk();
  await desk.write('people.csv', csvOf(customers(2)));
  const [planned] = await plan(desk, ['people.csv']);
  expect((await desk.run(['resume'])).stdout).toContain('Nothing to resume');
  expect((await desk.run(['status'])).stdout).toMatch(/people\.csv .* planned /);
  expect(createdAt(desk)).toBe(0);
  expect((await desk.run(['resume', planned?.batch ?? ''])).exitCode).toBe(0);
  expect(createdAt(desk)).toBe(2);
});

describe('a plan of files that depend on each other', () => {
  it('holds while they are submitted one after the other', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf(customers(2)));
    await desk.write('accounts.csv', csvOf([account(1), account(2)]));
    await desk.write('payees.csv', csvOf([recipient(1), recipient(2)]));
    await desk.write('payins.csv', csvOf([collection(1)]));
    const planned = await plan(desk, ['payins.csv', 'payees.csv', 'accounts.csv', 'people.csv']);
    for (const each of planned) {
      const { exitCode, stderr } = await submit(desk, each);
      expect(exitCode, stderr).toBe(0);
    }
    expect(createdAt(desk)).toBe(7);
  });

  it('shows rows as waiting whose customer will not come', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf([customer(1), customer(2, { email: 'nobody' })]));
    await desk.write('payees.csv', csvOf([recipient(1), recipient(2)]));
    const { exitCode, summary } = await desk.json(['plan', 'people.csv', 'payees.csv']);
    expect(exitCode).toBe(1);
    expect(summary.batches.map(({ counts }) => counts)).toEqual([
      { not_sent: 1, invalid: 1 },
      { not_sent: 1, waiting: 1 },
    ]);
  });
});

describe('a plan hash', () => {
  it('refuses with exit 3 when the ledger changes what would be sent, and says how', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf(customers(3)));
    await desk.write('one.csv', csvOf([customer(2)]));
    const [planned] = await plan(desk, ['people.csv']);
    expect((await desk.run(['import', 'one.csv'])).exitCode).toBe(0);
    const { exitCode, summary } = await submit(desk, planned);
    expect(exitCode).toBe(3);
    expect(summary.error?.code).toBe('plan_changed');
    expect(summary.error?.message).toContain('customers: 3 rows, now 2 rows');
    expect(createdAt(desk)).toBe(1);
    const [again] = await plan(desk, ['people.csv']);
    expect((await submit(desk, again)).exitCode).toBe(0);
  });

  it('lets an interrupted submission go on under the same hash', async () => {
    let refusals = 3;
    const onRequest = () => (refusals-- > 0 ? undefined : ('429' as const));
    const desk = await openDesk({ onRequest });
    await desk.write('people.csv', csvOf(customers(6)));
    const [planned] = await plan(desk, ['people.csv']);
    const stopped = await desk.json([
      ...['submit', planned?.batch ?? '', '--plan-hash', planned?.planHash ?? ''],
      ...['--max-attempts', '1', '--concurrency', '1'],
    ]);
    expect(stopped.exitCode).toBe(4);
    expect(createdAt(desk)).toBe(3);
    refusals = Number.MAX_SAFE_INTEGER;
    expect((await submit(desk, planned)).exitCode).toBe(0);
    expect(createdAt(desk)).toBe(6);
  });

  it('is taken by import for a single batch, and refused for several', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf(customers(1)));
    await desk.write('others.csv', csvOf(customers(1, 9)));
    const [planned] = await plan(desk, ['people.csv']);
    const hash = planned?.planHash ?? '';
    expect((await desk.run(['import', 'people.csv', 'others.csv', '--plan-hash', hash])).exitCode).toBe(2);
    expect((await desk.run(['import', 'others.csv', '--plan-hash', hash])).exitCode).toBe(3);
    expect((await desk.run(['import', 'people.csv', '--plan-hash', hash.slice(1)])).exitCode).toBe(2);
    expect(createdAt(desk)).toBe(0);
    expect((await desk.run(['import', 'people.csv', '--plan-hash', hash])).exitCode).toBe(0);
  });
});

describe('plan', () => {
  it('needs neither address nor key for rows that name no institution, and both otherwise', async () => {
    const desk = await openDesk();
    await desk.write('people.csv', csvOf(customers(2)));
    await desk.write('payees.csv', csvOf([recipient(1, { customer_external_id: 'C-1' })]));
    const env = { PAYBATCH_BASE_URL: '', PAYBATCH_API_KEY: '' };
    const withoutApi = await desk.run(['plan', 'people.csv'], { env: env });
    expect(withoutApi.exitCode, withoutApi.stderr).toBe(0);
    expect(withoutApi.stdout).toContain('All 2 rows would be sent');
    expect(withoutApi.stdout).not.toContain('paybatch submit');
    const needed = await desk.run(['plan', 'people.csv', 'payees.csv'], { env: env });
    expect(needed.exitCode).toBe(2);
  });

  it('gives totals by payee type, institution and currency, and what is skipped and why', async () => {
    const desk = await openDesk();
    await desk.write('customers.csv', await readFile('samples/customers.csv'));
    await desk.write('payees.csv', await readFile('samples/recipients-with-errors.csv'));
    const { exitCode, stdout } = await desk.run(['plan', 'customers.csv', 'payees.csv']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('3 of 21 rows would be sent');
    expect(stdout).toMatch(/bank account +KCB Bank Kenya +KES +1 +25,000\.00/);
    expect(stdout).toMatch(/all +KES +2 +26,500\.00/);
    const codes = [
      ...['below_minimum', 'above_maximum', 'institution_unknown', 'ambiguous_institution', 'invalid_iban'],
      ...['damaged_number', 'invalid_phone', 'currency_mismatch', 'conflicting_duplicate', 'required'],
      ...['invalid_routing_number', 'unexpected_value', 'country_mismatch', 'institution_type_mismatch'],
      ...['unknown_value', 'customer_unknown', 'invalid_amount'],
    ];
    for (const code of codes) expect(stdout).toMatch(new RegExp(`invalid +${code} +1 +\\d+`));
    expect(stdout).toMatch(/duplicate +same as an earlier row of the file +1 +12/);
    const widest = stdout.split('\n').filter((line) => !/plan-hash|results|failed|report/.test(line));
    expect(Math.max(...widest.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it.each(['plan', 'import'])(
    '%s refuses a file with more invalid rows than --max-invalid, and keeps nothing',
    async (command) => {
      const desk = await openDesk();
      const rows = [...customers(8), customer(9, { email: 'nobody' }), customer(10, { email: 'nobody' })];
      await desk.write('people.csv', csvOf(rows));
      for (const limit of ['1', '19%']) {
        const { exitCode, summary } = await desk.json([command, 'people.csv', '--max-invalid', limit]);
        expect(exitCode).toBe(3);
        expect(summary).toMatchObject({ batches: [], error: { code: 'too_many_invalid' } });
      }
      expect((await desk.run(['status'])).stdout).toContain('No batch');
      expect(await desk.resultNames()).toEqual([]);
      expect(createdAt(desk)).toBe(0);
      expect((await desk.run([command, 'people.csv', '--max-invalid', '20%'])).exitCode).toBe(1);
    },
  );
});
