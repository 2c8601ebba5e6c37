/* Reconciling a batch with an export or a statement, and comparing two files without a batch. */

import type { CallResult } from '../../account/result.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { institutionNamesFor } from '../../check/judging-access.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { AcceptedDifferences, FingerprintCollector } from '../../domain/batches/difference-decisions.ts';
import type { Account } from '../../domain/batches/reconciliation.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import type { TakeDifferences } from '../../domain/rows/row-state.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import * as reconciliations from '../../ledger/after-sending/reconciliations.ts';
import { inScratch, openScratchDatabase } from '../../ledger/connection/open.ts';
import { bindVerbs, type LedgerVerbs } from '../../ledger/verbs.ts';
import { type AccountWatch, accountFor, type EchoReading } from '../account.ts';
import {
  answerDifference,
  contradictionDifference,
  sourceDifference,
  undecidedDifference,
} from '../differences.ts';
import type { ExportSide } from '../export/open-files.ts';
import { nothingReplayed, type ReplayResult } from '../replay.ts';
import {
  type ComparedWith,
  compareBatch,
  compareTwoSides,
  type MatchOptions,
  readMatchOptions,
} from './comparison.ts';
import { openAgainst, requireReadable, withLeftAndRight } from './exports.ts';
import {
  type BatchRequest,
  endWith,
  type ReconciledBatch,
  type Reconciliation,
  type SidesRequest,
  writeReconciledReport,
  writeUndecided,
} from './reconciliation.ts';
import { type OpenedSource, openSource } from './source-file.ts';

/**
 * Accounts for every row of a batch, compares it with the exports that `against` names, and writes and records the
 * result.
 * @param replayFirst sends rows again before that; called only after every file and option was accepted
 */
export async function reconcileBatch(
  app: CallContext,
  access: LedgerAccess,
  batch: BatchRecord,
  request: BatchRequest,
  replayFirst: (() => Promise<ReplayResult | null>) | null,
): Promise<ReconcileResult> {
  const verbs = access.verbsWith(reconciliations);
  const rules = readMatchOptions(request.rules);
  const against = await openAgainst(app, verbs, request.against, batch);
  try {
    const source = await openSource(app, verbs, request, batch);
    try {
      if (replayFirst !== null) await requireReadable(against, batch.kind);
      const replayed = replayFirst === null ? nothingReplayed : await replayFirst();
      const accepted = new AcceptedDifferences(await verbs.listDifferenceDecisions(batch.id));
      const fingerprints = { own: new FingerprintCollector(), compared: new FingerprintCollector() };
      const tell = reporterOf(request.onDifferences, batch, accepted, fingerprints);
      const opened = { against, source, rules, replayed: replayed ?? nothingReplayed, tell, accepted };
      const { reconciliation, account } = await findAndReport(app, access, batch, opened);
      const result = await endWith(
        verbs,
        batch,
        reconciliation,
        account,
        { ...fingerprints, compared: against === null ? null : fingerprints.compared },
        app.actor,
      );
      return { ...result, hadNothingToReplay: replayed === null };
    } finally {
      await source.close();
    }
  } finally {
    await against?.close();
  }
}

/** The result of a reconciliation, and whether rows were to be sent again. */
export interface ReconcileResult extends ReconciledBatch {
  /** Whether rows were to be sent again, but none is unknown. */
  readonly hadNothingToReplay: boolean;
}

interface Opened {
  readonly against: ExportSide | null;
  readonly source: OpenedSource;
  readonly rules: MatchOptions;
  readonly replayed: ReplayResult;
  readonly tell: DifferenceReporter;
  readonly accepted: AcceptedDifferences;
}

async function echoReadingOf(
  { settings }: CallContext,
  verbs: Pick<LedgerVerbs, 'readInstitutionNames'>,
  batch: BatchRecord,
): Promise<(resource: string) => EchoReading> {
  const paths = { customerIdPaths: settings.api.customerIdPath };
  const names = await institutionNamesFor(verbs, batch);
  return (resource) => {
    const { echoes, readAnswer } = definitionNamed(resource);
    return { echoes, objectIn: (json) => readAnswer(json, paths).object, ...names };
  };
}

/** Reads everything in one snapshot of the ledger, so that other runs have no effect. */
async function findAndReport(
  app: CallContext,
  access: LedgerAccess,
  batch: BatchRecord,
  { against, source, rules, replayed, tell, accepted }: Opened,
): Promise<{ reconciliation: Reconciliation; account: BatchAccount }> {
  return inScratch(access.ledger.database, async (scratch) => {
    const verbs = bindVerbs(scratch.database);
    const echoReading = await echoReadingOf(app, verbs, batch);
    const account = await accountFor(batch, verbs, source.source, echoReading, tell.watch);
    await tell.contradictions(account);
    const compared =
      against === null
        ? null
        : await compareBatch(
            app,
            scratch,
            verbs,
            batch,
            against,
            rules,
            account.sums.length > 0,
            tell.compared,
            accepted.isEmpty ? undefined : accepted,
          );
    const foundIds = compared?.comparison.foundIds ?? new Map<number, string>();
    const found = await writeUndecided(app, verbs, batch, foundIds, tell.undecided);
    const reconciliation: Reconciliation = {
      account,
      sourceNote: source.note,
      compared,
      replayed,
      accepted,
      sourceDifferences: tell.sourceDifferences(),
      ...found,
    };
    return { reconciliation, account: await writeReconciledReport(app, verbs, batch, reconciliation) };
  });
}

/**
 * Compares the files of `left` with those of `right`, without a ledger.
 * @throws PaybatchError (`usage`) when one side is missing, or for a file or a mapping that is refused
 */
export function compareTwoFiles(app: CallContext, request: SidesRequest): Promise<ComparedFiles> {
  const rules = readMatchOptions(request.rules);
  return withLeftAndRight(app, request, async (left, right) => {
    const { database, close } = await openScratchDatabase(app.machine.databaseUrl || undefined);
    try {
      const compared = await inScratch(database, (scratch) =>
        compareTwoSides(app, scratch, left, right, rules),
      );
      const outcome = compared.comparison.breakCount > 0 ? 'decision_needed' : 'done';
      return { outcome, batches: [], failure: null, compared };
    } finally {
      await close();
    }
  });
}

/** The result of the comparison of two files. */
export interface ComparedFiles extends CallResult {
  readonly compared: ComparedWith;
}

/* Passes on the differences of a reconciliation as they are found, each row in doubt once. */

/** Reports the differences that the steps of a reconciliation find, and sorts out the accepted ones. */
interface DifferenceReporter {
  readonly watch: AccountWatch;
  readonly contradictions: (account: Pick<Account, 'contradictions'>) => Promise<void>;
  /** For a comparison, which sorts out its accepted lines itself. */
  readonly compared: TakeDifferences;
  readonly undecided: (rows: readonly RowAdvice[]) => Promise<void>;
  /** How many rows differ from the source file so far. */
  readonly sourceDifferences: () => number;
}

/** Creates the reporter of one reconciliation. @param fingerprints gets those of all differences that are no rows in doubt */
function reporterOf(
  receiver: TakeDifferences | undefined,
  batch: BatchRecord,
  accepted: AcceptedDifferences,
  fingerprints: Readonly<Record<'own' | 'compared', FingerprintCollector>>,
): DifferenceReporter {
  const take = receiver ?? (async () => {});
  const { id, header, fileName } = batch;
  // Bounded by the rows in doubt that the other side has, which the comparison also keeps.
  const reportedInDoubt = new Set<number>();
  let sourceDifferences = 0;
  const sortAndTake: TakeDifferences = async (found) => {
    for (const each of found) {
      accepted.accepts(each);
      fingerprints.own.add(each);
    }
    await take(found);
  };
  return {
    watch: {
      source: (row) => {
        sourceDifferences += 1;
        return sortAndTake([sourceDifference(row, header, fileName)]);
      },
      answer: (answer) => sortAndTake([answerDifference(answer)]),
    },
    contradictions: async ({ contradictions }) => {
      if (contradictions.length > 0)
        await sortAndTake(contradictions.map((each) => contradictionDifference(each, id)));
    },
    compared: async (found) => {
      for (const { row, status } of found) {
        if (row !== null && (status === 'unknown' || status === 'held')) reportedInDoubt.add(row);
      }
      for (const each of found) fingerprints.compared.add(each);
      await take(found);
    },
    undecided: async (rows) => {
      const unreported = rows.filter(({ row }) => !reportedInDoubt.has(row));
      if (unreported.length > 0) await take(unreported.map(undecidedDifference));
    },
    sourceDifferences: () => sourceDifferences,
  };
}
