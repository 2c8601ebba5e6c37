import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { credentialFingerprint, readApiKey } from '../../src/call/settings.ts';

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
    'of %s mode is read from its own setting or the shared one, or from a file, without the line end of an editor',
    (mode) => {
      const own = `${mode}ApiKey` as const;
      expect(readApiKey({ [own]: 'sk_owned' }, mode)).toBe('sk_owned');
      expect(readApiKey({ [`${own}File`]: keyFile('sk_filed\r\n') }, mode)).toBe('sk_filed');
      expect(readApiKey({ apiKey: 'sk_direct' }, mode)).toBe('sk_direct');
      expect(readApiKey({ apiKeyFile: keyFile('sk_filed\r\n') }, mode)).toBe('sk_filed');
      const machine = { apiKey: '', apiKeyFile: keyFile('sk_filed') };
      expect(readApiKey(machine, mode)).toBe('sk_filed');
    },
  );

  it('of one mode stays out of the other', () => {
    const machine = { sandboxApiKey: 'sk_test_1', liveApiKey: 'sk_live_1' };
    expect(readApiKey(machine, 'sandbox')).toBe('sk_test_1');
    expect(readApiKey(machine, 'live')).toBe('sk_live_1');
    expect(() => readApiKey({ liveApiKey: 'sk_live_1' }, 'sandbox')).toThrow(
      expect.objectContaining({
        kind: 'usage',
        code: 'api_key_missing',
        remedies: [
          {
            action: 'set',
            oneOf: [{ setting: 'sandboxApiKey' }, { setting: 'sandboxApiKeyFile' }, { setting: 'apiKey' }],
          },
          { action: 'set', purpose: 'try it', oneOf: [{ setting: 'localSandbox' }] },
        ],
      }),
    );
  });

  it.each([
    [{ sandboxApiKey: 'sk_same_1', liveApiKey: 'sk_same_1' }],
    [{ apiKey: 'sk_same_1', liveApiKey: 'sk_same_1' }],
    [{ apiKey: 'sk_same_1', liveApiKeyFile: keyFileNow('sk_same_1\n') }],
  ])('that is given for the other mode as well is refused: %j', (machine) => {
    const refusal = expect.objectContaining({ kind: 'usage', code: 'api_key_of_other_mode' });
    expect(() => readApiKey(machine, 'sandbox')).toThrow(refusal);
    expect(() => readApiKey(machine, 'sandbox')).not.toThrow(/sk_/);
  });

  it.each([
    ['there is none', {}],
    ['it is empty', { apiKey: '  ' }],
    ['there are two', { apiKey: 'sk_first_1', apiKeyFile: '/nowhere/key' }],
    ['there are two for the mode', { apiKey: 'sk_first_1', sandboxApiKey: 'sk_second_1' }],
    ['its file cannot be read', { apiKeyFile: '/nowhere/key' }],
    ['its file is the key itself', { apiKeyFile: 'sk_live_0123456789' }],
    ['its file is a key longer than a path can be', { apiKeyFile: 'sk_'.repeat(2_000) }],
    ['no header can carry it', { apiKey: 'sk_first_1\nsk_second_1' }],
    ['it has less than 8 characters', { apiKey: 'sk_1234' }],
    ['that of its file has less than 8 characters', { apiKeyFile: keyFileNow(' sk_1234\n') }],
  ])('is refused when %s, without a word of it', (_, machine) => {
    expect(() => readApiKey(machine, 'sandbox')).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect(() => readApiKey(machine, 'sandbox')).not.toThrow(/sk_/);
  });

  it('of 8 characters will do', () => {
    expect(readApiKey({ apiKey: 'sk_12345' }, 'sandbox')).toBe('sk_12345');
  });

  it('is read through symbolic links, as Kubernetes mounts it', () => {
    const mount = mkdtempSync(join(tmpdir(), 'paybatch-key-'));
    onTestFinished(() => rmSync(mount, { recursive: true, force: true }));
    mkdirSync(join(mount, '..2026_11_22'));
    writeFileSync(join(mount, '..2026_11_22', 'key'), 'sk_mounted\n');
    symlinkSync('..2026_11_22', join(mount, '..data'));
    symlinkSync('..data/key', join(mount, 'key'));
    expect(readApiKey({ apiKeyFile: join(mount, 'key') }, 'sandbox')).toBe('sk_mounted');
  });

  it.runIf(process.platform !== 'win32')(
    'is not read from what has no end, is no file, or is too long',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'paybatch-key-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      // Nobody writes to it: to open it in the usual way would wait for ever.
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const long = join(folder, 'long');
      writeFileSync(long, 'k'.repeat(20_000));
      for (const path of ['/dev/zero', folder, pipe, long]) {
        expect(() => readApiKey({ apiKeyFile: path }, 'sandbox')).toThrow(
          expect.objectContaining({
            kind: 'usage',
            message: expect.stringMatching(
              /^The file of the setting apiKeyFile (is no regular file|holds more than 16 KiB)\.$/,
            ),
          }),
        );
      }
    },
  );

  it('is known by a fingerprint that tells keys apart and nothing about them', () => {
    expect(credentialFingerprint('sk_one')).toMatch(/^[0-9a-f]{16}$/);
    expect(credentialFingerprint('sk_one')).not.toBe(credentialFingerprint('sk_two'));
  });
});
