/*
 * The entries of the run log for a claim. They are written before the first byte of its rows is sent, and read again for
 * rows in doubt.
 */

import { existsSync } from 'node:fs';
import type { ClaimedRange, LoggedClaim } from '../domain/batches/run.ts';
import type { ClaimedRow } from '../domain/rows/ledger-row.ts';
import { fingerprintOf, stagedEvent } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { eventsOf } from '../recover/compare-log.ts';
import type { TurnContext } from './row-turn.ts';

/**
 * Thrown when another ledger sends rows of the batch: the run log has claims that this ledger does not know, although it
 * knew all claims when the run began.
 */
export class OtherLedgerStop extends Error {
  override readonly name = 'OtherLedgerStop';

  constructor() {
    super('another ledger sends rows of the batch');
  }
}

/**
 * Checks that the ledger knows all of these claims.
 * @throws OtherLedgerStop when it does not know all of them
 */
export async function requireKnownClaims(
  ledger: Pick<LedgerVerbs, 'countUnknownClaims'>,
  batchId: string,
  claims: readonly LoggedClaim[],
): Promise<void> {
  if (claims.length > 0 && (await ledger.countUnknownClaims(batchId, claims)) > 0)
    throw new OtherLedgerStop();
}

/** The parts of a run that are needed to log its claims. */
export interface ClaimLogContext extends Pick<TurnContext, 'runLog' | 'clock'> {
  readonly ledger: Pick<LedgerVerbs, 'countUnknownClaims'>;
  readonly batchId: string;
  readonly run: { readonly id: string };
  /** Names the ledger in the run log; absent where there is only one. */
  readonly ledgerId?: string;
  readonly keyLifetimeInMs: number;
}

/**
 * Writes a claim and all keys of its rows to disk, with the log's head. Then reads the entries that others have written to
 * the log. If two ledgers claim the same rows, at least one of them finds the other's claim, since both write before they
 * read.
 * @throws OtherLedgerStop when the log has a claim that this ledger does not know
 */
export async function noteClaim(
  context: ClaimLogContext,
  claim: number,
  rows: readonly ClaimedRow[],
): Promise<void> {
  const { run, runLog, ledger, batchId, ledgerId } = context;
  // The log may name only what is committed in the ledger.
  runLog.append([{ event: 'claim.made', run: run.id, claim, ledger: ledgerId, rows: rangesOf(rows) }]);
  noteKeysOfOthers(context, rows);
  await requireKnownClaims(ledger, batchId, await runLog.seal());
}

/** Ranges of rows. A claim mostly takes consecutive rows, so neighbouring rows share a range. */
function rangesOf(rows: readonly Pick<ClaimedRow, 'row' | 'generation'>[]): ClaimedRange[] {
  const ranges: { first: number; last: number; generation: number }[] = [];
  for (const { row, generation } of [...rows].sort((one, other) => one.row - other.row)) {
    const range = ranges.at(-1);
    if (range !== undefined && range.last + 1 === row && range.generation === generation) range.last = row;
    else ranges.push({ first: row, last: row, generation });
  }
  return ranges.map(({ first, last, generation }) =>
    generation === 1 ? [first, last] : [first, last, generation],
  );
}

/**
 * Logs keys that other runs prepared, since the logs of those runs may be elsewhere. A row in doubt was sent under such a
 * key. The event has the time of that first sending; otherwise a ledger that is recovered from the log would compute too
 * small an age for the key.
 */
function noteKeysOfOthers(
  { run, runLog, clock, keyLifetimeInMs }: ClaimLogContext,
  rows: readonly ClaimedRow[],
): void {
  const preparedElsewhere = rows.filter(({ preparedBy }) => preparedBy !== run.id);
  runLog.append(preparedElsewhere.filter(({ wasUnknown }) => !wasUnknown).map(stagedEvent));
  for (const row of preparedElsewhere.filter(({ wasUnknown }) => wasUnknown)) {
    const keyAgeInMs = Math.max(0, keyLifetimeInMs - row.keyTimeLeftInMs);
    runLog.append([stagedEvent(row)], new Date(clock.now().getTime() - keyAgeInMs));
  }
}

type RowInDoubt = Pick<ClaimedRow, 'row' | 'generation' | 'path' | 'body' | 'idempotencyKey'>;

/**
 * The rows in doubt whose key, request and claim are in the run log on disk, which proves that a run has sent them. A log
 * that was completed from the ledger contains keys that only the ledger knew, but no claims for them.
 * @param log its path
 */
export async function sentRowsInLog(
  log: string,
  batchId: string,
  rows: readonly RowInDoubt[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0 || !existsSync(log)) return new Set();
  const byKey = new Map(rows.map((row) => [row.idempotencyKey, row]));
  const claimed = new Set<RowInDoubt>();
  const staged = new Set<RowInDoubt>();
  for await (const event of eventsOf(log, ['claim.made', 'row.staged'])) {
    if (event.batch !== batchId) continue;
    if (event.event === 'claim.made') {
      for (const row of rows) if (event.rows?.some((range) => isIn(range, row))) claimed.add(row);
    }
    if (event.event !== 'row.staged') continue;
    const row = byKey.get(event.key);
    const isSame =
      row?.row === event.row && fingerprintOf(row.path, row.body).toString('hex') === event.request_hash;
    if (isSame) staged.add(row);
  }
  return new Set(rows.filter((row) => claimed.has(row) && staged.has(row)).map(({ row }) => row));
}

function isIn([first, last, generation = 1]: ClaimedRange, row: RowInDoubt): boolean {
  return row.row >= first && row.row <= last && row.generation === generation;
}
