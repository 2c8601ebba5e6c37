/* The result files and the report of a batch, written from the ledger, with what changed since last time. */

import { join, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { type BatchFiles, type ChangesSummary, needOf } from '../../domain/batches/batch-facts.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { factColumns } from '../../kinds/answer.ts';
import { definitionsOf } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type ColumnChoices, choicesIn } from '../files/failed-layout.ts';
import {
  changeRecord,
  changesFile,
  type WrittenResultFiles,
  writeResultFiles,
} from '../files/result-files.ts';
import { HandedOver, type HandedOverFiles } from '../objects/handed-over.ts';
import { existingFiles, placeOf, RowsWalk, readWalkedAccount, stemOf, withEndOf } from '../read-accounts.ts';
import { lastReconciliationSections } from '../reconciliation/report.ts';
import { reportOfBatch, writeReport } from '../report.ts';
import type { Table } from '../table.ts';
import { changesIn } from './changes-of-batch.ts';
import { lostFactsNotes, type ReadAllRows, rowsOfBatch } from './rows-of-batch.ts';

/** Returns the outcome of a run from the account of its batch. */
export type OutcomeOfRun = (account: BatchAccount) => CallOutcome;

type OnRows = (rows: readonly ResultRow[]) => Promise<void> | void;

/**
 * Writes a batch's result files and report from the ledger: the same rows give the same files.
 * @param ending the run that is ending; the ledger does not have its end yet
 * @param onRows called with every group of rows before the group is written; the files wait for it
 * @param readAll decides when rows are read; if absent, all rows are read at once
 * @throws OutputError when a file cannot be written
 */
export async function writeBatchFiles(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  ending: { readonly runId: string; readonly outcome: OutcomeOfRun } | null,
  onRows: OnRows = () => {},
  readAll?: ReadAllRows,
): Promise<BatchAccount> {
  const directory = resolve(app.settings.output.out);
  const walk = new RowsWalk(batch.header);
  const revision = await verbs.readRevision(batch.id);
  const written = await writeRows(app, verbs, batch, { readAll, onRows, walk });
  const { changes, path: changesFile } = await writeChanges(verbs, batch, directory);
  const { totals, attention } = walk.result();
  const report = join(directory, `${stemOf(batch)}.report.html`);
  const { log, logHead = null } = existingFiles(directory, batch);
  const { results, failed, failedWorkbook, failedWorkbookLeftOut, objects, instructions } = written;
  const files: BatchFiles = {
    ...{ results, failed, failedWorkbook, failedWorkbookLeftOut, failedRows: written.failedRows },
    ...{ log, logHead, report, objects, changes: changesFile, instructions },
  };
  const notes = [
    ...batch.notes,
    ...lostFactsNotes(app, batch, written.missingResponses),
    ...(failed === null || failedWorkbook !== null ? [] : [tooLargeForWorkbook]),
  ];
  const seenByCall = { totals, attention, changes, files, notes };
  const read = await readWalkedAccount(verbs, batch, placeOf(app), seenByCall);
  await keepTotals(verbs, read, revision);
  const madeAt = app.clock.now().toISOString();
  const account =
    ending === null
      ? read
      : withEndOf(read, { runId: ending.runId, endedAt: madeAt, outcome: ending.outcome(read) });
  const tables = {
    before: await unrecordedTables(verbs, account),
    behind: lastReconciliationSections(await verbs.listReconciliations(batch.id)),
  };
  await writeReport(report, reportOfBatch(account, { madeAt, words: app.words }, tables));
  return account;
}

/**
 * Stores the totals of a batch's rows in the ledger.
 * @param revision of the batch before its rows were read; if a row has changed since then, nothing is stored
 */
export async function keepTotals(
  verbs: Pick<LedgerVerbs, 'keepRowTotals'>,
  account: BatchAccount,
  revision: string,
): Promise<void> {
  const { id, counts, repeats, contradicted, sums, open, valuesRefusedIn, unrecorded } = account;
  if (sums === null || open === null) throw new Error('the rows of a batch were read and not added up');
  const totals = { counts, repeats, contradicted, sums, open, valuesRefusedIn };
  await verbs.keepRowTotals(id, revision, totals, needOf(totals, unrecorded));
}

async function writeChanges(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  directory: string,
): Promise<{ readonly changes: ChangesSummary; readonly path: string | null }> {
  const file = changesFile({ directory, stem: stemOf(batch) });
  try {
    const changes = await changesIn(verbs, batch.id, (group) => file.write(group.map(changeRecord)));
    return { changes, path: await file.publish() };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The message for rows whose cells are together too large for a workbook. */
export const tooLargeForWorkbook =
  'the rows to be corrected are more than a workbook can hold: they are in the CSV file only';

/** Writes the files of rows and of created objects, in one pass over the batch. */
async function writeRows(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  how: { readonly readAll: ReadAllRows | undefined; readonly onRows: OnRows; readonly walk: RowsWalk },
): Promise<WrittenResultFiles & HandedOverFiles> {
  const place = { directory: resolve(app.settings.output.out), stem: stemOf(batch) };
  const { readAll, onRows, walk } = how;
  const { mapping, own, groups } = await rowsOfBatch(app, verbs, batch, readAll);
  const handedOver = new HandedOver({
    ...place,
    columns: factColumns(definitionsOf(batch.kind)),
    own: own.map(({ name }) => name),
    file: batch.fileName,
    isLive: batch.mode === 'live',
  });
  try {
    const workbook = {
      sheet: batch.sheet ?? batch.kind,
      choices: () => columnChoicesOf(verbs, batch.id, mapping),
    };
    // Each group of rows passes here once, on its way into the result files.
    async function* passing(): AsyncGenerator<readonly ResultRow[]> {
      for await (const { rows, objects } of groups) {
        await handedOver.write(objects);
        await onRows(rows);
        walk.add(rows);
        yield rows;
      }
    }
    const input = { header: batch.header, batch: batch.id, rows: passing() };
    const written = await writeResultFiles({ ...place, ...input, workbook });
    return { ...written, ...(await handedOver.publish()) };
  } catch (error) {
    await handedOver.discard();
    throw error;
  }
}

/** The maximum number of names in a list to choose from. A longer list does not help a person. */
const mostInstitutions = 300;

/**
 * The possible values of those columns of a batch's file that have few values. A person may choose from these values.
 */
async function columnChoicesOf(
  verbs: Pick<LedgerVerbs, 'readPinnedInstitutionNames'>,
  batchId: string,
  mapping: TableMapping | null,
): Promise<readonly ColumnChoices[]> {
  if (mapping === null) return [];
  const institutions = await verbs.readPinnedInstitutionNames(batchId, mostInstitutions);
  return choicesIn(mapping, institutions);
}

/** Maximum of objects without a row that a report lists. */
const mostUnrecordedListed = 1_000;

/**
 * Tables of objects that the API created but that no row has. Their answers arrived when the sender no longer held the
 * row.
 */
export async function unrecordedTables(
  verbs: Pick<LedgerVerbs, 'listLateCreations'>,
  { id, unrecorded }: BatchAccount,
): Promise<readonly Table[]> {
  if (unrecorded === 0) return [];
  const objects = await verbs.listLateCreations(id, mostUnrecordedListed);
  return [
    {
      title: 'Objects that no row has',
      columns: ['Row', 'Object', 'Idempotency key', 'Answered at'],
      rows: objects.map((each) => [String(each.row), each.objectId, each.idempotencyKey, each.notedAt]),
    },
  ];
}

/* Where the run log of a batch is. */

export function runLogPath({ settings }: Pick<CallContext, 'settings'>, batch: BatchRecord): string {
  return join(resolve(settings.output.out), `${stemOf(batch)}.run.jsonl`);
}
