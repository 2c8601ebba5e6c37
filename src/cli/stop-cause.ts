import { type ExitCode, exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { StopReason } from '../domain/outcome.ts';
import { RunStop } from '../domain/run-stop.ts';
import { asDatabaseFailure } from '../ledger/database-failure.ts';
import { OutputError } from '../output/output-error.ts';

const stopAdvice: Record<StopReason, string> = {
  credentials: 'check the API key and --mode, then: paybatch import again',
  redirect: 'check --base-url: redirects are never followed',
  not_the_api: 'check --base-url: something other than the API answered',
  wrong_path: 'check --base-url',
  no_id: 'check --customer-id-path, then run the same command again',
  unavailable: 'run the same command again when the API is back',
};

/** Gives every expected error its one sentence, next step and exit code. What is not expected comes back as it is. */
export function asFailure(error: unknown): unknown {
  if (error instanceof RunStop) {
    const exitCode: ExitCode =
      error.reason === 'credentials' ? exitCodes.credentialsRefused : exitCodes.stopped;
    return new Failure(exitCode, error.reason, sentence(error.message), stopAdvice[error.reason]);
  }
  if (error instanceof OutputError) {
    return new Failure(exitCodes.stopped, error.code, sentence(error.message), error.advice);
  }
  return asDatabaseFailure(error);
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
