/* Checks the ledger: a stop of everything, the database and its roles, the audit trail, and the run logs beside it. */

import { existsSync } from 'node:fs';
import { runLogPath } from '../../account/batch-files/files-of-batch.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { requireDurableLedger, requireKnownLedger, statedIn } from '../../call/ledger-access.ts';
import { asFailure } from '../../call/start.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { controlsChain } from '../../domain/batches/batch-facts.ts';
import { problemOfEnd } from '../../domain/controls/audit.ts';
import { type CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Check, CheckedThing, CheckFinding } from '../../domain/machine/checks.ts';
import type { DatabaseRole } from '../../ledger/connection/migrate.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { keepLostObjects } from '../../recover/log-evidence.ts';
import { readHaltInForce } from '../halt.ts';

/* The results of a check: ok, ok with a warning, or a problem that prevents a command from working. */

/** A check that passes. */
export function ok(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'ok', what, finding, outcome: 'done' };
}

/** A check that passes with a warning. */
export function warning(what: CheckedThing, finding: CheckFinding): Check {
  return { level: 'warning', what, finding, outcome: 'done' };
}

/** A problem that prevents a command from working. */
export function problem(what: CheckedThing, finding: CheckFinding, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, outcome };
}

/**
 * Makes a problem of an expected failure.
 * @throws any other error
 */
export function problemOf(what: CheckedThing, thrown: unknown): Check {
  const error = asFailure(thrown);
  if (!(error instanceof PaybatchError)) throw error;
  return problem(what, { code: 'failed', error }, error.kind);
}

const toleratedSkewInMs = 60_000;

/**
 * @param of the owner of the clock that was compared with this machine's clock
 * @param skewInMs that clock's time minus this machine's
 */
export function compareClocks(of: 'API' | 'database', skewInMs: number): Check {
  return Math.abs(skewInMs) <= toleratedSkewInMs
    ? ok('clock', { code: 'clocks_agree', of, skewInMs })
    : warning('clock', { code: 'clocks_differ', of, skewInMs });
}

/**
 * Checks the ledger: it is reachable, up to date and safe against a power failure, and its clock matches this machine's
 * clock.
 */
export async function checkDatabase(app: CallContext, hasServer: boolean): Promise<Check[]> {
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
    // While a person has stopped everything, no run sends, even if all other checks pass.
    const inForce = await readHaltInForce(app, verbs);
    return [
      ...(inForce === null ? [] : [problem('halt', { code: 'halted', inForce }, 'approval_needed')]),
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

/** Checks what the database permits this login. If a policy is in force, the owner of the tables can bypass it. */
function checkRole(
  { user: login, isOwner, roles, hasPolicy, lacksApprovers }: DatabaseRole,
  hasServer: boolean,
): Check[] {
  const finding = { code: 'database_role', login, isOwner, roles, hasPolicy } as const;
  const isRisky = isOwner && hasPolicy;
  return [
    ...(hasServer ? [isRisky ? warning('database role', finding) : ok('database role', finding)] : []),
    ...(lacksApprovers ? [warning('database role', { code: 'nobody_can_approve' })] : []),
  ];
}

/**
 * Checks that a live key is used with the ledger and the policy that the machine's settings state. Reports both values, and
 * whether the settings state them.
 */
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

/** Checks that the ledger's tables are consistent where no foreign keys ensure it. */
async function checkIntegrity(verbs: LedgerVerbs): Promise<Check> {
  const orphans = await verbs.countOrphans();
  return orphans.length === 0
    ? ok('integrity', { code: 'lines_complete' })
    : warning('integrity', { code: 'lines_orphaned', orphans });
}

/** Number of events at the end of each chain that are checked. Most batches have fewer events. */
const eventsOfEach = 200;

/**
 * Checks the ends of the chains that changed last, and whether the triggers that write the trail are enabled. A check of
 * the whole trail (`verifyAudit`) is not done here, since its duration grows with the trail.
 */
async function checkTrail(verbs: LedgerVerbs): Promise<Check[]> {
  const batches = await verbs.listBatches(batchesLookedAt);
  const ends = await verbs.readChainEnds([...batches.map(({ id }) => id), controlsChain], eventsOfEach);
  const broken = ends.filter(({ head, events, last }) => problemOfEnd(head, events, last) !== null);
  const triggers = await verbs.listTriggersOff();
  const events = ends.reduce((sum, { last }) => sum + last.length, 0);
  return [
    broken.length === 0
      ? ok('audit trail', { code: 'trail_fits', chains: ends.length, events })
      : problem(
          'audit trail',
          { code: 'trail_broken', chains: broken.map(({ chain }) => chain) },
          'decision_needed',
        ),
    ...(triggers.length === 0
      ? []
      : [problem('audit trail', { code: 'triggers_off', triggers }, 'decision_needed')]),
  ];
}

/** Checks durability. It is required for live runs; for the sandbox a failure is only a warning. */
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

/** Number of newest batches whose chains and logs are checked. */
const batchesLookedAt = 50;

/**
 * Compares the created objects in the run logs of the result folder with the ledger. The ledger may not know some of them,
 * for example after it was restored from a backup. These objects are kept as evidence: from then on `status`, `reconcile`
 * and every run name them.
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
    // The log of a run that has not ended may contain answers that the ledger does not have yet.
    const isUnderWay = (await verbs.listRuns(batch.id)).some(({ endedAt }) => endedAt === null);
    if (!existsSync(path) || isUnderWay) continue;
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
