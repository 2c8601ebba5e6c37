/*
 * Run logs compared with the ledger before anything is sent: those of the batch, and the others in the output
 * folder.
 */

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BatchRecord, type RunOwner, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Remedy } from '../../domain/failures/remedy.ts';
import { whereaboutsOf } from '../../ledger/connection/owner.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readRunLog } from '../../output/log/read-run-log.ts';
import { type LoggedRunEvent, parseRunEvent } from '../../output/log/run-event.ts';
import { compareLog, tellingEvents } from '../../pipeline/recovery/compare-log.ts';
import type { LoggedEvent } from '../../pipeline/recovery/run-history.ts';
import type { LeasedBatch } from '../../pipeline/staging/stage-input.ts';
import type { CallContext } from '../running/context.ts';

/**
 * Looks at the end of the run logs in the folder of results of other batches of the environment. What is sent now may be for people for
 * whom a batch was sent that this ledger has forgotten: a backup was restored. Only claims count that name this very
 * ledger; logs of other ledgers in the same folder say nothing of it. The last claim tells, since a backup lacks
 * everything from some moment on.
 * @param batches about to be worked on, of one environment; their own logs are compared as a whole
 * @throws PaybatchError (`usage`) when one of these logs names a claim of this ledger that it does not know
 */
async function requireLedgerOfOtherLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  batches: readonly BatchRecord[],
): Promise<void> {
  const [batch] = batches;
  const folder = resolve(app.settings.output.out);
  if (batch === undefined || !existsSync(folder)) return;
  const own = batches.map(({ id }) => `.${shortBatchId(id)}${ending}`);
  const logs = readdirSync(folder).filter(
    (name) => name.endsWith(ending) && !own.some((end) => name.endsWith(end)),
  );
  if (logs.length === 0) return;
  const ledger = await verbs.readLedgerId(batch.environmentId);
  const claims = logs.flatMap((name) => {
    const log = join(folder, name);
    const claim = lastClaimIn(log);
    return claim?.ledger === ledger ? [{ ...claim, log }] : [];
  });
  const lost = new Set(await verbs.findUnknownBatches(claims));
  const ahead = claims.filter((claim) => lost.has(claim.batch)).map(({ log }) => log);
  if (ahead.length > 0) throw forgotten(batch, ahead);
}

const ending = '.run.jsonl';

/** So much of a log's end is read at first; and at most, where no claim stands in it. */
const firstBytes = 256 * 1024;
const mostBytes = 32 * 1024 * 1024;

interface LastClaim {
  readonly batch: string;
  readonly run: string;
  readonly claim: number;
  readonly ledger: string | undefined;
}

/** The last claim that a log names; undefined where none is near its end. */
function lastClaimIn(log: string): LastClaim | undefined {
  const file = openSync(log, 'r');
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    for (let length = firstBytes; ; length *= 4) {
      const found = lastClaimOf(endOf(file, stats.size, length));
      if (found !== undefined || length >= Math.min(stats.size, mostBytes)) return found;
    }
  } finally {
    closeSync(file);
  }
}

function endOf(file: number, size: number, length: number): string {
  const bytes = Buffer.alloc(Math.min(size, length));
  const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('latin1', 0, read);
}

/** The lines of a log are ASCII; the first may be cut. */
function lastClaimOf(text: string): LastClaim | undefined {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes('"event":"claim.made"')) continue;
    const event = parseRunEvent(line);
    if (event?.event !== 'claim.made') continue;
    const { batch, run, claim, ledger } = event;
    return { batch, run, claim, ledger };
  }
  return undefined;
}

function forgotten(batch: BatchRecord, logs: readonly string[]): PaybatchError {
  const recovery = logs.map(
    (log): Remedy => ({
      action: 'recover',
      logs: [log],
      files: [],
      asRead: false,
      environment: batch,
      effect: 'with the file that was sent',
    }),
  );
  return new PaybatchError(
    'ledger_behind',
    `${logs.length === 1 ? 'The run log' : 'The run logs'} ${logs.join(' and ')} ${logs.length === 1 ? 'tells' : 'tell'} of sending by this ledger that it does not know: it was restored from a backup, or another copy of it is in use. Nothing was sent.`,
    [...recovery, { action: 'advice', text: 'use the ledger that has all of it' }],
  );
}

/**
 * Compares the run logs of batches that are about to be worked on with the ledger: those in the folder of results, and those that the
 * ledger knows the place of. A ledger that was emptied or restored from a backup would send rows again under new keys,
 * and so would another ledger beside the one that sent them. Then the ends of the other logs in the folder of results: one of the same
 * ledger that it does not know is of people who may be in these files as well.
 * @param pathOf the path of a batch's file, as far as the call knows it
 * @throws PaybatchError (`usage`) when a log knows of more than the ledger; (`busy`) when a log is still written by a run that
 *   the ledger does not know
 */
export async function requireLedgerOfLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  held: readonly LeasedBatch[],
  pathOf: (batch: BatchRecord) => string | undefined = () => undefined,
): Promise<void> {
  for (const { batch, isNew } of held) {
    const ahead: string[] = [];
    for (const log of logsOf(app, batch, await verbs.listRunLogs(batch.id))) {
      const isAhead = isNew ? await tellsOfSending(log, batch) : await knowsMore(app, verbs, batch, log);
      if (isAhead) ahead.push(log);
    }
    if (ahead.length === 0) continue;
    const file = pathOf(batch) ?? (existsSync(batch.fileName) ? batch.fileName : undefined);
    throw isNew ? ledgerLost(batch, ahead, file) : ledgerBehind(batch, ahead, file);
  }
  await requireLedgerOfOtherLogs(
    app,
    verbs,
    held.map(({ batch }) => batch),
  );
}

/** The logs of a batch, each once. Its file may have been called otherwise when another ledger sent it. */
function logsOf(app: CallContext, batch: BatchRecord, known: readonly string[]): string[] {
  const folder = resolve(app.settings.output.out);
  const ending = `.${shortBatchId(batch.id)}.run.jsonl`;
  const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)) : [];
  const files = new Map<string, string>();
  for (const path of [...there.map((name) => join(folder, name)), ...known]) {
    const file = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (file?.isFile() !== true) continue;
    const identity = `${file.dev} ${file.ino}`;
    if (!files.has(identity)) files.set(identity, path);
  }
  return [...files.values()];
}

async function knowsMore(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  log: string,
): Promise<boolean> {
  const { isAhead, unknownRuns } = await compareLog(eventsOf(log, tellingEvents), batch.id, verbs);
  for (const owner of unknownRuns) requireEnded(app, log, owner);
  return isAhead;
}

/** Whether a log tells of anything that makes a new batch one that was sent before, or closed, in a ledger that is not this one. */
async function tellsOfSending(log: string, batch: BatchRecord): Promise<boolean> {
  for await (const event of eventsOf(log, eventsOfSending)) {
    if (event.batch !== batch.id) continue;
    if (!('key' in event) || event.key !== null || event.event === 'row.resolved') return true;
  }
  return false;
}

/** A row that came to its end without a key was never sent. */
const eventsOfSending = [
  'claim.made',
  'row.staged',
  'row.answered',
  'row.final',
  'row.resolved',
  'batch.closed',
] as const;

/** The events of these names, however damaged the log is otherwise. */
export async function* eventsOf(
  log: string,
  names: readonly LoggedRunEvent['event'][],
): AsyncGenerator<LoggedEvent> {
  for await (const event of readRunLog(log, { events: new Set(names), passesOverDamage: true })) {
    if (event.event === 'run.stopped' || event.event === 'log.mended' || event.event === 'audit.head')
      continue;
    yield event;
  }
}

/** So long after a log was last written to, nobody writes to it any more. */
const quietInMs = 60_000;

/**
 * A log that somebody still writes to may tell of more in a moment than it does now.
 * @param owner the process of a run that has not ended; null where the log does not say who
 * @throws PaybatchError (`busy`) when that process is there, or may be there on another host and wrote within the last minute
 */
export function requireEnded(
  { clock }: Pick<CallContext, 'clock'>,
  log: string,
  owner: RunOwner | null,
): void {
  const whereabouts = owner === null ? 'elsewhere' : whereaboutsOf(owner);
  if (whereabouts === 'gone') return;
  const quietSinceInMs = clock.now().getTime() - statSync(log).mtimeMs;
  if (whereabouts === 'elsewhere' && quietSinceInMs >= quietInMs) return;
  const who = owner === null ? 'a run' : `a run (process ${owner.process.split(' ', 1)[0]} on ${owner.host})`;
  throw new PaybatchError('log_in_use', `The run log ${log} is still being written by ${who}.`, {
    action: 'advice',
    text: 'wait for its end, or stop it; one that was killed is over a minute after it last wrote',
    next: { action: 'again' },
  });
}

function ledgerLost(batch: BatchRecord, logs: readonly string[], file: string | undefined): PaybatchError {
  return new PaybatchError(
    'ledger_lost',
    `${batch.fileName} was sent before, by a ledger that is not this one: the run log ${logs.join(' and ')} has keys or answers that this ledger does not know.`,
    [
      recovery(batch, logs, file),
      'use the ledger that it was sent by',
      'only to send everything anew, move that log away',
    ],
  );
}

function ledgerBehind(batch: BatchRecord, logs: readonly string[], file: string | undefined): PaybatchError {
  return new PaybatchError(
    'ledger_behind',
    `The run log ${logs.join(' and ')} tells of sending that this ledger does not know: the ledger was restored from a backup, or another one has sent rows of batch ${shortBatchId(batch.id)}. Nothing was sent.`,
    [recovery(batch, logs, file), 'use the ledger that they were sent by'],
  );
}

function recovery(batch: BatchRecord, logs: readonly string[], file: string | undefined): Remedy {
  const files = file === undefined ? [] : [file];
  return { action: 'recover', logs, files, asRead: true, environment: batch };
}
