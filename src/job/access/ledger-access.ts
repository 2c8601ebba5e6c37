import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { asDatabaseFailure } from '../../ledger/connection/database-failure.ts';
import { requireSchema } from '../../ledger/connection/migrate.ts';
import { type Ledger, openEmbeddedLedger, openServerLedger } from '../../ledger/connection/open.ts';
import type { TimeLimits } from '../../ledger/connection/time-limits.ts';
import { bindVerbs, type LedgerVerbs } from '../../ledger/verbs.ts';
import { groupedNumber } from '../../output/words/wording.ts';
import type { Variables } from '../running/context.ts';
import type { JobSettings } from '../running/settings.ts';

/** The open ledger of a command. */
export interface LedgerAccess {
  readonly ledger: Ledger;
  readonly verbs: LedgerVerbs;
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger that the settings name.
 * @throws Failure (exit 2) in live mode without a server, or without its schema; (exit 4) when the
 *   database is not there; (exit 7) when another process has the embedded ledger open
 */
export async function openLedger(settings: JobSettings, environment: Variables): Promise<LedgerAccess> {
  const ledger = await openUnchecked(settings, environment);
  try {
    await requireSchema(ledger);
    return { ledger, verbs: bindVerbs(ledger.database, undefined, ledger.brisk), close: ledger.close };
  } catch (error) {
    await ledger.close();
    throw asDatabaseFailure(error);
  }
}

/** The ledger of one call, which may be asked for in several places: opened when it is first needed, and once. */
export interface LedgerOfCall {
  /** @throws Failure as `openLedger` does */
  readonly open: () => Promise<LedgerAccess>;
}

/** Does the work of a call that may need the ledger, and closes it behind that if it was opened. */
export async function withLedger<Result>(
  { settings, environment }: { readonly settings: JobSettings; readonly environment: Variables },
  work: (ledger: LedgerOfCall) => Promise<Result>,
): Promise<Result> {
  let opened: Promise<LedgerAccess> | undefined;
  const open = (): Promise<LedgerAccess> => {
    opened ??= openLedger(settings, environment);
    return opened;
  };
  try {
    return await work({ open });
  } finally {
    // What could not be opened needs no closing; its error has been told where it was needed.
    const access = await opened?.catch(() => undefined);
    await access?.close();
  }
}

/** Up to so many rows of one file the embedded ledger serves well; beyond, it takes over a gigabyte of memory. */
const mostRowsEmbedded = 100_000;

/** What `doctor` and `plan` say of the embedded ledger's size, whatever the size of a file. */
export const embeddedLedgerAdvice = `from ${groupedNumber(mostRowsEmbedded)} rows on a PostgreSQL server (DATABASE_URL) is advised`;

/** Whether there is a ledger at all: commands that only look make none. */
export function isLedgerThere(settings: JobSettings, environment: Variables): boolean {
  return databaseUrl(environment) !== undefined || existsSync(resolve(settings['ledger-dir'], 'pgdata'));
}

/**
 * Opens the ledger without a look at its schema, for `migrate`.
 * @param limits how long statements may take on a server
 */
export async function openUnchecked(
  settings: JobSettings,
  environment: Variables,
  limits?: TimeLimits,
): Promise<Ledger> {
  const url = databaseUrl(environment);
  if (url !== undefined) return openServerLedger(url, limits);
  if (settings.mode === 'live') {
    throw new Failure(
      exitCodes.usage,
      'database_missing',
      'Live mode needs a PostgreSQL server: the embedded ledger does not survive a power cut.',
      { before: 'set DATABASE_URL, then: ', words: ['migrate'], needs: 'no_options' },
    );
  }
  return openEmbeddedLedger(resolve(settings['ledger-dir']));
}

function databaseUrl(environment: Variables): string | undefined {
  const url = environment['DATABASE_URL'];
  return url === undefined || url === '' ? undefined : url;
}
