import { gravest } from '../domain/failures/exit-code.ts';
import { durationOption } from '../domain/sending/key-age.ts';
import { assumedLifetime, keyLifetimeFor } from './access/key-lifetime.ts';
import { checkApi } from './doctor/api-checks.ts';
import { type Check, ok, warning } from './doctor/check.ts';
import { checkDatabase } from './doctor/database-checks.ts';
import { checkMachine } from './doctor/machine-checks.ts';
import type { JobContext } from './running/context.ts';
import type { JobResult } from './running/result.ts';

/** How long the provider keeps keys cannot be asked of the API; only live mode has to be told. */
function checkKeyLifetime(app: JobContext): Check[] {
  const { mode } = app.settings;
  const lifetime = keyLifetimeFor(app, mode);
  if (lifetime.isAssumed) {
    const { text, advice } = assumedLifetime(lifetime);
    return [warning('key lifetime', text, advice)];
  }
  const told = `rows in doubt are sent again within ${durationOption(lifetime.durationInMs)} of their first send`;
  return mode === 'live' ? [ok('key lifetime', told)] : [];
}

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
    ...checkKeyLifetime(app),
  ];
  const exitCode = gravest(checks.map((check) => check.exitCode));
  const document = { exit_code: exitCode, checks: checks.map(({ exitCode: _, ...check }) => check) };
  return { exitCode, batches: [], failure: null, document, checks };
}
