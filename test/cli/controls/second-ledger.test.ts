import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { type Desk, type JsonEnd, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { proposePolicy, testRule } from '../../support/controls.ts';
import { createDurableDatabase } from '../../support/durable-database.ts';
import { addTestUser } from '../../support/user-key.ts';

const refused = (end: JsonEnd): unknown[] => [end.exitCode, end.summary.error?.code];

const createdLive = (desk: Desk): number => desk.sandbox.counts().live.created.customers;

function liveOf({ sandbox }: Desk): Record<string, string> {
  return { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: sandbox.apiKeys.live };
}

/** The lines that `doctor` prints to be added to a deployment, by name. */
async function linesOfDoctor(
  desk: Desk,
  env: Readonly<Record<string, string>>,
): Promise<Map<string, string>> {
  const { stdout } = await desk.run(['doctor'], { env });
  const lines = stdout.matchAll(/(PAYBATCH_LEDGER_ID|PAYBATCH_POLICY_HASH)=(\S+)/g);
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]));
}

async function putPolicyInto(databaseUrl: string, fromRows: number | null = null): Promise<void> {
  const { database, close } = openServerLedger(databaseUrl);
  onTestFinished(close);
  await addTestUser(database, 'ada');
  await proposePolicy(database, { approvers: ['ada'], rules: [{ ...testRule(), fromRows }] });
}

describe('a live key with another ledger than the stated one', () => {
  it('sends nothing: an empty database has no policy', async () => {
    const desk = await openDesk({ ledger: 'durable' });
    const live = liveOf(desk);
    const file = await desk.write('people.csv', csvOf(customers(2)));
    await putPolicyInto(desk.databaseUrl ?? '');
    expect(refused(await desk.json(['import', file, '--yes'], { env: live }))).toEqual([
      8,
      'approval_needed',
    ]);
    const lines = await linesOfDoctor(desk, live);
    expect([...lines.keys()]).toEqual(['PAYBATCH_LEDGER_ID', 'PAYBATCH_POLICY_HASH']);
    const stated = { ...live, ...Object.fromEntries(lines) };
    expect(refused(await desk.json(['import', file, '--yes'], { env: stated }))).toEqual([
      8,
      'approval_needed',
    ]);
    expect((await linesOfDoctor(desk, stated)).size).toBe(0);

    const other = { ...stated, DATABASE_URL: await createDurableDatabase(), PAYBATCH_OUT: 'elsewhere' };
    const end = await desk.json(['import', file, '--yes'], { env: other });
    expect(refused(end)).toEqual([2, 'ledger_differs']);
    expect(end.summary.error?.next).toContain('DATABASE_URL');
    const looked = await desk.run(['doctor'], { env: other });
    expect([looked.exitCode, looked.stdout.includes('PAYBATCH_LEDGER_ID')]).toEqual([2, true]);
    expect(createdLive(desk)).toBe(0);
    // In the sandbox anything may be tried.
    const tried = {
      DATABASE_URL: other.DATABASE_URL,
      PAYBATCH_LEDGER_ID: lines.get('PAYBATCH_LEDGER_ID') ?? '',
    };
    expect((await desk.json(['import', file], { env: tried })).exitCode).toBe(0);
  });

  it('sends nothing under another policy, and none without one', async () => {
    const desk = await openDesk({ ledger: 'durable' });
    const live = liveOf(desk);
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const named = await linesOfDoctor(desk, live);
    expect([...named.keys()]).toEqual(['PAYBATCH_LEDGER_ID']);
    const stated = { ...live, PAYBATCH_POLICY_HASH: 'ab'.repeat(32) };
    const without = await desk.json(['import', file, '--yes'], { env: stated });
    expect(refused(without)).toEqual([2, 'policy_differs']);
    // The owner of the database puts a policy into force that asks for nothing here.
    await putPolicyInto(desk.databaseUrl ?? '', 100);
    const weaker = await desk.json(['import', file, '--yes'], { env: stated });
    expect(refused(weaker)).toEqual([2, 'policy_differs']);
    expect(createdLive(desk)).toBe(0);
    const lines = Object.fromEntries(await linesOfDoctor(desk, live));
    const sent = await desk.json(['import', file, '--yes'], { env: { ...live, ...lines } });
    expect([sent.exitCode, createdLive(desk)]).toEqual([0, 2]);
  });
});

describe('a ledger into which live batches were recovered', () => {
  async function recovered(): Promise<{ desk: Desk; env: Record<string, string>; more: string }> {
    const desk = await openDesk({ ledger: 'durable' });
    const live = liveOf(desk);
    const file = await desk.write('people.csv', csvOf(customers(2)));
    await putPolicyInto(desk.databaseUrl ?? '', 3);
    expect((await desk.json(['import', file, '--yes'], { env: live })).exitCode).toBe(0);
    const log = (await desk.resultNames()).find((name) => name.endsWith('.run.jsonl')) ?? '';
    const env = { ...live, DATABASE_URL: await createDurableDatabase() };
    const end = await desk.json(['recover', '--log', `results/${log}`, file], { env });
    expect(end.exitCode).toBe(0);
    return { desk, env, more: await desk.write('more.csv', csvOf(customers(9).slice(2))) };
  }

  it('sends nothing live until a person has waived its policy, with a note in the trail', async () => {
    const { desk, env, more } = await recovered();
    const end = await desk.json(['import', more, '--yes'], { env });
    expect(refused(end)).toEqual([8, 'policy_lost']);
    expect(createdLive(desk)).toBe(2);
    expect((await desk.run(['doctor'], { env })).exitCode).toBe(8);

    const { database, close } = openServerLedger(env['DATABASE_URL'] ?? '');
    onTestFinished(close);
    // Another program that claims is refused by the database.
    const claim = `INSERT INTO claims (batch_id, lease_token, run_id, credential) SELECT id, 1, gen_random_uuid(), 'x' FROM batches`;
    await expect(database.raw(claim)).rejects.toThrow('the policy of this ledger is lost');

    expect(refused(await desk.json(['policy', 'waive', '--note', ' '], { env }))).toEqual([2, 'usage']);
    expect((await desk.json(['policy', 'waive', '--note', 'there was none'], { env })).exitCode).toBe(0);
    const again = await desk.json(['policy', 'waive', '--note', 'twice'], { env });
    expect(refused(again)).toEqual([2, 'nothing_to_decide']);
    const { rows } = await database.raw("SELECT details FROM audit_events WHERE event = 'policy.waived'");
    expect(rows).toHaveLength(1);
    expect(rows[0].details).toContain('there was none');
    expect((await desk.json(['audit', 'verify'], { env })).exitCode).toBe(0);
    expect((await desk.json(['import', more, '--yes'], { env })).exitCode).toBe(0);
    expect(createdLive(desk)).toBe(9);

    await database.raw('ALTER TABLE policy_waivers DISABLE TRIGGER USER');
    await database.raw("UPDATE policy_waivers SET note = 'approved by all'");
    expect((await desk.json(['audit', 'verify'], { env })).exitCode).toBe(5);
  });

  it('sends under a policy that was set again', async () => {
    const { desk, env, more } = await recovered();
    await putPolicyInto(env['DATABASE_URL'] ?? '', 3);
    expect(refused(await desk.json(['import', more, '--yes'], { env }))).toEqual([8, 'approval_needed']);
    const one = await desk.write('one.csv', csvOf(customers(10).slice(9)));
    expect((await desk.json(['import', one, '--yes'], { env })).exitCode).toBe(0);
    expect(createdLive(desk)).toBe(3);
  });
});
