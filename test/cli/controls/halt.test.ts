import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { addTestUser, passphrase, type TestUser } from '../../support/user-key.ts';

describe('halt', () => {
  it('stops a run under way, which records what is in flight; the next one goes on once it is lifted', async () => {
    let requests = 0;
    const desk = await openDesk({
      latencyInMs: 100,
      onRequest: ({ method }) => {
        if (method === 'POST') requests += 1;
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(400)));
    const running = desk.json(['import', file, '--concurrency', '2'], { program: 'started' });
    while (requests < 5) await sleep(20);
    const halted = await desk.json(['halt', '--note', 'wrong accounts']);
    expect(halted.summary).toMatchObject({ exit_code: 0, did: 'halted', halt: { note: 'wrong accounts' } });
    await sleep(2_000);
    const before = requests;
    const end = await running;
    expect(requests).toBe(before);
    expect(end.summary).toMatchObject({ exit_code: 8, error: { code: 'halted' } });
    expect(end.summary.error?.message).toContain('wrong accounts');
    const { created } = desk.sandbox.counts().sandbox;
    expect(end.summary.batches[0]?.counts).toEqual({
      created: created.customers,
      not_sent: 400 - created.customers,
    });

    const batch = end.summary.batches[0]?.batch ?? '';
    for (const words of [
      ['import', file],
      ['resume', batch],
      ['retry', batch],
    ]) {
      expect((await desk.json(words)).summary).toMatchObject({ exit_code: 8, error: { code: 'halted' } });
    }
    expect(requests).toBe(before);
    expect((await desk.json(['halt', '--lift'])).summary).toMatchObject({ did: 'lifted', halt: null });
    const rest = await desk.json(['resume', batch, '--concurrency', '16']);
    expect(rest.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 400 } }] });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(400);
  });

  it('needs a note, keeps the first one, and says which rows in doubt are held when', async () => {
    const desk = await openDesk({
      onRequest: ({ method }) => (method === 'POST' ? 'reset_after' : undefined),
    });
    const file = await desk.write('people.csv', csvOf(customers(2)));
    expect((await desk.json(['import', file, '--max-attempts', '1'])).exitCode).not.toBe(0);
    expect((await desk.json(['halt', '--note', ' '])).summary.error?.code).toBe('usage');
    expect((await desk.json(['halt'])).summary).toMatchObject({ did: 'nothing', halt: null });
    const first = await desk.json(['halt', '--note', 'first']);
    expect(first.summary).toMatchObject({ did: 'halted', in_doubt: { rows: 2 } });
    const second = await desk.run(['halt', '--note', 'second']);
    expect(second.stdout).toContain('first');
    expect(second.stdout).toContain('2 rows in doubt are held if it lasts');

    const told =
      /^(problem halt )?Everything has been halted since [-\d]+ [:\d]+ UTC, by .+: first\.? 2 rows in doubt are held if it lasts/;
    for (const { stdout } of [await desk.run(['status']), await desk.run(['doctor'])]) {
      expect(stdout.replace(/\s+/g, ' ').trim()).toMatch(told);
      expect(stdout).toContain('next: paybatch halt --lift');
    }
    const { stdout: json } = await desk.run(['status', '--json']);
    const status: unknown = JSON.parse(json);
    expect(Object.keys(status as object)[1]).toBe('halt');
    expect(status).toMatchObject({
      exit_code: 0,
      halt: {
        note: 'first',
        in_doubt: { rows: 2 },
        next: expect.stringContaining('paybatch halt --lift'),
      },
    });
    const doctor: unknown = JSON.parse((await desk.run(['doctor', '--json'])).stdout);
    expect(doctor).toMatchObject({ exit_code: 8, checks: { 0: { level: 'problem', what: 'halt' } } });
    await desk.run(['halt', '--lift']);
    expect((await desk.run(['status'])).stdout).not.toContain('halted');
    expect(JSON.parse((await desk.run(['status', '--json'])).stdout)).not.toHaveProperty('halt');
    expect((await desk.run(['doctor'])).exitCode).toBe(0);
  });

  it('refuses a claim of any program, and is lifted only with the approvals of a policy', async () => {
    const desk = await openDesk();
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    const [ada, ben] = [await addTestUser(database, 'ada'), await addTestUser(database, 'ben')];
    await proposePolicy(database, { approvers: ['ada', 'ben'], rules: [testRule()] });
    const planned = await desk.json(['plan', await desk.write('people.csv', csvOf(customers(2)))]);
    const batch = planned.summary.batches[0]?.batch ?? '';
    await desk.json(['halt', '--note', 'an alarm']);
    const claim = `INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, 1, gen_random_uuid(), 'x')`;
    await expect(database.raw(claim, [batch])).rejects.toThrow('everything is halted');
    for (const sql of [
      "UPDATE halts SET lifted_at = now(), lifted_by = 'me'",
      "UPDATE halts SET note = 'nothing'",
      'DELETE FROM halts',
    ]) {
      await expect(database.raw(sql)).rejects.toThrow();
    }
    const as = (person: TestUser, ...words: readonly string[]) =>
      desk.json(words, {
        env: { PAYBATCH_USER_KEY_FILE: person.path, PAYBATCH_USER_PASSPHRASE: passphrase },
      });
    expect((await desk.json(['halt', '--lift'])).summary.error?.code).toBe('user_key_missing');
    const proposed = await as(ada, 'halt', '--lift');
    expect(proposed.summary).toMatchObject({
      did: 'proposed',
      lifted_by_policy: 2,
      halt: { note: 'an alarm' },
    });
    expect((await as(ada, 'halt', '--lift')).summary).toMatchObject({ did: 'nothing', lifted_by_policy: 2 });
    expect((await as(ada, 'policy', 'approve', '2')).summary.error?.code).toBe('own_proposal');
    expect((await desk.json(['submit', batch])).exitCode).toBe(8);
    expect((await as(ben, 'policy', 'approve', '2')).exitCode).toBe(0);
    expect((await desk.json(['halt'])).summary).toMatchObject({ halt: null });
    expect((await desk.json(['submit', batch])).exitCode).toBe(0);
    expect((await desk.json(['audit', 'verify'])).exitCode).toBe(0);
  });

  it('that was changed behind the triggers is named by audit verify', async () => {
    const desk = await openDesk();
    const { database, close } = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(close);
    await desk.json(['halt', '--note', 'an alarm']);
    await desk.json(['halt', '--lift']);
    await desk.json(['halt', '--note', 'a second alarm']);
    expect((await desk.json(['audit', 'verify'])).exitCode).toBe(0);
    await database.raw('ALTER TABLE halts DISABLE TRIGGER USER');
    const changes = [
      ["UPDATE halts SET note = 'nothing' WHERE id = 1", 'halt 1'],
      ["UPDATE halts SET lifted_at = now(), lifted_by = 'me' WHERE id = 2", 'the lifting of halt 2'],
      ['DELETE FROM halts WHERE id = 2', 'halt 2'],
    ] as const;
    for (const [sql, named] of changes) {
      await database.raw(sql);
      const { exitCode, stdout } = await desk.run(['audit', 'verify']);
      expect([exitCode, stdout.includes(named)]).toEqual([5, true]);
    }
  });
});
