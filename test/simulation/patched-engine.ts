import type { Engine } from './engine.ts';
import type { Edit, SourceCopies } from './patched-source.ts';

/** The engine with a bug planted; its parts come from one copy, so that they are of one piece. */
export async function patchedEngine(copies: SourceCopies, edits: readonly Edit[]): Promise<Engine> {
  const load = await copies.copyWith(edits);
  const parts = await Promise.all(
    [
      'src/api/run-limits.ts',
      'src/api/rate.ts',
      'src/api/sender.ts',
      'src/pipeline/run/heartbeat.ts',
      'src/output/log/read-run-log.ts',
      'src/output/log/run-head.ts',
      'src/output/log/run-log.ts',
      'src/pipeline/recovery/compare-log.ts',
      'src/pipeline/recovery/restore.ts',
      'src/pipeline/recovery/run-history.ts',
      'src/pipeline/sending/claim-log.ts',
      'src/pipeline/sending/process-batch.ts',
      'test/simulation/model-ledger.ts',
      'test/simulation/model-transactions.ts',
    ].map(load),
  );
  return Object.assign({}, ...parts) as Engine;
}
