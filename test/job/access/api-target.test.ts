import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { settingsOf } from '../../../src/cli/options/settings.ts';
import { type ApiTarget, openApiTarget, statedEnvironment } from '../../../src/job/access/api-target.ts';

const keys = { PAYBATCH_SANDBOX_API_KEY: 'sk_test_1', PAYBATCH_LIVE_API_KEY: 'sk_live_1' };

function open(
  given: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = keys,
): Promise<ApiTarget> {
  return openApiTarget(settingsOf(given, {}), environment);
}

const refusal = expect.objectContaining({ exitCode: 2 });

describe('the mode', () => {
  it.each(['https://api.example.com', 'https://10.0.0.1', 'https://localhost.', 'https://127.evil.example'])(
    'has to be stated for %s',
    async (address) => {
      await expect(open({ 'base-url': address })).rejects.toThrow('--mode');
      expect(() => statedEnvironment(settingsOf({ 'base-url': address }, {}))).toThrow(refusal);
      for (const mode of ['sandbox', 'live'] as const) {
        const target = await open({ 'base-url': address, mode });
        expect([target.environment.mode, target.apiKey]).toEqual([mode, keys[modeVariable[mode]]]);
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

const modeVariable = { sandbox: 'PAYBATCH_SANDBOX_API_KEY', live: 'PAYBATCH_LIVE_API_KEY' } as const;

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
  const unchecked = { ...keys, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const address = 'https://api.example.com';

  it('are refused in live mode', async () => {
    await expect(open({ 'base-url': address, mode: 'live' }, unchecked)).rejects.toThrow(
      'NODE_TLS_REJECT_UNAUTHORIZED',
    );
  });

  it('are somebody’s own affair in sandbox mode', async () => {
    expect((await open({ 'base-url': address, mode: 'sandbox' }, unchecked)).apiKey).toBe('sk_test_1');
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
      expect(statedEnvironment(settingsOf({ 'base-url': address, mode: 'sandbox' }, {}))).toEqual(
        target.environment,
      );
    },
  );

  it('keeps what stands before it, and is not every address with a v1 in it', async () => {
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
  it('that another run serves is held like a batch, and not misconfigured', async () => {
    const folder = mkdtempSync(join(inject('testFolder'), 'sandbox-'));
    const given = { 'local-sandbox': true, 'sandbox-dir': folder };
    const first = await open(given);
    onTestFinished(() => first.close());
    await expect(open(given)).rejects.toMatchObject({
      exitCode: 7,
      code: 'sandbox_in_use',
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
  });
});
