/* Opening the ledger for a use case, and what is looked up in it first. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BatchRecord, type Environment, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import { asDatabaseFailure } from '../../ledger/connection/database-failure.ts';
import { requireSchema } from '../../ledger/connection/migrate.ts';
import { type Ledger, openEmbeddedLedger, openServerLedger } from '../../ledger/connection/open.ts';
import type { TimeLimits } from '../../ledger/connection/server-pool.ts';
import { bindVerbs, type LedgerVerbs } from '../../ledger/verbs.ts';
import { groupedNumber } from '../../output/words/wording.ts';
import type { ReferencePort } from '../../pipeline/ports.ts';
import type { CorrectionPort } from '../../pipeline/staging/corrections.ts';
import type { Variables } from '../running/context.ts';

/** The open ledger of a command. */
export interface LedgerAccess {
  readonly ledger: Ledger;
  readonly verbs: LedgerVerbs;
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger that the settings name.
 * @throws PaybatchError (`usage`) in live mode without a server, or without its schema; (`stopped`) when the
 *   database is not there; (`busy`) when another process has the embedded ledger open
 */
export async function openLedger(settings: Settings, environment: Variables): Promise<LedgerAccess> {
  const ledger = await openUnchecked(settings, environment);
  try {
    await requireSchema(ledger);
    return {
      ledger,
      verbs: bindVerbs(ledger.database, undefined, ledger.shortStatements),
      close: ledger.close,
    };
  } catch (error) {
    await ledger.close();
    throw asDatabaseFailure(error);
  }
}

/** The ledger of one call, which may be asked for in several places: opened when it is first needed, and once. */
export interface LedgerOfCall {
  /** @throws PaybatchError as `openLedger` does */
  readonly open: () => Promise<LedgerAccess>;
}

/** Does the work of a call that may need the ledger, and closes it behind that if it was opened. */
export async function withLedger<Result>(
  { settings, environment }: { readonly settings: Settings; readonly environment: Variables },
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
export function isLedgerThere(settings: Settings, environment: Variables): boolean {
  return databaseUrl(environment) !== undefined || existsSync(resolve(settings.ledger.ledgerDir, 'pgdata'));
}

/**
 * Opens the ledger without a look at its schema, for `migrate`.
 * @param limits how long statements may take on a server
 */
export async function openUnchecked(
  settings: Settings,
  environment: Variables,
  limits?: TimeLimits,
): Promise<Ledger> {
  const url = databaseUrl(environment);
  if (url !== undefined) return openServerLedger(url, limits);
  if (settings.api.mode === 'live') {
    throw new PaybatchError(
      'database_missing',
      'Live mode needs a PostgreSQL server: the embedded ledger does not survive a power cut.',
      { before: 'set DATABASE_URL, then: ', words: ['migrate'], needs: 'no_options' },
    );
  }
  return openEmbeddedLedger(resolve(settings.ledger.ledgerDir));
}

function databaseUrl(environment: Variables): string | undefined {
  const url = environment['DATABASE_URL'];
  return url === undefined || url === '' ? undefined : url;
}

/**
 * The batch that a person means.
 * @param named a batch id, or an unambiguous beginning of one, of 4 characters or more
 * @throws PaybatchError (`usage`) when there is none, or more than one
 */
export async function findNamedBatch(verbs: LedgerVerbs, named: string): Promise<BatchRecord> {
  if (!/^[0-9a-f-]{4,36}$/i.test(named)) {
    throw refused(`"${named}" is no batch id: 4 or more of its characters are needed.`);
  }
  const [batch, second] = await verbs.findBatchesByPrefix(named);
  if (batch === undefined) throw refused(`There is no batch ${named} in this ledger.`);
  if (second === undefined) return batch;
  throw refused(
    `More than one batch begins with ${named}: ${shortBatchId(batch.id)}, ${shortBatchId(second.id)}.`,
  );
}

function refused(message: string): PaybatchError {
  const next = { words: ['status'], after: ' lists the batches', needs: 'place' } as const;
  return new PaybatchError('batch_not_found', message, next);
}

/**
 * Keys and answers of a live run have to survive a power cut, so its database may not answer before what it
 * was given is on disk.
 * @throws PaybatchError (`usage`) when `fsync` or `synchronous_commit` is off
 */
export async function requireDurableLedger({ verbs }: LedgerAccess): Promise<void> {
  const { fsync, synchronousCommit } = await verbs.readDurability();
  const off = [...(fsync ? [] : ['fsync']), ...(synchronousCommit ? [] : ['synchronous_commit'])];
  if (off.length === 0) return;
  throw new PaybatchError(
    'database_not_durable',
    `The database has ${off.join(' and ')} off: after a power cut it would not know what was sent.`,
    {
      before: `turn ${off.join(' and ')} on in postgresql.conf, then: `,
      ...{ words: ['doctor'], needs: 'place' },
    },
  );
}

/**
 * Look-ups of other rows within one environment.
 * @param importBatches batches of this call, whose rows may be referred to before they are created
 */
export function referencesIn(
  verbs: LedgerVerbs,
  environmentId: number,
  importBatches: readonly string[],
): ReferencePort {
  return {
    findByHandles: (kind, handles) => verbs.findByHandles(environmentId, kind, handles, importBatches),
    findCustomersById: (ids) => verbs.findCustomersById(environmentId, ids),
    findKeyOwners: (kind, keys) => verbs.findKeyOwners(environmentId, kind, keys),
    findRivals: verbs.findRivals,
  };
}

/**
 * The earlier rounds of one environment: a failed file of the sandbox says nothing of live rows.
 * @param environment its origin is undefined while nobody has said which API is meant
 */
export function correctionsIn(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch' | 'findEarlierRows'>,
  { mode, origin }: Pick<Environment, 'mode'> & { readonly origin: string | undefined },
): CorrectionPort {
  return {
    findEarlierRows: verbs.findEarlierRows,
    findOriginalBatch: async (batchId) => {
      const first = await verbs.findOriginalBatch(batchId);
      const isThere = first?.mode === mode && (origin === undefined || first.origin === origin);
      return isThere ? first : undefined;
    },
  };
}
