import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate } from '../../src/sandbox/identity.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from './harness.ts';

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

  it('is what HTTPS is served with: who names it as an authority trusts it, and nobody else', async () => {
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
