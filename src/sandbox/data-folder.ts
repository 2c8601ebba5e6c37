/* The data folder of a sandbox: its lock, the id of its store, its keys, and its TLS certificate. */

import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/* The lock by which one sandbox at a time serves a data folder. */

interface LockContent {
  readonly pid: number;
  /** Distinguishes a living holder from a later process with the same id; null if the system has no /proc. */
  readonly startedAt: string | null;
}

/** The error when another sandbox serves the data folder; its message names the process. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/**
 * Takes the lock of a data folder, so that two sandboxes never write to the same journal. The lock of a dead process is
 * taken over.
 * @returns a function that releases the lock
 * @throws DataFolderInUse
 */
export function takeLock(dataDir: string): () => void {
  const path = join(dataDir, 'lock');
  const mine: LockContent = { pid: process.pid, startedAt: statOf(process.pid)?.startedAt ?? null };
  const draft = `${path}.${process.pid}.${threadId}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    while (!tryLink(draft, path)) removeIfStale(path, draft, dataDir);
  } finally {
    unlinkSync(draft);
  }
  return () => unlinkSync(path);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeIfStale(path: string, draft: string, dataDir: string): void {
  const found = readIfThere(path);
  if (found === undefined) return;
  const holder = parse(found);
  if (holder !== undefined && isAlive(holder)) {
    throw new DataFolderInUse(`the sandbox's data folder ${dataDir} is in use by process ${holder.pid}`);
  }
  // The stale lock is renamed first, so that only one of two sandboxes removes it, and none removes the new lock of the
  // other.
  const aside = `${draft}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== found) tryLink(aside, path);
  unlinkSync(aside);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(content: string): LockContent | undefined {
  try {
    return JSON.parse(content) as LockContent;
  } catch {
    return undefined;
  }
}

function isAlive(holder: LockContent): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  const found = statOf(holder.pid);
  // A killed process that its parent has not reaped yet (a zombie) no longer holds the lock.
  if (found === undefined || holder.startedAt === null) return true;
  return found.state !== 'Z' && found.startedAt === holder.startedAt;
}

/** The 3rd and the 22nd field of /proc/PID/stat, see proc(5): the state, and the start time in clock ticks since boot. */
function statOf(pid: number): { state: string; startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/* The identity of a sandbox: the id of its store, its keys, and its TLS certificate. */

/** A certificate for the local names of this machine. Only clients that are configured for it trust it. */
export interface OwnCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

const yearInMs = 365 * 24 * 60 * 60 * 1000;

/**
 * Creates a self-signed certificate (X.509 v3, RFC 5280; ECDSA on P-256 with SHA-256) for `localhost` and the loopback
 * addresses. It is its own authority, so a client trusts it if it is listed among the client's authorities
 * (`NODE_EXTRA_CA_CERTS`). Node.js can create keys and signatures, but not certificates.
 * @param now the certificate is valid for a year, which begins a day before this time
 */
export function makeCertificate(now: Date): OwnCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const name = sequence(set(sequence(objectId('550403'), der(0x0c, Buffer.from('Payments API sandbox')))));
  const begin = new Date(now.getTime() - yearInMs / 365);
  const signedPart = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ecdsaWithSha256,
    name,
    sequence(time(begin), time(new Date(begin.getTime() + yearInMs))),
    name,
    publicKeyInfo,
    der(0xa3, sequence(...extensions(publicKeyInfo))),
  );
  const signature = sign('sha256', signedPart, privateKey);
  const whole = sequence(signedPart, ecdsaWithSha256, bitString(signature));
  return {
    certificate: pem('CERTIFICATE', whole),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** One value in DER (ITU-T X.690): tag, length, content. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const size = Buffer.from(content.length.toString(16).padStart(content.length > 0xff ? 4 : 2, '0'), 'hex');
  const length = content.length < 0x80 ? size : Buffer.concat([Buffer.from([0x80 + size.length]), size]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const sequence = (...items: readonly Buffer[]): Buffer => der(0x30, ...items);
const set = (...items: readonly Buffer[]): Buffer => der(0x31, ...items);
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const octets = (...contents: readonly Buffer[]): Buffer => der(0x04, ...contents);
const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.from([0]), bytes);
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const isTrue = der(0x01, Buffer.from([0xff]));

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

/** A random positive serial number of 16 bytes. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

/** A date as UTCTime, which is used for years before 2050. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function extensions(publicKeyInfo: Buffer): Buffer[] {
  const loopback = [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])];
  const names = [der(0x82, Buffer.from('localhost')), ...loopback.map((address) => der(0x87, address))];
  const keyId = createHash('sha256').update(publicKeyInfo).digest().subarray(0, 20);
  return [
    // Subject key identifier, basic constraints (an authority), key usage (signatures, certificates), names.
    sequence(objectId('551d0e'), octets(octets(keyId))),
    sequence(objectId('551d13'), isTrue, octets(sequence(isTrue))),
    sequence(objectId('551d0f'), isTrue, octets(der(0x03, Buffer.from([2, 0b1000_0100])))),
    sequence(objectId('551d11'), octets(sequence(...names))),
  ];
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

export interface ApiKeys {
  readonly sandbox: string;
  readonly live: string;
}

interface StoreIdentity {
  /** Identifies a data folder, whatever the address of the sandbox is. */
  readonly storeId: string;
  readonly apiKeys: ApiKeys;
}

/** Reads the folder's identity and keys; creates them on the first start, in a file that only its owner can read. */
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
 * The token of the control endpoints, which return the objects of both modes. It is created once, and stored in the data
 * folder in the file `control-token`, which only its owner can read. A person who can read this file can read the objects
 * anyway.
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

/** The path of the certificate of a sandbox with TLS; clients have to list it among their authorities. */
export function certificatePath(dataDir: string): string {
  return join(dataDir, 'certificate.pem');
}

/** Creates a new certificate for this start, and stores it, without its key, in the data folder. */
export function newCertificate(dataDir: string, now: Date): OwnCertificate {
  const made = makeCertificate(now);
  const path = certificatePath(dataDir);
  const draft = `${path}.draft`;
  writeFileSync(draft, made.certificate, { mode: 0o600 });
  renameSync(draft, path);
  return made;
}
