/* What is sent is what was signed: a change of the ledger after an approval stops the batch, also with the login of a sending program. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grantRoles } from '../../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import {
  approveContent,
  firstPolicy,
  proposePolicy,
  type TestPerson,
  testRule,
} from '../../support/controls.ts';
import { executeByHand } from '../../support/ledger-rows.ts';
import { loginAs } from '../../support/roles.ts';

interface ContentDesk {
  readonly desk: Desk;
  /** As the owner of the tables. */
  readonly owner: Knex;
  /** As the login of a program that sends. */
  readonly worker: Knex;
  readonly ada: TestPerson;
  readonly environment: { readonly mode: string; readonly origin: string };
  readonly json: Desk['json'];
  /** The fault of the next requests that create something. */
  fault: FaultName | undefined;
}

/** A desk whose commands log in as a worker, with a policy for these kinds in the sandbox. */
async function openContentDesk(rule: Readonly<Record<string, unknown>> = {}): Promise<ContentDesk> {
  const state: { fault: FaultName | undefined } = { fault: undefined };
  const desk = await openDesk({ onRequest: ({ method }) => (method === 'POST' ? state.fault : undefined) });
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  await grantRoles(ledger);
  const { ada } = await firstPolicy(ledger.database, ['ada'], { mode: 'sandbox', ...rule });
  const url = await loginAs(ledger.database, desk.databaseUrl ?? '', 'paybatch_worker');
  const own = openServerLedger(url);
  onTestFinished(() => own.close());
  const env = { DATABASE_URL: url };
  const json: Desk['json'] = (words, given = {}) => desk.json(words, { ...given, env });
  const environment = { mode: 'sandbox', origin: desk.sandbox.url };
  return Object.assign(state, {
    desk,
    owner: ledger.database,
    worker: own.database,
    ada,
    environment,
    json,
  });
}

/** Four customers that wait, and that an approver has approved. @returns their batch */
async function approvedPeople(at: ContentDesk): Promise<string> {
  const { desk, owner, ada, environment, json } = at;
  const file = await desk.write('people.csv', csvOf(customers(4)));
  const batch = (await json(['import', file])).summary.batches[0]?.batch ?? '';
  await approveContent(owner, ada, batch, '{[2,6)}', { environment });
  return batch;
}

const created = ({ desk }: ContentDesk): number => desk.sandbox.counts().sandbox.created.customers;

/** Statements of a transaction that holds the lock of the batch, with its id in place of BATCH. */
async function underLock(database: Knex, batch: string, ...statements: readonly string[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.raw('SELECT lock_batch(?)', [batch]);
    for (const sql of statements)
      await transaction.raw(sql.replaceAll('BATCH', `'${batch}'`).replaceAll('?', '\\?'));
  });
}

const otherBody = `convert_to('{"first_name":"Eve","last_name":"Else","email":"eve@people.example","external_id":"E-1"}', 'UTF8')`;

/** SQL that inserts a request of the row's next kind. */
const requestOf = (row: number, generation: number, path = '/v1/customers'): string =>
  `INSERT INTO requests (batch_id, row_number, generation, idempotency_key, path, body, fingerprint, run_id)
   SELECT BATCH, ${row}, ${generation}, '${randomUUID()}', '${path}', ${otherBody}, sha256('x'), id FROM runs
   WHERE batch_id = BATCH LIMIT 1`;

/** SQL that prepares a row as a run would, with a request of somebody else. */
const prepared = (row: number): readonly string[] => [
  requestOf(row, 2),
  `UPDATE row_states SET state = 'ready', generation = 2, owned_key = sha256('k${row}'), natural_key = sha256('k${row}')
   WHERE batch_id = BATCH AND row_number = ${row}`,
];

describe('the login of a worker', () => {
  it.each([
    'UPDATE row_inputs SET record = record',
    'DELETE FROM row_inputs',
    'UPDATE row_inputs SET cells = cells, findings = findings',
    'UPDATE requests SET body = body',
    'DELETE FROM requests',
    'UPDATE payee_changes SET code = code',
    'DELETE FROM payee_changes',
    'DELETE FROM row_states',
    'DELETE FROM batches',
    'UPDATE batches SET leaf_salt = leaf_salt',
    'DELETE FROM plan_leaves',
    "INSERT INTO plan_leaves VALUES (sha256(''), '')",
    'UPDATE approvals SET decided_at = now()',
  ])('may not change what was staged or signed: %s', async (sql) => {
    const at = await openContentDesk();
    await approvedPeople(at);
    await expect(at.worker.raw(sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('empties no batch that was staged, and takes nothing of it back to be staged anew', async () => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    const refused = { code: '23001' };
    await expect(underLock(at.worker, batch, 'SELECT empty_unstaged(BATCH)')).rejects.toMatchObject(refused);
    await expect(underLock(at.worker, batch, 'SELECT remove_unstaged(BATCH)')).rejects.toMatchObject(refused);
    await expect(
      underLock(at.worker, batch, 'UPDATE batches SET staged_at = NULL, row_count = NULL WHERE id = BATCH'),
    ).rejects.toMatchObject(refused);
  });
});

describe('a batch is stopped, and nothing of it is sent, when after its approval', () => {
  it.each<[string, readonly string[], number]>([
    ['a worker prepares a row with another request', prepared(3), 3],
    [
      'a worker changes the record of a row that is not ready, by the function for rechecks',
      [
        `SELECT note_recheck(BATCH, '{3}', ARRAY['[]'], ARRAY[(SELECT record || '{"last_name":"Else"}' FROM row_inputs
           WHERE batch_id = BATCH AND row_number = 3)], ARRAY['[]'::jsonb])`,
      ],
      0,
    ],
  ])('%s', async (_, statements, others) => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    await underLock(at.worker, batch, ...statements);
    await expectStopped(at, batch, others);
  });

  it.each<[string, readonly string[]]>([
    [
      'the owner updates the record of a row',
      [
        `UPDATE row_inputs SET record = record || '{"email":"eve@people.example"}' WHERE batch_id = BATCH AND row_number = 2`,
      ],
    ],
    [
      'the owner deletes a row and inserts it anew',
      [
        `CREATE TEMPORARY TABLE kept AS SELECT * FROM row_inputs WHERE batch_id = BATCH AND row_number = 4`,
        'DELETE FROM row_inputs WHERE batch_id = BATCH AND row_number = 4',
        `INSERT INTO row_inputs SELECT batch_id, row_number, cells, record || '{"last_name":"Else"}', findings, notes, hash FROM kept`,
      ],
    ],
    [
      'the owner gives two rows the content of each other',
      [
        `UPDATE row_inputs i SET record = o.record FROM row_inputs o WHERE o.batch_id = i.batch_id
           AND i.batch_id = BATCH AND i.row_number + o.row_number = 7 AND i.row_number IN (3, 4)`,
      ],
    ],
    [
      'the owner gives the leaves of the plan another salt',
      ['UPDATE batches SET leaf_salt = gen_random_uuid() WHERE id = BATCH'],
    ],
    ['the owner removes the leaves', ['DELETE FROM plan_leaves']],
  ])('%s', async (_, statements) => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    for (const sql of statements) await at.owner.raw(sql.replaceAll('BATCH', `'${batch}'`));
    await expectStopped(at, batch);
  });

  it('the request of a row that is ready is replaced', async () => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    await underLock(at.worker, batch, ...prepared(2));
    await executeByHand(at.owner, `UPDATE requests SET body = ${otherBody}`, []);
    await expectStopped(at, batch, 3);
  });
});

/** @param others rows of other claims, which are as they were approved: they may be sent before the batch stops */
async function expectStopped(at: ContentDesk, batch: string, others = 0): Promise<void> {
  const end = await at.json(['resume', batch]);
  expect([end.exitCode, end.summary.error?.code]).toEqual([8, 'content_not_approved']);
  expect(created(at)).toBeLessThanOrEqual(others);
}

describe('a row in doubt', () => {
  it('that somebody put into an approved batch is held, and not sent; the others are', async () => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    await underLock(
      at.worker,
      batch,
      `INSERT INTO row_inputs SELECT batch_id, 9, cells, record, findings, notes, hash FROM row_inputs
       WHERE batch_id = BATCH AND row_number = 2`,
      `INSERT INTO row_states (batch_id, row_number, environment_id, kind, resource, state, owned_key, may_exist, first_sent_at, credential)
       SELECT batch_id, 9, environment_id, kind, resource, 'unknown', sha256('z'), true, now(),
         (SELECT max(fingerprint) FROM credentials) FROM row_states WHERE batch_id = BATCH AND row_number = 2`,
      requestOf(9, 1),
    );
    // The key that is in use, as a login that may write to the ledger can learn it.
    await at.json(['resume', batch]);
    await underLock(
      at.worker,
      batch,
      `UPDATE row_states SET credential = (SELECT max(credential) FROM claims), code = NULL
       WHERE batch_id = BATCH AND row_number = 9 AND state = 'unknown'`,
    );
    const end = await at.json(['resume', batch]);
    expect(end.summary.batches[0]?.counts).toEqual({ created: 4, held: 1 });
    expect(created(at)).toBe(4);
    const { rows } = await at.owner.raw('SELECT code FROM row_states WHERE batch_id = ? AND row_number = 9', [
      batch,
    ]);
    expect(rows).toEqual([{ code: 'content_not_approved' }]);
  });

  it('is sent again where the run log has its key, though the plan that was approved since lacks it', async () => {
    const at = await openContentDesk();
    const batch = await approvedPeople(at);
    at.fault = 'reset_before';
    const first = await at.json(['resume', batch, '--max-attempts', '1']);
    expect(first.summary.batches[0]?.counts).toEqual({ unknown: 4 });
    at.fault = undefined;
    // The approval of before does not count any more.
    await proposePolicy(at.owner, { rules: [testRule({ mode: 'sandbox' })] });
    await approveContent(at.owner, at.ada, batch, '{[2,3)}', {
      environment: at.environment,
      policy: (await at.owner.raw('SELECT policy_in_force() AS version')).rows[0].version,
    });
    expect((await at.json(['resume', batch])).summary.batches[0]?.counts).toEqual({ created: 4 });
  });
});

it('recipients in a batch that is called customers are not sent, since the rule of their endpoint counts', async () => {
  const at = await openContentDesk({ kinds: ['recipients'] });
  at.fault = '401';
  const file = await at.desk.write('people.csv', csvOf(customers(2)));
  const batch = (await at.json(['import', file])).summary.batches[0]?.batch ?? '';
  at.fault = undefined;
  await underLock(
    at.worker,
    batch,
    `INSERT INTO row_inputs SELECT batch_id, 9, cells, record, findings, notes, hash FROM row_inputs
     WHERE batch_id = BATCH AND row_number = 2`,
    `INSERT INTO row_states (batch_id, row_number, environment_id, kind, resource, state, owned_key)
     SELECT batch_id, 9, environment_id, kind, 'recipients/sepa', 'ready', sha256('z') FROM row_states
     WHERE batch_id = BATCH AND row_number = 2`,
    requestOf(9, 1, '/v1/external-accounts'),
  );
  const end = await at.json(['resume', batch]);
  expect([end.exitCode, end.summary.error?.code]).toEqual([8, 'content_not_approved']);
  expect(at.desk.sandbox.counts().sandbox.created.external_accounts).toBe(0);
});

describe('recipients that name customers of the same import', () => {
  const payee = (customer: string): Readonly<Record<string, string>> => ({
    payee_type: 'sepa',
    customer_external_id: customer,
    iban: 'DE89370400440532013000',
    account_name: 'Amina Odhiambo',
    bank_name: 'Bank',
    currency: 'EUR',
    account_owner_type: 'individual',
    address_line1: 'Street 1',
    city: 'Berlin',
    postal_code: '10115',
    country: 'DE',
  });
  const importBoth = async (at: ContentDesk): Promise<string> => {
    const people = await at.desk.write('people.csv', csvOf(customers(2)));
    const payees = await at.desk.write('payees.csv', csvOf([payee('C-1')]));
    const batch = (await at.json(['import', people, payees])).summary.batches[1]?.batch ?? '';
    await approveContent(at.owner, at.ada, batch, '{[2,3)}', { environment: at.environment });
    return batch;
  };
  const recipientsOf = ({ desk }: ContentDesk): number =>
    desk.sandbox.counts().sandbox.created.external_accounts;

  it('are sent with the ids that their customers got since', async () => {
    const at = await openContentDesk({ kinds: ['recipients'] });
    const batch = await importBoth(at);
    expect((await at.json(['resume', batch])).summary.batches[0]?.counts).toEqual({ created: 1 });
    expect(recipientsOf(at)).toBe(1);
  });

  it.each<[string, string]>([
    [
      'the name of another customer',
      `UPDATE row_states SET handle = CASE handle WHEN 'C-1' THEN 'C-9' WHEN 'C-2' THEN 'C-1' END WHERE kind = 'customers'`,
    ],
  ])('are not sent once a worker has given their customer %s', async (_, sql) => {
    const at = await openContentDesk({ kinds: ['recipients'] });
    const batch = await importBoth(at);
    const { rows } = await at.owner.raw("SELECT id FROM batches WHERE kind = 'customers'");
    await underLock(at.worker, rows[0].id, sql);
    const end = await at.json(['resume', batch]);
    expect([end.exitCode, end.summary.error?.code]).toEqual([8, 'content_not_approved']);
    expect(recipientsOf(at)).toBe(0);
  });
});
