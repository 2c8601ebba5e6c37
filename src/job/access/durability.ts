import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { LedgerAccess } from './ledger-access.ts';

/**
 * Keys and answers of a live run have to survive a power cut, so its database may not answer before what it
 * was given is on disk.
 * @throws Failure (exit 2) when `fsync` or `synchronous_commit` is off
 */
export async function requireDurableLedger({ verbs }: LedgerAccess): Promise<void> {
  const { fsync, synchronousCommit } = await verbs.readDurability();
  const off = [...(fsync ? [] : ['fsync']), ...(synchronousCommit ? [] : ['synchronous_commit'])];
  if (off.length === 0) return;
  throw new Failure(
    exitCodes.usage,
    'database_not_durable',
    `The database has ${off.join(' and ')} off: after a power cut it would not know what was sent.`,
    {
      before: `turn ${off.join(' and ')} on in postgresql.conf, then: `,
      ...{ words: ['doctor'], needs: 'place' },
    },
  );
}
