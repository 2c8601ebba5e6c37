import { gravest } from '../../domain/exit-code.ts';
import { checkList } from '../../output/check-list.ts';
import type { App } from '../app.ts';
import type { Command } from '../command.ts';
import { checkApi } from '../doctor/api-checks.ts';
import type { Check } from '../doctor/check.ts';
import { checkDatabase } from '../doctor/database-checks.ts';
import { checkMachine } from '../doctor/machine-checks.ts';
import type { CommandEnd } from '../outcome.ts';

export const doctorCommand: Command = {
  build: (program) => program,
  work: (app) => examine(app),
};

/** Looks at everything that a run needs; sends nothing but a question for institutions. */
async function examine(app: App): Promise<CommandEnd> {
  const hasServer = (app.environment['DATABASE_URL'] ?? '') !== '';
  const checks: readonly Check[] = [
    ...checkMachine(app, hasServer),
    ...(await checkDatabase(app, hasServer)),
    ...(await checkApi(app)),
  ];
  app.terminal.print(checkList(checks, app.terminal.useColour));
  const exitCode = gravest(checks.map((check) => check.exitCode));
  const document = { exit_code: exitCode, checks: checks.map(({ exitCode: _, ...check }) => check) };
  return { exitCode, batches: [], failure: null, document };
}
