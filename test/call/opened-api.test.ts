import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type OpenedApi, openApi, proxyIn, statedEnvironment } from '../../src/call/opened-api.ts';
import { callOptionsOf, machineSettingsIn } from '../../src/cli/options/given-options.ts';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { createDurableDatabase } from '../support/durable-database.ts';

const keys = { sandboxApiKey: 'sk_test_1', liveApiKey: 'sk_live_1' };

function open(given: Readonly<Record<string, unknown>>): Promise<OpenedApi> {
  return openApi({ ...callOptionsOf(given, {}).settings, machine: keys });
}

const refusal = expect.objectContaining({ kind: 'usage' });

describe('the mode', () => {
  it.each(['https://api.example.com', 'https://10.0.0.1', 'https://localhost.', 'https://127.evil.example'])(
    'has to be stated for %s',
    async (address) => {
      await expect(open({ 'base-url': address })).rejects.toThrow('The setting mode is not given');
      expect(() => statedEnvironment(callOptionsOf({ 'base-url': address }, {}).settings)).toThrow(refusal);
      for (const mode of ['sandbox', 'live'] as const) {
        const target = await open({ 'base-url': address, mode });
        expect([target.environment.mode, target.apiKey]).toEqual([mode, keys[`${mode}ApiKey`]]);
      }
    },
  );

  it.each(['http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010', 'https://127.0.0.1'])(
    'is sandbox for %s unless stated',
    async (address) => {
      expect((await open({ 'base-url': address })).environment.mode).toBe('sandbox');
      expect((await open({ 'base-url': address, mode: 'live' })).environment.mode).toBe('live');
    },
  );
});

describe('plain http', () => {
  it.each([
    'http://api.example.com',
    'http://127.attacker.example',
    'http://127.0.0.1.attacker.example',
    'http://localhost.',
    'http://localhost.attacker.example',
    'http://127.0.0.1@attacker.example',
    'http://localhost@attacker.example',
    'http://[::ffff:10.0.0.1]',
    'http://0.0.0.0',
  ])('is refused for %s', async (address) => {
    await expect(open({ 'base-url': address, mode: 'sandbox' })).rejects.toThrow(refusal);
  });
});

describe('certificates that are not checked', () => {
  beforeEach(() => vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'));
  afterEach(() => vi.unstubAllEnvs());
  const address = 'https://api.example.com';

  it('are refused in live mode', async () => {
    await expect(open({ 'base-url': address, mode: 'live' })).rejects.toThrow('NODE_TLS_REJECT_UNAUTHORIZED');
  });

  it('are allowed in sandbox mode', async () => {
    expect((await open({ 'base-url': address, mode: 'sandbox' })).apiKey).toBe('sk_test_1');
  });
});

describe('an address that ends in the version of every path', () => {
  it.each(['https://api.example.com/v1', 'https://api.example.com/v1/', 'https://api.example.com/v1//'])(
    'is the one without it: %s',
    async (address) => {
      const target = await open({ 'base-url': address, mode: 'sandbox' });
      expect([target.baseUrl.href, target.environment.origin]).toEqual([
        'https://api.example.com/',
        'https://api.example.com',
      ]);
      expect(statedEnvironment(callOptionsOf({ 'base-url': address, mode: 'sandbox' }, {}).settings)).toEqual(
        target.environment,
      );
    },
  );

  it('keeps the path before the version, and ignores other paths with v1', async () => {
    const originOf = async (address: string) =>
      (await open({ 'base-url': address, mode: 'sandbox' })).environment.origin;
    expect(await originOf('https://gate.example.com/payments/v1')).toBe('https://gate.example.com/payments');
    expect(await originOf('https://gate.example.com/apiv1')).toBe('https://gate.example.com/apiv1');
    expect(await originOf('https://gate.example.com/v1/payments')).toBe(
      'https://gate.example.com/v1/payments',
    );
  });
});

describe('the built-in sandbox', () => {
  it('that another run serves is reported as busy, not as a configuration error', async () => {
    const folder = mkdtempSync(join(inject('testFolder'), 'sandbox-'));
    const given = { 'local-sandbox': true, 'sandbox-dir': folder };
    const first = await open(given);
    onTestFinished(() => first.close());
    await expect(open(given)).rejects.toMatchObject({
      kind: 'busy',
      code: 'sandbox_in_use',
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
  });
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  [{}, undefined],
  [{ HTTPS_PROXY: ' ' }, undefined],
  [{ HTTP_PROXY: 'http://proxy.example:3128' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, ['http://proxy.example:3128/', null, '']],
  [
    {
      HTTPS_PROXY: 'http://upper.example',
      https_proxy: 'https://lower.example',
      NO_PROXY: 'a',
      no_proxy: 'b',
    },
    ['https://lower.example/', null, 'b'],
  ],
  [{ HTTPS_PROXY: 'http://me:p%40ss@proxy.example' }, ['http://proxy.example/', basic('me:p@ss'), '']],
  [{ HTTPS_PROXY: 'http://token@proxy.example' }, ['http://proxy.example/', basic('token:'), '']],
] as const)('the proxy of %j', (environment, expected) => {
  const proxy = proxyIn(machineSettingsIn(environment));
  const found = proxy === undefined ? undefined : [proxy.address.href, proxy.authorization, proxy.noProxy];
  expect(found).toEqual(expected);
});

it.each([
  'proxy.example:3128',
  'socks5://proxy.example',
  'me:secret@proxy.example',
  'http://me:%zz@proxy.example',
])('is refused without its value: %s', (value) => {
  expect(() => proxyIn({ httpsProxy: value })).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: 'The setting httpsProxy is no http or https address of a proxy.',
    }),
  );
});

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
    expect((await run('sandbox', sandboxKey)).exitCode).toBe(0);
    expect((await run('live', liveKey)).exitCode).toBe(0);
    const crossed = await run('sandbox', liveKey);
    expect([crossed.exitCode, crossed.summary.error?.code]).toEqual([2, 'api_key_of_other_mode']);
    expect((await run('live', sandboxKey)).summary.error?.code).toBe('api_key_of_other_mode');
    expect(crossed.stdout + crossed.stderr).not.toContain(liveKey);
    const counts = desk.sandbox.counts();
    expect([counts.live.created.customers, counts.sandbox.created.customers]).toEqual([1, 1]);
  });

  it('does not count as a key of that mode if the API refused it there', async () => {
    const { desk, run, liveKey } = await openDurableDesk();
    expect((await run('sandbox', 'sk_nobody_knows_this_key')).exitCode).toBe(6);
    expect((await run('live', 'sk_nobody_knows_this_key')).exitCode).toBe(6);
    expect((await run('live', liveKey)).exitCode).toBe(0);
    expect(desk.sandbox.counts().live.created.customers).toBe(1);
  });
});
