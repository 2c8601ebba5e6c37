/* The chain heads in run logs: these are outside the database, so somebody who rewrites the database cannot change them. */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { readRunLog } from '../../disk/log/read-run-log.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { AuditHead } from '../../domain/batches/batch-facts.ts';
import { controlsChain } from '../../domain/controls/audit.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';

/** A head as a run log names it. */
export interface LoggedHead extends AuditHead {
  readonly chain: string;
  /** The path of the log. */
  readonly log: string;
}

/** Where to look for heads. */
interface LogsToRead {
  /** Chains to look for; null for all. */
  readonly chains: readonly string[] | null;
  /** Paths of run logs that were kept elsewhere. The logs in the folder of results are read as well. */
  readonly logs: readonly string[];
}

/**
 * The heads of this ledger's trail in run logs. Logs of another ledger are ignored.
 * @throws PaybatchError (`log_without_head`) where a stated log has no such head; OutputError where it cannot be read
 */
export async function* headsInLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  { chains, logs }: LogsToRead,
): AsyncGenerator<LoggedHead> {
  const ledgers = new Set(await verbs.listLedgerIds());
  const isMeant = ({ chain }: LoggedHead): boolean => chains === null || chains.includes(chain);
  for (const log of logsInFolder(app, chains)) {
    for await (const head of headsIn(log, ledgers)) if (isMeant(head)) yield head;
  }
  for (const log of logs) {
    let heads = 0;
    for await (const head of headsIn(resolve(log), ledgers)) {
      heads += 1;
      if (isMeant(head)) yield head;
    }
    if (heads === 0) throw withoutHead(log);
  }
}

/**
 * The run logs in the folder of results: those of the stated batches, or all where none is stated, since each log has
 * both heads.
 */
function logsInFolder(app: CallContext, chains: readonly string[] | null): readonly string[] {
  const folder = resolve(app.settings.output.out);
  if (!existsSync(folder)) return [];
  const batches = chains?.filter((chain) => chain !== controlsChain) ?? [];
  const shortIds = new Set(batches.map(shortBatchId));
  return readdirSync(folder).flatMap((name) => {
    const shortId = /\.([0-9a-f]{8})\.run\.jsonl$/.exec(name)?.[1];
    const isRead = shortId !== undefined && (shortIds.size === 0 || shortIds.has(shortId));
    return isRead ? [join(folder, name)] : [];
  });
}

async function* headsIn(log: string, ledgers: ReadonlySet<string>): AsyncGenerator<LoggedHead> {
  for await (const event of readRunLog(log, { events: new Set(['audit.head']), passesOverDamage: true })) {
    if (event.event !== 'audit.head' || !ledgers.has(event.ledger)) continue;
    const { batch: chain, number, hash, controls_number: ofControls, controls_hash: hashOfControls } = event;
    yield { chain, number, hash, log };
    if (ofControls === null || hashOfControls === null) continue;
    yield { chain: controlsChain, number: ofControls, hash: hashOfControls, log };
  }
}

function withoutHead(log: string): PaybatchError {
  return new PaybatchError(
    'log_without_head',
    `The run log ${log} names no head of this ledger's audit trail: it is of another ledger, or its run had no end.`,
    { action: 'check', settings: ['databaseUrl', 'ledgerDir'] },
  );
}
