import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate, type OwnCertificate } from './certificate.ts';

export interface ApiKeys {
  readonly sandbox: string;
  readonly live: string;
}

interface StoreIdentity {
  /** Tells one data folder from another, whatever address it is served at. */
  readonly storeId: string;
  readonly apiKeys: ApiKeys;
}

/** Reads the folder's identity and keys; makes them on the first start (a file for its owner only). */
export function readIdentity(dataDir: string): StoreIdentity {
  const path = join(dataDir, 'store.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as StoreIdentity;
  const identity: StoreIdentity = {
    storeId: randomUUID(),
    apiKeys: {
      sandbox: `sk_sandbox_${randomBytes(24).toString('hex')}`,
      live: `sk_live_${randomBytes(24).toString('hex')}`,
    },
  };
  const draft = `${path}.draft`;
  writeFileSync(draft, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return identity;
}

/**
 * The token of the control endpoints, which give what both modes hold. Made once, and kept in the data folder
 * in a file of its own, `control-token`, for its owner only: whoever may read that may read the objects as well.
 */
export function readControlToken(dataDir: string): string {
  const path = join(dataDir, 'control-token');
  if (existsSync(path)) {
    chmodSync(path, 0o600);
    const token = readFileSync(path, 'utf8').trim();
    if (token !== '') return token;
  }
  const token = `control_${randomBytes(24).toString('hex')}`;
  const draft = `${path}.draft`;
  writeFileSync(draft, `${token}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return token;
}

/** Where the certificate is that a sandbox with TLS serves: clients name it among their authorities. */
export function certificatePath(dataDir: string): string {
  return join(dataDir, 'certificate.pem');
}

/** Makes a new certificate for this start, and keeps it, without its key, beside what the sandbox holds. */
export function newCertificate(dataDir: string, now: Date): OwnCertificate {
  const made = makeCertificate(now);
  const path = certificatePath(dataDir);
  const draft = `${path}.draft`;
  writeFileSync(draft, made.certificate, { mode: 0o600 });
  renameSync(draft, path);
  return made;
}
