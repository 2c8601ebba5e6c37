import { randomUUID } from 'node:crypto';
import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import { compareKinds } from '../../domain/kind.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import { type HeldBatch, holdBatch } from '../../pipeline/take-in.ts';
import { type ApiTarget, openApiTarget } from '../api-target.ts';
import type { App } from '../app.ts';
import { workOn } from '../batch-work.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { findNamedBatch } from '../find-batch.ts';
import { type LedgerAccess, openLedger } from '../ledger-access.ts';
import { requireOutFolder } from '../out-folder.ts';
import { type CommandEnd, printEnd } from '../outcome.ts';
import { confirmOrLetGo, sayWhenNothingWasSent } from './import.ts';

export const resumeCommand: Command = {
  words: 'resume [batch]',
  description: 'Go on with an interrupted batch (the newest unfinished import when none is named)',
  build: (program) => program.positional('batch', batchArgument),
  work: (app, parsed) => resumeBatch(app, textOf(parsed, 'batch')),
};

/** Goes on with an interrupted batch; without a name, with the newest unfinished one and its import's others. */
async function resumeBatch(app: App, named: string | undefined): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const target = await openApiTarget(app.settings, app.environment);
  try {
    const access = await openLedger(app.settings, app.environment);
    try {
      return await resumeIn(app, access, target, named);
    } finally {
      await access.close();
    }
  } finally {
    await target.close();
  }
}

async function resumeIn(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  named: string | undefined,
): Promise<CommandEnd> {
  const batches =
    named === undefined
      ? await access.verbs.findNewestUnfinished(target.environment)
      : [await findNamedBatch(access.verbs, named)];
  if (batches.length === 0) {
    app.terminal.print('Nothing to resume: no batch of this environment is unfinished.');
    return { exitCode: exitCodes.done, batches: [], failure: null };
  }
  for (const batch of batches) requireSameEnvironment(batch, target);
  const held = await holdAll(access, batches);
  await confirmOrLetGo(app, access, held);
  const end = await workOn(app, access, target, held);
  printEnd(app, end, target.environment.mode, target.environment.origin);
  sayWhenNothingWasSent(app, end);
  return end;
}

async function holdAll({ verbs }: LedgerAccess, batches: readonly BatchRecord[]): Promise<HeldBatch[]> {
  const held: HeldBatch[] = [];
  for (const batch of [...batches].sort((left, right) => compareKinds(left.kind, right.kind))) {
    const run = await holdBatch(batch, { ledger: verbs, command: 'resume', newRunId: randomUUID });
    held.push({ batch, run, isNew: false });
  }
  return held;
}

/** Keys and objects belong to one environment: a batch is never moved on in another one. */
function requireSameEnvironment(batch: BatchRecord, { environment }: ApiTarget): void {
  if (batch.mode === environment.mode && batch.origin === environment.origin) return;
  throw new Failure(
    exitCodes.usage,
    'other_environment',
    `Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}, not to ${environment.mode} at ${environment.origin}.`,
    'give the --mode and --base-url that it was imported with',
  );
}
