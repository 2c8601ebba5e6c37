import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate, takeLock } from '../../src/sandbox/data-folder.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from './harness.ts';

it('lets one sandbox into a data folder at a time, and names the process that has it', () => {
  const folder = temporaryFolder();
  const unlock = takeLock(folder);
  expect(() => takeLock(folder)).toThrow(`in use by process ${process.pid}`);
  unlock();
  takeLock(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

it('takes over the lock of a dead process', () => {
  const folder = temporaryFolder();
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, startedAt: '1' }));
  const unlock = takeLock(folder);
  expect(() => takeLock(folder)).toThrow(`process ${process.pid}`);
  unlock();
});

it('takes over a lock that was never written completely', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock'), '');
  takeLock(folder)();
});

it.runIf(existsSync('/proc/self/stat'))(
  'takes over the lock of a dead process whose id a later one has',
  () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    takeLock(folder)();
  },
);

describe('the certificate of a sandbox', () => {
  it('is a sound one for this machine, valid for a year, and its own authority', () => {
    const now = new Date('2026-11-20T10:00:00Z');
    const certificate = new X509Certificate(makeCertificate(now).certificate);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('payments.example')).toBeUndefined();
    expect(certificate.ca).toBe(true);
    expect(new Date(certificate.validFrom)).toEqual(new Date('2026-11-19T10:00:00Z'));
    expect(new Date(certificate.validTo)).toEqual(new Date('2027-11-19T10:00:00Z'));
  });

  it('is used for HTTPS: a client that names it as an authority trusts it, and no other client', async () => {
    const sandbox = await startSandbox({ dataDir: temporaryFolder(), tls: true });
    onTestFinished(() => sandbox.close());
    expect(sandbox.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const ca = await readFile(sandbox.certificatePath ?? '', 'utf8');
    expect(await statusOf(sandbox.url, ca)).toBe(401);
    await expect(statusOf(sandbox.url)).rejects.toThrow(/self.signed certificate/);
  });
});

function statusOf(url: string, ca?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/accounts`, { ...(ca === undefined ? {} : { ca }) }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
