import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ApiKeys {
  readonly sandbox: string;
  readonly live: string;
}

export interface StoreIdentity {
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
