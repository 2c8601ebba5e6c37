import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer } from '../support/cli-files.ts';

/** Writes a file that is older than a minute, so that it does not count as a file that is being copied. */
async function old(desk: Desk, name: string, content: string): Promise<string> {
  await desk.write(name, content);
  await utimes(join(desk.folder, name), new Date(), new Date(Date.now() - 3_600_000));
  return name;
}

const june = (wrong: Record<string, string>) => csvOf([customer(1), customer(2, wrong), customer(3)]);

/** What the work list asks for. */
async function asked(desk: Desk): Promise<string> {
  return (await desk.run(['status'])).stdout;
}

describe.each(['server', 'embedded'] as const)(
  'a whole file that is delivered again, on the %s',
  (ledger) => {
    it('settles the rows that it puts right, and nothing else', async () => {
      const desk = await openDesk({ ledger, program: ledger === 'server' ? 'started' : 'in_process' });
      const first = await desk.json(['import', await old(desk, 'june.csv', june({ email: 'nobody' }))]);
      expect(first.summary.batches[0]?.counts).toEqual({ created: 2, invalid: 1 });
      expect(await asked(desk)).toContain('needs you: 1 row');
      const again = await desk.json(['import', await old(desk, 'june-new.csv', june({}))]);
      expect(again.summary).toMatchObject({
        exit_code: 0,
        batches: [{ counts: { existing: 2, created: 1 } }],
      });
      const batch = first.summary.batches[0]?.batch ?? '';
      const status = await desk.json(['status', batch]);
      expect(status.summary.batches[0]).toMatchObject({ needs_person: 0 });
      const list = await asked(desk);
      expect(list).not.toContain('needs you:');
      expect(list).toContain('corrects 1 row of batch');
      expect((await desk.json(['import', 'june.csv'])).exitCode).toBe(0);
      expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
    });
  },
);

describe('a file that is similar', () => {
  it.each([
    ['whose other rows are not all there', csvOf([customer(1), customer(2), customer(4)])],
    ['whose row in that place is another one', june({ external_id: 'OTHER' })],
    ['whose rows are in another order', csvOf([customer(2), customer(1), customer(3)])],
  ])('settles nothing: one %s', async (_, content) => {
    const desk = await openDesk();
    const first = await desk.json(['import', await old(desk, 'june.csv', june({ email: 'nobody' }))]);
    await desk.run(['import', await old(desk, 'july.csv', content)]);
    const status = await desk.json(['status', first.summary.batches[0]?.batch ?? '']);
    expect(status.summary.batches[0]).toMatchObject({ needs_person: 1 });
  });

  it('settles nothing while it is only planned, or its row is wrong again', async () => {
    const desk = await openDesk();
    const first = await desk.json(['import', await old(desk, 'june.csv', june({ email: 'nobody' }))]);
    const batch = first.summary.batches[0]?.batch ?? '';
    await desk.run(['plan', await old(desk, 'planned.csv', june({}))]);
    const results = await desk.json(['results', batch]);
    expect(results.summary.batches[0]?.counts).toEqual({ created: 2, invalid: 1 });
    const rows = await desk.results('june');
    expect(rows[1]).toMatchObject({ result_status: 'invalid', result_code: 'invalid_email' });
    await desk.run(['import', await old(desk, 'wrong.csv', june({ email: 'again' }))]);
    expect((await desk.json(['import', 'june.csv'])).exitCode).toBe(1);
  });
});

it('the whole file settles the row in which a half-copied one ended', async () => {
  const desk = await openDesk();
  const people = (from: number) => csvOf([from, from + 1, from + 2].map((at) => customer(at)));
  await desk.run(['import', await old(desk, 'may.csv', people(1))]);
  const whole = people(11);
  const cut = await desk.json(['import', await old(desk, 'june.csv', whole.trimEnd().slice(0, -2))]);
  expect(cut.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 2, held: 1 } }] });
  const again = await desk.json(['import', await old(desk, 'june-whole.csv', whole)]);
  expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1, existing: 2 } }] });
  const status = await desk.json(['status', cut.summary.batches[0]?.batch ?? '']);
  expect(status.summary.batches[0]).toMatchObject({ needs_person: 0, counts: { created: 2, invalid: 1 } });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(6);
});

it('of a file without any row that was right, another one settles nothing', async () => {
  let isRefusing = true;
  const desk = await openDesk({
    onRequest: ({ method }) => (method === 'POST' && isRefusing ? '422' : undefined),
  });
  const first = await desk.json(['import', await old(desk, 'june.csv', june({}))]);
  const batch = first.summary.batches[0]?.batch ?? '';
  isRefusing = false;
  expect(first.summary.batches[0]?.counts).toEqual({ rejected: 3 });
  // Without any row that was right, nothing says that it is the same file.
  await desk.run(['import', await old(desk, 'june-new.csv', june({ city: 'Kisumu' }))]);
  const status = await desk.json(['status', batch]);
  expect(status.summary.batches[0]).toMatchObject({ needs_person: 3 });
});

it('the whole file settles a row that the API refused, which is not sent again', async () => {
  let requests = 0;
  const desk = await openDesk({
    onRequest: ({ method }) => {
      if (method === 'POST') requests += 1;
      return requests === 2 ? '422' : undefined;
    },
  });
  const first = await desk.json(['import', await old(desk, 'june.csv', june({})), '--concurrency', '1']);
  expect(first.summary.batches[0]?.counts).toEqual({ created: 2, rejected: 1 });
  const again = await desk.json(['import', await old(desk, 'june-new.csv', june({ external_id: 'RIGHT' }))]);
  expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { existing: 2, created: 1 } }] });
  const batch = first.summary.batches[0]?.batch ?? '';
  const retried = await desk.json(['retry', batch]);
  expect(retried.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 2, rejected: 1 } }] });
  expect((await desk.json(['status', batch])).summary.batches[0]).toMatchObject({ needs_person: 0 });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
});

it('holds a payee whose account is written in another way: with hyphens it is the same account', async () => {
  const desk = await openDesk();
  await desk.run(['import', await desk.write('people.csv', csvOf([customer(1)]))]);
  const payee = (account: string) => ({
    ...{
      payee_type: 'bank_account',
      customer_external_id: customer(1)['external_id'] ?? '',
      currency: 'KES',
    },
    ...{ account_name: 'Amina Otieno', account_number: account, institution_name: 'KCB Bank Kenya' },
    institution_country: 'KE',
  });
  const first = await desk.json(['import', await desk.write('june.csv', csvOf([payee('00035-811144-46')]))]);
  expect(first.summary.batches[0]?.counts).toEqual({ created: 1 });
  const again = await desk.json(['import', await desk.write('july.csv', csvOf([payee('0003581114446')]))]);
  expect(again.summary.batches[0]?.counts).toEqual({ held: 1 });
  expect(desk.sandbox.counts().sandbox.created.external_accounts).toBe(1);
});
