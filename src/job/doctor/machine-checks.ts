import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { countOf } from '../../output/words/wording.ts';
import { keyFileVariables } from '../access/credentials.ts';
import { readSettingsFile } from '../access/small-file.ts';
import type { JobContext } from '../running/context.ts';
import { version } from '../running/version.ts';
import { type Check, ok, problem, warning } from './check.ts';

const lowSpaceInBytes = 1024 ** 3;

/** What this machine has to offer: versions, folders, and the file of the key. */
export function checkMachine(app: JobContext, hasServer: boolean): Check[] {
  const { settings, environment } = app;
  return [
    ok(
      'versions',
      `paybatch ${version}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
    ),
    checkFolder('results', settings.out, '--out'),
    ...(hasServer ? [] : [checkFolder('ledger', settings['ledger-dir'], '--ledger-dir')]),
    ...checkExtraAuthorities(environment['NODE_EXTRA_CA_CERTS'] ?? ''),
    ...keyFileVariables.flatMap((variable) => checkKeyFile(environment[variable])),
  ];
}

/** A folder that is not there yet has to be one that can be made. */
function checkFolder(what: string, path: string, option: string): Check {
  const folder = resolve(path);
  const nearest = nearestExisting(folder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    if (!statSync(nearest).isDirectory()) throw new Error('not a folder');
  } catch {
    const finding = `the folder ${path} cannot be written to`;
    return problem(what, finding, `choose another one with ${option}`, exitCodes.usage);
  }
  const freeInBytes = freeSpaceInBytes(nearest);
  const space = `${(freeInBytes / 1024 ** 3).toFixed(1)} GB free`;
  const state = nearest === folder ? 'can be written to' : 'will be made';
  return freeInBytes < lowSpaceInBytes
    ? warning(
        what,
        `the folder ${path} ${state}, but there is little room: ${space}`,
        'make room on that disk',
      )
    : ok(what, `the folder ${path} ${state}, ${space}`);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function freeSpaceInBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Whoever can read the file can pay with it. Windows has no such permissions. What is no file is not repeated: it may be
 * the key itself, put into the wrong variable.
 */
function checkKeyFile(path = ''): Check[] {
  const mode = process.platform === 'win32' ? undefined : modeOf(path);
  if (mode === undefined) return [];
  const readableByOthers = (mode & 0o077) !== 0;
  return [
    readableByOthers
      ? warning('key file', `other users may read ${path}`, `chmod 600 ${path}`)
      : ok('key file', `only its owner may read ${path}`),
  ];
}

/** Undefined for what is no regular file: the check of the API says what is wrong with it. */
function modeOf(path: string): number | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found.mode : undefined;
  } catch {
    return undefined;
  }
}

/** Node.js reads the file when it starts, and goes on without it when it cannot be used. */
function checkExtraAuthorities(path: string): Check[] {
  if (path === '') return [];
  const next = 'correct NODE_EXTRA_CA_CERTS, or unset it';
  let authorities: number;
  try {
    authorities = certificatesIn(readSettingsFile(path));
  } catch {
    const finding = `NODE_EXTRA_CA_CERTS names ${path}, which holds no certificates that can be read`;
    return [problem('certificates', finding, next, exitCodes.usage)];
  }
  return [
    ok(
      'certificates',
      `trusts ${countOf(authorities, 'certificate')} of NODE_EXTRA_CA_CERTS (${path}) as well`,
    ),
  ];
}

/** @throws Error when there is none, or one that cannot be read */
function certificatesIn(pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => new X509Certificate(block)).length;
}
