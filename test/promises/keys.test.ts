import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { executeByHand } from '../support/ledger-rows.ts';

interface InDoubt {
  readonly desk: Desk;
  readonly file: string;
  /** Keys of the requests since the rows came into doubt. */
  readonly sentSince: string[];
}

/** Six customers, three of which exist at the API although no answer has said so. */
async function threeInDoubt(): Promise<InDoubt> {
  const sentSince: string[] = [];
  let isBroken = true;
  const desk = await openDesk({
    onRequest: ({ idempotencyKey = '', body }) => {
      sentSince.push(idempotencyKey);
      return isBroken && /"C-[456]"/.test(JSON.stringify(body)) ? '500_after' : undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(6)));
  const { summary } = await desk.json(['import', file, '--max-attempts', '1']);
  expect(summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 3, unknown: 3 } }] });
  isBroken = false;
  sentSince.length = 0;
  return { desk, file, sentSince };
}

it('rows in doubt are never sent under another API key, and continue under their own', async () => {
  const { desk, file, sentSince } = await threeInDoubt();
  await desk.sandbox.close();
  const requests: string[] = [];
  const reopen = async (sandboxKey: string): Promise<() => Promise<void>> => {
    const sandbox = await startSandbox({
      dataDir: `${desk.folder}/api`,
      port: Number(new URL(desk.sandbox.url).port),
      apiKeys: { sandbox: sandboxKey, live: desk.sandbox.apiKeys.live },
      onRequest: ({ method }) => {
        requests.push(method);
        return undefined;
      },
    });
    onTestFinished(() => sandbox.close());
    return () => sandbox.close();
  };
  const rotated = `${desk.sandbox.apiKeys.sandbox}-${randomUUID()}`;
  const close = await reopen(rotated);
  const under = await desk.json(['import', file], { env: { PAYBATCH_API_KEY: rotated } });
  await close();
  expect(under.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 3, unknown: 3 } }] });
  expect({ requests, sentSince }).toEqual({ requests: [], sentSince: [] });
  const codes = (await desk.results()).map((row) => row['result_code']);
  expect(codes.slice(3)).toEqual(['other_credential', 'other_credential', 'other_credential']);
  await reopen(desk.sandbox.apiKeys.sandbox);
  const again = await desk.json(['import', file]);
  expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 6 } }] });
  expect(requests).toHaveLength(3);
});

it('a key past its lifetime, or whose age a wrong clock hides, is held and never sent', async () => {
  const { desk, file, sentSince } = await threeInDoubt();
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  for (const [row, sentAt] of [
    [5, "- interval '24 hours'"],
    [6, "+ interval '1 hour'"],
  ]) {
    await executeByHand(
      ledger.database,
      `UPDATE row_states SET first_sent_at = now() ${sentAt} WHERE row_number = ${row} AND state = 'unknown'`,
    );
  }
  const { summary } = await desk.json(['import', file]);
  expect(summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 4, held: 2 } }] });
  const results = await desk.results();
  expect(results.map((row) => row['result_code']).slice(3)).toEqual(['key_expired', 'key_expired', '']);
  expect(sentSince).toEqual([results[5]?.['result_idempotency_key']]);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(6);
});
