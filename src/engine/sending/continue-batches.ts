import { randomUUID } from 'node:crypto';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { holdBatch, type LeasedBatch } from '../../pipeline/staging/stage-input.ts';
import { compareKinds } from '../../resources/registry.ts';
import { findNamedBatch } from '../access/ledger-access.ts';
import { requireSameEnvironment } from '../access/same-environment.ts';
import type { LedgerAccess } from '../connections/connections.ts';
import type { OpenedApi } from '../connections/opened-api.ts';
import { requireOutFolder } from '../files/out-folder.ts';
import type { CallContext } from '../running/context.ts';
import { settleLeased } from './log-of-run.ts';
import { requireKnownLogs } from './planning.ts';
import { type SendResult, sendLeased, withApi } from './sending.ts';

/** How a use case goes on with batches that are in the ledger. */
interface GoingOn {
  readonly command: string;
  /** As the person named it; undefined for the newest unfinished one and its import's others. */
  readonly named: string | undefined;
  /** Work on the batch although another run does. */
  readonly join: boolean;
  /** Of the plan that was agreed to; only for a named batch. */
  readonly planHash?: string | undefined;
  /** What to do with the held batches before anything is judged again, asked or sent. */
  readonly before: (access: LedgerAccess, held: readonly LeasedBatch[]) => Promise<void>;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
}

/** Holds the batches that are meant, moves them on as far as they go, and writes their files. */
export async function continueBatches(app: CallContext, going: GoingOn): Promise<SendResult> {
  await requireOutFolder(app.settings.output);
  return withApi(app, (target, access) => continueBatchesIn(app, access, target, going));
}

async function continueBatchesIn(
  app: CallContext,
  access: LedgerAccess,
  target: OpenedApi,
  going: GoingOn,
): Promise<SendResult> {
  const { named, join } = going;
  if (join) requireJoinable(access, named);
  const batches =
    named === undefined
      ? await access.verbs.findNewestUnfinished(target.environment)
      : [await findNamedBatch(access.verbs, named)];
  if (batches.length === 0) {
    const { environment } = target;
    return {
      outcome: 'done',
      batches: [],
      failure: null,
      sending: 'idle',
      sentRows: 0,
      environment,
    };
  }
  for (const batch of batches) requireSameEnvironment(batch, target);
  const held = await holdAll(access, batches, going);
  await requireKnownLogs(app, access, held);
  if (going.command === 'resume' && app.settings.sending.refusedAlike === 'off') {
    for (const { batch } of held) await access.verbs.continueRefused(batch.id);
  }
  await settleLeased(app, access, held);
  await going.before(access, held);
  return sendLeased(app, access, target, held, going);
}

async function holdAll(
  { verbs }: LedgerAccess,
  batches: readonly BatchRecord[],
  { command, join }: GoingOn,
): Promise<LeasedBatch[]> {
  const held: LeasedBatch[] = [];
  try {
    for (const batch of [...batches].sort((left, right) => compareKinds(left.kind, right.kind))) {
      const run = await holdBatch(batch, { ledger: verbs, command, newRunId: randomUUID }, join);
      held.push({ batch, run, isNew: false });
    }
    return held;
  } catch (error) {
    // Another run holds one of them: those that are held already must not seem to be under way.
    for (const { run } of held) await verbs.endRun(run.id, 'busy');
    throw error;
  }
}

function requireJoinable({ ledger }: LedgerAccess, named: string | undefined): void {
  if (named === undefined) {
    throw new PaybatchError(
      'batch_missing',
      'To join other runs, the batch that they work on has to be named.',
      { action: 'status', effect: 'lists the batches' },
    );
  }
  if (!ledger.isEmbedded) return;
  throw new PaybatchError(
    'database_missing',
    'Several runs can work on one batch only through a PostgreSQL server: the embedded ledger serves one process.',
    [
      { action: 'set', purpose: 'name a PostgreSQL server', oneOf: [{ setting: 'databaseUrl' }] },
      { action: 'leave_out', settings: [{ setting: 'join' }] },
    ],
  );
}
