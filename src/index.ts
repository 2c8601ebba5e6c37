import type { Kind } from './domain/batches/batch.ts';
import { PaybatchError } from './domain/failures/paybatch-error.ts';
import type { Settings } from './domain/settings/definitions.ts';
import { resultWithNextCommand, withNextCommand } from './engine/access/repeated-options.ts';
import { examine } from './engine/doctor.ts';
import { importFiles } from './engine/import.ts';
import { listInstitutions } from './engine/institutions.ts';
import { proposeMappingOf } from './engine/mapping.ts';
import { migrateLedger } from './engine/migrate.ts';
import { planFiles } from './engine/plan.ts';
import { compareFiles, reconcile } from './engine/reconcile.ts';
import { recover } from './engine/recover.ts';
import { showRemembered } from './engine/remembered.ts';
import { resolveRows } from './engine/resolve.ts';
import { writeResults } from './engine/results.ts';
import { resume } from './engine/resume.ts';
import { retry } from './engine/retry.ts';
import { type CallContext, systemClock } from './engine/running/context.ts';
import type { Question } from './engine/running/events.ts';
import { readSettings, UnusableSetting } from './engine/running/settings.ts';
import { type Running, start } from './engine/running/start.ts';
import { asFailure } from './engine/running/stop-cause.ts';
import { readStatus } from './engine/status.ts';
import { submit } from './engine/submit.ts';
import { writeTemplate } from './engine/template.ts';
import { validateFiles } from './engine/validate.ts';

export type { CallOutcome } from './domain/failures/call-outcome.ts';
export type { ErrorCode, ErrorKind } from './domain/failures/error-codes.ts';
export { FilesRefused, PaybatchError } from './domain/failures/paybatch-error.ts';
export type { CallEvent, Question } from './engine/running/events.ts';
export type { CallResult } from './engine/running/result.ts';
export type { Running } from './engine/running/start.ts';

/**
 * The settings of the command line by their names in camel case, with the same defaults. None is taken from
 * the environment or a config file.
 */
export interface PaybatchSettings {
  readonly mode?: 'sandbox' | 'live';
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** A PostgreSQL server; without one the ledger is embedded, in `ledgerDir`. */
  readonly databaseUrl?: string;
  readonly localSandbox?: boolean;
  readonly sandboxDir?: string;
  readonly sandboxFaults?: string;
  readonly customerIdPath?: readonly string[];
  readonly institutionsPageParameter?: string;
  /** Such as `24h`. */
  readonly institutionsMaxAge?: string;
  readonly kind?: Kind;
  readonly sheet?: string;
  readonly hidden?: 'include' | 'skip';
  /** Leave out headings, subtotals and totals among the rows. */
  readonly leaveOutNonRows?: boolean;
  /** Go on with the other files when some are refused. */
  readonly skipRefused?: boolean;
  /** A pattern that matches no file is nothing to do. */
  readonly allowNone?: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
  /** Path of a mapping. */
  readonly mapping?: string;
  /** Read files without the mappings that are remembered for their headers. */
  readonly noRememberedMapping?: boolean;
  /** Path of changes to the validation rules. */
  readonly rules?: string;
  /** A number of rows, or a share of them: `5%`. */
  readonly maxInvalid?: number | string;
  /** Send nothing unless there are so many rows. */
  readonly expectRows?: number;
  /** Send nothing unless the amounts add up to this: `KES=1234567.00`, one for each currency. */
  readonly expectTotal?: readonly string[];
  readonly ledgerDir?: string;
  /** Requests in flight at most. */
  readonly concurrency?: number;
  /** Requests a second at most. */
  readonly rate?: number;
  readonly maxAttempts?: number;
  /** For one request, in seconds. */
  readonly timeout?: number;
  /** How long the API keeps keys, such as `24h`; in live mode 10 minutes when it is not stated. */
  readonly keyLifetime?: string;
  /** Do not ask before a live run. */
  readonly yes?: boolean;
  /** Folder of the result files. */
  readonly out?: string;
  /** Asked before requests leave that a person has to agree to; without it, nobody agrees. */
  readonly confirm?: (question: Question) => boolean | Promise<boolean>;
}

/** What a call can be given beside its request. */
export interface CallOptions {
  /** Aborted to stop: nothing new is begun, what is in flight comes to its end, the files are written. */
  readonly signal?: AbortSignal;
}

/** A use case that is started with a request. */
type UseCase<Request, Result> = (request: Request, options?: CallOptions) => Running<Result>;

/** The use cases, each as the command of its name. */
export interface Paybatch {
  readonly import: UseCaseOf<typeof importFiles>;
  readonly validate: UseCaseOf<typeof validateFiles>;
  readonly plan: UseCaseOf<typeof planFiles>;
  readonly submit: UseCaseOf<typeof submit>;
  readonly resume: UseCaseOf<typeof resume>;
  readonly retry: UseCaseOf<typeof retry>;
  readonly resolve: UseCaseOf<typeof resolveRows>;
  readonly mapping: UseCaseOf<typeof proposeMappingOf>;
  /** `mapping --show` and `mapping --forget`. */
  readonly rememberedMappings: UseCaseOf<typeof showRemembered>;
  readonly reconcile: UseCaseOf<typeof reconcile>;
  /** `reconcile --left --right`: two files with each other. */
  readonly compare: UseCaseOf<typeof compareFiles>;
  readonly results: UseCaseOf<typeof writeResults>;
  readonly status: UseCaseOf<typeof readStatus>;
  readonly institutions: UseCaseOf<typeof listInstitutions>;
  readonly template: UseCase<Parameters<typeof writeTemplate>[0], Awaited<ReturnType<typeof writeTemplate>>>;
  readonly recover: UseCaseOf<typeof recover>;
  readonly doctor: UseCase<Empty, Awaited<ReturnType<typeof examine>>>;
  readonly migrate: UseCase<Empty, Awaited<ReturnType<typeof migrateLedger>>>;
}

type Empty = Readonly<Record<string, never>>;

type UseCaseOf<Work> = Work extends (context: CallContext, request: infer Request) => Promise<infer Result>
  ? UseCase<Request, Result>
  : never;

/**
 * The use cases with settings of one API and one ledger. Nothing is opened before one of them is called.
 * @throws PaybatchError (`option_invalid`) that names the setting
 */
export function openPaybatch(settings: PaybatchSettings = {}): Paybatch {
  const own = settingsOf(settings);
  const environment = {
    PAYBATCH_API_KEY: settings.apiKey,
    DATABASE_URL: settings.databaseUrl,
    // Node.js acts on this one by itself, whatever the settings say, and live mode refuses it.
    NODE_TLS_REJECT_UNAUTHORIZED: process.env['NODE_TLS_REJECT_UNAUTHORIZED'],
  };
  const starting =
    <Request, Result>(
      work: (context: CallContext, request: Request) => Promise<Result>,
    ): UseCase<Request, Result> =>
    (request, { signal = new AbortController().signal } = {}) =>
      start((report) => {
        const context = { settings: own, environment, clock: systemClock, interrupted: signal };
        const ask = askThrough(settings.confirm);
        return namingCommands(own, () =>
          work({ ...context, activity: { requests: 0 }, report, ask }, request),
        );
      });
  return {
    import: starting(importFiles),
    validate: starting(validateFiles),
    plan: starting(planFiles),
    submit: starting(submit),
    resume: starting(resume),
    retry: starting(retry),
    resolve: starting(resolveRows),
    mapping: starting(proposeMappingOf),
    rememberedMappings: starting(showRemembered),
    reconcile: starting(reconcile),
    compare: starting(compareFiles),
    results: starting(writeResults),
    status: starting(readStatus),
    institutions: starting(listInstitutions),
    template: starting((_, request) => writeTemplate(request)),
    recover: starting(recover),
    doctor: starting(examine),
    migrate: starting(migrateLedger),
  };
}

/** Whatever fails, its next command works as it is, also where another person types it. */
async function namingCommands<Result>(settings: Settings, work: () => Promise<Result>): Promise<Result> {
  try {
    return resultWithNextCommand({ settings }, await work());
  } catch (error) {
    const failure = asFailure(error);
    throw failure instanceof PaybatchError ? withNextCommand({ settings }, failure) : failure;
  }
}

function askThrough(confirm: PaybatchSettings['confirm']): CallContext['ask'] {
  if (confirm === undefined) return async () => 'nobody';
  return async (question) => ((await confirm(question)) ? 'yes' : 'no');
}

function settingsOf({ apiKey: _, databaseUrl: __, confirm: ___, ...given }: PaybatchSettings): Settings {
  try {
    return readSettings(given);
  } catch (error) {
    if (!(error instanceof UnusableSetting)) throw error;
    throw new PaybatchError('option_invalid', error.message, 'see docs/library.md');
  }
}
