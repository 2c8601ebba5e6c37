import { randomUUID } from 'node:crypto';
import { type ExitCode, exitCodes } from '../domain/failures/exit-code.ts';
import { isVerdict, verdicts } from '../domain/rows/verdict.ts';
import { holdBatch } from '../pipeline/intake/take-in.ts';
import { startHeartbeat } from '../pipeline/run/heartbeat.ts';
import type { GivenVerdict } from '../reconcile/verdicts/decision.ts';
import { requireLedgerOfLogs } from './access/batch-logs.ts';
import { requireDurableLedger } from './access/durability.ts';
import { findNamedBatch } from './access/find-batch.ts';
import { type LedgerAccess, openLedger } from './access/ledger-access.ts';
import { writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { type GivenVerdicts, oneVerdict, openVerdictFile } from './resolving/given.ts';
import { recordVerdicts, requireSuitable } from './resolving/record.ts';
import type { JobContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';
import { settleBatch } from './sending/settling.ts';

export { isVerdict, verdicts };

/** Verdicts of a person on rows of one batch. */
export interface ResolveRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly verdicts: GivenVerdict | { readonly file: string };
}

/** Verdicts that are recorded. */
export interface ResolveResult extends WrittenBatches {
  /** How many there are. */
  readonly recorded: number;
}

/** Records verdicts on rows of one batch, all of them or none, and writes its result files again. */
export async function resolveRows(app: JobContext, request: ResolveRequest): Promise<ResolveResult> {
  await requireOutFolder(app.settings);
  const { verdicts } = request;
  const given = 'file' in verdicts ? await openVerdictFile(verdicts.file) : oneVerdict(verdicts);
  try {
    const access = await openLedger(app.settings, app.environment);
    try {
      return await resolveIn(app, access, request.batch, given);
    } finally {
      await access.close();
    }
  } finally {
    await given.close();
  }
}

async function resolveIn(
  app: JobContext,
  access: LedgerAccess,
  named: string,
  given: GivenVerdicts,
): Promise<ResolveResult> {
  const { verbs } = access;
  const batch = await findNamedBatch(verbs, named);
  // A verdict is somebody's word on real money: a power cut must not take it back.
  if (batch.mode === 'live') await requireDurableLedger(access);
  const run = await holdBatch(batch, { ledger: verbs, command: 'resolve', newRunId: randomUUID });
  const heartbeat = startHeartbeat({
    ledger: verbs,
    clock: app.clock,
    runId: run.id,
    batchId: batch.id,
    onLost: () => {},
  });
  let exitCode: ExitCode = exitCodes.usage;
  try {
    await requireLedgerOfLogs(app, verbs, [{ batch, run, isNew: false }]);
    await requireSuitable(access, batch, given);
    const recorded = await recordVerdicts(app, access, batch, run, given);
    await settleBatch(app, verbs, batch.id);
    exitCode = exitCodes.done;
    const summary = await writeBatchFiles(app, verbs, batch, {
      runId: run.id,
      exitCode: () => exitCodes.done,
    });
    const environment = { mode: batch.mode, origin: batch.origin };
    return { exitCode, batches: [summary], failure: null, environment, recorded };
  } finally {
    heartbeat.stop();
    await verbs.endRun(run.id, exitCode);
  }
}
