/* Every command with a database user who is a member of one role of the ledger alone: it works, or is refused in a sentence. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, it, onTestFinished } from 'vitest';
import { grantRoles } from '../../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import type { SandboxOptions } from '../../../src/sandbox/core.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { type Desk, type JsonEnd, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customer, customers, recipient } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { openEngine } from '../../support/engine.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';
import { givePassword, password } from '../../support/passwords.ts';
import { loginAs } from '../../support/roles.ts';
import { addTestUser, passphrase, type TestUser } from '../../support/user-key.ts';

interface RoleDesk {
  readonly desk: Desk;
  /** As the owner of the tables. */
  readonly database: Knex;
  /** Runs a command as the login of the role, and expects this exit code of it. */
  readonly call: (exitCode: number, ...words: readonly string[]) => Promise<JsonEnd>;
  /** The same without `--json`. @returns all that it printed */
  readonly told: (exitCode: number, ...words: readonly string[]) => Promise<string>;
  /** The variables of a program that shows this person's key at the login of the role. */
  readonly as: (person: TestUser) => Readonly<Record<string, string>>;
  readonly env: { readonly DATABASE_URL: string };
}

/** A desk whose commands log in at the database as a member of these roles. */
async function openRoleDesk(
  roles: readonly string[],
  onRequest?: SandboxOptions['onRequest'],
): Promise<RoleDesk> {
  const desk = await openDesk(onRequest === undefined ? {} : { onRequest });
  const owner = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => owner.close());
  // As a careful administrator sets it up: the roles have exactly the rights that they need.
  const name = new URL(desk.databaseUrl ?? '').pathname.slice(1);
  await owner.database.raw(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await owner.database.raw('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await grantRoles(owner);
  const env = { DATABASE_URL: await loginAs(owner.database, desk.databaseUrl ?? '', ...roles) };
  return {
    desk,
    database: owner.database,
    env,
    as: ({ path }) => ({ ...env, PAYBATCH_USER_KEY_FILE: path, PAYBATCH_USER_PASSPHRASE: passphrase }),
    call: async (exitCode, ...words) => {
      const end = await desk.json(words, { env });
      expect([words, end.exitCode, end.stderr]).toEqual([words, exitCode, expect.anything()]);
      return end;
    },
    told: async (exitCode, ...words) => {
      const { stdout, stderr, ...end } = await desk.run(words, { env });
      expect([words, end.exitCode, stderr]).toEqual([words, exitCode, expect.anything()]);
      return `${stdout}${stderr}`;
    },
  };
}

const batchIn = ({ summary }: JsonEnd): string => summary.batches[0]?.batch ?? '';
const countsIn = ({ summary }: JsonEnd): unknown => summary.batches[0]?.counts;

/** Expects the sentence with which the database refuses the action: it names the action and the next step. */
function expectRefused({ summary }: JsonEnd, table = ''): void {
  expect(summary.error).toMatchObject({ code: 'database_refused', next: expect.stringContaining('role') });
  expect(summary.error?.message).toContain(`permission denied for table ${table}`);
}

it('a worker imports, goes on, decides, reconciles and closes', async () => {
  let fault: FaultName | undefined;
  const { desk, env, call, told } = await openRoleDesk(['paybatch_worker'], ({ method }) =>
    method === 'POST' ? fault : undefined,
  );
  const people = await desk.write('people.csv', csvOf(customers(4)));
  await call(0, 'validate', people);
  const planned = await call(0, 'plan', people);
  const hash = planned.summary.batches[0]?.plan_hash ?? '';
  expect(countsIn(await call(0, 'submit', batchIn(planned), '--plan-hash', hash))).toEqual({ created: 4 });

  fault = '401';
  const payees = await desk.write('payees.csv', csvOf([1, 2, 3].map((number) => recipient(number))));
  const stopped = await call(6, 'import', payees);
  fault = undefined;
  expect(countsIn(await call(0, 'resume', batchIn(stopped), '--join'))).toEqual({ created: 3 });

  const more = [customer(11), customer(12, { last_name: 'Refused' }), customer(13, { email: 'nobody' })];
  const mixed = await call(1, 'import', await desk.write('mixed.csv', csvOf(more)));
  await call(1, 'retry', batchIn(mixed));

  fault = 'reset_before';
  const doubtful = csvOf(customers(6, 21));
  const doubt = await call(5, 'import', await desk.write('doubt.csv', doubtful), '--max-attempts', '1');
  fault = undefined;
  const batch = batchIn(doubt);
  const decided = ['--as', 'not-created', '--note', 'by phone'];
  await call(0, 'resolve', batch, '--row', '2', ...decided);
  const shown = await call(2, 'resolve', batch, '--where', 'email=amina22@people.example', ...decided);
  const { selection } = shown.summary as unknown as { readonly selection: { readonly hash: string } };
  await call(
    0,
    ...['resolve', batch, '--where', 'email=amina22@people.example', '--selection', selection.hash],
    ...decided,
  );
  await desk.write('verdicts.csv', 'row,verdict,note\n4,not-created,by phone\n');
  await call(0, 'resolve', batch, '--file', 'verdicts.csv');
  await call(5, 'reconcile', batch);
  expect(countsIn(await call(0, 'reconcile', batch, '--replay', '--yes'))).toEqual({
    created: 3,
    not_sent: 3,
  });
  await call(0, 'resume', batch);

  const left = await call(0, 'plan', await desk.write('left.csv', csvOf(customers(2, 41))));
  await call(0, 'close', batchIn(left), '--note', 'last month');
  await call(0, 'results', batch);
  await call(0, 'status');
  await call(0, 'status', batch);
  await told(0, 'status', batch, '--row', '2');
  await told(0, 'mapping', people);
  const partner = await desk.write(
    'partner.csv',
    'Ref,First name,Surname,E-mail\nX-1,Amina,Otieno,amina@people.example\n',
  );
  const accepted = [1, 2, 3, 4, 5].map((question) => JSON.stringify({ question, answer: 'accept' }));
  const agreed = await desk.run(['mapping', partner, '--kind', 'customers', '--dialogue'], {
    env,
    stdin: accepted.join('\n'),
  });
  expect([agreed.exitCode, agreed.stderr]).toEqual([0, expect.anything()]);
  expect(await told(0, 'mapping', '--show')).toContain('Surname');
  await told(0, 'mapping', partner, '--forget');
  await call(0, 'institutions', 'KE');
  await call(0, 'audit', 'verify');
  await told(0, 'audit', 'export', batch);
  await call(0, 'policy', 'show');
  await call(0, 'user', 'list');
  expect((await told(0, 'doctor')).replaceAll(/\s+/g, ' ')).toMatch(
    /login_\S+ has the role paybatch_worker: it may import and send\. It cannot/,
  );
});

it('a worker corrects cells in a draft, as a console does', async () => {
  const { desk, env } = await openRoleDesk(['paybatch_worker']);
  const engine = await openEngine({
    api: { baseUrl: desk.sandbox.url, apiKey: desk.sandbox.apiKeys.sandbox },
    ledger: { databaseUrl: env.DATABASE_URL },
    output: { out: join(desk.folder, 'results') },
  });
  const file = await desk.write('people.csv', csvOf([customer(1), customer(2, { email: 'nobody' })]));
  const { batches } = await engine.plan({ files: [join(desk.folder, file)] }).result;
  const batch = batches[0]?.id ?? '';
  const place = Object.keys(customer(1)).indexOf('email');
  await engine.editDraft({ batch, edits: [{ row: 3, place, before: 'nobody', after: 'b@people.example' }] })
    .result;
  await engine.discardEdits({ batch, row: 3 }).result;
  await engine.editDraft({ batch, edits: [{ row: 3, place, before: 'nobody', after: 'c@people.example' }] })
    .result;
  const planned = await engine.planDraft({ batch }).result;
  await engine.resume({ batch: planned.batches[0]?.id ?? '' }).result;
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
});

it('a worker recovers a lost ledger, and goes on', async () => {
  let fault: FaultName | undefined;
  const { desk, env, call } = await openRoleDesk(['paybatch_worker'], ({ method, body }) =>
    method === 'POST' && JSON.stringify(body).includes('"C-3"') ? fault : undefined,
  );
  fault = '500_after';
  const people = await desk.write('people.csv', csvOf(customers(3)));
  const before = await call(5, 'import', people, '--max-attempts', '1');
  const lost = env.DATABASE_URL;
  const another = await createDatabase();
  onTestFinished(() => dropDatabase(another));
  const ledger = openServerLedger(another);
  await grantRoles(ledger);
  await ledger.close();
  const url = new URL(lost);
  url.pathname = new URL(another).pathname;
  const there = { env: { DATABASE_URL: url.href } };
  const log = before.summary.batches[0]?.files.log ?? '';
  const recovered = await desk.json(['recover', '--log', log, people], there);
  expect([recovered.exitCode, countsIn(recovered)]).toEqual([0, { created: 2, unknown: 1 }]);
  fault = undefined;
  const end = await desk.json(['import', people], there);
  expect([end.exitCode, countsIn(end)]).toEqual([0, { created: 3 }]);
  expect((await desk.run(['audit', 'verify'], there)).stdout).toContain('The audit trail is whole');
  expect(desk.sandbox.counts().sandbox.duplicates.customers).toBe(0);
});

it('a worker neither approves, nor adds users, nor sets a policy, and leaves no key file behind', async () => {
  const { desk, database, as, env } = await openRoleDesk(['paybatch_worker']);
  const root = await addTestUser(database, 'root', 'admin');
  await desk.write(
    'policy.json',
    JSON.stringify({ approvers: ['ada'], rules: [{ mode: 'live', approvers: 1 }] }),
  );
  const ada = await addTestUser(database, 'ada');
  expectRefused(await desk.json(['policy', 'set', 'policy.json'], { env }), 'policies');
  await proposePolicy(database, { approvers: ['ada'], rules: [testRule({ mode: 'sandbox' })] });
  const waiting = await desk.json(['import', await desk.write('people.csv', csvOf(customers(2)))], { env });
  expect([waiting.exitCode, waiting.summary.error?.code]).toEqual([8, 'approval_needed']);
  const hash = /--plan-hash ([0-9a-f]{64})/.exec(waiting.summary.error?.next ?? '')?.[1] ?? '';
  const batch = batchIn(waiting);
  expectRefused(await desk.json(['approve', batch, '--plan-hash', hash], { env: as(ada) }), 'approvals');
  expectRefused(await desk.json(['reject', batch, '--note', 'no'], { env: as(ada) }), 'approvals');
  const secret = ['--passphrase-file', await desk.write('words', passphrase)];
  const add = ['user', 'add', 'mo', '--role', 'maker', ...secret];
  expectRefused(await desk.json(add, { env: as(root) }), 'users');
  expect(existsSync(join(desk.folder, 'mo.key'))).toBe(false);
  expectRefused(await desk.json(['user', 'rotate', ...secret], { env: as(root) }), 'user_keys');
  expect(existsSync(`${root.path}.new`)).toBe(false);
  expectRefused(await desk.json(['user', 'lock', 'ada'], { env: as(root) }), 'users');
  expect((await desk.json(['migrate', '--roles'], { env })).summary.error?.code).toBe('database_refused');
});

it('an approver looks at plans and trail, approves and rejects, manages people and policies, and sends nothing', async () => {
  const { desk, database, as, env, call, told } = await openRoleDesk(['paybatch_approver']);
  const [ada, ben] = [await addTestUser(database, 'ada'), await addTestUser(database, 'ben')];
  const root = await addTestUser(database, 'root', 'admin');
  const rules = [
    { mode: 'sandbox', approvers: 1 },
    { mode: 'live', approvers: 1 },
  ];
  await desk.write('policy.json', JSON.stringify({ approvers: ['ada', 'ben'], rules }));
  await call(0, 'policy', 'set', 'policy.json');
  // The owner of the tables imports, and says nothing of approvals either.
  const people = await desk.write('people.csv', csvOf(customers(3)));
  const waiting = await desk.json(['import', people]);
  const batch = batchIn(waiting);
  expect(waiting.exitCode).toBe(8);
  expect(await told(2, 'approve', batch, '--report', 'plan.html')).toContain('3 rows would be sent');
  const hash = /--plan-hash ([0-9a-f]{64})/.exec(waiting.summary.error?.next ?? '')?.[1] ?? '';
  const decide = async (person: TestUser, ...words: readonly string[]): Promise<void> => {
    const end = await desk.json(words, { env: as(person) });
    expect([words, end.exitCode, end.stderr]).toEqual([words, 0, expect.anything()]);
  };
  await decide(ada, 'approve', batch, '--plan-hash', hash);
  await decide(ben, 'reject', batch, '--note', 'wrong month');
  await decide(ada, 'approve', batch, '--plan-hash', hash, '--note', 'right after all');
  const secret = ['--passphrase-file', await desk.write('words', passphrase)];
  await decide(root, 'user', 'add', 'mo', '--role', 'maker', ...secret);
  await decide(root, 'user', 'lock', 'mo');
  await desk.write('second.json', JSON.stringify({ rules: [...rules].reverse() }));
  await decide(root, 'policy', 'set', 'second.json');
  await decide(ada, 'policy', 'reject', '2', '--note', 'the first one will do');
  await decide(ada, 'user', 'rotate', ...secret);
  await call(0, 'status');
  await call(0, 'status', batch);
  await told(0, 'status', batch, '--row', '2');
  await call(0, 'audit', 'verify');
  await told(0, 'audit', 'export', batch);
  await call(0, 'policy', 'show');
  await call(0, 'user', 'list');
  await call(0, 'validate', people);
  // With a run log of objects that were created.
  const sent = await desk.write('sent.csv', csvOf(customers(2, 31)));
  const early = await desk.json(['import', sent]);
  const planHash = /--plan-hash ([0-9a-f]{64})/.exec(early.summary.error?.next ?? '')?.[1] ?? '';
  await decide(ben, 'approve', batchIn(early), '--plan-hash', planHash);
  expect((await desk.json(['resume', batchIn(early)])).exitCode).toBe(0);
  const doctor = (await told(0, 'doctor')).replaceAll(/\s+/g, ' ');
  expect(doctor).toMatch(/login_\S+ has the role paybatch_approver: it may .*cannot send/);
  expect(doctor).not.toContain('problem ');

  const before = desk.sandbox.counts().sandbox.created.customers;
  const others = await desk.write('others.csv', csvOf(customers(2, 7)));
  for (const words of [
    ['import', others],
    ['plan', others],
    ['import', people],
    ['submit', batch],
    ['resume', batch],
    ['resume', batch, '--join'],
    ['retry', batch],
    ['resolve', batch, '--row', '2', '--as', 'send'],
    ['close', batch, '--note', 'no'],
  ]) {
    const end = await desk.json(words, { env });
    expect([words, end.exitCode]).toEqual([words, 2]);
    expectRefused(end);
  }
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(before);
  const { summary } = await desk.json(['status', batch]);
  expect(summary.batches[0]).toMatchObject({ state: 'unapproved', counts: { not_sent: 3 } });
});

it('a console alone signs people in, and neither sends nor approves', async () => {
  const { desk, database, as, env, call, told } = await openRoleDesk(['paybatch_console']);
  const [ada, root] = [await addTestUser(database, 'ada'), await addTestUser(database, 'root', 'admin')];
  await proposePolicy(database, { approvers: ['ada'], rules: [testRule({ mode: 'sandbox' })] });
  const people = await desk.write('people.csv', csvOf(customers(2)));
  const waiting = await desk.json(['import', people]);
  const batch = batchIn(waiting);
  const hash = /--plan-hash ([0-9a-f]{64})/.exec(waiting.summary.error?.next ?? '')?.[1] ?? '';
  expect((await desk.run(['user', 'invite', 'ada'], { env: as(root) })).exitCode).toBe(0);
  expectRefused(await desk.json(['approve', batch, '--plan-hash', hash], { env: as(ada) }), 'batches');
  expectRefused(await desk.json(['resume', batch], { env }), 'batches');
  const secret = ['--passphrase-file', await desk.write('words', passphrase)];
  const add = ['user', 'add', 'mo', '--role', 'maker', ...secret];
  expectRefused(await desk.json(add, { env: as(root) }), 'users');
  await call(0, 'status');
  await call(0, 'audit', 'verify');
  expect((await told(0, 'doctor')).replaceAll(/\s+/g, ' ')).toMatch(
    /login_\S+ has the role paybatch_console: it may sign people in\. It cannot send/,
  );
});

it('a console with all three roles signs an approval that the policy takes from it, and then sends', async () => {
  const roles = ['paybatch_worker', 'paybatch_approver', 'paybatch_console'];
  const { desk, database, env, told } = await openRoleDesk(roles);
  await addTestUser(database, 'ada');
  await givePassword(database, 'ada');
  const rules = [testRule({ mode: 'sandbox', console: true })];
  await proposePolicy(database, { approvers: ['ada'], rules });
  const engine = await openEngine({
    api: { baseUrl: desk.sandbox.url, apiKey: desk.sandbox.apiKeys.sandbox },
    ledger: { databaseUrl: env.DATABASE_URL },
    output: { out: join(desk.folder, 'results') },
  });
  await engine.openConsoleKey({ file: join(desk.folder, 'console.key') }).result;
  const file = await desk.write('people.csv', csvOf(customers(2)));
  const waiting = await engine.import({ files: [join(desk.folder, file)] }).result;
  const batch = waiting.batches[0]?.id ?? '';
  const [person, address] = [{ name: 'ada', password }, '192.0.2.1'];
  const { token } = await engine.signIn({ ...person, address }).result;
  const proof = { session: token ?? '', password, address };
  const { plan } = await engine.approve({ batch, console: proof }).result;
  await engine.approve({ batch, planHash: plan?.account.plan.planHash ?? '', console: proof }).result;
  expect(await engine.resume({ batch }).result).toMatchObject({
    outcome: 'done',
    batches: [{ counts: { created: 2 } }],
  });
  expect((await told(0, 'doctor')).replaceAll(/\s+/g, ' ')).toMatch(
    /paybatch_worker, paybatch_approver, paybatch_console: it may/,
  );
});
