/* Sends leased batches, from files that were just staged or from the ledger. */

import { noBatches, type WrittenBatches } from '../../account/result.ts';
import { type DirectoryOf, directoriesOf } from '../../call/api-access.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import {
  findNamedBatch,
  requireKeyOfMode,
  requireKnownLedger,
  requireSameEnvironment,
} from '../../call/ledger-access.ts';
import { type OpenedApi, sandboxFolder } from '../../call/opened-api.ts';
import { requireOutFolder } from '../../disk/file-system.ts';
import type { LeasedBatch } from '../../domain/batches/batch.ts';
import { type CallOutcome, gravest, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { requireNoHalt } from '../halt-watch.ts';
import { holdAll, requireKnownLogs } from '../hold.ts';
import { type WorkEnd, workOn } from './batch-work.ts';
import type { AgreedPlans } from './planning.ts';
import { preflight, requirePlannedCorrections } from './preflight.ts';
import { settleLeased } from './settle.ts';

/** The open API and the open ledger, which sending needs. */
export interface OpenedSides {
  readonly target: OpenedApi;
  readonly access: LedgerAccess;
  /** The institutions of an environment. Each list is read once in a call. */
  readonly directoryOf: DirectoryOf;
}

/**
 * Opens the API and the ledger.
 * @throws PaybatchError (`usage`) when this API key must not be used there, or with this ledger; (`halted`) while everything is
 *   stopped; (`policy_lost`)
 */
export async function openApi(app: CallContext): Promise<OpenedSides> {
  const target = await app.connections.api();
  if (app.settings.api.localSandbox) {
    const folder = sandboxFolder(app.settings);
    app.report({ kind: 'note', note: { code: 'built_in_sandbox', folder } });
  }
  const access = await app.connections.ledger();
  await requireNoHalt(access.verbs);
  if (target.environment.mode === 'live') await requireKnownLedger(access.verbs, app.machine);
  const { isNew } = await requireKeyOfMode(app, access.verbs, target);
  if (isNew && target.environment.mode === 'live' && !target.isKeyCompared) {
    app.report({ kind: 'note', note: { code: 'live_key_first_used', fingerprint: target.credential } });
  }
  return { target, access, directoryOf: directoriesOf(app, access.verbs) };
}

/** Options for sending held batches. */
interface SendingOptions {
  /** Whether other runs may work on the same batches. */
  readonly join?: boolean;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  readonly agreed?: AgreedPlans | undefined;
  /** Paths of the files from which this call read the batches; absent where it read none. */
  readonly files?: readonly string[];
}

/** The result of sending batches. */
export interface SendResult extends WrittenBatches {
  /** `refused` when nothing may be sent, `idle` when there was no batch to send, `none` when there was no file. */
  readonly sending: 'done' | 'refused' | 'idle' | 'none';
  /** Rows that were sent, or whose sending was attempted. */
  readonly sentRows: number;
}

/** The results of the batches of a call, and whether anything was sent. */
export interface SentBatches extends WorkEnd {
  readonly sending: SendResult['sending'];
}

/** Sends the rows of held batches, once all checks pass. */
export async function sendLeased(
  app: CallContext,
  { access, target, directoryOf }: OpenedSides,
  held: readonly LeasedBatch[],
  { agreed, files, ...options }: SendingOptions,
): Promise<SentBatches> {
  const cleared = await preflight(app, access, held, { agreed, directoryOf, files });
  if (cleared.failure !== null) {
    const { failure, batches } = cleared;
    const ends = batches.map((account) => ({ account, outcome: failure.kind }));
    return { ends, failure, isHalted: true, sending: 'refused', sentRows: 0 };
  }
  const { permissions, plans } = cleared;
  const worked = await workOn(app, access, target, held, { ...options, permissions });
  const ends = worked.ends.map(({ account, outcome }) => ({
    account: { ...account, plan: plans.get(account.id) ?? null },
    outcome,
  }));
  return { ...worked, ends, sending: 'done' };
}

/** The result of a call that has sent batches. */
export function sendResult(
  { ends, failure, sending, sentRows }: SentBatches,
  { environment }: Pick<OpenedApi, 'environment'>,
): SendResult {
  const outcomes: CallOutcome[] = ends.map(({ outcome }) => outcome);
  if (failure !== null) outcomes.push(failure.kind);
  const batches = ends.map(({ account }) => account);
  return { outcome: gravest(outcomes), batches, failure, sending, sentRows, environment };
}

/** A request to continue batches that are in the ledger. */
interface ContinueRequest {
  readonly command: string;
  /** The batch that the person named; undefined for the newest unfinished batch and the other batches of its import. */
  readonly named: string | undefined;
  /** Whether this run works on the batch although another run does. */
  readonly join: boolean;
  /** The plan that a person agreed to; only for a named batch. */
  readonly agreed?: AgreedPlans | undefined;
  /** Called with the held batches before any row is checked again, confirmed or sent. */
  readonly before: (access: LedgerAccess, held: readonly LeasedBatch[]) => Promise<void>;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
}

/** Holds the named batches, processes them, and writes their files. */
export async function continueBatches(app: CallContext, going: ContinueRequest): Promise<SendResult> {
  await requireOutFolder(app.settings.output);
  const sides = await openApi(app);
  const { target, access } = sides;
  const { named, join } = going;
  if (join) requireJoinable(access, named);
  const batches =
    named === undefined
      ? await access.verbs.findNewestUnfinished(target.environment)
      : [await findNamedBatch(access.verbs, named)];
  if (batches.length === 0) {
    const { environment } = target;
    return {
      ...noBatches,
      sending: 'idle',
      sentRows: 0,
      environment,
    };
  }
  for (const batch of batches) requireSameEnvironment(batch, target);
  // Checked before anything is changed: `retry` returns rejected rows, and `resume` may lift a stop.
  await requirePlannedCorrections(access, batches, going.rows === 'fresh');
  const leased = await holdAll(access, batches, { command: going.command, actor: app.actor, join });
  const held = await requireKnownLogs(app, access, leased);
  if (going.command === 'resume' && app.settings.sending.refusedAlike === 'off') {
    for (const { batch } of held) await access.verbs.continueRefused(batch.id);
  }
  await settleLeased(app, access, held);
  await going.before(access, held);
  return sendResult(await sendLeased(app, sides, held, going), target);
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
