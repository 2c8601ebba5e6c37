/* The heads of chains that run logs name: outside of the database, where whoever rewrites it does not reach. */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AuditHead } from '../../domain/batches/audit-head.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { controlsChain } from '../../domain/controls/audit.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readRunLog } from '../../output/log/read-run-log.ts';
import type { RunEvent } from '../../output/log/run-event.ts';
import type { LeasedBatch } from '../../pipeline/staging/stage-input.ts';
import type { CallContext } from '../running/context.ts';

/** A head as a run log names it. */
export interface LoggedHead extends AuditHead {
  readonly chain: string;
  /** The path of the log. */
  readonly log: string;
}

/** The head of a batch's chain at the end of a run, and what the run log says of it; neither where there is no chain. */
export async function headAtEnd(
  verbs: LedgerVerbs,
  { batch, run }: Pick<LeasedBatch, 'batch' | 'run'>,
): Promise<{ readonly head: AuditHead | null; readonly events: readonly RunEvent[] }> {
  const { own, controls } = await verbs.readHeadsOfBatch(batch.id);
  if (own === null) return { head: null, events: [] };
  const event = {
    event: 'audit.head',
    run: run.id,
    ledger: await verbs.readLedgerId(batch.environmentId),
    ...own,
    controls_number: controls?.number ?? null,
    controls_hash: controls?.hash ?? null,
  } as const;
  return { head: own, events: [event] };
}

/**
 * The heads that run logs in the folder of results name, of chains that the ledger has. Logs that another ledger wrote of
 * the same batch say nothing of this one's trail.
 * @param chains of the ledger
 */
export async function* headsInLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  chains: readonly string[],
): AsyncGenerator<LoggedHead> {
  const folder = resolve(app.settings.output.out);
  if (!existsSync(folder)) return;
  const byShortId = new Map(chains.map((chain) => [shortBatchId(chain), chain]));
  for (const name of readdirSync(folder)) {
    const chain = byShortId.get(/\.([0-9a-f]{8})\.run\.jsonl$/.exec(name)?.[1] ?? '');
    if (chain !== undefined) yield* headsIn(verbs, chain, join(folder, name));
  }
}

async function* headsIn(verbs: LedgerVerbs, chain: string, log: string): AsyncGenerator<LoggedHead> {
  const batch = await verbs.findBatch(chain);
  if (batch === undefined) return;
  const ledger = await verbs.readLedgerId(batch.environmentId);
  for await (const event of readRunLog(log, { events: new Set(['audit.head']), passesOverDamage: true })) {
    if (event.event !== 'audit.head' || event.ledger !== ledger || event.batch !== chain) continue;
    const { number, hash, controls_number: ofControls, controls_hash: hashOfControls } = event;
    yield { chain, number, hash, log };
    if (ofControls === null || hashOfControls === null) continue;
    yield { chain: controlsChain, number: ofControls, hash: hashOfControls, log };
  }
}
