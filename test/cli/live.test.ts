import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { createDurableDatabase } from '../support/durable-database.ts';
import { executeByHand } from '../support/ledger-rows.ts';

describe('a live run', () => {
  it('needs a durable server, a word of confirmation and its own key, and shares no batch', async () => {
    const desk = await openDesk();
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const live = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: desk.sandbox.apiKeys.live };
    const embedded = await desk.json(['import', file, '--yes'], { env: { ...live, DATABASE_URL: '' } });
    expect(embedded.summary).toMatchObject({ exit_code: 2, error: { code: 'database_missing' } });
    const careless = await desk.json(['import', file, '--yes'], { env: live });
    expect(careless.summary).toMatchObject({ exit_code: 2 });

    const durable = { DATABASE_URL: await createDurableDatabase() };
    const env = { ...live, ...durable };
    // The ledger knows the sandbox key before the address is known as live.
    const trial = await desk.write('trial.csv', csvOf(customers(3).slice(2)));
    expect((await desk.json(['import', trial], { env: durable })).exitCode).toBe(0);
    const unconfirmed = await desk.json(['import', file], { env });
    expect(unconfirmed.summary).toMatchObject({ exit_code: 2, error: { code: 'live_not_confirmed' } });
    expect(desk.sandbox.counts().live.created.customers).toBe(0);
    const confirmed = await desk.json(['import', file, '--yes'], { env });
    expect(confirmed.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 2 } }] });

    const batch = confirmed.summary.batches[0]?.batch ?? '';
    const resumed = await desk.json(['resume', batch], { env: durable });
    expect(resumed.summary).toMatchObject({ exit_code: 2, error: { code: 'other_environment' } });
    const tried = await desk.json(['import', file], { env: durable });
    expect(tried.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 2 } }] });
    expect(tried.summary.batches[0]?.batch).not.toBe(batch);
  });
});

describe('a live run of which nobody has stated how long the provider keeps keys', () => {
  const question = 'ask the provider: "For how long';

  it('sends a row in doubt again within ten minutes of its first send, and says so once, with what to ask', async () => {
    let fault: FaultName | undefined = 'reset_before';
    const desk = await openDesk({ onRequest: ({ method }) => (method === 'POST' ? fault : undefined) });
    const file = await desk.write('people.csv', csvOf(customers(2)));
    const databaseUrl = await createDurableDatabase();
    const env = {
      PAYBATCH_MODE: 'live',
      PAYBATCH_API_KEY: desk.sandbox.apiKeys.live,
      DATABASE_URL: databaseUrl,
    };
    const words = ['import', file, '--yes', '--max-attempts', '1'];
    for (const looking of [['doctor'], ['plan', file]]) {
      const { stdout, stderr } = await desk.run(looking, { env });
      expect((stdout + stderr).replaceAll(/\s+/g, ' ').split(question)).toHaveLength(2);
    }
    const first = await desk.json(words, { env });
    expect(first.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { unknown: 2 } }] });
    expect(first.stderr.split(question)).toHaveLength(2);
    const batch = first.summary.batches[0]?.batch ?? '';
    // Looking needs no mode: what counts is the batch's own.
    for (const looking of [['status'], ['status', batch], ['status', batch, '--row', '2']]) {
      const { stderr } = await desk.run(looking, { env: { ...env, PAYBATCH_MODE: '' } });
      expect(stderr.split(question)).toHaveLength(2);
      expect(stderr).toContain('10m');
    }

    const { database, close } = openServerLedger(databaseUrl);
    onTestFinished(close);
    const older = (row: number, minutes: number): Promise<number> =>
      executeByHand(
        database,
        "UPDATE row_states SET first_sent_at = now() - ? * interval '1 minute' WHERE row_number = ?",
        [minutes, row],
      );
    await older(2, 11);
    await older(3, 9);
    const second = await desk.json(words, { env: { ...env, PAYBATCH_KEY_LIFETIME: '24h' } });
    expect(second.summary.batches[0]?.counts).toEqual({ unknown: 2 });
    expect(second.stderr).not.toContain(question);
    fault = undefined;
    const third = await desk.json(words, { env });
    expect(third.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 1, held: 1 } }] });
    expect((await desk.results()).map((row) => row['result_code'])).toEqual(['key_expired', '']);
    expect(desk.sandbox.counts().live.created.customers).toBe(1);
    // The API has answered by now, so a run that continues the batch repeats no note.
    expect((await desk.json(words, { env })).stderr).not.toContain(question);
    const stated = await desk.run(['doctor', '--key-lifetime', '24h'], { env });
    expect(stated.stdout).toMatch(/^ok +key lifetime +rows in doubt are sent again within 1d/m);
  });
});
