import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { type Desk, type JsonEnd, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { executeByHand } from '../../support/ledger-rows.ts';
import { addTestUser, passphrase, type TestUser } from '../../support/user-key.ts';

interface ControlledDesk {
  readonly desk: Desk;
  readonly database: Knex;
  readonly batch: string;
  readonly planHash: string;
  /** Runs a command as a person, with `--json`. */
  readonly as: (person: TestUser, ...words: readonly string[]) => Promise<DecisionEnd>;
  readonly ada: TestUser;
  readonly ben: TestUser;
}

type DecisionEnd = JsonEnd & {
  readonly summary: {
    readonly audit_head: { readonly number: number; readonly hash: string } | null;
    readonly decision: string | null;
    readonly plan: { readonly hash: string };
    readonly approval: {
      readonly in_force: string | null;
      readonly given: readonly { readonly by: string }[];
    };
  };
};

/** A desk with two approvers and a policy for the sandbox, and a batch that waits for approval. */
async function openControlledDesk(rule: Readonly<Record<string, unknown>> = {}): Promise<ControlledDesk> {
  const desk = await openDesk();
  const { database, close } = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(close);
  const ada = await addTestUser(database, 'ada');
  const ben = await addTestUser(database, 'ben');
  await proposePolicy(database, {
    rules: [testRule({ mode: 'sandbox', ...rule }), testRule()],
    approvers: ['ada', 'ben'],
  });
  const { summary } = await desk.json(['import', await desk.write('people.csv', csvOf(customers(3)))]);
  const batch = summary.batches[0]?.batch ?? '';
  const planHash = /--plan-hash ([0-9a-f]{64})/.exec(summary.error?.next ?? '')?.[1] ?? '';
  const as: ControlledDesk['as'] = async (person, ...words) =>
    (await desk.json(words, {
      env: { PAYBATCH_USER_KEY_FILE: person.path, PAYBATCH_USER_PASSPHRASE: passphrase },
    })) as DecisionEnd;
  return { desk, database, batch, planHash, as, ada, ben };
}

describe('approve', () => {
  it('signs the plan of the hash that the import has named, and the next run goes on', async () => {
    const { desk, batch, planHash, as, ada } = await openControlledDesk();
    const approved = await as(ada, 'approve', batch, '--plan-hash', planHash, '--note', 'seen');
    expect(approved.summary).toMatchObject({
      exit_code: 0,
      by: 'ada',
      plan: { hash: planHash, rows: 3 },
      approval: { in_force: approved.summary.decision, given: [{ by: 'ada', plan_hash: planHash }] },
    });
    expect((await desk.json(['resume', batch])).summary).toMatchObject({
      exit_code: 0,
      batches: [{ counts: { created: 3 } }],
    });
  });

  it('counts different people', async () => {
    const { desk, batch, planHash, as, ada, ben } = await openControlledDesk({ approvers: 2 });
    for (const person of [ada, ada]) {
      const end = await as(person, 'approve', batch, '--plan-hash', planHash);
      expect(end.summary.approval.in_force).toBeNull();
      expect((await desk.json(['resume', batch])).exitCode).toBe(8);
    }
    expect(
      (await as(ben, 'approve', batch, '--plan-hash', planHash)).summary.approval.in_force,
    ).not.toBeNull();
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
  });

  it('without a hash shows the plan, writes a page of it, signs nothing and says how to go on', async () => {
    const { desk, batch, planHash } = await openControlledDesk();
    const shown = await desk.run(['approve', batch, '--report', 'plan.html']);
    expect(shown.exitCode).toBe(2);
    expect(shown.stdout).toContain('3 rows would be sent');
    expect(shown.stderr).toContain(`--plan-hash ${planHash}`);
    const page = readFileSync(join(desk.folder, 'plan.html'), 'utf8');
    expect(page).toContain('What would be sent');
    expect(page).toContain(planHash);
    expect(page).toContain(`paybatch approve ${batch.slice(0, 8)} --plan-hash ${planHash}`);
    expect(page).not.toContain('paybatch resume');
    expect(existsSync(join(desk.folder, 'plan.html'))).toBe(true);
    expect((await desk.json(['resume', batch])).exitCode).toBe(8);
  });

  it('refuses another plan, and says what is different', async () => {
    const { batch, as, ada } = await openControlledDesk();
    const end = await as(ada, 'approve', batch, '--plan-hash', '0'.repeat(64));
    expect(end.summary).toMatchObject({ exit_code: 3, decision: null, error: { code: 'plan_changed' } });
  });

  it('is for approvers who are not the maker, with a key', async () => {
    const { desk, database, batch, planHash, as, ada } = await openControlledDesk();
    const words = ['approve', batch, '--plan-hash', planHash];
    const nobody = await desk.json(words);
    expect(nobody.summary).toMatchObject({ exit_code: 2, error: { code: 'user_key_missing' } });
    const maker = await addTestUser(database, 'mia', 'maker');
    expect((await as(maker, ...words)).summary.error?.code).toBe('may_not_approve');
    const late = await addTestUser(database, 'late');
    expect((await as(late, ...words)).summary.error?.code).toBe('may_not_approve');
    await executeByHand(database, "UPDATE batches SET made_by = 'ada'");
    const own = await as(ada, ...words);
    expect(own.summary.error).toMatchObject({
      code: 'may_not_approve',
      next: expect.stringContaining('ben can'),
    });
  });

  it('says that nothing asks for it where no policy does', async () => {
    const { desk, database, batch } = await openControlledDesk();
    await database.raw('TRUNCATE policies CASCADE');
    const end = await desk.json(['approve', batch]);
    expect(end.summary).toMatchObject({ exit_code: 2, error: { code: 'approval_not_needed' } });
  });

  it('refuses a key file that others may read, with the command that helps', async () => {
    const { batch, planHash, as, ada } = await openControlledDesk();
    chmodSync(ada.path, 0o644);
    const { summary } = await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect(summary).toMatchObject({
      exit_code: 2,
      error: { code: 'user_key_unusable' },
    });
    expect(summary.error?.next).toContain(`chmod 600 ${ada.path}`);
  });

  it('takes the time of the database, however far the clock of the machine is off', async () => {
    const { desk, batch, planHash, as, ada } = await openControlledDesk({ validForInMs: 3_600_000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    for (const hours of [-30, 30]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      const approved = await as(ada, 'approve', batch, '--plan-hash', planHash, '--note', `${hours}`);
      vi.useRealTimers();
      expect([hours, approved.exitCode, approved.summary.approval.in_force]).toEqual([
        ...[hours, 0],
        expect.any(String),
      ]);
    }
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
  });

  it('made twice at once, is recorded twice and counts once', async () => {
    const { batch, planHash, as, ada, ben } = await openControlledDesk({ approvers: 2 });
    const ends = await Promise.all(
      [ada, ben, ada, ben].map((person) => as(person, 'approve', batch, '--plan-hash', planHash)),
    );
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  });
});

it('approve and reject give the head of the trail, which their event has moved on', async () => {
  const { desk, batch, planHash, as, ada, ben } = await openControlledDesk();
  const shown = await as(ada, 'approve', batch);
  const approved = await as(ada, 'approve', batch, '--plan-hash', planHash);
  const rejected = await as(ben, 'reject', batch, '--note', 'wrong month');
  const heads = [shown, approved, rejected].map(({ summary }) => summary.audit_head?.number ?? 0);
  const [before = 0] = heads;
  expect(heads).toEqual([before, before + 1, before + 2]);
  for (const { summary } of [shown, approved, rejected]) {
    const verify = ['audit', 'verify', batch, '--head', summary.audit_head?.hash ?? ''];
    expect((await desk.run(verify)).exitCode).toBe(0);
  }
});

describe('reject', () => {
  it('takes back what was approved, and says why', async () => {
    const { desk, batch, planHash, as, ada, ben } = await openControlledDesk();
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect((await as(ben, 'reject', batch, '--note', 'wrong month')).exitCode).toBe(0);
    const again = await desk.json(['resume', batch]);
    expect(again.summary).toMatchObject({ exit_code: 8, batches: [{ counts: { not_sent: 3 } }] });
    expect(again.summary.error?.message).toContain('ben rejected it: wrong month');
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
  });

  it('needs a note', async () => {
    const { batch, as, ada } = await openControlledDesk();
    expect((await as(ada, 'reject', batch)).summary).toMatchObject({
      exit_code: 2,
      error: { code: 'usage' },
    });
  });
});

describe('an approved batch', () => {
  it('needs another approval once another policy is in force, and says so', async () => {
    const { desk, database, batch, planHash, as, ada, ben } = await openControlledDesk();
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    const rules = [
      { mode: 'sandbox', approvers: 1, validFor: '24h' },
      { mode: 'live', approvers: 1 },
    ];
    await desk.write('second.json', JSON.stringify({ rules }));
    expect((await as(ada, 'policy', 'set', 'second.json')).exitCode).toBe(0);
    expect((await as(ben, 'policy', 'approve', '2')).exitCode).toBe(0);
    expect((await database.raw('SELECT policy_in_force() AS version')).rows).toEqual([{ version: 2 }]);
    const waiting = await desk.json(['resume', batch]);
    expect(waiting.summary).toMatchObject({ exit_code: 8, batches: [{ counts: { not_sent: 3 } }] });
    expect(waiting.summary.error?.message).toMatch(/policy 2/);
    const again = await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect(again.summary).toMatchObject({ exit_code: 0, approval: { policy: 2, given: [{ by: 'ada' }] } });
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
  });

  it('needs another approval once its approver is locked, whose key signs nothing any more', async () => {
    const { desk, database, batch, planHash, as, ada, ben } = await openControlledDesk();
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    await as(ada, 'user', 'lock', 'ada');
    expect((await desk.json(['resume', batch])).exitCode).toBe(8);
    const locked = await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect(locked.summary).toMatchObject({ exit_code: 2, error: { code: 'user_locked' } });
    expect((await as(ben, 'approve', batch, '--plan-hash', planHash)).exitCode).toBe(0);
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
    const { rows } = await database.raw('SELECT count(*)::int AS given FROM approvals');
    expect(rows).toEqual([{ given: 2 }]);
  });

  it('needs another approval once a person decides that a row of it is sent', async () => {
    const { desk, database, batch, planHash, as, ada, ben } = await openControlledDesk();
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    await database.raw(
      `INSERT INTO verdicts (batch_id, row_number, generation, from_state, from_code, attempts, verdict, decided_by, run_id)
       SELECT batch_id, 2, 1, 'held', 'x', 0, 'send', 'ben', gen_random_uuid() FROM row_states LIMIT 1`,
    );
    expect((await desk.json(['resume', batch])).exitCode).toBe(8);
    // Ben has made a part of it.
    expect((await as(ben, 'approve', batch, '--plan-hash', planHash)).summary.error?.code).toBe(
      'may_not_approve',
    );
    await as(ada, 'approve', batch, '--plan-hash', planHash);
    expect((await desk.json(['resume', batch])).exitCode).toBe(0);
  });
});
