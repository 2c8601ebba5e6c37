import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { credentialFingerprint, readApiKey } from '../../../src/job/access/credentials.ts';

function keyFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');
  writeFileSync(path, content);
  return path;
}

function keyFileNow(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-key-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'key'), content);
  return join(folder, 'key');
}

describe('the API key', () => {
  it.each(['sandbox', 'live'] as const)(
    'of %s mode is read from its own variable or the shared one, or from a file, without the line end of an editor',
    (mode) => {
      const own = `PAYBATCH_${mode.toUpperCase()}_API_KEY`;
      expect(readApiKey({ [own]: 'sk_own' }, mode)).toBe('sk_own');
      expect(readApiKey({ [`${own}_FILE`]: keyFile('sk_filed\r\n') }, mode)).toBe('sk_filed');
      expect(readApiKey({ PAYBATCH_API_KEY: 'sk_direct' }, mode)).toBe('sk_direct');
      expect(readApiKey({ PAYBATCH_API_KEY_FILE: keyFile('sk_filed\r\n') }, mode)).toBe('sk_filed');
      const environment = { PAYBATCH_API_KEY: '', PAYBATCH_API_KEY_FILE: keyFile('sk_filed') };
      expect(readApiKey(environment, mode)).toBe('sk_filed');
    },
  );

  it('of one mode stays out of the other', () => {
    const environment = { PAYBATCH_SANDBOX_API_KEY: 'sk_test', PAYBATCH_LIVE_API_KEY: 'sk_live' };
    expect(readApiKey(environment, 'sandbox')).toBe('sk_test');
    expect(readApiKey(environment, 'live')).toBe('sk_live');
    expect(() => readApiKey({ PAYBATCH_LIVE_API_KEY: 'sk_live' }, 'sandbox')).toThrow(
      expect.objectContaining({
        exitCode: 2,
        code: 'api_key_missing',
        next: expect.stringContaining('PAYBATCH_SANDBOX_API_KEY'),
      }),
    );
  });

  it.each([
    [{ PAYBATCH_SANDBOX_API_KEY: 'sk_same', PAYBATCH_LIVE_API_KEY: 'sk_same' }],
    [{ PAYBATCH_API_KEY: 'sk_same', PAYBATCH_LIVE_API_KEY: 'sk_same' }],
    [{ PAYBATCH_API_KEY: 'sk_same', PAYBATCH_LIVE_API_KEY_FILE: keyFileNow('sk_same\n') }],
  ])('that is given for the other mode as well is refused: %j', (environment) => {
    const refusal = expect.objectContaining({ exitCode: 2, code: 'api_key_of_other_mode' });
    expect(() => readApiKey(environment, 'sandbox')).toThrow(refusal);
    expect(() => readApiKey(environment, 'sandbox')).not.toThrow(/sk_/);
  });

  it.each([
    ['there is none', {}],
    ['it is empty', { PAYBATCH_API_KEY: '  ' }],
    ['there are two', { PAYBATCH_API_KEY: 'sk_a', PAYBATCH_API_KEY_FILE: '/nowhere/key' }],
    ['there are two for the mode', { PAYBATCH_API_KEY: 'sk_a', PAYBATCH_SANDBOX_API_KEY: 'sk_b' }],
    ['its file cannot be read', { PAYBATCH_API_KEY_FILE: '/nowhere/key' }],
    ['no header can carry it', { PAYBATCH_API_KEY: 'sk_a\nsk_b' }],
  ])('is refused when %s, without a word of it', (_, environment) => {
    expect(() => readApiKey(environment, 'sandbox')).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(() => readApiKey(environment, 'sandbox')).not.toThrow(/sk_/);
  });

  it('is known by a fingerprint that tells keys apart and nothing about them', () => {
    expect(credentialFingerprint('sk_one')).toMatch(/^[0-9a-f]{16}$/);
    expect(credentialFingerprint('sk_one')).not.toBe(credentialFingerprint('sk_two'));
  });
});
