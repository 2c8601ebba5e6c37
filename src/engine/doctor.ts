/* Checks everything that a run needs: this machine, the ledger, the run logs, the API. */

import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runLogPath } from '../account/batch-files/files-of-batch.ts';
import type { CallResult } from '../account/result.ts';
import { type CallClient, keyLifetimeFor, openClient, readInstitutionsPage } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext, EmptyRequest } from '../call/context.ts';
import { requireKeyOfMode } from '../call/key-of-mode.ts';
import { requireDurableLedger, requireKnownLedger, statedIn } from '../call/ledger-access.ts';
import { nodeVariable, type OpenedApi } from '../call/opened-api.ts';
import { keyFileSettings, readSettingsFile } from '../call/settings.ts';
import { asFailure } from '../call/start.ts';
import { version } from '../call/version.ts';
import { lookAtTrail } from '../controls/look-at-trail.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { type CallOutcome, gravest, PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Check, CheckedThing, CheckFinding } from '../domain/machine/checks.ts';
import type { SettingName } from '../domain/settings/definitions.ts';
import type { DatabaseRole } from '../ledger/connection/migrate.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { keepLostObjects } from '../recover/told-by-logs.ts';

/** What was checked, and what was found. */
interface DoctorResult extends CallResult {
  readonly checks: readonly Check[];
}

/** Checks everything that a run needs. The only request is a query for institutions. */
export async function examine(app: CallContext, _: EmptyRequest): Promise<DoctorResult> {
  const hasServer = app.connections.isLedgerOnServer();
  const database = await checkDatabase(app, hasServer);
  const api = await checkApi(app);
  const isUnproven = ({ finding }: Check): boolean => finding.code === 'live_key_unproven';
  const checks: readonly Check[] = [
    // Nothing else may be read as what is found live.
    ...api.filter(isUnproven),
    ...checkMachine(app, hasServer),
    ...database,
    ...api.filter((check) => !isUnproven(check)),
    ...checkKeyLifetime(app),
  ];
  const outcome = gravest(checks.map((check) => check.outcome));
  return { outcome, batches: [], failure: null, checks };
}

function ok(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'ok', what, finding, outcome: 'done' };
}

/** A check that passes with a warning. */
function warning(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'warning', what, finding, outcome: 'done' };
}

/** A problem that prevents a command from working. */
function problem(what: CheckedThing, finding: CheckFinding, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, outcome };
}

/**
 * An expected failure as a problem.
 * @throws any other error
 */
function problemOf(what: CheckedThing, thrown: unknown): Check {
  const error = asFailure(thrown);
  if (!(error instanceof PaybatchError)) throw error;
  return problem(what, { code: 'failed', error }, error.kind);
}

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

/** The ledger: reachable, up to date, safe against a power cut, with a clock that matches this machine's. */
async function checkDatabase(app: CallContext, hasServer: boolean): Promise<Check[]> {
  const { settings, connections } = app;
  if (!hasServer && settings.api.mode !== 'live' && !connections.isLedgerThere()) {
    return [ok('database', { code: 'ledger_not_there_yet' })];
  }
  let access: LedgerAccess;
  try {
    access = await connections.ledger();
  } catch (error) {
    return [problemOf('database', error)];
  }
  try {
    const { verbs } = access;
    const role = await verbs.readDatabaseRole();
    const serverVersion = hasServer ? await verbs.readServerVersion() : null;
    const hasBatches = (await verbs.listBatches(1)).length > 0;
    return [
      ok('database', { code: 'ledger_ready', serverVersion, hasBatches }),
      ...(hasServer ? [await checkDurability(app, access), await checkClock(app, verbs)] : []),
      ...checkRole(role, hasServer),
      ...(await checkIdentity(app, verbs)),
      await checkIntegrity(verbs),
      ...(await checkTrail(verbs)),
      ...(await checkRunLogs(app, verbs, role)),
    ];
  } catch (error) {
    return [problemOf('database', error)];
  }
}

/** What the database permits this login: where a policy is in force, the owner of the tables can bypass it. */
function checkRole(
  { user: login, isOwner, roles, hasPolicy, canNobodyApprove }: DatabaseRole,
  hasServer: boolean,
): Check[] {
  const finding = { code: 'database_role', login, isOwner, roles, hasPolicy } as const;
  const isRisky = isOwner && hasPolicy;
  return [
    ...(hasServer ? [isRisky ? warning('database role', finding) : ok('database role', finding)] : []),
    ...(canNobodyApprove ? [warning('database role', { code: 'nobody_can_approve' })] : []),
  ];
}

/** Whether a live key is used with the ledger and the policy that the machine's settings state, and what they could state. */
async function checkIdentity({ machine, settings }: CallContext, verbs: LedgerVerbs): Promise<Check[]> {
  if (settings.api.mode !== 'live') return [];
  try {
    const { ledgerId, policyHash } = await requireKnownLedger(verbs, machine);
    const isStated = (setting: 'ledgerId' | 'policyHash'): boolean => statedIn(machine, setting) !== null;
    return [
      ok('ledger of the key', { code: 'ledger_named', value: ledgerId, isStated: isStated('ledgerId') }),
      policyHash === null
        ? ok('policy', { code: 'no_policy' })
        : ok('policy', { code: 'policy_named', value: policyHash, isStated: isStated('policyHash') }),
    ];
  } catch (error) {
    return [problemOf('ledger of the key', error)];
  }
}

/** Whether the ledger's tables are consistent where no foreign keys ensure it. */
async function checkIntegrity(verbs: LedgerVerbs): Promise<Check> {
  const orphans = await verbs.countOrphans();
  return orphans.length === 0
    ? ok('integrity', { code: 'lines_complete' })
    : warning('integrity', { code: 'lines_orphaned', orphans });
}

/** Checks the ends of the chains that changed last. A check of the whole trail takes longer, the longer it is. */
async function checkTrail(verbs: LedgerVerbs): Promise<Check[]> {
  const batches = await verbs.listBatches(batchesLookedAt);
  const { chains, events, broken, triggersOff } = await lookAtTrail(
    verbs,
    batches.map(({ id }) => id),
  );
  return [
    broken.length === 0
      ? ok('audit trail', { code: 'trail_fits', chains, events })
      : problem('audit trail', { code: 'trail_broken', chains: broken }, 'decision_needed'),
    ...(triggersOff.length === 0
      ? []
      : [problem('audit trail', { code: 'triggers_off', triggers: triggersOff }, 'decision_needed')]),
  ];
}

/** Required for live runs; for the sandbox a warning is enough. */
async function checkDurability(app: CallContext, access: LedgerAccess): Promise<Check> {
  try {
    await requireDurableLedger(access);
    return ok('durability', { code: 'durable' });
  } catch (error) {
    const isTooLittle = error instanceof PaybatchError && error.code === 'database_not_durable';
    return isTooLittle && app.settings.api.mode !== 'live'
      ? warning('durability', { code: 'durable_too_little_for_live', error })
      : problemOf('durability', error);
  }
}

async function checkClock({ clock }: CallContext, verbs: LedgerVerbs): Promise<Check> {
  const skewInMs = (await verbs.databaseTime()).getTime() - clock.now().getTime();
  return compareClocks('database', skewInMs);
}

const toleratedSkewInMs = 60_000;

/**
 * @param of whose clock was compared with this machine's
 * @param skewInMs that clock's time minus this machine's
 */
export function compareClocks(of: 'API' | 'database', skewInMs: number): Check {
  return Math.abs(skewInMs) <= toleratedSkewInMs
    ? ok('clock', { code: 'clocks_agree', of, skewInMs })
    : warning('clock', { code: 'clocks_differ', of, skewInMs });
}

/** The newest batches, whose chains and logs are checked. */
const batchesLookedAt = 50;

/**
 * Compares the created objects in the run logs of the folder of results with the ledger. Objects that the ledger does not
 * know, which earlier versions could lose, are kept as evidence: from then on `status`, `reconcile` and every run name
 * them.
 */
async function checkRunLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  { isOwner, roles }: DatabaseRole,
): Promise<Check[]> {
  if (!isOwner && roles.length > 0 && !roles.includes('worker'))
    return [ok('run logs', { code: 'logs_left_to_workers' })];
  let logs = 0;
  const lost: { batch: BatchRecord; objects: number }[] = [];
  for (const batch of await verbs.listBatches(batchesLookedAt)) {
    const path = runLogPath(app, batch);
    if (!existsSync(path) || (await isUnderWay(verbs, batch))) continue;
    logs += 1;
    try {
      const objects = await keepLostObjects(verbs, batch, path);
      if (objects > 0) lost.push({ batch, objects });
    } catch (error) {
      return [problemOf('run logs', error)];
    }
  }
  if (lost.length > 0) return [problem('run logs', { code: 'logged_objects_lost', lost }, 'decision_needed')];
  return logs === 0 ? [] : [ok('run logs', { code: 'logged_objects_known', logs })];
}

/** A run that has not ended may have answers in its log that the ledger does not have yet. */
async function isUnderWay(verbs: LedgerVerbs, batch: BatchRecord): Promise<boolean> {
  return (await verbs.listRuns(batch.id)).some(({ endedAt }) => endedAt === null);
}

/** Any country will do: the query only shows whether the API answers, and for which account. */
const askedCountry = 'KE';

/** The API: an address and a key are set, it answers, accepts the key, and its clock matches. */
async function checkApi(app: CallContext): Promise<Check[]> {
  let target: OpenedApi;
  try {
    target = await app.connections.api();
  } catch (error) {
    return [problemOf('API', error)];
  }
  const key = await checkKey(app, target);
  // A key that must not be used there is not sent.
  if (key.some(({ level }) => level === 'problem')) return key;
  const client = await openClient(app);
  const checks = await askApi(app, target, client);
  return [...key, ...checkProxy(target, client.isProxied()), ...checks];
}

/** The API key: whether it may be used in this mode and at this address, and its fingerprint. */
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
    // What is wrong with the ledger is told by its own check.
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

/** How requests are routed, where the environment names a proxy; its credentials are not part of its host. */
function checkProxy({ proxy }: OpenedApi, isProxied: boolean): Check[] {
  if (proxy === undefined) return [];
  return [
    isProxied
      ? ok('proxy', { code: 'proxied', proxyHost: proxy.address.host })
      : ok('proxy', { code: 'proxy_passed_by' }),
  ];
}

/** The API does not say how long the provider keeps keys; only live mode needs it stated. */
function checkKeyLifetime(app: CallContext): Check[] {
  const { mode } = app.settings.api;
  const { isAssumed, durationInMs } = keyLifetimeFor(app, mode);
  if (isAssumed) return [warning('key lifetime', { code: 'key_lifetime_assumed', durationInMs })];
  return mode === 'live' ? [ok('key lifetime', { code: 'key_lifetime_stated', durationInMs })] : [];
}
