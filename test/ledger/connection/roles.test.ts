import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Engine } from '../../../src/index.ts';
import { grantRoles } from '../../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { disownKey } from '../../../src/ledger/controls/disowning.ts';
import { claimRows } from '../../../src/ledger/sending/claim.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { addPerson, firstPolicy, proposePolicy, testRule } from '../../support/controls.ts';
import { forEachLedger, onServer, type TestLedger } from '../../support/ledger.ts';
import { claimRequest, readyBatch } from '../../support/ledger-rows.ts';
import { loginAs as newLogin } from '../../support/roles.ts';
import { addTestUser, passphrase, type TestUser } from '../../support/user-key.ts';

const live = { environment: { mode: 'live', origin: 'https://api.example' } } as const;

onServer((openTestLedger) => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await openTestLedger();
    await grantRoles(ledger);
  });

  /** The address of the ledger for a new login with these roles. */
  const loginAs = (...roles: readonly string[]): Promise<string> =>
    newLogin(ledger.database, ledger.databaseUrl ?? '', ...roles);
  const databaseOf = (url: string): Knex => {
    const { database, close } = openServerLedger(url);
    onTestFinished(close);
    return database;
  };

  it('can be made again, which takes back any other permission of a role', async () => {
    await ledger.database.raw('GRANT INSERT ON approvals TO paybatch_worker');
    await grantRoles(ledger);
    const { rows } = await ledger.database.raw(
      `SELECT has_table_privilege('paybatch_worker', 'approvals', 'INSERT') AS may`,
    );
    expect(rows).toEqual([{ may: false }]);
  });

  it('know every table that the program writes', async () => {
    const { rows } = await ledger.database.raw(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
         AND NOT has_any_column_privilege('paybatch_worker', c.oid, 'INSERT') ORDER BY 1`,
    );
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      'approvals',
      'audit_events',
      'audit_heads',
      'audit_inbox',
      'batch_measures',
      'console_sessions',
      'credential_uses',
      'credentials',
      'disowned_keys',
      'ledger_identity',
      'password_links',
      'paybatch_migrations',
      'paybatch_migrations_lock',
      'plan_leaves',
      'policies',
      'policy_waivers',
      'sign_in_tries',
      'unapproved_days',
      'user_keys',
      'user_passwords',
      'users',
    ]);
  });

  describe('a worker', () => {
    it('cannot give itself what a policy asks for', async () => {
      const held = await readyBatch(ledger.database, 4, 2, live);
      await firstPolicy(ledger.database, ['ada']);
      const database = databaseOf(await loginAs('paybatch_worker'));
      const refused = { code: '42501' };
      for (const sql of [
        `INSERT INTO approvals (statement, signature) VALUES ('{}', '')`,
        `INSERT INTO users (name, role, added_by) VALUES ('eve', 'approver', 'eve')`,
        `INSERT INTO user_keys (id, user_name, public_key) VALUES (encode(sha256('x'), 'hex'), 'ada', 'x')`,
        `INSERT INTO policies (version, content, proposed_by) VALUES (1, '{"rules":[],"approvers":[]}', 'eve')`,
        'UPDATE policies SET in_force_at = NULL',
        'UPDATE users SET active_at = now()',
        'DELETE FROM approvals',
        'TRUNCATE policies',
        `UPDATE batches SET environment_id = 1`,
        `UPDATE batches SET kind = 'accounts'`,
        `UPDATE environments SET mode = 'sandbox'`,
        'UPDATE claims SET credential = credential',
        'DELETE FROM payees',
        `INSERT INTO batch_measures (batch_id, rows, sums, bare) SELECT id, 0, '{}', 0 FROM batches`,
        'DELETE FROM unapproved_days',
        'UPDATE unapproved_days SET rows = 0',
        'ALTER TABLE claims DISABLE TRIGGER ALL',
        'DROP TRIGGER batch_is_approved ON claims',
        'SET session_replication_role = replica',
        'CREATE OR REPLACE FUNCTION policy_in_force() RETURNS integer LANGUAGE sql AS $$ SELECT NULL::int $$',
        'CREATE FUNCTION able() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
        `INSERT INTO disowned_keys (fingerprint, note, disowned_by) VALUES ('x', 'x', 'eve')`,
        `SELECT disown_key('x', 'x', 'eve')`,
        `SELECT disown_created(gen_random_uuid(), 'x', gen_random_uuid(), 'x', 'eve')`,
        `UPDATE credentials SET mode = 'sandbox'`,
        `INSERT INTO credentials (fingerprint, mode) VALUES ('x', 'sandbox')`,
        'INSERT INTO credential_uses (fingerprint, environment_id) SELECT fingerprint, 1 FROM credentials',
        'DELETE FROM created_objects',
        `INSERT INTO audit_inbox (chain, actor, channel, event, details) VALUES ('controls', '', '', '', '{}')`,
      ]) {
        await expect(database.raw(sql), sql).rejects.toMatchObject(refused);
      }
      const { leaseToken } = claimRequest(held);
      const claim = (prelude: string): Promise<unknown> =>
        database.transaction(async (transaction) => {
          if (prelude !== '') await transaction.raw(prelude);
          await transaction.raw('SELECT lock_batch(?)', [held.batch.id]);
          await transaction.raw(
            'INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, ?, ?, ?)',
            [held.batch.id, leaseToken, held.run.id, 'key'],
          );
        });
      for (const prelude of [
        '',
        'CREATE TEMP TABLE policies (version int, content text, in_force_at timestamptz)',
        'CREATE TEMP VIEW policy_rules AS SELECT 1 AS version',
        'SET search_path = pg_temp, public',
      ]) {
        await expect(claim(prelude), prelude).rejects.toMatchObject({ code: 'PB008' });
      }
    });

    it('cannot say that the API has accepted a key of which no request was answered', async () => {
      const held = await readyBatch(ledger.database, 2, 2, live);
      const database = databaseOf(await loginAs('paybatch_worker'));
      const known = async (): Promise<number> =>
        (await ledger.database.raw('SELECT FROM credentials')).rowCount;
      const note = (key: string): Promise<unknown> =>
        database.raw('SELECT note_credential(?, ?, true)', [held.batch.id, key]);
      await note('another');
      expect(await known()).toBe(0);
      const request = claimRequest(held);
      await claimRows(ledger.database, request);
      await note(request.credential);
      expect(await known()).toBe(0);
      await ledger.database.raw(
        `INSERT INTO attempts (batch_id, row_number, generation, number, run_id, outcome, duration_in_ms)
         SELECT batch_id, 2, 1, 1, run_id, 'created', 1 FROM claims`,
      );
      await note('another');
      expect(await known()).toBe(0);
      await note(request.credential);
      expect(await known()).toBe(1);
    });

    it('cannot say later who had a batch staged', async () => {
      const held = await readyBatch(ledger.database, 1, 1, live);
      await ledger.database.raw(
        "SET session_replication_role = replica; UPDATE batches SET made_by = 'ada'; SET session_replication_role = origin",
      );
      const database = databaseOf(await loginAs('paybatch_worker'));
      await expect(
        database.raw("UPDATE batches SET made_by = 'ben' WHERE id = ?", [held.batch.id]),
      ).rejects.toMatchObject({ code: '23001' });
    });
  });

  it('let a login that is both worker and approver disown a key, and neither of the two alone', async () => {
    const held = await readyBatch(ledger.database, 2, 2, live);
    const { run, batch } = held;
    const given = {
      ...{ key: 'key one', note: 'a sandbox key', by: { name: 'ada', channel: 'library' } },
      runs: [{ batchId: batch.id, runId: run.id }],
    };
    for (const role of ['paybatch_worker', 'paybatch_approver']) {
      await expect(disownKey(databaseOf(await loginAs(role)), given), role).rejects.toMatchObject({
        code: '42501',
      });
    }
    const both = databaseOf(await loginAs('paybatch_worker', 'paybatch_approver'));
    expect(await disownKey(both, given)).toBe('disowned');
    const { rows } = await ledger.database.raw('SELECT state FROM row_states WHERE batch_id = ?', [batch.id]);
    expect(rows).toEqual([{ state: 'staged' }, { state: 'staged' }]);
  });

  it('an approver cannot restore a policy, make users active or send', async () => {
    await addPerson(ledger.database, 'ada');
    const database = databaseOf(await loginAs('paybatch_approver'));
    for (const sql of [
      `INSERT INTO policies (version, content, proposed_by, is_restored) VALUES (1, '{"rules":[],"approvers":[]}', 'eve', true)`,
      'UPDATE users SET active_at = now()',
      'UPDATE policies SET in_force_at = now()',
      'DELETE FROM approvals',
      'INSERT INTO claims (batch_id, lease_token, run_id, credential) SELECT NULL, 1, NULL, NULL',
    ]) {
      await expect(database.raw(sql), sql).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('let a worker import and send what an approver has approved, and nothing before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paybatch-roles-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = await startSandbox({ dataDir: join(folder, 'api') });
    onTestFinished(() => sandbox.close());
    const ada = await addTestUser(ledger.database, 'ada');
    const root = await addTestUser(ledger.database, 'root', 'admin');
    const engineOf = async (databaseUrl: string, user?: TestUser): Promise<Engine> => {
      const engine = await Engine.open({
        api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox },
        ledger: { databaseUrl },
        output: { out: join(folder, 'results') },
        ...(user === undefined ? {} : { user: { keyFile: user.path, passphrase } }),
      });
      onTestFinished(() => engine.close());
      return engine;
    };
    const file = join(folder, 'people.csv');
    writeFileSync(file, csvOf(customers(3)));
    const policy = join(folder, 'policy.json');
    const rule = { mode: 'sandbox', approvers: 1 };
    writeFileSync(
      policy,
      JSON.stringify({ approvers: ['ada'], rules: [rule, { mode: 'live', approvers: 1 }] }),
    );
    const approverUrl = await loginAs('paybatch_approver');
    const workerUrl = await loginAs('paybatch_worker');
    await (await engineOf(approverUrl)).setPolicy({ file: policy }).result;

    const worker = await engineOf(workerUrl);
    const waiting = await worker.import({ files: [file] }).result;
    expect(waiting.outcome).not.toBe('done');
    expect(sandbox.counts().sandbox.created.customers).toBe(0);
    const batch = waiting.batches[0]?.id ?? '';
    const approver = await engineOf(approverUrl, ada);
    const { plan } = await approver.approve({ batch }).result;
    await approver.approve({ batch, planHash: plan?.account.plan.planHash ?? '' }).result;
    const sent = await worker.submit({ batch, planHash: plan?.account.plan.planHash ?? '' }).result;
    expect(sent).toMatchObject({ outcome: 'done', batches: [{ counts: { created: 3 } }] });
    expect((await worker.import({ files: [file] }).result).outcome).toBe('done');
    expect((await worker.reconcile({ batch, against: [], rules: {}, replay: false }).result).outcome).toBe(
      'done',
    );
    const keyFile = join(folder, 'dora.key');
    const words = join(folder, 'words');
    writeFileSync(words, passphrase);
    const request = { name: 'dora', role: 'approver', keyFile, passphraseFile: words } as const;
    await (await engineOf(approverUrl, root)).addUser(request).result;
    const { user } = await approver.decideOnUser({ name: 'dora', decision: 'approve' }).result;
    expect(user.state).toBe('active');
    await approver.rotateKey({}).result;
    await expect(worker.setPolicy({ file: policy }).result).rejects.toMatchObject({ kind: 'usage' });
  });

  it('are reported by doctor, which warns of the owner while a policy is in force, and where no user can approve', async () => {
    const roleOf = async (databaseUrl: string): Promise<readonly unknown[]> => {
      const engine = await Engine.open({ ledger: { databaseUrl } });
      onTestFinished(() => engine.close());
      const { checks } = await engine.doctor({}).result;
      return checks.flatMap(({ what, level, finding }) =>
        what !== 'database role'
          ? []
          : finding.code === 'database_role'
            ? [level, finding.isOwner ? 'owner' : finding.roles.join(' and ')]
            : [level, finding.code],
      );
    };
    const owner = ledger.databaseUrl ?? '';
    expect(await roleOf(owner)).toEqual(['ok', 'owner']);
    expect(await roleOf(await loginAs('paybatch_worker'))).toEqual(['ok', 'worker']);
    expect(await roleOf(await loginAs('paybatch_console'))).toEqual(['ok', 'console']);
    expect(await roleOf(await loginAs('paybatch_approver', 'paybatch_worker'))).toEqual([
      'ok',
      'worker and approver',
    ]);
    await firstPolicy(ledger.database, ['ada']);
    expect(await roleOf(owner)).toEqual(['warning', 'owner']);
    await ledger.database.raw("UPDATE users SET locked_at = now(), locked_by = 'ada'");
    expect(await roleOf(await loginAs('paybatch_approver'))).toEqual([
      'ok',
      'approver',
      'warning',
      'nobody_can_approve',
    ]);
  });

  it('a policy is restored by the owner alone, and only where no user can approve', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paybatch-restore-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'policy.json');
    const content = { approvers: ['ben'], rules: [{ mode: 'live', approvers: 1 }] };
    writeFileSync(file, JSON.stringify(content));
    const engine = await Engine.open({ ledger: { databaseUrl: ledger.databaseUrl ?? '' } });
    onTestFinished(() => engine.close());
    const restore = () => engine.migrate({ restorePolicy: file }).result;
    await expect(restore()).rejects.toMatchObject({ code: 'restore_refused' });
    await addTestUser(ledger.database, 'ada');
    await proposePolicy(ledger.database, { rules: [testRule()], approvers: ['ada'] });
    await expect(restore()).rejects.toMatchObject({ code: 'restore_refused' });
    await ledger.database.raw("UPDATE users SET locked_at = now(), locked_by = 'ada'");
    await expect(restore()).rejects.toMatchObject({ code: 'policy_invalid' });
    // No user is left who can prove an identity, so a login that may write to the table adds the next ones.
    const words = join(folder, 'words');
    writeFileSync(words, passphrase);
    const keyFile = join(folder, 'ben.key');
    await engine.addUser({ name: 'ben', role: 'approver', keyFile, passphraseFile: words }).result;
    expect((await restore()).restoredPolicy).toBe(2);
    expect(await engine.showPolicy({}).result).toMatchObject({
      inForce: { version: 2, isRestored: true },
      approvers: ['ben'],
    });
  });
});

forEachLedger((openTestLedger, name) => {
  it('the embedded ledger has no roles', async () => {
    const ledger = await openTestLedger();
    const made = grantRoles(ledger);
    if (name === 'embedded ledger') await expect(made).rejects.toMatchObject({ code: 'database_missing' });
    else await made;
  });
});
