/* What needs a person, after whole imports. */

import { describe, expect, inject, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Worklist } from '../../src/engine/status.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { account, csvOf, customer, customers } from '../support/cli-files.ts';
import { openEngine } from '../support/engine.ts';

function engineOf({ sandbox, databaseUrl, env }: Desk): Promise<Engine> {
  return openEngine({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox },
    ledger: databaseUrl === null ? { ledgerDir: env['PAYBATCH_LEDGER_DIR'] ?? '' } : { databaseUrl },
  });
}

async function worklistOf(desk: Desk, limit = 20): Promise<Worklist> {
  const engine = await engineOf(desk);
  try {
    return await engine.worklist({ limit }).result;
  } finally {
    await engine.close();
  }
}

interface Lines {
  readonly tasks: readonly { readonly batch: { readonly file: string }; readonly rows: number | null }[];
}

function lines({ tasks }: Lines) {
  return tasks.map(({ batch, rows }) => [batch.file, rows]);
}

const payee = (name: string, iban: string): Readonly<Record<string, string>> => ({
  ...{ payee_type: 'sepa', customer_external_id: 'C-1', account_name: name, iban, bank_name: 'Bank' },
  ...{ currency: 'EUR', account_owner_type: 'individual', address_line1: 'Street 1', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE', amount: '10.00' },
});

const once = ['--max-attempts', '1'];

describe.each(inject('ledgers'))('what needs a person on the %s ledger', (ledger) => {
  it('is grouped by what is to be done, after a whole day of imports', async () => {
    let fault: FaultName | undefined;
    const desk = await openDesk({ ledger, kyc: 'required', onRequest: () => fault });
    const put = async (name: string, rows: readonly Readonly<Record<string, string>>[]): Promise<string> =>
      desk.write(name, csvOf(rows));
    await desk.run(['import', await put('people.csv', customers(2))]);
    await desk.run(['import', await put('wallets.csv', [account(1)])]);
    await desk.run(['import', await put('payees.csv', [payee('Jo Roe', 'DE89370400440532013000')])]);
    const changed = payee('Jo Roe', 'DE75512108001245126199');
    await desk.run(['import', await put('moved.csv', [changed]), '--changes', 'hold']);
    await desk.run(['import', await put('renamed.csv', [customer(1, { last_name: 'Other' })])]);
    await desk.run(['import', await put('wrong.csv', [customer(7, { email: 'no address' }), customer(8)])]);
    await desk.run(['plan', await put('planned.csv', customers(3, 20))]);
    fault = 'empty_answer';
    await desk.run(['import', await put('doubt.csv', [customer(30)]), ...once]);
    fault = '422';
    await desk.run(['import', await put('refused.csv', [customer(40)])]);
    fault = undefined;

    const list = await worklistOf(desk);
    expect(lines(list.doubts)).toEqual([['doubt.csv', 1]]);
    expect(list.doubts.tasks[0]).toMatchObject({
      doubt: { rows: 1, expired: 0, unsettled: 0 },
      canGoOn: true,
    });
    expect(lines(list.changedPayees)).toEqual([['moved.csv', 1]]);
    expect(list.changedPayees.tasks[0]).toMatchObject({
      code: 'payee_details_changed',
      advice: { action: 'decide', reason: 'payee_details_changed' },
    });
    expect(list.changedPayees.sums).toEqual([{ currency: 'EUR', rows: 1, amount: '10.00' }]);
    expect(list.held.tasks).toMatchObject([{ batch: { file: 'renamed.csv' }, code: 'differs_from_created' }]);
    expect(list.waiting.tasks).toMatchObject([{ batch: { file: 'wallets.csv' }, code: 'kyc_required' }]);
    expect(lines(list.corrections)).toEqual([
      ['refused.csv', 1],
      ['wrong.csv', 1],
    ]);
    expect(list.corrections.tasks.map(({ status }) => status)).toEqual(['rejected', 'invalid']);
    expect(list.sending.tasks).toMatchObject([{ batch: { file: 'planned.csv' }, rows: 3, state: 'planned' }]);
    expect([list.approvals.tasks, list.contradictions.tasks, list.isCutShort]).toEqual([[], [], false]);

    const bounded = await worklistOf(desk, 1);
    expect([bounded.corrections.tasks.length, bounded.corrections.more, bounded.corrections.rows]).toEqual([
      1, 1, 2,
    ]);
  });

  it('is nothing where there is no ledger, or where all is done', async () => {
    const desk = await openDesk({ ledger });
    const before = await worklistOf(desk);
    await desk.run(['import', await desk.write('people.csv', csvOf(customers(2)))]);
    const after = await worklistOf(desk);
    for (const list of [before, after]) {
      const sections = [list.doubts, list.held, list.corrections, list.waiting, list.sending, list.approvals];
      expect(sections.flatMap((section) => lines(section))).toEqual([]);
    }
  });
});

it('no longer lists rows that a correction has taken over', async () => {
  const desk = await openDesk();
  const wrong = await desk.write('people.csv', csvOf([customer(1, { email: 'no address' }), customer(2)]));
  await desk.run(['import', wrong]);
  expect((await worklistOf(desk)).corrections.rows).toBe(1);
  const failed = (await desk.resultText('.failed.csv')).replace('no address', 'amina@people.example');
  await desk.run(['import', await desk.write('corrected.csv', failed)]);
  const { corrections, sending } = await worklistOf(desk);
  expect([corrections.tasks, sending.tasks]).toEqual([[], []]);
});

it('no longer lists rows to correct once a correction of them is planned', async () => {
  const desk = await openDesk();
  const people = [1, 2].map((number) => customer(number, { email: 'no address' }));
  await desk.run(['import', await desk.write('people.csv', csvOf([...people, customer(3)]))]);
  const failed = (await desk.resultText('.failed.csv')).replace('no address', 'amina@people.example');
  await desk.run(['plan', await desk.write('corrected.csv', failed)]);
  const { corrections, sending } = await worklistOf(desk);
  expect(lines(corrections)).toEqual([['people.csv', 1]]);
  expect(lines(sending)).toEqual([['people.csv', 1]]);
});

it('lists the rows of a content once that was read in two ways', async () => {
  const desk = await openDesk();
  const partner = 'Reference,Former,Given,Family\nN-1,F-1,Amina,Otieno\nN-2,F-2,Jo,Roe\n';
  const file = await desk.write('partner.csv', partner);
  const ids: string[] = [];
  for (const id of ['Reference', 'Former']) {
    const columns = { [id]: 'external_id', Given: 'first_name', Family: 'last_name' };
    const ignore = ['Reference', 'Former'].filter((name) => name !== id);
    await desk.write(`${id}.json`, JSON.stringify({ columns, constants: { country: 'KE' }, ignore }));
    const words = ['--kind', 'customers', '--mapping', `${id}.json`];
    ids.push((await desk.json(['plan', file, ...words])).summary.batches[0]?.batch ?? '');
  }
  const { sending } = await worklistOf(desk);
  expect(sending.tasks.map(({ batch, rows }) => [batch.id, rows])).toEqual([[ids[1], 2]]);
});
