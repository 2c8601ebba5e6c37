/* Compares the run logs of a batch with the ledger before any row of it is sent. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runLogPath } from '../account/batch-files/files-of-batch.ts';
import { rowsText } from '../account/words/note-text.ts';
import type { CallContext } from '../call/context.ts';
import { type FoundHead, logOfHead, readRunHead, runHeadEnding } from '../disk/log/run-head.ts';
import { type BatchRecord, type LeasedBatch, shortBatchId } from '../domain/batches/batch.ts';
import type { LoggedClaim, LogProof, RunOwner } from '../domain/batches/run.ts';
import { type CallRemedy, PaybatchError } from '../domain/failures/paybatch-error.ts';
import { capital, listOf } from '../domain/settings/message.ts';
import { whereaboutsOf } from '../ledger/connection/folder-lock.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { compareLog, eventsOf, findSentTwice, outcomeEvents, sendingEvents } from './compare-log.ts';
import type { LoggedEvent } from './logged-rows.ts';
import { requireLedgerOfOtherLogs } from './other-logs.ts';

/**
 * Compares the run logs of batches that are about to be processed with the ledger: those in the result folder, and those
 * whose paths the ledger knows. A ledger that was emptied or restored from a backup would send rows again under new keys.
 * So would a second ledger besides the one that sent them. Then checks the ends of the other logs in the result folder:
 * payees in an unknown log of the same ledger may be in these files as well.
 * @param pathOf the path of a batch's file, as far as the call knows it
 * @returns the batches, with the findings about their logs
 * @throws PaybatchError (`usage`) when a log has events that the ledger does not know; (`busy`) when a run that the ledger
 *   does not know still writes to a log
 */
export async function requireLedgerOfLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  held: readonly LeasedBatch[],
  pathOf: (batch: BatchRecord) => string | undefined = () => undefined,
): Promise<LeasedBatch[]> {
  const checked: LeasedBatch[] = [];
  for (const own of held) {
    const { batch, isNew } = own;
    // The size is taken before the log is read. Lines that are written meanwhile are read when the log is opened.
    const logComparedUntil = statSync(runLogPath(app, batch), { throwIfNoEntry: false })?.size ?? 0;
    const { ahead, isDamaged } = await lookAtLogs(app, verbs, own);
    checked.push({ ...own, isLogDamaged: isDamaged, logComparedUntil });
    if (ahead.length === 0) continue;
    const file = pathOf(batch) ?? (existsSync(batch.fileName) ? batch.fileName : undefined);
    throw isNew ? ledgerLost(batch, ahead, file) : await ledgerBehind(verbs, batch, ahead, file);
  }
  await requireLedgerOfOtherLogs(
    app,
    verbs,
    held.map(({ batch }) => batch),
  );
  return checked;
}

/** The findings about the ledger from the logs of a batch. */
interface LogsOfBatch {
  /** Logs with events that the ledger does not know. */
  readonly ahead: readonly string[];
  /** Whether the log to which the run is about to write has missing or changed lines. */
  readonly isDamaged: boolean;
}

async function lookAtLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  { batch, isNew }: LeasedBatch,
): Promise<LogsOfBatch> {
  const ahead: string[] = [];
  let isDamaged = false;
  for (const log of logsOf(app, batch, await verbs.listRunLogs(batch.id))) {
    const head = await readRunHead(log);
    if (isNew) {
      if (await mayTellOfSending(log, batch, head)) ahead.push(log);
      continue;
    }
    const { isAhead, proof } = await knowsMore(app, verbs, batch, { log, head });
    if (isAhead) ahead.push(log);
    else if (proof !== null && proof.damages.length > 0) {
      const isCompleted = log === runLogPath(app, batch);
      isDamaged ||= isCompleted;
      app.report({ kind: 'note', note: { code: 'log_damaged', log, damages: proof.damages, isCompleted } });
    }
  }
  return { ahead, isDamaged };
}

/**
 * The paths of a batch's logs, each once, including logs of which only the head is left. When another ledger sent the file,
 * it may have had another name, so logs are found by the batch id.
 */
function logsOf(app: CallContext, batch: BatchRecord, known: readonly string[]): string[] {
  const folder = resolve(app.settings.output.out);
  const beginning = `.${shortBatchId(batch.id)}`;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const there = names.filter((name) => name.endsWith(`${beginning}.run.jsonl`));
  const files = new Map<string, string>();
  for (const path of [...there.map((name) => join(folder, name)), ...known]) {
    const file = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (file?.isFile() !== true) continue;
    const identity = `${file.dev} ${file.ino}`;
    if (!files.has(identity)) files.set(identity, path);
  }
  const headed = names
    .filter((name) => name.endsWith(`${beginning}${runHeadEnding}`))
    .map((name) => join(folder, logOfHead(name)));
  return [...files.values(), ...headed.filter((log) => !existsSync(log))];
}

/** A log, and the head file beside it. */
interface HeadedLog {
  readonly log: string;
  readonly head: FoundHead;
}

async function knowsMore(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  { log, head }: HeadedLog,
): Promise<{ readonly isAhead: boolean; readonly proof: LogProof | null }> {
  const claimed = claimOf(head, batch);
  if (claimed !== null && (await verbs.countUnknownClaims(batch.id, [claimed])) > 0)
    return { isAhead: true, proof: null };
  if (!existsSync(log)) return { isAhead: false, proof: null };
  let proof: LogProof | null = null;
  const kept = await verbs.findKeptTips(batch.id, log);
  const events = eventsOf(log, outcomeEvents, {
    known: { head, kept },
    onProof: (found) => {
      proof = found;
    },
  });
  const { isAhead, unknownRuns } = await compareLog(events, batch.id, verbs);
  for (const owner of unknownRuns) requireEnded(app, log, owner);
  return { isAhead, proof };
}

/** The last claim of a batch in a head. */
function claimOf(head: FoundHead, batch: BatchRecord): LoggedClaim | null {
  return typeof head === 'object' && head.batch === batch.id ? head.claimed : null;
}

/**
 * Whether a log shows that a new batch was already sent or closed in another ledger. True as well if the log has lost lines
 * that may have shown this.
 */
async function mayTellOfSending(log: string, batch: BatchRecord, head: FoundHead): Promise<boolean> {
  if (claimOf(head, batch) !== null) return true;
  if (!existsSync(log)) return false;
  let proof: LogProof | null = null;
  const unfinished = new Set<string>();
  const known = { head, kept: [] };
  for await (const event of eventsOf(log, eventsOfSending, { known, onProof: (found) => (proof = found) })) {
    if (event.batch !== batch.id) continue;
    if (event.event === 'run.started') unfinished.add(event.run);
    else if (event.event === 'run.finished') unfinished.delete(event.run);
    else if (!('key' in event) || event.key !== null || event.event === 'row.resolved') return true;
  }
  return lacksProof(proof, unfinished.size > 0);
}

/**
 * Whether a log without sent rows may have lost lines with sent rows. Without the head, it is unknown how far an unfinished
 * run had come.
 */
function lacksProof(proof: LogProof | null, isUnfinished: boolean): boolean {
  if (proof === null) return false;
  return proof.damages.length > 0 || (proof.isLinked && proof.head === 'missing' && isUnfinished);
}

/** Events that show whether a batch was sent. A `row.final` event without a key does not show it. */
const eventsOfSending = [
  'run.started',
  'run.finished',
  'claim.made',
  'row.staged',
  'row.answered',
  'row.final',
  'row.resolved',
  'batch.closed',
] as const;

/** After this time without a write, a log counts as not written to any more. */
const quietInMs = 60_000;

/**
 * Requires that no run writes to a log, since it may have more events a moment later.
 * @param owner the process of a run that has not ended; null if the log does not name it
 * @throws PaybatchError (`busy`) when that process is running, or may be on another host and wrote within the last minute
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
    `${batch.fileName} was sent before, by a ledger that is not this one: ${withVerb(logs, 'has', 'have')} keys or answers that this ledger does not know, or ${logs.length === 1 ? 'has' : 'have'} lost lines that may be about them.`,
    [
      recovery(batch, logs, file),
      'use the ledger that it was sent by',
      'only to send everything anew, move that log away, and its head (.run.head)',
    ],
  );
}

async function ledgerBehind(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  logs: readonly string[],
  file: string | undefined,
): Promise<PaybatchError> {
  const twice = await sentTwiceText(verbs, batch, logs);
  return new PaybatchError(
    'ledger_behind',
    `${capital(withVerb(logs, 'tells', 'tell'))} of sending that this ledger does not know: the ledger was restored from a backup, or another one has sent rows of batch ${shortBatchId(batch.id)}. Nothing was sent.${twice}`,
    [recovery(batch, logs, file), 'use the ledger that they were sent by'],
  );
}

/**
 * The failure of a run when another ledger writes to its log. Either the database has two primaries, or it is another copy.
 * @param log the path of the run's log
 */
export async function otherLedgerSends(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  log: string,
): Promise<PaybatchError> {
  const twice = await sentTwiceText(verbs, batch, [log]);
  const file = existsSync(batch.fileName) ? batch.fileName : undefined;
  return new PaybatchError(
    'ledger_behind',
    `Another ledger sends rows of batch ${shortBatchId(batch.id)}: since this run began, claims were written into the run log ${log} that this ledger does not know. This run sends nothing more.${twice}`,
    [
      {
        action: 'advice',
        text: 'end every run, find out which database is the right one, and use that one alone',
        next: recovery(batch, [log], file),
      },
    ],
  );
}

/** The rows that both ledgers have sent, as a sentence; empty if no row was sent by both. */
async function sentTwiceText(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  logs: readonly string[],
): Promise<string> {
  const rows = new Set<number>();
  for (const log of logs.filter((each) => existsSync(each))) {
    const read = (): AsyncIterable<LoggedEvent> => eventsOf(log, sendingEvents);
    for (const row of await findSentTwice(read, batch.id, verbs)) rows.add(row);
  }
  if (rows.size === 0) return '';
  const numbers = [...rows].sort((one, other) => one - other);
  return ` Under both ledgers, with different keys, ${rowsText(numbers)} may have been sent: look for ${numbers.length === 1 ? 'it' : 'them'} at the API.`;
}

/** Run logs as the beginning of a sentence: `the run logs A and B tell`. */
function withVerb(logs: readonly string[], one: string, several: string): string {
  const names = listOf(
    logs.map((log) => (existsSync(log) ? log : `${log}, of which only the head is left,`)),
    'and',
  );
  return logs.length === 1 ? `the run log ${names} ${one}` : `the run logs ${names} ${several}`;
}

function recovery(batch: BatchRecord, logs: readonly string[], file: string | undefined): CallRemedy {
  const files = file === undefined ? [] : [file];
  return { action: 'recover', logs, files, asRead: true, environment: batch };
}
