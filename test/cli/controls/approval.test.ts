import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rowRanges } from '../../../src/domain/controls/statement.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { created, type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../../support/cli-files.ts';
import {
  approvalOf,
  approveContent,
  firstPolicy,
  type TestPerson,
  writeApproval,
} from '../../support/controls.ts';

/** A desk whose ledger has two approvers and a policy for every batch of the sandbox. */
async function openControlledDesk(
  rule: Readonly<Record<string, unknown>> = {},
): Promise<{ desk: Desk; database: Knex; ada: TestPerson; ben: TestPerson }> {
  const desk = await openDesk();
  const { database, close } = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(close);
  const people = await firstPolicy(database, ['ada', 'ben'], { mode: 'sandbox', ...rule });
  return { desk, database, ...people };
}

/** Approves this number of rows of a batch in the sandbox, from row 2 on. */
async function approveFirst(
  desk: Desk,
  database: Knex,
  person: TestPerson,
  batch: string,
  count: number,
): Promise<void> {
  const environment = { mode: 'sandbox', origin: desk.sandbox.url };
  await approveContent(database, person, batch, rowsFrom(2, count), { environment });
}

function rowsFrom(first: number, count: number): string {
  const ranges = rowRanges();
  for (let row = first; row < first + count; row += 1) ranges.add(row);
  return ranges.text();
}

describe('a batch of which the policy asks an approval', () => {
  it('waits for every sender until it is approved, and then goes on', async () => {
    const { desk, database, ada } = await openControlledDesk();
    const file = await desk.write('people.csv', csvOf(customers(5)));
    const first = await desk.json(['import', file, '--yes']);
    expect(first.summary).toMatchObject({
      exit_code: 8,
      error: { code: 'approval_needed' },
      batches: [{ counts: { not_sent: 5 } }],
    });
    const batch = first.summary.batches[0]?.batch ?? '';
    for (const words of [
      ['import', file],
      ['resume', batch],
      ['resume', batch, '--join'],
      ['retry', batch],
      ['resume'],
    ]) {
      const again = await desk.json(words);
      expect([words, again.exitCode, again.summary.error?.code]).toEqual([words, 8, 'approval_needed']);
    }
    expect(created(desk)).toBe(0);
    const status = await desk.run(['status', batch]);
    expect(status.stdout).toContain('ada or ben can approve');
    expect(status.stdout).toMatch(/paybatch approve \w{8} --plan-hash [0-9a-f]{64}/);
    await approveFirst(desk, database, ada, batch, 5);
    const approved = await desk.json(['resume', batch]);
    expect(approved.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 5 } }] });
    expect(created(desk)).toBe(5);
    const events = readLog(await desk.resultText(`people.${batch.slice(0, 8)}.run.jsonl`));
    expect(events.filter(({ event }) => event === 'run.stopped')[0]).toMatchObject({
      code: 'approval_needed',
    });
  });

  it('does not keep the other batches of the call back', async () => {
    const { desk } = await openControlledDesk({ kinds: ['recipients'] });
    const people = await desk.write('people.csv', csvOf(customers(2)));
    const payees = await desk.write(
      'payees.csv',
      csvOf([
        {
          payee_type: 'sepa',
          customer_external_id: 'C-1',
          iban: 'DE89370400440532013000',
          account_name: 'Amina Odhiambo',
          bank_name: 'Bank',
          currency: 'EUR',
          account_owner_type: 'individual',
          address_line1: 'Street 1',
          city: 'Berlin',
          postal_code: '10115',
          country: 'DE',
        },
      ]),
    );
    const end = await desk.json(['import', people, payees]);
    expect(end.summary).toMatchObject({
      exit_code: 8,
      batches: [{ counts: { created: 2 } }, { counts: { not_sent: 1 } }],
    });
    expect(created(desk)).toBe(2);
  });

  it('sends only rows of the approved plan, and says that others are left', async () => {
    const { desk, database, ada } = await openControlledDesk();
    const file = await desk.write('people.csv', csvOf(customers(5)));
    const batch = (await desk.json(['import', file])).summary.batches[0]?.batch ?? '';
    await approveFirst(desk, database, ada, batch, 3);
    const end = await desk.json(['import', file]);
    expect(end.summary).toMatchObject({ exit_code: 8, batches: [{ counts: { created: 3, not_sent: 2 } }] });
    await approveFirst(desk, database, ada, batch, 5);
    expect((await desk.json(['import', file])).summary).toMatchObject({
      exit_code: 0,
      batches: [{ counts: { created: 5 } }],
    });
  });

  it('is not sent under an approval without a valid signature', async () => {
    const { desk, database, ada, ben } = await openControlledDesk();
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const batch = (await desk.json(['import', file])).summary.batches[0]?.batch ?? '';
    // Signed by another key than the one that the statement names.
    await approveFirst(desk, database, { ...ada, privateKey: ben.privateKey }, batch, 2);
    const end = await desk.json(['resume', batch]);
    expect([end.exitCode, end.summary.error?.code]).toEqual([8, 'approval_invalid']);
    expect(created(desk)).toBe(0);
  });

  it.each<
    [string, (database: Knex, batch: string, ben: TestPerson, environment: object) => Promise<unknown>]
  >([
    [
      'its approver is locked',
      (database) => database.raw("UPDATE users SET locked_at = now(), locked_by = 'ben' WHERE name = 'ada'"),
    ],
    [
      'another approver rejects it',
      (database, batch, ben, environment) =>
        writeApproval(
          database,
          ben,
          approvalOf(ben, batch, { decision: 'reject', environment, planHash: undefined }),
        ),
    ],
  ])('stops when, between a claim and what is sent later, %s', async (_, withdraw) => {
    const { desk, database, ada, ben } = await openControlledDesk();
    const file = await desk.write('people.csv', csvOf(customers(400)));
    const batch = (await desk.json(['import', file])).summary.batches[0]?.batch ?? '';
    await approveFirst(desk, database, ada, batch, 400);
    const sending = desk.json(['resume', batch, '--concurrency', '1', '--rate', '200']);
    while (created(desk) < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    await withdraw(database, batch, ben, { mode: 'sandbox', origin: desk.sandbox.url });
    const end = await sending;
    expect([end.exitCode, end.summary.error?.code]).toEqual([8, 'approval_needed']);
    const { created: sent = 0, not_sent: left = 0 } = end.summary.batches[0]?.counts ?? {};
    expect(sent + left).toBe(400);
    expect(left).toBeGreaterThan(0);
    expect(created(desk)).toBe(sent);
  });
});
