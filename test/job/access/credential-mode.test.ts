import { describe, expect, it } from 'vitest';
import { openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { createDurableDatabase } from '../../support/durable-database.ts';

async function openDurableDesk() {
  const desk = await openDesk();
  const databaseUrl = await createDurableDatabase();
  await desk.write('people.csv', csvOf(customers(1)));
  const { sandbox: sandboxKey, live: liveKey } = desk.sandbox.apiKeys;
  const run = (mode: string, key: string, command = 'import') =>
    desk.json([command, 'people.csv', '--mode', mode, ...(command === 'import' ? ['--yes'] : [])], {
      env: { DATABASE_URL: databaseUrl, PAYBATCH_API_KEY: key },
    });
  return { desk, run, sandboxKey, liveKey };
}

describe('an API key that was used in one mode', () => {
  it('is refused in the other, and nothing is sent', async () => {
    const { desk, run, sandboxKey, liveKey } = await openDurableDesk();
    expect((await run('live', liveKey)).exitCode).toBe(0);
    expect((await run('sandbox', sandboxKey)).exitCode).toBe(0);
    const crossed = await run('sandbox', liveKey);
    expect([crossed.exitCode, crossed.summary.error?.code]).toEqual([2, 'api_key_of_other_mode']);
    expect((await run('live', sandboxKey)).summary.error?.code).toBe('api_key_of_other_mode');
    expect(crossed.stdout + crossed.stderr).not.toContain(liveKey);
    const counts = desk.sandbox.counts();
    expect([counts.live.created.customers, counts.sandbox.created.customers]).toEqual([1, 1]);
  });

  it('is not taken for that mode’s when the API refused it there', async () => {
    const { desk, run, liveKey } = await openDurableDesk();
    expect((await run('sandbox', 'sk_nobody_knows_this_key')).exitCode).toBe(6);
    expect((await run('live', 'sk_nobody_knows_this_key')).exitCode).toBe(6);
    expect((await run('live', liveKey)).exitCode).toBe(0);
    expect(desk.sandbox.counts().live.created.customers).toBe(1);
  });
});
