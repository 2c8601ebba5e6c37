import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { controlHeaders } from '../sandbox/harness.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { account, csvOf, customer } from '../support/cli-files.ts';

async function finishVerification({ sandbox }: Desk): Promise<void> {
  const path = '/sandbox/kyc';
  await fetch(sandbox.url + path, {
    method: 'POST',
    headers: { ...controlHeaders(sandbox, path), 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'passed' }),
  });
}

async function deskWithWallet(): Promise<{ desk: Desk; keys: string[]; wallets: string }> {
  const keys: string[] = [];
  const desk = await openDesk({
    kyc: 'required',
    onRequest: ({ path, idempotencyKey = '' }) => {
      if (path === '/v1/accounts') keys.push(idempotencyKey);
      return undefined;
    },
  });
  const people = await desk.write('people.csv', csvOf([customer(1)]));
  const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
  expect((await desk.run(['import', people])).exitCode).toBe(0);
  return { desk, keys, wallets };
}

describe('an account whose customer is not verified yet', () => {
  it('waits, and is created by a later run under a new key, not before its delay', async () => {
    const { desk, keys, wallets } = await deskWithWallet();
    expect((await desk.run(['import', wallets])).exitCode).toBe(1);
    const [waiting] = await desk.results('wallets');
    expect(waiting).toMatchObject({ result_status: 'waiting', result_code: 'kyc_required' });
    const told = /1 row waits since \d{4}-\d\d-\d\d \d\d:\d\d UTC: kyc_required/;
    expect((await desk.run(['status', waiting?.['result_batch'] ?? ''])).stdout).toMatch(told);
    expect(await desk.resultText(`${waiting?.['result_batch']?.slice(0, 8)}.report.html`)).toMatch(told);
    await finishVerification(desk);
    // The delay has not passed: nothing is sent.
    expect((await desk.run(['import', wallets])).exitCode).toBe(1);
    expect(keys).toHaveLength(1);
    await sleep(20);
    expect((await desk.run(['import', wallets, '--waiting-delay', '1ms'])).exitCode).toBe(0);
    expect(new Set(keys).size).toBe(2);
    const [created] = await desk.results('wallets');
    expect(created).toMatchObject({ result_status: 'created', result_attempts: '2', result_code: '' });
    expect(desk.sandbox.counts().sandbox.created.accounts).toBe(1);
  });

  it('is sent at once by retry, and refused for good where its code is not one of those', async () => {
    const { desk, keys, wallets } = await deskWithWallet();
    const { summary } = await desk.json(['import', wallets]);
    const batch = summary.batches[0]?.batch ?? '';
    const early = await desk.run(['retry', batch]);
    expect(early.stderr).toContain(`batch ${batch.slice(0, 8)}: 1 waiting row is tried again\n`);
    expect(early.stderr).toContain(' · 1 waiting');
    expect(early.stderr).not.toMatch(/reject|refused/);
    await finishVerification(desk);
    expect((await desk.run(['retry', batch])).exitCode).toBe(0);
    expect(keys).toHaveLength(3);
    const other = await desk.write('other.csv', csvOf([account(1, { label: 'Refused' })]));
    const codes = ['--waiting-codes', 'account_refused,kyc_required'];
    expect((await desk.json(['import', other, ...codes])).summary.batches[0]?.counts).toEqual({ waiting: 1 });
    const third = await desk.write(
      'third.csv',
      csvOf([account(1, { label: 'Refused', currency: 'USD' }), account(1)]),
    );
    expect((await desk.json(['import', third])).summary.batches[0]?.counts).toMatchObject({ existing: 1 });
  });
});
