import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { accountOf, bankPayee, clientOf, temporaryFolder } from './harness.ts';

const people = '/v1/customers';
const body = { first_name: 'Amína "Mimi"', last_name: 'Ödhiambo,"answer":' };

async function restarted<T>(
  dataDir: string,
  use: (client: ReturnType<typeof clientOf>) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ dataDir });
  try {
    return await use(clientOf(sandbox));
  } finally {
    await sandbox.close();
  }
}

describe('the journal', () => {
  it('keeps objects, answers, refusals, verification, limits and counts over a restart', async () => {
    const dataDir = temporaryFolder();
    const limits = { id: bankPayee('')['institution_id'], min_amount: 1.5, max_amount: 2 };
    const before = await restarted(dataDir, async (client) => {
      const customer = await client.post(people, body, { key: 'c' });
      const unverified = await client.customer({ last_name: 'Unverified' });
      await client.post(`/sandbox/customers/${unverified}/kyc`, { status: 'passed' });
      const refusal = await client.post(people, { last_name: 'X' }, { key: 'r' });
      await client.post('/sandbox/institutions', { institutions: [limits] });
      const accountId = await client.account(unverified);
      return {
        customer,
        refusal,
        unverified,
        accountId,
        sandbox: client.sandbox,
        counts: client.sandbox.counts(),
      };
    });
    await restarted(dataDir, async (client) => {
      expect(client.sandbox).toMatchObject({
        storeId: before.sandbox.storeId,
        apiKeys: before.sandbox.apiKeys,
      });
      expect(client.sandbox.counts()).toEqual(before.counts);
      const customer = await client.post(people, body, { key: 'c' });
      expect([customer.status, customer.text]).toEqual([201, before.customer.text]);
      expect(customer.headers.get('idempotent-replayed')).toBe('true');
      expect((await client.post(people, { last_name: 'X' }, { key: 'r' })).text).toBe(before.refusal.text);
      expect((await client.post('/v1/accounts', accountOf(before.unverified))).status).toBe(201);
      const { data } = await client.get('/v1/external-accounts/institutions?country_iso_code=KE');
      expect((data['items'] as unknown[])[0]).toMatchObject(limits);
    });
  });

  it.each(['a whole line without its end', 'half a line', 'a few bytes'])(
    'drops %s, and continues',
    async (what) => {
      const dataDir = temporaryFolder();
      const path = join(dataDir, 'journal.jsonl');
      const kept = await restarted(dataDir, (client) => client.post(people, body, { key: 'kept' }));
      const whole = statSync(path).size;
      await restarted(dataDir, (client) => client.post(people, body, { key: 'torn' }));
      const end = statSync(path).size;
      truncateSync(
        path,
        what === 'half a line' ? (whole + end) >> 1 : what === 'a few bytes' ? whole + 3 : end - 1,
      );
      await restarted(dataDir, async (client) => {
        expect(statSync(path).size).toBe(whole);
        expect((await client.post(people, body, { key: 'kept' })).text).toBe(kept.text);
        const again = await client.post(people, body, { key: 'torn' });
        expect(again.headers.get('idempotent-replayed')).toBeNull();
        expect((await client.post(people, body, { key: 'torn' })).text).toBe(again.text);
      });
    },
  );

  it('refuses to start on a line that was changed, and leaves the file alone', async () => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'journal.jsonl');
    await restarted(dataDir, (client) => client.post(people, body));
    const position = statSync(path).size;
    appendFileSync(path, 'not json\n');
    const content = readFileSync(path);
    await expect(startSandbox({ dataDir })).rejects.toThrow(`is damaged at byte ${position}`);
    expect(readFileSync(path)).toEqual(content);
    // The failed start has given the lock back.
    writeFileSync(path, content.subarray(0, position));
    await restarted(dataDir, async () => undefined);
  });

  it('is readable by its owner only, and so are the keys', async () => {
    const dataDir = join(temporaryFolder(), 'made');
    await restarted(dataDir, async () => undefined);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const file of ['journal.jsonl', 'store.json']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('holds every answer that got out before a SIGKILL', async () => {
    const dataDir = temporaryFolder();
    const server = new URL('../../src/sandbox/server.ts', import.meta.url).href;
    const script = `const { startSandbox } = await import('${server}');
      const { url, apiKeys } = await startSandbox({ dataDir: ${JSON.stringify(dataDir)} });
      console.log(JSON.stringify({ url, apiKeys }));`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const client = clientOf({
      ...JSON.parse(line.toString()),
      storeId: '',
      counts: () => undefined,
      close: () => undefined,
    });
    const answers = new Map<string, string>();
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let number = 0; ; number += 1) {
        const key = `${sender}-${number}`;
        answers.set(key, (await client.post(people, body, { key })).text);
        if (answers.size === 200) child.kill('SIGKILL');
      }
    });
    await Promise.allSettled([...senders, once(child, 'exit')]);
    await restarted(dataDir, async (again) => {
      expect(answers.size).toBeGreaterThanOrEqual(200);
      for (const [key, text] of answers) {
        expect((await again.post(people, body, { key })).text).toBe(text);
      }
    });
  });
});
