/* How use cases reach the ledger: the named batch, its environment, and its rows' references. */

import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { say } from '../domain/settings/message.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { LedgerAccess } from './connections.ts';
import type { CallContext } from './context.ts';
import type { OpenedApi } from './opened-api.ts';

/** The ledger for read-only calls. A standby may be behind its primary: a note says so. */
export async function openToRead({
  connections,
  report,
}: Pick<CallContext, 'connections' | 'report'>): Promise<LedgerAccess> {
  const access = await connections.ledgerToRead();
  const { readOnly } = access;
  if (readOnly?.isStandby === true) {
    const { server, knownUntil } = readOnly;
    report({ kind: 'note', note: { code: 'read_from_standby', server, knownUntil } });
  }
  return access;
}

/**
 * Keys and objects belong to one environment: a batch is never sent in another one, where a used key would create a
 * second object.
 * @throws PaybatchError (`usage`) when the batch is of another mode or API
 */
export function requireSameEnvironment(batch: BatchRecord, { environment }: OpenedApi): void {
  if (batch.mode === environment.mode && batch.origin === environment.origin) return;
  throw new PaybatchError(
    'other_environment',
    `Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}, not to ${environment.mode} at ${environment.origin}.`,
    say`give ${{ setting: 'mode' }} and ${{ setting: 'baseUrl' }} that it was imported with`,
  );
}

/**
 * The batch that a person named.
 * @param named a batch id, or an unambiguous beginning of one, of 4 characters or more
 * @throws PaybatchError (`usage`) when there is none, or more than one
 */
export async function findNamedBatch(verbs: LedgerVerbs, named: string): Promise<BatchRecord> {
  if (!/^[0-9a-f-]{4,36}$/i.test(named)) {
    throw refused(`"${named}" is no batch id: 4 or more of its characters are needed.`);
  }
  const [batch, second] = await verbs.findBatchesByPrefix(named);
  if (batch === undefined) throw refused(`There is no batch ${named} in this ledger.`);
  if (second === undefined) return batch;
  throw refused(
    `More than one batch begins with ${named}: ${shortBatchId(batch.id)}, ${shortBatchId(second.id)}.`,
  );
}

function refused(message: string): PaybatchError {
  const next = { action: 'status', effect: 'lists the batches' } as const;
  return new PaybatchError('batch_not_found', message, next);
}

/**
 * Keys and answers of a live run have to survive a power cut, so its database may not confirm a write before the data is
 * on disk.
 * @throws PaybatchError (`usage`) when `fsync` or `synchronous_commit` is off
 */
export async function requireDurableLedger({ verbs }: LedgerAccess): Promise<void> {
  const { fsync, synchronousCommit } = await verbs.readDurability();
  const off = [...(fsync ? [] : ['fsync']), ...(synchronousCommit ? [] : ['synchronous_commit'])];
  if (off.length === 0) return;
  throw new PaybatchError(
    'database_not_durable',
    `The database has ${off.join(' and ')} off: after a power cut it would not know what was sent.`,
    {
      action: 'advice',
      text: `turn ${off.join(' and ')} on in postgresql.conf`,
      next: { action: 'doctor' },
    },
  );
}
