/* The result files and the report of a batch, written from the ledger, with what changed since last time. */

import { join, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { type BatchFiles, type ChangesSummary, needOf } from '../../domain/batches/batch-facts.ts';
import type { Drift, SeriesComparison } from '../../domain/batches/last-time.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import type { PayeeChange, PayeeChangeCode, ShownChange, ShownPayee } from '../../domain/rows/finding.ts';
import type { ChangedRow, NormalisedRecord, RowOfBatch } from '../../domain/rows/ledger-row.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import { factColumns } from '../../kinds/answer.ts';
import { definitionNamed, definitionsOf } from '../../kinds/registry.ts';
import type { ChangeRecord, EarlierPayeeRow } from '../../ledger/before-sending/payee-changes.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { shownPayeeOf } from '../../watch/payee.ts';
import { mostChangesReported } from '../changes.ts';
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
import { columnChoicesOf, lostFactsNotes, type ReadAllRows, rowsOfBatch } from './rows-of-batch.ts';

/** Returns the outcome of a run from the account of its batch. */
export type OutcomeOfRun = (account: BatchAccount) => CallOutcome;

type OnRows = (rows: readonly ResultRow[]) => Promise<void> | void;

/**
 * Writes a batch's result files and report from the ledger: the same rows give the same files.
 * @param ending the run that is just ending, which the ledger does not know as ended yet
 * @param onRows called with every group of rows before it is written; the files wait for it
 * @param readAll decides when rows are read; all at once when absent
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
 * Keeps the totals of a batch's rows in the ledger.
 * @param revision of the batch before the rows were read; if a row has changed since, nothing is kept
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

/** The cells of all rows together are too large for a workbook. */
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

/** Maximum of objects without a row that a report lists. */
const mostUnrecordedListed = 1_000;

/**
 * Objects that the API created for rows which do not have them: answers that came when the sender no longer held the row.
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

/* What changed since last time, before and after, for files and people. */

/** Watches findings that are written to a file: counts all, and keeps the first. */
export class ChangesWatch {
  readonly #counts: Partial<Record<PayeeChangeCode, number>> = {};
  readonly #shown: ShownChange[] = [];
  /** The comparison of the whole file with the last one of its series. */
  series: SeriesComparison | null = null;
  /** How the columns of the file differ from those of the last file of its layout. */
  drift: readonly Drift[] | null = null;

  add(group: readonly ShownChange[]): void {
    for (const { code } of group) this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    this.#shown.push(...group.slice(0, Math.max(0, mostChangesReported - this.#shown.length)));
  }

  result(): ChangesSummary {
    return { counts: this.#counts, shown: this.#shown, series: this.series, drift: this.drift };
  }
}

/** A batch's findings in the ledger, in the order of its rows. */
export async function* changesOfBatch(
  verbs: Pick<LedgerVerbs, 'readPayeeChanges'>,
  batchId: string,
): AsyncGenerator<readonly ShownChange[]> {
  for await (const page of verbs.readPayeeChanges(batchId)) {
    yield page.map((change) => shownChange(change, batchId));
  }
}

/** The changes of a batch's payees, and the comparison of its file with the last one of its series. */
export async function changesIn(
  verbs: Pick<LedgerVerbs, 'readPayeeChanges' | 'readSeries' | 'readDrift'>,
  batchId: string,
  onGroup: (group: readonly ShownChange[]) => Promise<void> | void = () => {},
): Promise<ChangesSummary> {
  const watch = new ChangesWatch();
  for await (const group of changesOfBatch(verbs, batchId)) {
    watch.add(group);
    await onGroup(group);
  }
  watch.series = await verbs.readSeries(batchId);
  watch.drift = await verbs.readDrift(batchId);
  return watch.result();
}

function shownChange(change: ChangeRecord, batchId: string): ShownChange {
  const { row, code, resource, record, earlierBatch, earlierFile, earlierRow, createdAt } = change;
  return {
    row,
    code,
    before: payeeOf(change.earlierResource, change.earlierRecord),
    after: payeeOf(resource, record),
    amount: record['amount'] ?? null,
    currency: record['currency'] ?? null,
    earlier: {
      batch: earlierBatch === batchId ? null : earlierBatch,
      file: earlierFile,
      row: earlierRow,
      createdAt,
    },
    isStillUsed: change.isStillUsed,
  };
}

function payeeOf(resource: string | null, record: NormalisedRecord): ShownPayee {
  return shownPayeeOf(resource === null ? {} : definitionNamed(resource), record);
}

/** Reads the earlier rows of findings; none where there is no ledger. */
export type FindEarlierPayees = (places: readonly RowOfBatch[]) => Promise<readonly EarlierPayeeRow[]>;

/**
 * The findings of rows that are only checked, group by group. Of an earlier row of the same file only the number and the
 * account are known then. It is named directly after the first row that shares its account.
 */
export class CheckedChanges {
  readonly #fileName: string;
  readonly #findEarlier: FindEarlierPayees;
  /** Rows that are named for a shared account. */
  readonly #sharing = new RowNumbers();

  constructor(fileName: string, findEarlier: FindEarlierPayees) {
    this.#fileName = fileName;
    this.#findEarlier = findEarlier;
  }

  async of(rows: readonly ChangedRow[]): Promise<readonly ShownChange[]> {
    const changed = rows.flatMap((row) => (row.changes ?? []).map((change) => ({ row, change })));
    if (changed.length === 0) return [];
    const places = changed.flatMap(({ change: { earlier } }) =>
      earlier.batch === null ? [] : [{ batch: earlier.batch, row: earlier.row }],
    );
    const found = places.length === 0 ? [] : await this.#findEarlier(places);
    const byPlace = new Map(found.map((each) => [placeName(each), each]));
    return changed.flatMap(({ row, change }) => {
      const shown = checkedChange(row, change, this.#fileName, byPlace);
      if (change.code === 'account_shared') this.#sharing.add(row.row);
      const isOfFile = change.earlier.batch === null;
      return isOfFile && this.#sharing.add(change.earlier.row) ? [shown, seenFromEarlier(shown)] : [shown];
    });
  }
}

/** The same finding, for the earlier row of the file. */
function seenFromEarlier(shown: ShownChange): ShownChange {
  return {
    ...shown,
    row: shown.earlier.row,
    before: shown.after,
    after: shown.before,
    amount: null,
    currency: null,
    earlier: { ...shown.earlier, row: shown.row },
  };
}

/** Row numbers, one bit each. */
class RowNumbers {
  #bits = new Uint8Array(1 << 10);

  /** @returns whether the row is new */
  add(row: number): boolean {
    const [at, bit] = [row >>> 3, 1 << (row & 7)];
    if (at >= this.#bits.length) {
      const before = this.#bits;
      this.#bits = new Uint8Array(2 * at);
      this.#bits.set(before);
    }
    const known = this.#bits[at] ?? 0;
    this.#bits[at] = known | bit;
    return (known & bit) === 0;
  }
}

function placeName({ batch, row }: { readonly batch: string | null; readonly row: number }): string {
  return `${batch} ${row}`;
}

function checkedChange(
  { row, resource, record }: ChangedRow,
  { code, earlier }: PayeeChange,
  fileName: string,
  found: ReadonlyMap<string, EarlierPayeeRow>,
): ShownChange {
  const [other, after] = [found.get(placeName(earlier)), payeeOf(resource, record)];
  return {
    row,
    code,
    before:
      other === undefined
        ? { name: '', account: after.account, institution: '', customer: '' }
        : payeeOf(other.resource, other.record),
    after,
    amount: record['amount'] ?? null,
    currency: record['currency'] ?? null,
    earlier: { ...earlier, file: other?.file ?? fileName, createdAt: other?.createdAt ?? null },
    isStillUsed: earlier.batch === null ? true : null,
  };
}
