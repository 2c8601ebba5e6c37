import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { createDurableDatabase } from '../support/durable-database.ts';

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
