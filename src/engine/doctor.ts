import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { gravest } from '../domain/failures/paybatch-error.ts';
import { durationOption } from '../domain/sending/key-age.ts';
import type { SettingName } from '../domain/settings/definitions.ts';
import { assumedLifetimeRemedy, assumedLifetimeText } from '../output/words/advice.ts';
import { countOf } from '../output/words/wording.ts';
import { type CallClient, openClient, readInstitutionsPage } from './access/api-access.ts';
import { keyLifetimeFor } from './access/key-lifetime.ts';
import { keyFileSettings, readSettingsFile } from './connections/credentials.ts';
import type { OpenedApi } from './connections/opened-api.ts';
import { nodeVariable } from './connections/place.ts';
import { version } from './connections/version.ts';
import { type Check, checkDatabase, describeSkew, ok, problem, problemOf, warning } from './doctor/checks.ts';
import type { CallContext, EmptyRequest } from './running/context.ts';
import type { CallResult } from './running/result.ts';

/** How long the provider keeps keys cannot be asked of the API; only live mode has to be told. */
function checkKeyLifetime(app: CallContext): Check[] {
  const { mode } = app.settings.api;
  const lifetime = keyLifetimeFor(app, mode);
  if (lifetime.isAssumed) {
    const text = assumedLifetimeText(lifetime.durationInMs);
    return [warning('key lifetime', text, assumedLifetimeRemedy)];
  }
  const told = `rows in doubt are sent again within ${durationOption(lifetime.durationInMs)} of their first send`;
  return mode === 'live' ? [ok('key lifetime', told)] : [];
}

/** What was looked at, and what was found. */
interface DoctorResult extends CallResult {
  readonly checks: readonly Check[];
}

/** Looks at everything that a run needs; sends nothing but a question for institutions. */
export async function examine(app: CallContext, _: EmptyRequest): Promise<DoctorResult> {
  const hasServer = app.connections.isLedgerOnServer();
  const checks: readonly Check[] = [
    ...checkMachine(app, hasServer),
    ...(await checkDatabase(app, hasServer)),
    ...(await checkApi(app)),
    ...checkKeyLifetime(app),
  ];
  const outcome = gravest(checks.map((check) => check.outcome));
  return { outcome, batches: [], failure: null, checks };
}

/** Any country will do: only whether the API answers, and as whom it knows us, is asked. */
const askedCountry = 'KE';

/** The API: an address and a key are there, it answers, takes the key, and agrees about the time. */
async function checkApi(app: CallContext): Promise<Check[]> {
  let target: OpenedApi;
  try {
    target = await app.connections.api();
  } catch (error) {
    return [problemOf('API', error)];
  }
  const client = await openClient(app);
  const checks = await askApi(app, target, client);
  return [...checkProxy(target, client.isProxied()), ...checks];
}

async function askApi(app: CallContext, { environment }: OpenedApi, client: CallClient): Promise<Check[]> {
  try {
    const { mode, origin } = environment;
    const { answer, date } = await readInstitutionsPage(client, askedCountry);
    const name = `${mode} at ${origin}`;
    if (answer.status >= 400) {
      const finding = `${name} answers the list of institutions with ${answer.status}`;
      return [problem('API', finding, { action: 'check', settings: ['baseUrl'] }, 'stopped')];
    }
    return [
      ok('API', `${name} answers and takes the key`),
      date === null
        ? warning('clock', 'the API does not tell its time', 'compare the clock yourself: date -u')
        : describeSkew("the API's", date.getTime() - app.clock.now().getTime()),
    ];
  } catch (error) {
    return [problemOf('API', error)];
  }
}

/** Which way requests take, where the environment names a proxy; its credentials are no part of its host. */
function checkProxy({ proxy }: OpenedApi, isProxied: boolean): Check[] {
  if (proxy === undefined) return [];
  return [
    isProxied
      ? ok('proxy', `requests go through ${proxy.address.host} (the setting httpsProxy)`)
      : ok(
          'proxy',
          `requests go to the API directly, since the setting noProxy names it, and not through the setting httpsProxy`,
        ),
  ];
}

const lowSpaceInBytes = 1024 ** 3;

/** What this machine has to offer: versions, folders, and the file of the key. */
function checkMachine(app: CallContext, hasServer: boolean): Check[] {
  const { settings, machine } = app;
  return [
    ok(
      'versions',
      `paybatch ${version}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
    ),
    checkFolder('results', settings.output.out, 'out'),
    ...(hasServer ? [] : [checkFolder('ledger', settings.ledger.ledgerDir, 'ledgerDir')]),
    ...checkExtraAuthorities(nodeVariable('NODE_EXTRA_CA_CERTS')),
    ...keyFileSettings.flatMap((setting) => checkKeyFile(machine[setting])),
  ];
}

/** A folder that is not there yet has to be one that can be made. */
function checkFolder(what: string, path: string, setting: SettingName): Check {
  const folder = resolve(path);
  const nearest = nearestExisting(folder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    if (!statSync(nearest).isDirectory()) throw new Error('not a folder');
  } catch {
    const finding = `the folder ${path} cannot be written to`;
    return problem(
      what,
      finding,
      { action: 'set', purpose: 'choose another one', oneOf: [{ setting }] },
      'usage',
    );
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
 * the key itself, put where its path was meant.
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
    return [problem('certificates', finding, next, 'usage')];
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
