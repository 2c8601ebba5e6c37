import type { BatchRecord } from '../../domain/batches/batch.ts';
import { embeddedLedgerAdvice } from '../../output/words/advice.ts';
import { countOf } from '../../output/words/wording.ts';
import { requireDurableLedger } from '../access/ledger-access.ts';
import type { LedgerAccess } from '../connections/connections.ts';
import type { CallContext } from '../running/context.ts';
import { type Check, ok, problemOf, warning } from './check.ts';
import { checkRunLogs } from './log-checks.ts';

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
