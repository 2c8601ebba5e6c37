import type { Engine } from './engine.ts';
import type { Edit, SourceCopies } from './patched-source.ts';

/** The engine with a bug planted; its parts come from one copy, so that they are of one piece. */
export async function patchedEngine(copies: SourceCopies, edits: readonly Edit[]): Promise<Engine> {
  const load = await copies.copyWith(edits);
  const parts = await Promise.all(
    [
      'src/api/limiters.ts',
      'src/api/sender.ts',
      'src/send/lease.ts',
      'src/disk/log/read-run-log.ts',
      'src/disk/log/run-head.ts',
      'src/disk/log/run-log.ts',
      'src/recover/compare-log.ts',
      'src/recover/restore.ts',
      'src/recover/run-history.ts',
      'src/send/claim-log.ts',
      'src/send/submit.ts',
      'src/send/process-batch.ts',
      'test/simulation/model-ledger.ts',
      'test/simulation/model-transactions.ts',
    ].map(load),
  );
  return Object.assign({}, ...parts) as Engine;
}
