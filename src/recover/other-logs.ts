/* Compares the run logs of other batches in the result folder with the ledger before anything is sent. */

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallContext } from '../call/context.ts';
import { longestClaim } from '../disk/log/known-lines.ts';
import { parseRunEvent } from '../disk/log/run-event.ts';
import { logOfHead, readRunHead, runHeadEnding } from '../disk/log/run-head.ts';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import { PaybatchError, type Remedy } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/**
 * Reads the ends of the run logs of other batches in the result folder, for the same environment. The payees of these
 * batches may already have been paid in a batch that this ledger has sent, and lost because a backup was restored. Only
 * claims that name this ledger count; logs of other ledgers in the same folder are ignored. The last claim is sufficient,
 * since a backup lacks everything after some point in time.
 * @param batches the batches that are about to be processed, of one environment; their own logs are compared completely
 * @throws PaybatchError (`usage`) when one of these logs has a claim of this ledger that it does not know
 */
export async function requireLedgerOfOtherLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  batches: readonly BatchRecord[],
): Promise<void> {
  const [batch] = batches;
  const folder = resolve(app.settings.output.out);
  if (batch === undefined || !existsSync(folder)) return;
  const own = batches.map(({ id }) => `.${shortBatchId(id)}.run.`);
  const others = readdirSync(folder).filter((name) => !own.some((part) => name.includes(part)));
  const logs = others.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
  const heads = others.filter((name) => name.endsWith(runHeadEnding)).map((name) => join(folder, name));
  if (logs.length + heads.length === 0) return;
  const found = [
    ...logs.map((log) => ({ log, claim: lastClaimIn(log) })),
    ...(await Promise.all(
      heads.map(async (head) => ({ log: logOfHead(head), claim: await claimOfHead(head) })),
    )),
  ];
  const ledger = await verbs.readLedgerId(batch.environmentId);
  const claims = found.flatMap(({ log, claim }) => (claim?.ledger === ledger ? [{ ...claim, log }] : []));
  const lost = new Set(await verbs.findUnknownBatches(claims));
  const ahead = new Set(claims.filter((claim) => lost.has(claim.batch)).map(({ log }) => log));
  if (ahead.size > 0) throw forgotten(batch, [...ahead]);
}

const ending = '.run.jsonl';

/**
 * Number of bytes of a log that are read at once, and in total if no claim is found. Reading begins at the end of the log.
 */
const bytesAtOnce = 256 * 1024;
const mostBytes = 32 * 1024 * 1024;

interface LastClaim {
  readonly batch: string;
  readonly run: string;
  readonly claim: number;
  readonly ledger: string | null;
}

/** The last claim in a head. It is used as well because its log may have been truncated. */
async function claimOfHead(path: string): Promise<LastClaim | undefined> {
  const head = await readRunHead(logOfHead(path));
  return typeof head === 'object' && head.claimed !== null
    ? { batch: head.batch, ...head.claimed }
    : undefined;
}

/**
 * The last claim in a log; undefined if no claim is near its end. A log grows with its batch and may have no claim, so it
 * is not read completely.
 */
function lastClaimIn(log: string): LastClaim | undefined {
  const file = openSync(log, 'r');
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const beginning = Math.max(0, stats.size - mostBytes);
    // The first line of a part may begin in the previous part.
    let cut = '';
    for (let end = stats.size; end > beginning; end -= bytesAtOnce) {
      const text = textOf(file, Math.max(beginning, end - bytesAtOnce), end) + cut;
      const found = lastClaimOf(text);
      if (found !== undefined) return found;
      const first = text.slice(0, text.indexOf('\n') + 1 || text.length);
      // A damaged log may have no line ends, so a long piece is dropped.
      cut = first.length > longestClaim ? '' : first;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function textOf(file: number, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from);
  const read = readSync(file, bytes, 0, bytes.length, from);
  return bytes.toString('latin1', 0, read);
}

/** The last claim in a text. The lines of a log are ASCII. The first line may be incomplete. */
function lastClaimOf(text: string): LastClaim | undefined {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes('"event":"claim.made"')) continue;
    const event = parseRunEvent(line);
    if (event?.event !== 'claim.made') continue;
    const { batch, run, claim, ledger = null } = event;
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
