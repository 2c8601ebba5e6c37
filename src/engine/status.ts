import type { BatchRecord } from '../domain/batches/batch.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { type NextStep, nextSteps } from '../output/words/next-steps.ts';
import { noteAssumedLifetime } from './access/key-lifetime.ts';
import { findNamedBatch } from './access/ledger-access.ts';
import { repeatedOptions } from './access/repeated-options.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';
import { type AccountedBatch, statusAccountFor } from './status/account.ts';
import { doubtOf, findRow, type RowView, rowViewOf } from './status/row.ts';

const batchesShown = 50;

/** The batches of a ledger, one of them, or one row of a batch. */
export interface StatusResult extends CallResult {
  readonly shown:
    | { readonly kind: 'no_ledger' }
    | { readonly kind: 'list'; readonly accounts: readonly AccountedBatch[] }
    | { readonly kind: 'batch'; readonly account: AccountedBatch }
    | {
        readonly kind: 'row';
        readonly account: AccountedBatch;
        readonly row: RowView;
        readonly next: readonly NextStep[];
      };
}

/** What is to be shown: all batches, one of them, or one row of it. */
interface StatusRequest {
  /** A batch by its id, or by 4 or more of its first characters. */
  readonly batch?: string | undefined;
  /** A row of that batch by its number, as a spreadsheet program shows it. */
  readonly row?: number | undefined;
}

/**
 * Lists the newest batches, or tells of one, or of one row. Looks only: nothing is sent, written or made.
 * @throws PaybatchError (`usage`) when there is no such batch or row
 */
export async function readStatus(app: CallContext, request: StatusRequest): Promise<StatusResult> {
  const end = { outcome: 'done', failure: null } as const;
  if (!app.connections.isLedgerThere()) {
    return { ...end, batches: [], shown: { kind: 'no_ledger' } };
  }
  const { verbs } = await app.connections.ledger();
  if (request.batch === undefined) return { ...end, ...(await listAll(app, verbs)) };
  const batch = await findNamedBatch(verbs, request.batch);
  const account = await statusAccountFor(app, verbs, batch);
  noteLifetimes(app, [batch]);
  const shown =
    request.row === undefined ? showBatch(account) : await showRow(app, verbs, account, request.row);
  return { ...end, ...shown };
}

type Shown = Pick<StatusResult, 'batches' | 'shown'>;

async function listAll(app: CallContext, verbs: LedgerVerbs): Promise<Shown> {
  const batches = await verbs.listBatches(batchesShown);
  const accounts = await Promise.all(batches.map((batch) => statusAccountFor(app, verbs, batch)));
  noteLifetimes(app, batches);
  return {
    batches: accounts.map(({ summary }) => summary),
    shown: { kind: 'list', accounts },
  };
}

/** Said once, whatever is shown. */
function noteLifetimes(app: CallContext, batches: readonly BatchRecord[]): void {
  if (batches.some(({ mode }) => mode === 'live')) noteAssumedLifetime(app, 'live');
}

function showBatch(account: AccountedBatch): Shown {
  return {
    batches: [account.summary],
    shown: { kind: 'batch', account },
  };
}

async function showRow(
  app: CallContext,
  verbs: LedgerVerbs,
  account: AccountedBatch,
  number: number,
): Promise<Shown> {
  const { batch, summary } = account;
  const history = await findRow(app, verbs, batch, number);
  const row = rowViewOf(history, account.runs);
  const next = nextSteps({
    ...{ batch: batch.id, counts: { [row.status]: 1 }, failed: summary.files.failed },
    doubt: doubtOf(history),
    commandOptions: repeatedOptions(app, batch),
  });
  return {
    batches: [summary],
    shown: { kind: 'row', account, row, next },
  };
}
