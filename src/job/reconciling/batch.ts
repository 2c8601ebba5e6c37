import type { BatchRecord } from '../../domain/batches/batch.ts';
import { inScratch } from '../../ledger/connection/scratch.ts';
import { bindVerbs, type LedgerVerbs } from '../../ledger/verbs.ts';
import type { BatchSummary } from '../../output/words/json-summary.ts';
import { accountFor } from '../../reconcile/accounting/account.ts';
import type { EchoReading } from '../../reconcile/accounting/echo-check.ts';
import { readMatchOptions } from '../../reconcile/comparing/match-options.ts';
import type { ExportSide } from '../../reconcile/export/open-files.ts';
import { nothingReplayed, type ReplayResult } from '../../reconcile/replaying/replay.ts';
import { definitionNamed } from '../../resources/registry.ts';
import { institutionNamesFor } from '../access/institution-names.ts';
import type { LedgerAccess } from '../access/ledger-access.ts';
import type { JobContext } from '../running/context.ts';
import { compareBatch, type GivenRules } from './comparison.ts';
import { endWith, type ReconciledBatch } from './ending.ts';
import { openAgainst, requireReadable } from './exports.ts';
import { type Reconciliation, writeUndecided } from './reconciliation.ts';
import { writeBatchReport } from './report.ts';
import type { BatchRequest } from './request.ts';
import { type OpenedSource, openSource } from './source.ts';

/**
 * Accounts for every row of a batch, compares it with the exports that `--against` names, and writes
 * and notes what was found.
 * @param replayFirst sends rows again before that; only called once every file and option has been accepted
 */
export async function reconcileBatch(
  app: JobContext,
  access: LedgerAccess,
  batch: BatchRecord,
  request: BatchRequest,
  replayFirst: (() => Promise<ReplayResult | null>) | null,
): Promise<ReconcileResult> {
  const rules = readMatchOptions(request.rules);
  const against = await openAgainst(app, request.against, batch.kind);
  try {
    const source = await openSource(app, access.verbs, request, batch);
    try {
      if (replayFirst !== null) await requireReadable(against, batch.kind);
      const replayed = replayFirst === null ? nothingReplayed : await replayFirst();
      const opened = { against, source, rules, replayed: replayed ?? nothingReplayed };
      const { reconciliation, summary } = await findAndReport(app, access, batch, opened);
      const result = await endWith(access.verbs, batch, reconciliation, summary);
      return { ...result, hadNothingToReplay: replayed === null };
    } finally {
      await source.close();
    }
  } finally {
    await against?.close();
  }
}

/** What a reconciliation found, and whether rows were to be sent again. */
export interface ReconcileResult extends ReconciledBatch {
  /** Rows were to be sent again, and none is unknown. */
  readonly hadNothingToReplay: boolean;
}

interface Opened {
  readonly against: ExportSide | null;
  readonly source: OpenedSource;
  readonly rules: GivenRules;
  readonly replayed: ReplayResult;
}

async function echoReadingOf(
  { settings }: JobContext,
  verbs: Pick<LedgerVerbs, 'readInstitutionNames'>,
  batch: BatchRecord,
): Promise<(resource: string) => EchoReading> {
  const paths = { customerIdPaths: settings['customer-id-path'] };
  const names = await institutionNamesFor(verbs, batch);
  return (resource) => {
    const { echoes, readAnswer } = definitionNamed(resource);
    return { echoes, objectIn: (json) => readAnswer(json, paths).object, ...names };
  };
}

/** Everything is read in one view of the ledger, whatever other runs do meanwhile. */
async function findAndReport(
  app: JobContext,
  access: LedgerAccess,
  batch: BatchRecord,
  { against, source, rules, replayed }: Opened,
): Promise<{ reconciliation: Reconciliation; summary: BatchSummary }> {
  return inScratch(access.ledger.database, async (scratch) => {
    const verbs = bindVerbs(scratch.database);
    const echoReading = await echoReadingOf(app, verbs, batch);
    const account = await accountFor(batch, verbs, source.source, echoReading);
    const compared = against === null ? null : await compareBatch(app, scratch, verbs, batch, against, rules);
    const found = await writeUndecided(app, verbs, batch, compared?.comparison.foundIds ?? new Map());
    const reconciliation: Reconciliation = { account, sourceNote: source.note, compared, replayed, ...found };
    return { reconciliation, summary: await writeBatchReport(app, verbs, batch, reconciliation) };
  });
}
