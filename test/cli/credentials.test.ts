import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { credentialFingerprint, readApiKey } from '../../src/cli/credentials.ts';

function keyFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');
  writeFileSync(path, content);
  return path;
}

describe('the API key', () => {
  test('is read from the environment or from a file, without the line end of an editor', () => {
    expect(readApiKey({ PAYBATCH_API_KEY: 'sk_direct' })).toBe('sk_direct');
    expect(readApiKey({ PAYBATCH_API_KEY_FILE: keyFile('sk_filed\r\n') })).toBe('sk_filed');
    expect(readApiKey({ PAYBATCH_API_KEY: '', PAYBATCH_API_KEY_FILE: keyFile('sk_filed') })).toBe('sk_filed');
  });

  test.each([
    ['there is none', {}],
    ['it is empty', { PAYBATCH_API_KEY: '  ' }],
    ['there are two', { PAYBATCH_API_KEY: 'sk_a', PAYBATCH_API_KEY_FILE: '/nowhere/key' }],
    ['its file cannot be read', { PAYBATCH_API_KEY_FILE: '/nowhere/key' }],
    ['no header can carry it', { PAYBATCH_API_KEY: 'sk_a\nsk_b' }],
  ])('is refused when %s, without a word of it', (_, environment) => {
    expect(() => readApiKey(environment)).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(() => readApiKey(environment)).not.toThrow(/sk_/);
  });

  test('is known by a fingerprint that tells keys apart and nothing about them', () => {
    expect(credentialFingerprint('sk_one')).toMatch(/^[0-9a-f]{16}$/);
    expect(credentialFingerprint('sk_one')).not.toBe(credentialFingerprint('sk_two'));
  });
});
