/*
 * The main use case on one page: the steps of an import. Also a plan, which stops before the sending, and the commands that
 * begin at a later step.
 */

import { openCountsOf } from '../account/figures.ts';
import { type CallResult, noBatches, withLeftOut, withRefused } from '../account/result.ts';
import { LazyApi, noteAssumedLifetime } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { statedEnvironment } from '../call/opened-api.ts';
import type { BatchAccount, PlannedAccount } from '../domain/batches/account.ts';
import type { LeasedBatch } from '../domain/batches/batch.ts';
import { type CallOutcome, gravest, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { openConfirmedInputs, refusalOfFiles } from '../read/sources/inputs-of-call.ts';
import type { FileReadings } from '../read/sources/stated-reading.ts';
import {
  continueBatches,
  openApi,
  type SendResult,
  sendLeased,
  sendResult,
} from '../send/batches/continue-batches.ts';
import { sendLaterBatches } from '../send/batches/later-batches.ts';
import { type AgreedPlans, agreedPlansOf, planHashOf, planHeld } from '../send/batches/planning.ts';
import { settleLeased } from '../send/batches/settle.ts';
import { whileHeld } from '../send/hold.ts';
import type { Leases } from '../send/lease.ts';
import { withRun } from '../send/run.ts';
import { stageFiles } from '../send/stage-files.ts';

/** Files to plan. */
interface PlanRequest {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** The reading options of single files. */
  readonly fileReadings?: FileReadings;
}

/** Files to import. */
interface ImportRequest extends PlanRequest {
  /**
   * The plan that was agreed to; rows are sent only if it still applies. A hash for a single batch, or a list with the hash
   * of each batch.
   */
  readonly planHash?: AgreedPlans | undefined;
}

/**
 * Imports files. A row passes through these steps, and never returns to an earlier step:
 *
 * 1. read: the bytes of each file become rows with fields, by a mapping that is stated, built in or remembered
 * 2. check and stage: each row is checked by the rules of its kind and payee type, and written into the ledger; nothing is
 * sent yet
 * 3. settle: rows that other rows correct, or whose payees have changed, are excluded from sending
 * 4. agree and send: limits, approvals, the plan and a person's agreement are checked; then each row is prepared, claimed,
 * sent and recorded; then each batch is accounted for and its files are written
 * 5. send later batches: corrections that waited for these rows
 */
export async function importFiles(context: CallContext, request: ImportRequest): Promise<SendResult> {
  const { files, fileReadings, planHash } = request;
  const app = { ...context, files };
  const agreed = agreedPlansOf(planHash, files);
  const inputs = await openConfirmedInputs(app, files, fileReadings);
  try {
    if (inputs.inputTables.length === 0) {
      // No file was found, and that is allowed (`allowNone`).
      const nowhere = { mode: app.settings.api.mode, origin: '' };
      return { ...noBatches, environment: nowhere, sending: 'none', sentRows: 0 };
    }
    const sides = await openApi(app);
    const { target, access, directoryOf } = sides;
    const { environment } = target;
    const staged = { command: 'import', inputs, environment, directoryOf } as const;
    const { held, refused } = await stageFiles(app, access, staged);
    await settleLeased(app, access, held);
    const sent = await sendLeased(app, sides, held, { agreed, files });
    const all = await sendLaterBatches(app, sides, held, sent, agreed !== undefined);
    return withLeftOut(withRefused(sendResult(all, target), refused), inputs.leftOut);
  } catch (error) {
    throw refusalOfFiles(inputs, error);
  } finally {
    await inputs.close();
  }
}

/* Plans files: runs steps 1 to 3, and shows what step 4 would send. */

/** The rows that would be sent of each batch. */
interface PlanResult extends CallResult {
  readonly batches: readonly PlannedAccount[];
  /** Whether the API's address is known, so that the batches can be sent as they are. */
  readonly canBeSent: boolean;
  readonly isLedgerEmbedded: boolean;
}

/** Not a possible setting: an address always has a scheme. */
const noAddress = 'no address';

/**
 * Reads, maps, validates and stages every file, and returns what would be sent. The batches stay in the ledger, so that
 * `submit` or `import` can send them. The API is needed only if a row names an institution.
 */
export async function planFiles(app: CallContext, { files, fileReadings }: PlanRequest): Promise<PlanResult> {
  const inputs = await openConfirmedInputs(app, files, fileReadings);
  try {
    if (inputs.inputTables.length === 0) {
      return { ...noBatches, canBeSent: false, isLedgerEmbedded: false };
    }
    return await planOpened(app, inputs);
  } catch (error) {
    throw refusalOfFiles(inputs, error);
  } finally {
    await inputs.close();
  }
}

async function planOpened(app: CallContext, inputs: OpenInputs): Promise<PlanResult> {
  const { settings } = app;
  noteAssumedLifetime(app, settings.api.mode);
  const api = new LazyApi(app);
  const environment = settings.api.localSandbox
    ? (await api.target()).environment
    : (statedEnvironment(settings) ?? { mode: settings.api.mode, origin: noAddress });
  const access = await app.connections.ledger();
  api.knowsKeysOf(access.verbs);
  const { held, refused } = await stageFiles(app, access, {
    command: 'plan',
    inputs,
    environment,
    directoryOf: (environmentId) => api.directory(access.verbs, environmentId),
  });
  return whileHeld(app, access, held, async (leases) => {
    await settleLeased(app, access, held);
    const planned = await planAll(app, access, held, leases);
    leases.requireHeld();
    return withLeftOut(withRefused(planned, refused), inputs.leftOut);
  });
}

async function planAll(
  app: CallContext,
  access: LedgerAccess,
  held: readonly LeasedBatch[],
  leases: Leases,
): Promise<PlanResult> {
  const batches: PlannedAccount[] = [];
  for (const { own, plan } of await planHeld(app, access, held)) {
    const { planHash, totals } = plan;
    await access.verbs.savePlan(own.batch.id, planHash, totals);
    const life = { kind: 'plans', outcomeOf: planOutcome, leases } as const;
    const { account } = await withRun(app, access, own, life, async () => {});
    batches.push({ ...account, plan: { planHash, totals } });
  }
  return {
    outcome: gravest(batches.map((account) => planOutcome(account))),
    batches,
    failure: null,
    canBeSent: batches.every(({ environment }) => environment.origin !== noAddress),
    isLedgerEmbedded: access.ledger.isEmbedded,
  };
}

/** The outcome of a plan. Rows that would be sent are its purpose, so only the other rows decide the outcome. */
function planOutcome(account: Pick<BatchAccount, 'counts' | 'superseded'>): CallOutcome {
  return outcomeOfRows({ ...openCountsOf(account), not_sent: 0 });
}

/*
 * Continues a batch that is in the ledger, beginning at step 4: sends a planned batch, an unfinished batch, or the rejected
 * rows of a batch.
 */

/** A planned batch to send. */
interface SubmitRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Send only if the batch still matches the plan of this hash. */
  readonly planHash?: string | undefined;
}

/**
 * Sends a planned batch.
 * @throws PaybatchError (`usage`) for a text that is not a plan's hash
 */
export async function submit(app: CallContext, { batch, planHash }: SubmitRequest): Promise<SendResult> {
  return continueBatches(app, {
    command: 'submit',
    named: batch,
    join: false,
    agreed: planHashOf(planHash),
    before: async () => {},
  });
}

/** Which unfinished batch to continue. */
interface ResumeRequest {
  /**
   * A batch id, or 4 or more of its first characters; when absent, the newest unfinished batch and the others of its
   * import.
   */
  readonly batch?: string | undefined;
  /** Whether this run works on the batch although another run does. */
  readonly join?: boolean;
}

/** Continues an unfinished batch. */
export function resume(app: CallContext, { batch, join = false }: ResumeRequest): Promise<SendResult> {
  return continueBatches(app, { command: 'resume', named: batch, join, before: async () => {} });
}

/**
 * Sends a batch's rejected rows again, under new keys, and its waiting rows.
 * @param request names the batch: its id, or 4 or more of its first characters
 */
export function retry(app: CallContext, request: { readonly batch: string }): Promise<SendResult> {
  return continueBatches(app, {
    command: 'retry',
    named: request.batch,
    join: false,
    rows: 'fresh',
    before: async ({ verbs }, held) => {
      for (const { batch } of held) {
        // If all rows of a batch were refused for one reason, a person has to continue it, with another command than this
        // one.
        if ((await verbs.findRefusedAlike(batch.id)) !== null) continue;
        const rejected = await verbs.returnRejected(batch.id);
        const { waiting = 0 } = await verbs.countStatuses(batch.id);
        if (rejected + waiting === 0) continue;
        app.report({ kind: 'note', note: { code: 'rows_returned', batch: batch.id, rejected, waiting } });
      }
    },
  });
}
