/* Shows batches and their rows, and writes result files again. */

import { writeBatchFiles } from '../account/batch-files/files-of-batch.ts';
import { outcomeOf } from '../account/figures.ts';
import { failedRunsOf, placeOf, readAccounts } from '../account/read-accounts.ts';
import type { CallResult, WrittenBatches } from '../account/result.ts';
import { findRow, type RowView, rowViewOf } from '../account/row.ts';
import { noteAssumedLifetime } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch, openToRead } from '../call/ledger-access.ts';
import { readHaltInForce } from '../controls/halt-in-force.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { FailedRun } from '../domain/batches/batch-facts.ts';
import type { HaltInForce } from '../domain/controls/controls.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

const batchesShown = 50;

/** The batches of a ledger, one of them, or one row of a batch. */
export interface StatusResult extends CallResult {
  /** The stop of everything that is in force; null where there is none. */
  readonly halt: HaltInForce | null;
  readonly shown:
    | { readonly kind: 'no_ledger' }
    /** The newest 50, the newest first; and runs that failed without a batch, the last ones first. */
    | {
        readonly kind: 'list';
        readonly batches: readonly BatchAccount[];
        readonly failedRuns: readonly FailedRun[];
      }
    | { readonly kind: 'batch'; readonly batch: BatchAccount }
    | { readonly kind: 'row'; readonly batch: BatchAccount; readonly row: RowView };
}

/** What to show: all batches, one of them, or one row of it. */
interface StatusRequest {
  /** A batch by its id, or by 4 or more of its first characters. */
  readonly batch?: string | undefined;
  /** A row of that batch by its number, as a spreadsheet program shows it. */
  readonly row?: number | undefined;
}

/**
 * Lists the newest batches, or describes one, or one row. Read only: nothing is sent or written.
 * @throws PaybatchError (`usage`) when there is no such batch or row
 */
export async function readStatus(app: CallContext, request: StatusRequest): Promise<StatusResult> {
  const end = { outcome: 'done', failure: null } as const;
  if (!app.connections.isLedgerThere()) {
    return { ...end, batches: [], halt: null, shown: { kind: 'no_ledger' } };
  }
  const { verbs } = await openToRead(app);
  const { batch } = request;
  const found =
    batch === undefined ? await verbs.listBatches(batchesShown) : [await findNamedBatch(verbs, batch)];
  const accounts = await readAccounts(verbs, found, placeOf(app));
  // Reported once, whatever is shown.
  if (found.some(({ mode }) => mode === 'live')) noteAssumedLifetime(app, 'live');
  const shown = await shownOf(app, verbs, request, found, accounts);
  return { ...end, batches: accounts, halt: await readHaltInForce(app, verbs), shown };
}

async function shownOf(
  app: CallContext,
  verbs: LedgerVerbs,
  request: StatusRequest,
  [record]: readonly BatchRecord[],
  accounts: readonly BatchAccount[],
): Promise<StatusResult['shown']> {
  const [batch] = accounts;
  if (request.batch === undefined || record === undefined || batch === undefined) {
    return { kind: 'list', batches: accounts, failedRuns: await failedRunsOf(verbs) };
  }
  if (request.row === undefined) return { kind: 'batch', batch };
  const history = await findRow(app, verbs, record, request.row);
  return { kind: 'row', batch, row: rowViewOf(history, batch) };
}

/**
 * Writes a batch's result files again, from the ledger alone.
 * @param request names the batch: its id, or 4 or more of its first characters
 */
export async function writeResults(
  app: CallContext,
  request: { readonly batch: string },
): Promise<WrittenBatches> {
  await requireOutFolder(app.settings.output);
  const { verbs } = await openToRead(app);
  const batch = await findNamedBatch(verbs, request.batch);
  const account = await writeBatchFiles(app, verbs, batch, null);
  const { environment } = account;
  return { outcome: outcomeOf(account), batches: [account], failure: null, environment };
}
