/* The request of a reconciliation, and its end: its files, its report, its outcome. */

import { join, resolve } from 'node:path';
import { changesIn } from '../../account/batch-files/changes-of-batch.ts';
import { unrecordedTables } from '../../account/batch-files/files-of-batch.ts';
import { lostFactsNotes, rowsOfBatch } from '../../account/batch-files/rows-of-batch.ts';
import { existingFiles, placeOf, RowsWalk, readWalkedAccount, stemOf } from '../../account/read-accounts.ts';
import { type BreakLine, firstTexts } from '../../account/reconciliation/comparison.ts';
import { writeVerdictsFile } from '../../account/reconciliation/files.ts';
import type { ReplayFigures } from '../../account/reconciliation/report.ts';
import * as sections from '../../account/reconciliation/report.ts';
import { reportOfBatch, writeReport } from '../../account/report.ts';
import type { CallResult } from '../../account/result.ts';
import type { Table } from '../../account/table.ts';
import { keyLifetimeFor } from '../../call/api-access.ts';
import type { Actor, CallContext } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { AcceptedDifferences } from '../../domain/batches/difference-decisions.ts';
import type { Account, ReconciliationFigures } from '../../domain/batches/reconciliation.ts';
import { type CallOutcome, PaybatchError, type Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import type { DifferenceKind, TakeDifferences } from '../../domain/rows/row-state.ts';
import { type Message, plainText, withoutStop } from '../../domain/settings/message.ts';
import type * as reconciliations from '../../ledger/after-sending/reconciliations.ts';
import type { FoundInParts } from '../../ledger/after-sending/reconciliations.ts';
import type { VerdictRecord } from '../../ledger/after-sending/verdicts.ts';
import type { LedgerVerbs, VerbsWith } from '../../ledger/verbs.ts';
import { hasDifferences } from '../account.ts';
import { missingFactsTexts, type Origin, originTexts, type ReplayResult } from '../replay.ts';
import { adviceOn } from '../verdicts/waiting-rows.ts';
import type { ComparedWith, GivenMatchOptions } from './comparison.ts';

/** Accounts for every row of a batch, and compares it with exports of the other side. */
export interface BatchRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Paths of the other side's exports; empty for no comparison. */
  readonly against: readonly string[];
  readonly rules: GivenMatchOptions;
  /** Path of the imported file; looked for under its name in the working folder when absent. */
  readonly source?: string | undefined;
  /** Path of the mapping that it was imported with. */
  readonly sourceMapping?: string | undefined;
  /** Sends unknown rows again under their own keys first. */
  readonly replay: boolean;
  /** Receives every difference with the values of both sides, accepted ones as well. */
  readonly onDifferences?: TakeDifferences;
  /** Accepts the differences of some kinds that are found. */
  readonly accept?: AcceptRequest | undefined;
}

/** A person's word on all differences of some kinds. */
interface AcceptRequest {
  readonly kinds: readonly DifferenceKind[];
  readonly note: string;
  /** The hash of the differences that the person has seen; without it they are only counted. */
  readonly selection?: string | undefined;
}

/** Compares two files with each other, without a ledger. */
export interface SidesRequest {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly rules: GivenMatchOptions;
}

/** The failure (`usage`) of a call of `reconcile` that has contradictory or missing options. */
export function reconcileUsage(message: Message): PaybatchError {
  return new PaybatchError('usage', message, { action: 'help', of: 'reconcile' });
}

/** The result of one reconciliation of a batch. */
export interface Reconciliation extends UndecidedRows {
  readonly account: Account;
  /** Why the source file was not compared; empty when it was. */
  readonly sourceNote: Message;
  /** Null when there was no export to compare with. */
  readonly compared: ComparedWith | null;
  readonly replayed: ReplayResult;
  /** The differences that a person has accepted; they need no person any more. */
  readonly accepted: AcceptedDifferences;
  /** How many rows differ from the source file. */
  readonly sourceDifferences: number;
}

/** The rows that wait for a person's verdict. */
interface UndecidedRows {
  /** The first of them. */
  readonly undecided: readonly RowAdvice[];
  readonly undecidedCount: number;
  /** The verdicts file to fill in; null when no row waits for a verdict. */
  readonly verdicts: string | null;
}

const undecidedShown = 10;

/**
 * Writes the verdicts file, and keeps its first rows for display.
 * @param foundIds ids that the other side has for doubtful rows, by row
 * @param tell called with each of the rows
 */
export async function writeUndecided(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  foundIds: ReadonlyMap<number, string>,
  tell: (rows: readonly RowAdvice[]) => Promise<void>,
): Promise<UndecidedRows> {
  const undecided: RowAdvice[] = [];
  const { durationInMs } = keyLifetimeFor(app, batch.mode);
  let undecidedCount = 0;
  async function* watched(): AsyncGenerator<RowAdvice[]> {
    for await (const group of verbs.readUndecidedRows(batch.id)) {
      const read = group.map((row) => adviceOn(row, durationInMs, foundIds.get(row.row)));
      undecidedCount += read.length;
      undecided.push(...read.slice(0, Math.max(0, undecidedShown - undecided.length)));
      await tell(read);
      yield read;
    }
  }
  const verdicts = await writeVerdictsFile(
    resolve(app.settings.output.out),
    stemOf(batch),
    watched(),
    foundIds,
  );
  return { undecided, undecidedCount, verdicts };
}

/** The figures of a replay, as the terminal and the report show them. */
export function replayFigures({ replayed }: Pick<Reconciliation, 'replayed'>): ReplayFigures {
  const textOf = (origin: Origin | null): string =>
    origin === null ? 'no conclusive answer' : originTexts[origin];
  return {
    rows: replayed.rows,
    origins: [...replayed.origins].map(([origin, rows]) => ({ origin: textOf(origin), rows })),
    first: replayed.first.map(({ row, state, origin }) => ({ row, status: state, origin: textOf(origin) })),
    filledFacts: replayed.facts.filled,
    missingFacts: [...replayed.facts.missing].map(([reason, rows]) => ({
      reason: missingFactsTexts[reason],
      rows,
    })),
  };
}

/** The result of a reconciliation of a batch. */
export interface ReconciledBatch extends CallResult {
  readonly batch: BatchRecord;
  readonly reconciliation: Reconciliation;
  /** Its id in the ledger. */
  readonly recordedAs: string;
  readonly batches: readonly [BatchAccount];
  readonly figures: ReconciliationFigures;
  /** The first 1,000 verdicts so far, oldest first. */
  readonly verdicts: readonly VerdictRecord[];
}

/**
 * Records the result of a reconciliation permanently in the ledger, and returns the outcome.
 * @param fingerprints of its differences, which are listed as work while they are open
 * @param by the requester and the channel
 */
export async function endWith(
  verbs: VerbsWith<typeof reconciliations>,
  batch: BatchRecord,
  reconciliation: Reconciliation,
  account: BatchAccount,
  fingerprints: FoundInParts,
  by: Actor,
): Promise<ReconciledBatch> {
  const { account: accounted, compared, undecidedCount, replayed } = reconciliation;
  const isBroken =
    hasDifferences(accounted, reconciliation.accepted, reconciliation.sourceDifferences) ||
    (compared?.comparison.breakCount ?? 0) > 0;
  const outcome: CallOutcome = isBroken || undecidedCount > 0 ? 'decision_needed' : 'done';
  const figures: ReconciliationFigures = {
    account: accounted,
    doubts: undecidedCount,
    // The first of them, by row.
    replayed: replayed.first,
    replayedRows: replayed.rows,
    facts: {
      filled: replayed.facts.filled,
      missing: [...replayed.facts.missing].map(([reason, rows]) => ({ reason, rows })),
    },
    comparison: compared?.figures ?? null,
    accepted: [...reconciliation.accepted.counts()],
  };
  const compareFacts = { source: accounted.source !== null, against: compared?.facts ?? null };
  const made = { compared: compareFacts, result: figures, madeBy: by.name, channel: by.channel, outcome };
  const recordedAs = await verbs.addReconciliation(batch.id, made, fingerprints);
  const verdicts = await verbs.listVerdicts(batch.id, 1_000);
  const { own: auditHead } = await verbs.readHeadsOfBatch(batch.id);
  return {
    outcome,
    batches: [{ ...account, auditHead }],
    failure: null,
    batch,
    reconciliation,
    recordedAs,
    figures,
    verdicts,
  };
}

/** Paths of the files that a reconciliation wrote beside the report; null for those that it did not. */
export function writtenFiles({ verdicts, compared }: Reconciliation): Record<string, string | null> {
  return { verdicts, breaks: compared?.files.breaks ?? null, pairs: compared?.files.pairs ?? null };
}

/* The account of a reconciled batch, and its report with the reconciliation's result. */

/** Rewrites the batch's report, with tables about this reconciliation; its other files stay unchanged. */
export async function writeReconciledReport(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  reconciliation: Reconciliation,
): Promise<BatchAccount> {
  const walk = new RowsWalk(batch.header);
  let missingResponses = 0;
  const { groups } = await rowsOfBatch(app, verbs, batch);
  for await (const group of groups) {
    walk.add(group.rows);
    missingResponses += group.objects.filter(({ facts }) => facts === null).length;
  }
  const report = join(resolve(app.settings.output.out), `${stemOf(batch)}.report.html`);
  const files = { ...existingFiles(app.settings.output.out, batch), report };
  const account = await readWalkedAccount(verbs, batch, placeOf(app), {
    ...walk.result(),
    changes: await changesIn(verbs, batch.id),
    files: { ...files, verdicts: reconciliation.verdicts },
    notes: [...batch.notes, ...lostFactsNotes(app, batch, missingResponses)],
  });
  const tables = {
    before: await unrecordedTables(verbs, account),
    behind: reconciliationTables(reconciliation, app.words),
  };
  const made = { madeAt: app.clock.now().toISOString(), words: app.words };
  const { sentences, ...rest } = reportOfBatch(account, made, tables);
  const { compared } = reconciliation;
  const first = compared === null ? [] : firstTexts(compared.figures);
  await writeReport(report, {
    ...rest,
    sentences: [
      ...sentences,
      ...first.map((text) => ({ tone: 'plain', text: withoutStop(plainText(text)) }) as const),
    ],
  });
  return account;
}

/** The result of a reconciliation, as tables of a report or a page. */
function reconciliationTables(reconciliation: Reconciliation, words: Phrasebook): Table[] {
  const { account, sourceNote, compared, undecided, undecidedCount, verdicts } = reconciliation;
  return [
    sections.accountSection(account, sourceNote),
    sections.replaySection(replayFigures(reconciliation)),
    sections.factsSection(replayFigures(reconciliation)),
    sections.undecidedSection(undecided, undecidedCount, verdicts, words),
    ...(compared === null
      ? []
      : [
          sections.statesSection(compared.figures),
          sections.breaksSection(
            breakLinesOf(compared),
            compared.figures.breakCount,
            compared.files.breaks,
            words,
          ),
        ]),
    sections.acceptedSection(reconciliation.accepted.counts()),
  ];
}

/** The first differences as the terminal and the report show them. */
export function breakLinesOf({ comparison, names }: ComparedWith): BreakLine[] {
  return comparison.breaks.map(({ state, here, there, differences, evidence, action }) => ({
    state,
    differences,
    evidence,
    action,
    hereRow: here?.row ?? null,
    thereRow: there?.row ?? null,
    thereFile: there === null || names.there.length === 1 ? null : (names.there[there.file] ?? null),
  }));
}
