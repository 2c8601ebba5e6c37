import { exitCodes } from '../domain/exit-code.ts';
import type { RowsToClaim } from '../domain/ledger-row.ts';
import type { HeldBatch } from '../pipeline/take-in.ts';
import { type ApiTarget, openApiTarget, sandboxFolder } from './api-target.ts';
import type { App } from './app.ts';
import { type WorkEnd, workOn } from './batch-work.ts';
import { clearForSending } from './clearance.ts';
import { requireCredentialOfMode } from './credential-mode.ts';
import { type LedgerAccess, openLedger } from './ledger-access.ts';
import { type CommandEnd, printEnd, sayFailure } from './outcome.ts';

/** Opens the API and the ledger for a command that sends, and closes them behind it. */
export async function withApiAndLedger(
  app: App,
  work: (target: ApiTarget, access: LedgerAccess) => Promise<CommandEnd>,
): Promise<CommandEnd> {
  const target = await openApiTarget(app.settings, app.environment);
  if (app.settings['local-sandbox']) {
    app.terminal.say(
      `Using the built-in sandbox of the API; what it holds is in ${sandboxFolder(app.settings)}.`,
    );
  }
  try {
    const access = await openLedger(app.settings, app.environment);
    try {
      await requireCredentialOfMode(access.verbs, target);
      return await work(target, access);
    } finally {
      await access.close();
    }
  } finally {
    await target.close();
  }
}

/** How held batches are sent. */
export interface SendingOptions {
  /** Whether other runs may work on the same batches. */
  readonly join?: boolean;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  /** Of the plan that was agreed to; only for a single batch. */
  readonly planHash?: string | undefined;
}

/** Sends what held batches have to send, once everything is in order, and tells what became of it. */
export async function sendHeld(
  app: App,
  access: LedgerAccess,
  target: ApiTarget,
  held: readonly HeldBatch[],
  { planHash, ...options }: SendingOptions,
): Promise<WorkEnd> {
  const clearance = await clearForSending(app, access, target, held, planHash);
  if (clearance.failure !== null) {
    const { failure, batches } = clearance;
    sayFailure(app.terminal, failure);
    return { exitCode: failure.exitCode, batches, failure, sentRows: 0 };
  }
  const worked = await workOn(app, access, target, held, options);
  const batches = worked.batches.map((summary) => ({
    ...summary,
    planHash: clearance.planHashes.get(summary.batch ?? '') ?? null,
  }));
  const end = { ...worked, batches };
  printEnd(app, end, target.environment.mode, target.environment.origin);
  sayWhenNothingWasSent(app, end);
  return end;
}

/** Running the same again is no mistake, but somebody may wonder why nothing happened. */
function sayWhenNothingWasSent({ terminal }: App, end: WorkEnd): void {
  if (end.sentRows > 0 || end.failure !== null) return;
  const isDone = end.exitCode === exitCodes.done;
  terminal.print(
    isDone
      ? 'Nothing was sent: every row was created earlier.'
      : 'Nothing was sent: no row can move by itself.',
  );
}
