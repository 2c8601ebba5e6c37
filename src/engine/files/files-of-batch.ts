/* The result files and the report of a batch, written from the ledger. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { waitsForApproval } from '../../domain/batches/approval.ts';
import { type BatchRecord, type SupersededCounts, shortBatchId } from '../../domain/batches/batch.ts';
import {
  type BatchFiles,
  type BatchNeed,
  type BatchSummary,
  type ChangesSummary,
  needOf,
  type RowTotals,
} from '../../domain/batches/batch-summary.ts';
import { OpenRowsCounter } from '../../domain/batches/open-rows.ts';
import type { CallOutcome, outcomeOfRows } from '../../domain/failures/paybatch-error.ts';
import { StatusSums } from '../../domain/money/expectation.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import type { LateCreation } from '../../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { ChangesFile } from '../../output/files/changes-file.ts';
import { type WrittenResultFiles, writeResultFiles } from '../../output/files/result-files.ts';
import { readRunHead, runHeadPath } from '../../output/log/run-head.ts';
import { HandedOver, type HandedOverFiles } from '../../output/objects/handed-over.ts';
import { lastReconciliationSections } from '../../output/reconciliation/last.ts';
import { AttentionCollector } from '../../output/report/attention.ts';
import { changesSections } from '../../output/report/changes.ts';
import type { TableSection } from '../../output/report/page.ts';
import { writeReport } from '../../output/report/report.ts';
import {
  approvalHeadline,
  closingHeadline,
  doneHeadline,
  headline,
  refusedAlikeHeadline,
  unansweredHeadline,
  waitingNotes,
} from '../../output/words/wording.ts';
import { readAhead } from '../../pipeline/run/map-in-turns.ts';
import { factColumns } from '../../resources/answer.ts';
import { ownColumnsOf } from '../../resources/own-columns.ts';
import { definitionsOf, kindNamed, ownReferenceOf } from '../../resources/registry.ts';
import { keyLifetimeFor } from '../access/api-access.ts';
import { runLogPath, stemOf } from '../running/batch-paths.ts';
import type { CallContext } from '../running/context.ts';
import { columnChoicesOf, mappingOfBatch, withRefusedColumns } from './column-choices.ts';
import type { ReadRows } from './final-rows-first.ts';
import { knownSource } from './out-folder.ts';
import { ChangesWatch, changesOfBatch } from './payee-changes.ts';
import { withAnsweredObjects, withNamedObjects } from './rows-with-objects.ts';

/** A batch's files as they stand in the folder of results; null for those that are not there. */
export function existingFiles({ settings }: CallContext, batch: BatchRecord): BatchFiles {
  const find = (ending: string): string | null => {
    const path = join(resolve(settings.output.out), `${stemOf(batch)}.${ending}`);
    return existsSync(path) ? path : null;
  };
  return {
    results: find('results.csv'),
    failed: find('failed.csv'),
    failedWorkbook: find('failed.xlsx'),
    log: find('run.jsonl'),
    logHead: find('run.head'),
    report: find('report.html'),
    objects: find('objects.csv'),
    changes: find('changes.csv'),
    instructions: find('instructions.html'),
  };
}

/** Gives a batch's outcome from where its rows stand. */
export type OutcomeOf = (...standing: Parameters<typeof outcomeOfRows>) => CallOutcome;

type OnRows = (rows: readonly ResultRow[]) => Promise<void> | void;

/** Reads every row of a batch once, in input order. */
export type ReadAllRows = (read: ReadRows) => AsyncIterable<readonly ResultRow[]>;

/**
 * Writes a batch's result files and report from the ledger: the same rows give the same files.
 * @param ending the run that is just ending, which the ledger does not know as ended yet
 * @param onRows sees every row on its way into the files, which go on once it is done with its group
 * @param readAll when which rows are read; all at once when absent
 * @throws OutputError when a file cannot be written
 */
export async function writeBatchFiles(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  ending: { readonly runId: string; readonly outcome: OutcomeOf } | null,
  onRows: OnRows = () => {},
  readAll: ReadAllRows = (read) => read(0),
): Promise<BatchSummary> {
  const directory = resolve(app.settings.output.out);
  const attention = new AttentionCollector(batch.header);
  const totals = { sums: new StatusSums(), open: new OpenRowsCounter() };
  const revision = await verbs.readRevision(batch.id);
  const { results, failed, failedWorkbook, failedWorkbookLeftOut, failedRows, counts, ...others } =
    await writeRows(app, verbs, batch, readAll, (rows) => attention.watch(seen(rows, onRows, totals)));
  const { objects, instructions, missingResponses } = others;
  const { changes, path: changesFile } = await writeChanges(verbs, batch, directory);
  const needing = attention.result();
  const { contradicted } = needing;
  const unrecorded = await verbs.listLateCreations(batch.id, mostUnrecordedListed);
  const superseded = await verbs.countSuperseded(batch.id);
  const doubt = await verbs.readRowsInDoubt(batch.id, keyLifetimeFor(app, batch.mode).durationInMs);
  const unanswered = await verbs.readUnanswered(batch.id);
  const refusedAlike = await verbs.findRefusedAlike(batch.id);
  const closing = await verbs.findClosing(batch.id);
  const approval = (await verbs.readApprovals([batch.id])).get(batch.id) ?? null;
  const report = join(directory, `${stemOf(batch)}.report.html`);
  const log = runLogPath(app, batch);
  const logHead = await readRunHead(log);
  const files: BatchFiles = {
    results,
    failed,
    failedWorkbook,
    failedWorkbookLeftOut,
    failedRows,
    log: existsSync(log) ? log : null,
    logHead: logHead === 'missing' ? null : runHeadPath(log),
    report,
    objects,
    changes: changesFile,
    instructions,
  };
  const notes = [
    ...batch.notes,
    ...aboutLostFacts(app, missingResponses, batch),
    ...(failed === null || failedWorkbook !== null ? [] : [tooLargeForWorkbook]),
  ];
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const done = doneHeadline(kindNamed(batch.kind).whatWasDone, rows, counts);
  const now = app.clock.now().toISOString();
  const runs = (await verbs.listRuns(batch.id)).map((run) =>
    run.id === ending?.runId
      ? {
          ...run,
          endedAt: now,
          outcome: ending.outcome(
            ...standingOf({
              counts,
              superseded,
              contradicted,
              unrecorded: unrecorded.length,
              refusedAlike,
              approval,
            }),
          ),
        }
      : run,
  );
  const { own: auditHead } = await verbs.readHeadsOfBatch(batch.id);
  await writeReport({
    path: report,
    file: batch.fileName,
    sheet: batch.sheet,
    kindLabel: kindNamed(batch.kind).label,
    environment: { mode: batch.mode, origin: batch.origin },
    batch: batch.id,
    madeAt: now,
    counts,
    doubt,
    totals: totals.sums.result(),
    headlines: [
      ...[done, headline(rows, counts)],
      ...(unanswered === null ? [] : [unansweredHeadline(unanswered, batch.origin)]),
      ...(refusedAlike === null ? [] : [refusedAlikeHeadline(refusedAlike)]),
      ...(closing === null ? [] : [closingHeadline(closing)]),
      ...(approval === null ? [] : [approvalHeadline(approval)]),
    ],
    attention: needing,
    files,
    runs,
    auditHead,
    logHead: typeof logHead === 'object' ? logHead : null,
    words: app.words,
    approval,
    leading: changesSections(changes),
    sections: [
      ...aboutUnrecorded(unrecorded),
      ...aboutTheFile([...waitingNotes(await verbs.readWaiting(batch.id)), ...notes]),
      ...lastReconciliationSections(await verbs.listReconciliations(batch.id)),
    ],
  });
  const [sums, open] = [totals.sums.result(), totals.open.result()];
  const kept = { counts, contradicted, sums, open };
  await verbs.keepRowTotals(batch.id, revision, kept, needOf(kept, unrecorded.length));
  const { id, kind, fileName: file, sheet } = batch;
  return {
    batch: id,
    kind,
    file,
    sheet,
    rows,
    counts,
    ...(rows === 0 ? {} : { done }),
    totals: sums,
    open,
    contradicted,
    unrecorded: unrecorded.length,
    corrected: supersededRows(superseded),
    superseded,
    doubt,
    unanswered,
    refusedAlike,
    closing,
    approval,
    reasons: needing.groups,
    source: knownSource(app, batch),
    changes,
    planHash: null,
    auditHead,
    files,
    notes,
  };
}

async function writeChanges(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  directory: string,
): Promise<{ readonly changes: ChangesSummary; readonly path: string | null }> {
  const [watch, file] = [new ChangesWatch(), new ChangesFile({ directory, stem: stemOf(batch) })];
  try {
    for await (const group of changesOfBatch(verbs, batch.id)) {
      watch.add(group);
      await file.write(group);
    }
    watch.compare(await verbs.readSeries(batch.id));
    return { changes: watch.result(), path: await file.publish() };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Cells of all rows together that are larger than a workbook can be. */
export const tooLargeForWorkbook =
  'the rows to be corrected are more than a workbook can hold: they are in the CSV file only';

type Watch = (rows: AsyncIterable<readonly ResultRow[]>) => AsyncIterable<readonly ResultRow[]>;

/** Writes the files of rows, and those of the objects that are there, in one walk over the batch. */
async function writeRows(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  readAll: ReadAllRows,
  watch: Watch,
): Promise<WrittenResultFiles & HandedOverFiles> {
  const place = { directory: resolve(app.settings.output.out), stem: stemOf(batch) };
  const columns = factColumns(definitionsOf(batch.kind));
  const mapping = await mappingOfBatch(verbs, batch);
  const own = columns.length === 0 ? [] : ownColumnsOf(batch.kind, batch.header, mapping);
  const handedOver = new HandedOver({
    ...place,
    columns,
    own: own.map(({ name }) => name),
    file: batch.fileName,
    isLive: batch.mode === 'live',
  });
  const ownReference = columns.length === 0 ? ownReferenceOf(batch.kind) : null;
  const read = withRefusedColumns(
    readAll((fromAfter) => verbs.readResultRows(batch.id, ownReference, fromAfter)),
    mapping,
  );
  const answers =
    columns.length === 0
      ? withNamedObjects(read)
      : withAnsweredObjects(read, (rows) => verbs.readKeptAnswers(batch.id, rows), {
          customerIdPaths: app.settings.api.customerIdPath,
          own,
        });
  try {
    const rows = watch(handedOver.watch(readAhead(answers)));
    const workbook = {
      sheet: batch.sheet ?? batch.kind,
      choices: await columnChoicesOf(verbs, batch.id, mapping),
    };
    const input = { header: batch.header, batch: batch.id, rows };
    const written = await writeResultFiles({ ...place, ...input, workbook });
    return { ...written, ...(await handedOver.publish()) };
  } catch (error) {
    await handedOver.discard();
    throw error;
  }
}

/** Said once: a ledger that was rebuilt knows the ids, and what was created on a person's word has no answer. */
function aboutLostFacts(app: CallContext, objects: number, batch: BatchRecord): string[] {
  if (objects === 0 || factColumns(definitionsOf(batch.kind)).length === 0) return [];
  const of = { batch: shortBatchId(batch.id), environment: batch };
  const replay = app.words.remedy({ action: 'reconcile', ...of, replay: true });
  const [subject, their] = objects === 1 ? ['1 object', 'its'] : [`${objects} objects`, 'their'];
  return [
    `what the API answered about ${subject} is not in this ledger: ${their} cells in the objects file are empty (${replay} asks for the answers that a rebuilt ledger lacks)`,
  ];
}

/** How many rows of each status still need somebody or something: a row that is done by its correction needs nobody. */
export function openCountsOf({
  counts,
  superseded,
}: Pick<BatchSummary, 'counts' | 'superseded'>): StatusCounts {
  const { invalid = 0, rejected = 0 } = counts;
  const { invalid: doneInvalid = 0, rejected: doneRejected = 0 } = superseded?.done ?? {};
  return { ...counts, invalid: invalid - doneInvalid, rejected: rejected - doneRejected };
}

function supersededRows({ all: { invalid = 0, rejected = 0 } }: SupersededCounts): number {
  return invalid + rejected;
}

/** What a batch's outcome follows from: rows, what contradicts what they say, and whether its sending was stopped. */
export function standingOf(
  summary: Pick<
    BatchSummary,
    'counts' | 'superseded' | 'contradicted' | 'unrecorded' | 'refusedAlike' | 'approval'
  >,
): Parameters<typeof outcomeOfRows> {
  const { contradicted = 0, unrecorded = 0, refusedAlike = null, approval = null } = summary;
  const stopped = refusedAlike === null ? null : 'refused_alike';
  return [
    openCountsOf(summary),
    contradicted + unrecorded,
    waitsForApproval(approval) ? 'approval' : stopped,
  ];
}

/** What the rows of a batch add up to, as its files tell it, and what is open of it. */
export function rowTotalsOf(summary: BatchSummary): [RowTotals, BatchNeed] {
  const { counts, contradicted = 0, totals: sums = [], open = [], unrecorded = 0 } = summary;
  const totals = { counts, contradicted, sums, open };
  return [totals, needOf(totals, unrecorded)];
}

/** So many objects that no row has are listed in a report. */
const mostUnrecordedListed = 1_000;

/** Objects that the API created for rows which do not have them: answers that came when the row was no longer the sender's. */
function aboutUnrecorded(objects: readonly LateCreation[]): TableSection[] {
  if (objects.length === 0) return [];
  return [
    {
      title: 'Objects that no row has',
      columns: ['Row', 'Object', 'Idempotency key', 'Answered at'],
      rows: objects.map((each) => [String(each.row), each.objectId, each.idempotencyKey, each.notedAt]),
    },
  ];
}

/** What reading the file brought to light: its encoding, hidden sheets, rows above the header. */
export function aboutTheFile(notes: readonly string[]): TableSection[] {
  if (notes.length === 0) return [];
  return [{ title: 'About the file', columns: ['Note'], rows: notes.map((note) => [note]) }];
}

async function* seen(
  groups: AsyncIterable<readonly ResultRow[]>,
  onRows: OnRows,
  { sums, open }: { readonly sums: StatusSums; readonly open: OpenRowsCounter },
): AsyncGenerator<readonly ResultRow[]> {
  for await (const rows of groups) {
    await onRows(rows);
    for (const row of rows) {
      sums.add(row.status, row.money);
      open.add(row);
    }
    yield rows;
  }
}
