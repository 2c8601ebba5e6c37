import { randomUUID } from 'node:crypto';
import { exitCodes } from '../../domain/exit-code.ts';
import type { DirectoryPort } from '../../pipeline/ports.ts';
import { type HeldBatch, takeIn } from '../../pipeline/take-in.ts';
import { openClient, openDirectory } from '../api-access.ts';
import { type ApiTarget, openApiTarget } from '../api-target.ts';
import type { App } from '../app.ts';
import { type WorkEnd, workOn } from '../batch-work.ts';
import { type Command, textsOf } from '../command.ts';
import { type OpenInputs, openInputs } from '../inputs.ts';
import { judgeIntake, readRules } from '../judging.ts';
import { type LedgerAccess, openLedger } from '../ledger-access.ts';
import { confirmLive } from '../live-guard.ts';
import { requireOutFolder } from '../out-folder.ts';
import { type CommandEnd, printEnd } from '../outcome.ts';
import { referencesIn } from '../references-in.ts';

export const importCommand: Command = {
  words: 'import <file..>',
  description: 'The main job: check, stage and send files, write the results; run it again to go on',
  build: (program) =>
    program.positional('file', { type: 'string', array: true, description: 'Paths; - is standard input' }),
  work: (app, parsed) => importFiles(app, textsOf(parsed, 'file')),
};

/** Reads, maps, validates and stages every file, then submits, and writes the results. */
async function importFiles(app: App, paths: readonly string[]): Promise<CommandEnd> {
  requireOutFolder(app.settings);
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs(paths, app.settings, rules);
  for (const note of inputs.notes) app.terminal.say(note);
  try {
    const target = await openApiTarget(app.settings, app.environment);
    try {
      const access = await openLedger(app.settings, app.environment);
      try {
        return await importInto(app, inputs, rules, target, access);
      } finally {
        await access.close();
      }
    } finally {
      await target.close();
    }
  } finally {
    await inputs.close();
  }
}

async function importInto(
  app: App,
  inputs: OpenInputs,
  rules: ReturnType<typeof readRules>,
  target: ApiTarget,
  access: LedgerAccess,
): Promise<CommandEnd> {
  const held = await takeInAll(app, inputs, rules, target, access);
  await confirmOrLetGo(app, access, held);
  const end = await workOn(app, access, target, held);
  printEnd(app, end, target.environment.mode, target.environment.origin);
  sayWhenNothingWasSent(app, end);
  return end;
}

/** Without a person's word the batches stay planned, for `import` or `resume` to go on with. */
export async function confirmOrLetGo(
  app: App,
  access: LedgerAccess,
  held: readonly HeldBatch[],
): Promise<void> {
  try {
    await confirmLive(app, access, held);
  } catch (error) {
    for (const { run } of held) await access.verbs.endRun(run.id, exitCodes.usage);
    throw error;
  }
}

async function takeInAll(
  app: App,
  { intakes, mapping }: OpenInputs,
  rules: ReturnType<typeof readRules>,
  target: ApiTarget,
  access: LedgerAccess,
): Promise<HeldBatch[]> {
  const { verbs } = access;
  const { progress } = app.terminal;
  const client = openClient(target, app.settings);
  const environmentId = await verbs.environmentIdOf(target.environment);
  const directory: DirectoryPort = openDirectory(client, verbs, environmentId, app.settings);
  progress.start('reading and checking', null);
  try {
    return await takeIn(intakes, {
      ledger: verbs,
      environment: target.environment,
      command: 'import',
      importId: randomUUID(),
      newRunId: randomUUID,
      judge: (intake, batch, importBatches) =>
        judgeIntake(
          app,
          { mapping, rules, directory },
          intake,
          referencesIn(verbs, batch.environmentId, importBatches),
        ),
      onRows: (_, count) => progress.advance(count),
    });
  } finally {
    progress.stop();
    await client.close();
  }
}

/** Running the same again is no mistake, but somebody may wonder why nothing happened. */
export function sayWhenNothingWasSent({ terminal }: App, end: WorkEnd): void {
  if (end.sentRows > 0 || end.failure !== null) return;
  const isDone = end.exitCode === exitCodes.done;
  terminal.print(
    isDone
      ? 'Nothing was sent: every row was created earlier.'
      : 'Nothing was sent: no row can move by itself.',
  );
}
