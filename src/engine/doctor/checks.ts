/* What `doctor` looks at in the ledger and in the run logs. */

import { existsSync } from 'node:fs';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { type CallOutcome, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Remedies, type Remedy, remediesOf } from '../../domain/failures/remedy.ts';
import type { LoggedCreation } from '../../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readRunLog } from '../../output/log/read-run-log.ts';
import { embeddedLedgerAdvice } from '../../output/words/advice.ts';
import { countOf } from '../../output/words/wording.ts';
import { requireDurableLedger } from '../access/ledger-access.ts';
import type { LedgerAccess } from '../connections/connections.ts';
import { runLogPath } from '../files/files-of-batch.ts';
import type { CallContext } from '../running/context.ts';
import { asFailure } from '../running/stop-cause.ts';

/** One thing that was looked at. */
export interface CheckResult {
  readonly level: 'ok' | 'warning' | 'problem';
  /** What was looked at, in a word or two: `database`. */
  readonly what: string;
  /** What was found, as a sentence without its full stop. */
  readonly finding: string;
  /** Any one of these helps; none when all is well. */
  readonly remedies: readonly Remedy[];
}

/** A result, and how the call would end with it alone. */
export interface Check extends CheckResult {
  readonly outcome: CallOutcome;
}

export function ok(what: string, finding: string): Check {
  return { level: 'ok', what, finding, remedies: [], outcome: 'done' };
}

/** Something that works, and that somebody should look at. */
export function warning(what: string, finding: string, remedies: Remedies): Check {
  return { level: 'warning', what, finding, remedies: remediesOf(remedies), outcome: 'done' };
}

/** Something that keeps a command from its work. */
export function problem(what: string, finding: string, remedies: Remedies, outcome: CallOutcome): Check {
  return { level: 'problem', what, finding, remedies: remediesOf(remedies), outcome };
}

/** An expected failure as a problem. @throws whatever else was thrown */
export function problemOf(what: string, error: unknown): Check {
  const failure = asFailure(error);
  if (!(failure instanceof PaybatchError)) throw error;
  const { message, remedies, kind } = failure;
  const some = remedies.length === 0 ? 'try again later' : remedies;
  return problem(what, message.replace(/\.$/, ''), some, kind);
}

const toleratedSkewInMs = 60_000;

/** The ledger: reachable, up to date, safe against a power cut, and of one mind with us about the time. */
export async function checkDatabase(app: CallContext, hasServer: boolean): Promise<Check[]> {
  const { settings, connections } = app;
  if (!hasServer && settings.api.mode !== 'live' && !connections.isLedgerThere()) {
    return [ok('database', `the embedded ledger; it is made by the first import; ${embeddedLedgerAdvice}`)];
  }
  let access: LedgerAccess;
  try {
    access = await connections.ledger();
  } catch (error) {
    return [problemOf('database', error)];
  }
  try {
    const name = hasServer ? `PostgreSQL ${await access.verbs.readServerVersion()}` : 'the embedded ledger';
    const state = `${name} is reachable, its schema is up to date, ${await batchCount(access)}`;
    return [
      ok('database', hasServer ? state : `${state}; ${embeddedLedgerAdvice}`),
      ...(hasServer ? [await checkDurability(app, access), await checkClock(app, access)] : []),
      await checkIntegrity(access),
      ...(await checkRunLogs(app, access.verbs)),
    ];
  } catch (error) {
    return [problemOf('database', error)];
  }
}

async function batchCount({ verbs }: LedgerAccess): Promise<string> {
  const batches: readonly BatchRecord[] = await verbs.listBatches(1);
  return batches.length === 0 ? 'it has no batches yet' : 'it has batches';
}

/** What the ledger's tables say of each other without foreign keys. */
async function checkIntegrity({ verbs }: LedgerAccess): Promise<Check> {
  const orphans = await verbs.countOrphans();
  if (orphans.length === 0) return ok('integrity', 'every line of the ledger belongs to a row and its batch');
  const found = orphans.map(({ what, rows }) => countOf(rows, what)).join(', ');
  return warning(
    'integrity',
    `the ledger has lines that belong to nothing (${found}): somebody else has changed or deleted rows`,
    {
      action: 'advice',
      text: 'keep a copy of the database, and rebuild the ledger from the run logs',
      next: { action: 'help', of: 'recover' },
    },
  );
}

/** Required for live runs; for the sandbox a warning is enough. */
async function checkDurability(app: CallContext, access: LedgerAccess): Promise<Check> {
  try {
    await requireDurableLedger(access);
    return ok('durability', 'fsync and synchronous_commit are on');
  } catch (error) {
    const check = problemOf('durability', error);
    if (app.settings.api.mode === 'live') return check;
    const finding = `${check.finding} Live runs refuse it`;
    return warning('durability', finding, check.remedies);
  }
}

async function checkClock({ clock }: CallContext, { verbs }: LedgerAccess): Promise<Check> {
  const skewInMs = (await verbs.databaseTime()).getTime() - clock.now().getTime();
  return describeSkew("the database's", skewInMs);
}

/** @param whose clock it is that was compared with this machine's */
export function describeSkew(whose: string, skewInMs: number): Check {
  const seconds = Math.round(Math.abs(skewInMs) / 1000);
  if (Math.abs(skewInMs) <= toleratedSkewInMs) {
    return ok('clock', `this machine's clock and ${whose} agree${seconds > 1 ? ` within ${seconds} s` : ''}`);
  }
  const direction = skewInMs > 0 ? 'behind' : 'ahead of';
  const finding = `this machine's clock is ${seconds} s ${direction} ${whose}: ages of keys are counted wrongly`;
  return warning('clock', finding, 'set the clock by NTP');
}

/** The newest batches whose logs are read. */
const batchesLookedAt = 50;

const answersPerGroup = 1_000;

/** A batch whose log tells of objects that no row has. */
interface Lost {
  readonly batch: BatchRecord;
  readonly objects: number;
}

/**
 * Compares what the run logs in the folder of results say was created with what the ledger knows. Objects that it does not know, which
 * earlier versions could lose, are kept as evidence: from then on `status`, `reconcile` and every run name them.
 */
async function checkRunLogs(app: CallContext, verbs: LedgerVerbs): Promise<Check[]> {
  let logs = 0;
  const lost: Lost[] = [];
  for (const batch of await verbs.listBatches(batchesLookedAt)) {
    const path = runLogPath(app, batch);
    if (!existsSync(path) || (await isUnderWay(verbs, batch))) continue;
    logs += 1;
    try {
      const kept = await keepLostObjects(verbs, batch, path);
      if (kept > 0) lost.push({ batch, objects: kept });
    } catch (error) {
      return [problemOf('run logs', error)];
    }
  }
  if (lost.length > 0) {
    const which = lost.map(
      ({ batch, objects }) => `${countOf(objects, 'object')} of batch ${shortBatchId(batch.id)}`,
    );
    const finding = `the logs tell of objects that no row has: ${which.join(', ')}`;
    const naming = lost.map(
      ({ batch }): Remedy => ({
        action: 'reconcile',
        batch: shortBatchId(batch.id),
        environment: batch,
        effect: 'names them',
      }),
    );
    return [problem('run logs', finding, naming, 'decision_needed')];
  }
  return logs === 0
    ? []
    : [
        ok(
          'run logs',
          `every object that ${countOf(logs, 'log')} in the folder of results tell of is in the ledger`,
        ),
      ];
}

/** A run that has not ended may have answers in its log that the ledger is about to have. */
async function isUnderWay(verbs: LedgerVerbs, batch: BatchRecord): Promise<boolean> {
  return (await verbs.listRuns(batch.id)).some(({ endedAt }) => endedAt === null);
}

/**
 * Keeps objects that a run log tells of and no row has, as evidence.
 * @returns how many there are
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path)) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}
