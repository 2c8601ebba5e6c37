/* Checks this machine: versions, folders, certificates and the key files. */

import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { nodeVariable } from '../../call/opened-api.ts';
import { keyFileSettings, readSettingsFile } from '../../call/settings.ts';
import { version } from '../../call/version.ts';
import type { Check, CheckedThing } from '../../domain/machine/checks.ts';
import type { SettingName } from '../../domain/settings/definitions.ts';
import { ok, problem, warning } from './judging.ts';

/** Checks this machine: versions, folders, and the key file. */
export function checkMachine(app: CallContext, hasServer: boolean): Check[] {
  const { settings, machine } = app;
  const { platform, arch, versions } = process;
  return [
    ok('versions', {
      code: 'versions',
      paybatch: version,
      node: versions.node,
      platform: `${platform} ${arch}`,
    }),
    checkFolder('results', settings.output.out, 'out'),
    ...(hasServer ? [] : [checkFolder('ledger', settings.ledger.ledgerDir, 'ledgerDir')]),
    ...checkExtraAuthorities(nodeVariable('NODE_EXTRA_CA_CERTS')),
    ...[...keyFileSettings, 'userKeyFile' as const].flatMap((setting) => checkKeyFile(machine[setting])),
  ];
}

const lowSpaceInBytes = 1024 ** 3;

/** A folder that does not exist yet must be one that can be created. */
function checkFolder(what: CheckedThing, path: string, setting: SettingName): Check {
  const folder = resolve(path);
  const nearest = nearestExisting(folder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    if (!statSync(nearest).isDirectory()) throw new Error('not a folder');
  } catch {
    return problem(what, { code: 'folder_not_writable', path, setting }, 'usage');
  }
  const freeInBytes = freeSpaceInBytes(nearest);
  const facts = { path, isThere: nearest === folder, freeInBytes };
  return freeInBytes < lowSpaceInBytes
    ? warning(what, { code: 'folder_nearly_full', ...facts })
    : ok(what, { code: 'folder_writable', ...facts });
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function freeSpaceInBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Checks the permissions of the key file: everyone who can read it can pay with it. Windows has no such permissions. A
 * path that is not a file is not repeated in the message: it may be the key itself.
 */
function checkKeyFile(path = ''): Check[] {
  const mode = process.platform === 'win32' ? undefined : modeOf(path);
  if (mode === undefined) return [];
  const readableByOthers = (mode & 0o077) !== 0;
  return [
    readableByOthers
      ? warning('key file', { code: 'key_file_readable_by_others', path })
      : ok('key file', { code: 'key_file_private', path }),
  ];
}

/** Undefined if it is not a regular file: the check of the API reports what is wrong with it. */
function modeOf(path: string): number | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found.mode : undefined;
  } catch {
    return undefined;
  }
}

/** Node.js reads the file at its start, and continues without it if it cannot be used. */
function checkExtraAuthorities(path: string): Check[] {
  if (path === '') return [];
  let certificates: number;
  try {
    certificates = certificatesIn(readSettingsFile(path));
  } catch {
    return [problem('certificates', { code: 'certificates_unreadable', path }, 'usage')];
  }
  return [ok('certificates', { code: 'certificates_trusted', path, certificates })];
}

/** @throws Error when there is no certificate, or one that cannot be read */
function certificatesIn(pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => new X509Certificate(block)).length;
}
