import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import type { LeasedBatch } from '../../pipeline/staging/stage-input.ts';
import type { DirectoryOf } from '../access/api-access.ts';
import type { LedgerAccess } from '../connections/connections.ts';
import { type OpenedApi, requireCredentialOfMode, sandboxFolder } from '../connections/opened-api.ts';
import type { CallContext } from '../running/context.ts';
import type { WrittenBatches } from '../running/result.ts';
import { workOn } from './batch-work.ts';
import { preflight } from './preflight.ts';

type WorkWithBoth<Result> = (target: OpenedApi, access: LedgerAccess) => Promise<Result>;

/**
 * Does what needs the API and the ledger.
 * @throws Failure (`usage`) when this API key was used in the other mode
 */
export async function withApi<Result>(app: CallContext, work: WorkWithBoth<Result>): Promise<Result> {
  const target = await app.connections.api();
  if (app.settings.api.localSandbox) {
    const folder = sandboxFolder(app.settings);
    app.report({ kind: 'note', note: { code: 'built_in_sandbox', folder } });
  }
  const access = await app.connections.ledger();
  await requireCredentialOfMode(access.verbs, target);
  return work(target, access);
}

/** How held batches are sent. */
interface SendingOptions {
  /** Whether other runs may work on the same batches. */
  readonly join?: boolean;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  /** Of the plan that was agreed to; only for a single batch. */
  readonly planHash?: string | undefined;
  /** The institutions that this call has read; read anew where they are needed when absent. */
  readonly openDirectory?: DirectoryOf;
  /** Paths of the files that the batches were read from by this call; absent where it read none. */
  readonly files?: readonly string[];
}

/** What became of batches that were to be sent. */
export interface SendResult extends WrittenBatches {
  /** `refused` when nothing was allowed to leave; `idle` when no batch was there to send, `none` when no file was. */
  readonly sending: 'done' | 'refused' | 'idle' | 'none';
  /** Rows that were sent, or tried to be. */
  readonly sentRows: number;
}

/** Sends what held batches have to send, once everything is in order. */
export async function sendLeased(
  app: CallContext,
  access: LedgerAccess,
  target: OpenedApi,
  held: readonly LeasedBatch[],
  { planHash, openDirectory, files, ...options }: SendingOptions,
): Promise<SendResult> {
  const { environment } = target;
  const cleared = await preflight(app, access, held, { planHash, openDirectory, files });
  if (cleared.failure !== null) {
    const { failure, batches } = cleared;
    return {
      ...{ outcome: failure.kind, batches, failure },
      sending: 'refused',
      sentRows: 0,
      environment,
    };
  }
  const worked = await workOn(app, access, target, held, options);
  const batches = worked.batches.map((summary) => ({
    ...summary,
    planHash: cleared.planHashes.get(summary.batch ?? '') ?? null,
  }));
  return { ...worked, batches, sending: 'done', environment };
}
