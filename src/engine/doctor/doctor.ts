/* Checks everything that a run needs: this machine, the ledger, the run logs and the API. */

import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CallResult } from '../../account/result.ts';
import { type CallClient, keyLifetimeFor, openClient, readInstitutionsPage } from '../../call/api-access.ts';
import type { CallContext, EmptyRequest } from '../../call/context.ts';
import { requireKeyOfMode } from '../../call/ledger-access.ts';
import { nodeVariable, type OpenedApi } from '../../call/opened-api.ts';
import { keyFileSettings, readSettingsFile, version } from '../../call/settings.ts';
import { asFailure } from '../../call/start.ts';
import { gravest, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Check, CheckedThing } from '../../domain/machine/checks.ts';
import type { SettingName } from '../../domain/settings/definitions.ts';
import { checkDatabase, compareClocks, ok, problem, problemOf, warning } from './ledger.ts';

/** Checks this machine: versions, folders, and the key file. */
function checkMachine(app: CallContext, hasServer: boolean): Check[] {
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

/** Checks a folder. A folder that does not exist yet must be one that can be created. */
function checkFolder(what: CheckedThing, path: string, setting: SettingName): Check {
  const folder = resolve(path);
  const nearest = nearestExisting(folder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    if (!statSync(nearest).isDirectory()) throw new Error('not a folder');
  } catch {
    return problem(what, { code: 'folder_not_writable', path, setting }, 'usage');
  }
  const { bavail, bsize } = statfsSync(nearest);
  const freeInBytes = bavail * bsize;
  const facts = { path, isThere: nearest === folder, freeInBytes };
  return freeInBytes < lowSpaceInBytes
    ? warning(what, { code: 'folder_nearly_full', ...facts })
    : ok(what, { code: 'folder_writable', ...facts });
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/**
 * Checks the permissions of the key file, since everyone who can read it can pay with it. Windows has no such permissions.
 * If a path is not a file, the message does not repeat it, since it may be the key itself.
 */
function checkKeyFile(path = ''): Check[] {
  const mode = process.platform === 'win32' ? undefined : modeOf(path);
  if (mode === undefined) return [];
  return (mode & 0o077) === 0
    ? [ok('key file', { code: 'key_file_private', path })]
    : [warning('key file', { code: 'key_file_readable_by_others', path })];
}

/**
 * The permissions of the file; undefined if it is not a regular file. In that case, the check of the API reports what is
 * wrong with it.
 */
function modeOf(path: string): number | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found.mode : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks the file of additional certificate authorities. Node.js reads this file at its start, and continues without it if
 * the file cannot be used.
 */
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

/** @throws Error when the text has no certificate, or a certificate that cannot be read */
function certificatesIn(pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => new X509Certificate(block)).length;
}

/* Checks the API and its key: the address, the answer to one query, the proxy, and how long keys are kept. */

/** Any country works: the query only shows whether the API answers and accepts the key. */
const askedCountry = 'KE';

/** Checks the API: an address and a key are set, the API answers and accepts the key, and its clock matches. */
async function checkApi(app: CallContext): Promise<Check[]> {
  let target: OpenedApi;
  try {
    target = await app.connections.api();
  } catch (error) {
    return [problemOf('API', error)];
  }
  const key = await checkKey(app, target);
  // A key that must not be used at this address is not sent.
  if (key.some(({ level }) => level === 'problem')) return key;
  const client = await openClient(app);
  const checks = await askApi(app, target, client);
  return [...key, ...checkProxy(target, client.isProxied()), ...checks];
}

/** Checks the API key: whether it may be used in this mode and at this address. Reports its fingerprint. */
async function checkKey({ connections }: CallContext, target: OpenedApi): Promise<Check[]> {
  const { credential: fingerprint, environment, isBuiltIn, isKeyCompared } = target;
  try {
    const access = connections.isLedgerThere() ? await connections.ledgerToRead() : null;
    const { isNew } =
      access === null
        ? { isNew: true }
        : await requireKeyOfMode({ connections, ask: async () => 'nobody' }, access.verbs, target);
    if (isBuiltIn) return [];
    if (environment.mode === 'sandbox') return [ok('API key', { code: 'sandbox_key', fingerprint })];
    if (isKeyCompared) return [ok('API key', { code: 'live_key_compared', fingerprint })];
    return isNew
      ? [warning('API key', { code: 'live_key_unproven', fingerprint })]
      : [ok('API key', { code: 'live_key_known', fingerprint })];
  } catch (error) {
    const failure = asFailure(error);
    // Other failures concern the ledger, and the check of the ledger reports them.
    const isOfKey = failure instanceof PaybatchError && keyProblems.has(failure.code);
    return isOfKey ? [problemOf('API key', failure)] : [];
  }
}

const keyProblems: ReadonlySet<string> = new Set([
  'api_key_of_other_mode',
  'mode_contradicts',
  'key_at_new_address',
]);

async function askApi(app: CallContext, { environment }: OpenedApi, client: CallClient): Promise<Check[]> {
  try {
    const { mode, origin } = environment;
    const { answer, date } = await readInstitutionsPage(client, askedCountry);
    if (answer.status >= 400) {
      const { status: httpStatus } = answer;
      return [problem('API', { code: 'api_answers_with_error', mode, origin, httpStatus }, 'stopped')];
    }
    return [
      ok('API', { code: 'api_answers', mode, origin }),
      date === null
        ? warning('clock', { code: 'clock_unknown' })
        : compareClocks('API', date.getTime() - app.clock.now().getTime()),
    ];
  } catch (error) {
    return [problemOf('API', error)];
  }
}

/**
 * Reports how requests are routed if the environment names a proxy. Only the host is reported, which does not contain the
 * proxy's credentials.
 */
function checkProxy({ proxy }: OpenedApi, isProxied: boolean): Check[] {
  if (proxy === undefined) return [];
  const proxied = { code: 'proxied', proxyHost: proxy.address.host } as const;
  return [ok('proxy', isProxied ? proxied : { code: 'proxy_passed_by' })];
}

/**
 * Checks how long the provider keeps keys. The API does not say it, so the settings have to state it; only live mode
 * requires that.
 */
function checkKeyLifetime(app: CallContext): Check[] {
  const { mode } = app.settings.api;
  const { isAssumed, durationInMs } = keyLifetimeFor(app, mode);
  if (isAssumed) return [warning('key lifetime', { code: 'key_lifetime_assumed', durationInMs })];
  return mode === 'live' ? [ok('key lifetime', { code: 'key_lifetime_stated', durationInMs })] : [];
}

/** The checks and their results. */
interface DoctorResult extends CallResult {
  readonly checks: readonly Check[];
}

/** Checks everything that a run needs. The only request is a query for institutions. */
export async function examine(app: CallContext, _: EmptyRequest): Promise<DoctorResult> {
  const hasServer = app.connections.isLedgerOnServer();
  const database = await checkDatabase(app, hasServer);
  const api = await checkApi(app);
  const isHalt = ({ finding }: Check): boolean => finding.code === 'halted';
  const isUnproven = ({ finding }: Check): boolean => finding.code === 'live_key_unproven';
  const checks: readonly Check[] = [
    // A halt comes first: while it is in force, nothing is sent, whatever the other checks find.
    ...database.filter(isHalt),
    // An unproven live key comes next: the findings that follow may be those of the sandbox instead of the live API.
    ...api.filter(isUnproven),
    ...checkMachine(app, hasServer),
    ...database.filter((check) => !isHalt(check)),
    ...api.filter((check) => !isUnproven(check)),
    ...checkKeyLifetime(app),
  ];
  const outcome = gravest(checks.map((check) => check.outcome));
  return { outcome, batches: [], failure: null, checks };
}
