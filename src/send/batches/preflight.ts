/*
 * Checks whether leased batches may be sent: no unplanned corrections, institutions, limits, the approvals of the policy,
 * the agreed plan, and a person's agreement in live mode.
 */

import { existsSync } from 'node:fs';
import type { DirectoryOf } from '../../call/api-access.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { requireDurableLedger, unprovenKeyOf } from '../../call/ledger-access.ts';
import { asFailure } from '../../call/start.ts';
import type { BatchAccount, ShownPlan } from '../../domain/batches/account.ts';
import { type BatchRecord, type LeasedBatch, shortBatchId } from '../../domain/batches/batch.ts';
import {
  describeUnexpected,
  PaybatchError,
  type Remedies,
  type Remedy,
} from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { countEdited } from '../../ledger/after-sending/facts.ts';
import { whileLeased } from '../lease.ts';
import { recheckHeld } from '../recheck.ts';
import { withRun } from '../run.ts';
import { requireExpected, requireHiddenChoice } from './expectations.ts';
import { type Permissions, readPermissions } from './permissions.ts';
import { type AgreedPlans, type PlannedBatch, planDifference, planHeld } from './planning.ts';

/** The result of the checks of held batches. */
type Preflight =
  | {
      readonly failure: null;
      /** The plans that were agreed to, by batch; empty where none was required. */
      readonly plans: ReadonlyMap<string, ShownPlan>;
      /** What the policy allows the batches. */
      readonly permissions: Permissions;
    }
  | { readonly failure: PaybatchError; readonly batches: readonly BatchAccount[] };

/**
 * Runs all checks before the first request of a call. The database of a live run is durable. The rows pass with today's
 * institutions. The approvals that the policy requires exist. The plan is the one that a person agreed to. A person agrees
 * to a live run. A batch that waits for approval does not block the others.
 * @param input.agreed the plans that were agreed to; without them a live run asks for confirmation
 * @param input.directoryOf the institutions of an environment
 * @param input.files paths of the files that this call has read
 * @returns what may be sent, or why nothing may be sent. In the second case the batches keep their state, so that `import`
 *   or `resume` can continue them; their files are written, and their runs have ended
 */
export async function preflight(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
  input: {
    readonly agreed: AgreedPlans | undefined;
    readonly directoryOf: DirectoryOf;
    readonly files?: readonly string[] | undefined;
  },
): Promise<Preflight> {
  const { agreed, files } = input;
  try {
    return await whileLeased({ ledger: access.verbs, clock: app.clock }, held, async () => {
      await requireHiddenChoice(access.verbs, held, app.settings.reading);
      await requirePlannedCorrections(
        access,
        held.map(({ batch }) => batch),
      );
      await requireExpected(access.verbs, held, app.settings.controls);
      if (app.settings.api.mode === 'live') await requireDurableLedger(access);
      await recheckHeld(app, access, input.directoryOf, held);
      const { permissions, cleared } = await clearedByPolicy(app, access, held);
      const mayAsk = app.settings.api.mode === 'live' && !app.settings.sending.yes;
      if (cleared.length === 0 || (agreed === undefined && !mayAsk)) {
        return { failure: null, plans: new Map(), permissions };
      }
      const planned = await planHeld(app, access, cleared);
      if (agreed === undefined)
        await confirmLive(app, planned, files, () => unprovenKeyOfCall(app, access, held));
      else if (typeof agreed === 'string')
        await requirePlan(app, access, onlyOne(planned, agreed), [agreed], files);
      else await requirePlans(app, access, planned, agreed, files);
      const plans = new Map(
        planned.map(({ own, plan: { planHash, totals } }) => [own.batch.id, { planHash, totals }]),
      );
      return { failure: null, plans, permissions };
    });
  } catch (error) {
    const failure = asFailure(error);
    const batches = await release(app, access, held, failure);
    if (!(failure instanceof PaybatchError)) throw error;
    return { failure, batches };
  }
}

/**
 * Requires that no correction of a row waits to be planned, since sending would pay what a person has found to be wrong. A
 * run ignores a correction that is entered while it is under way; the row then shows that the correction was not applied.
 * @param withRejected whether rejected rows are to be sent again as well
 * @throws PaybatchError (`corrections_not_planned`)
 */
export async function requirePlannedCorrections(
  { verbsWith }: LedgerAccess,
  batches: readonly BatchRecord[],
  withRejected = false,
): Promise<void> {
  const verbs = verbsWith({ countEdited });
  for (const batch of batches) {
    const { notSent, rejected } = await verbs.countEdited(batch.id);
    const rows = notSent + (withRejected ? rejected : 0);
    if (rows === 0) continue;
    const has = rows === 1 ? 'has a correction that is' : 'have corrections that are';
    throw new PaybatchError(
      'corrections_not_planned',
      `${countOf(rows, 'row')} of batch ${shortBatchId(batch.id)} (${batch.fileName}) ${has} not planned yet, and nothing was sent.`,
      {
        action: 'corrections',
        batch: shortBatchId(batch.id),
        environment: batch,
        purpose: 'plan the corrections, or discard them, on the page of the batch in the console',
      },
    );
  }
}

/** The batches that the policy allows to be sent. The others are planned, so that an approver can look at their plans. */
async function clearedByPolicy(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<{ readonly permissions: Permissions; readonly cleared: readonly LeasedBatch[] }> {
  const permissions = new Map(await readPermissions(access.verbs, held));
  const waits = ({ batch }: LeasedBatch): boolean => permissions.get(batch.id)?.approvalId === null;
  for (const { own, plan } of await planHeld(app, access, held.filter(waits))) {
    const { id } = own.batch;
    await access.verbs.savePlan(id, plan.planHash, plan.totals);
    const permission = permissions.get(id);
    if (permission?.approvalId !== null) continue;
    // All rows turned out to exist already, or to wait for others.
    if (plan.totals.send.length === 0) permissions.delete(id);
    else permissions.set(id, { ...permission, waiting: { ...permission.waiting, planHash: plan.planHash } });
  }
  return { permissions, cleared: held.filter((own) => !waits(own)) };
}

/** @throws PaybatchError (`plan_changed`) when rows would be sent of a batch whose plan no person agreed to */
async function requirePlans(
  app: CallContext,
  access: LedgerAccess,
  planned: readonly PlannedBatch[],
  hashes: readonly string[],
  files: readonly string[] | undefined,
): Promise<void> {
  for (const each of planned) {
    if (each.plan.totals.send.length > 0) await requirePlan(app, access, each, hashes, files);
  }
}

/** @throws PaybatchError (`plan_changed`) when what would be sent differs from the agreed plan */
async function requirePlan(
  app: CallContext,
  { verbs }: LedgerAccess,
  { own, plan }: PlannedBatch,
  hashes: readonly string[],
  files: readonly string[] | undefined,
): Promise<void> {
  if (hashes.includes(plan.planHash)) return;
  const { id } = own.batch;
  const shown = await Promise.all(hashes.map((hash) => verbs.loadPlan(id, hash)));
  const before = shown.find((totals) => totals !== undefined);
  await verbs.savePlan(id, plan.planHash, plan.totals);
  const difference =
    before === undefined
      ? 'this ledger has never shown a plan of that hash for it'
      : planDifference(before, plan.totals);
  app.report({ kind: 'detail', text: `its plan hash is now ${plan.planHash}` });
  throw new PaybatchError(
    'plan_changed',
    `The plan of batch ${shortBatchId(id)} is not the one of the plan hash, and nothing was sent: ${difference}.`,
    {
      action: 'plan',
      files: files ?? fileOf(own.batch),
      asRead: files !== undefined,
      environment: own.batch,
      purpose: 'look at it again',
    },
  );
}

/**
 * The path of a batch's file for a message. A batch knows only its file's name, which is a valid path if the file is in the
 * working folder.
 */
function fileOf({ fileName }: BatchRecord): readonly string[] {
  return existsSync(fileName) ? [fileName] : [];
}

/** @throws PaybatchError (`plan_hash_of_one_batch`) for several batches; it names the batch whose plan has the hash */
function onlyOne(planned: readonly PlannedBatch[], planHash: string): PlannedBatch {
  const [only, second] = planned;
  if (only !== undefined && second === undefined) return only;
  const meant = planned.find(({ plan }) => plan.planHash === planHash);
  const { batch } = (meant ?? only)?.own ?? {};
  throw new PaybatchError(
    'plan_hash_of_one_batch',
    `A plan hash is for one batch; this call has ${planned.length}.`,
    {
      action: 'submit',
      batch: shortBatchId(batch?.id ?? ''),
      planHash: meant?.plan.planHash ?? null,
      purpose: `submit them one by one${meant === undefined ? ', each with the hash of its plan' : ''}`,
      ...(batch === undefined ? {} : { environment: batch }),
    },
  );
}

/**
 * Releases the batches. A failure here is ignored: it would hide the failure that stopped the call, which the caller
 * reports.
 */
async function release(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
  failure: unknown,
): Promise<BatchAccount[]> {
  const accounts: BatchAccount[] = [];
  const outcome = failure instanceof PaybatchError ? failure.kind : 'internal';
  for (const own of held) {
    try {
      const end = await withRun(
        app,
        access,
        own,
        { kind: 'refuses', outcomeOf: () => outcome },
        async () => {},
      );
      accounts.push(end.account);
    } catch (error) {
      const text = `the files of batch ${shortBatchId(own.batch.id)} could not be written: ${describeUnexpected(error)}`;
      app.report({ kind: 'detail', text });
    }
  }
  return accounts;
}

/**
 * Shows what a live run is about to send, and asks for confirmation. Where no person can answer, a person has to agree
 * beforehand, either to any content or to the hash of a plan.
 * @param files paths of the files that this call has read; absent where it read none
 * @param readUnprovenKey the fingerprint of the key if nothing proves that it is a live key; otherwise null
 * @throws PaybatchError (`usage`) when no person agreed
 */
export async function confirmLive(
  app: CallContext,
  planned: readonly PlannedBatch[],
  files?: readonly string[],
  readUnprovenKey: () => Promise<string | null> = async () => null,
): Promise<void> {
  if (app.settings.api.mode !== 'live' || app.settings.sending.yes) return;
  const sending = planned.filter(({ plan }) => plan.totals.send.length > 0);
  if (sending.length === 0) return;
  const batches = sending.map(({ own, plan }) => ({ batch: own.batch, plan }));
  const answer = await app.ask({ kind: 'send_live', batches, unprovenKey: await readUnprovenKey() });
  if (answer === 'yes') return;
  throw answer === 'nobody'
    ? refused('Nobody has agreed to this live run.', lookingAt(sending, files))
    : refused('Nothing was sent.', { action: 'again', effect: 'when it is right' });
}

/**
 * The fingerprint of an unproven live key. A key is unproven before its first use, and for batches that were begun with it.
 */
async function unprovenKeyOfCall(
  { connections }: CallContext,
  { verbs }: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<string | null> {
  const ofBatches = await verbs.findUnprovenKey(held.map(({ batch }) => batch.id));
  return ofBatches ?? unprovenKeyOf(verbs, await connections.api());
}

/** Where a person can see what would be sent: the plan of files, or the status of a batch that is in the ledger. */
function lookingAt(sending: readonly PlannedBatch[], files: readonly string[] | undefined): Remedy {
  const purpose = 'look at it first';
  const next = {
    action: 'set',
    purpose: 'agree',
    oneOf: [{ setting: 'yes' }, { setting: 'planHash' }],
  } as const;
  if (files !== undefined) return { action: 'plan', files, asRead: true, purpose, next };
  const [batch] = sending.map(({ own }) => own.batch);
  const of = batch === undefined ? {} : { batch: shortBatchId(batch.id), environment: batch };
  return { action: 'status', ...of, purpose, next };
}

function refused(message: string, next: Remedies): PaybatchError {
  return new PaybatchError('live_not_confirmed', message, next);
}
