import { gravest } from '../domain/failures/exit-code.ts';
import { checkApi } from './doctor/api-checks.ts';
import type { Check } from './doctor/check.ts';
import { checkDatabase } from './doctor/database-checks.ts';
import { checkMachine } from './doctor/machine-checks.ts';
import type { JobContext } from './running/context.ts';
import type { JobResult } from './running/result.ts';

/** What was looked at, and what was found. */
export interface DoctorResult extends JobResult {
  readonly checks: readonly Check[];
}

/** Looks at everything that a run needs; sends nothing but a question for institutions. */
export async function examine(app: JobContext): Promise<DoctorResult> {
  const hasServer = (app.environment['DATABASE_URL'] ?? '') !== '';
  const checks: readonly Check[] = [
    ...checkMachine(app, hasServer),
    ...(await checkDatabase(app, hasServer)),
    ...(await checkApi(app)),
  ];
  const exitCode = gravest(checks.map((check) => check.exitCode));
  const document = { exit_code: exitCode, checks: checks.map(({ exitCode: _, ...check }) => check) };
  return { exitCode, batches: [], failure: null, document, checks };
}
