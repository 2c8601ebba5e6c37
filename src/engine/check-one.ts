import { join, resolve } from 'node:path';
import { AttentionCollector } from '../account/attention.ts';
import {
  ChangesWatch,
  CheckedChanges,
  type FindEarlierPayees,
} from '../account/batch-files/changes-of-batch.ts';
import { tooLargeForWorkbook } from '../account/batch-files/files-of-batch.ts';
import { choicesIn } from '../account/files/failed-layout.ts';
import { FailedWorkbook } from '../account/files/failed-workbook.ts';
import { type OptionalCsvFile, removeFile } from '../account/files/replacement-file.ts';
import {
  changeRecord,
  changesFile,
  type RowFinding,
  writeFindingsFile,
} from '../account/files/result-files.ts';
import { reportOfCheck, writeReport } from '../account/report.ts';
import type { CallContext } from '../call/context.ts';
import { isInvalidByReferenceAlone, type Judging, judgeInputTable } from '../check/judging.ts';
import { realFileSystem } from '../disk/file-system.ts';
import type { CheckedAccount } from '../domain/batches/account.ts';
import type { SeriesComparison } from '../domain/batches/last-time.ts';
import { AmountSums, type ReadSums, StatusSums } from '../domain/money/sums.ts';
import { type Finding, FindingsTally, noteText, unmasked } from '../domain/rows/finding.ts';
import type { ChangedRow, StagedRow } from '../domain/rows/ledger-row.ts';
import type { FaultyRow } from '../domain/rows/result-row.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import { type Message, plainText } from '../domain/settings/message.ts';
import { placeOf } from '../read/mapping/table-mapping.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import type { DriftResult } from '../watch/drift/drift-watch.ts';

/** A table that was read to its end. */
interface CheckedTable {
  readonly checked: CheckedAccount;
  readonly sums: ReadSums;
  /** Rows that are invalid only because of what they refer to. */
  readonly invalidByReference: number;
}

const statuses: Readonly<Record<StagedRow['state'], ResultStatus>> = {
  staged: 'not_sent',
  // It repeats a row that is ready to be sent, and gets the same result as that row.
  duplicate: 'not_sent',
  invalid: 'invalid',
  existing: 'existing',
  held: 'held',
};

/** How a table is checked. */
interface Checking extends Judging {
  /** The beginning of the names of its result files. */
  readonly stem: string;
  readonly findEarlierPayees?: FindEarlierPayees;
  /** Called with each group of rows before their findings are written. */
  readonly onRows: (group: readonly StagedRow[]) => void;
}

/**
 * Checks all rows of a table and writes the findings: `STEM.findings.csv`, a workbook with the same findings, and a report.
 * @throws OutputError when a file cannot be written; errors of the rows are thrown unchanged
 */
export async function checkOne(
  app: CallContext,
  inputTable: InputTable,
  checking: Checking,
): Promise<CheckedTable> {
  const { stem } = checking;
  const about = placeOf(inputTable.table, nameOf(inputTable));
  app.report({ kind: 'step.started', step: 'checking', about, rows: null });
  const directory = resolve(app.settings.output.out);
  const workbookPath = join(directory, `${stem}.findings.xlsx`);
  const workbook = workbookOf(inputTable, stem, workbookPath);
  try {
    const changes = changesFile({ directory, stem });
    const walk = new CheckWalk(app, inputTable, workbook, changes);
    const { path } = await writeFindingsFile({ directory, stem, findings: walk.findings(checking) });
    const hasWorkbook = await workbook.complete();
    if (hasWorkbook) await workbook.publish();
    else await removeFile(workbookPath);
    const files = {
      findings: path,
      findingsWorkbook: hasWorkbook ? workbookPath : null,
      findingsWorkbookLeftOut: workbook.leftOut,
      changes: await changes.publish(),
    };
    const report = join(directory, `${stem}.report.html`);
    const checked = walk.result({ results: null, failed: null, log: null, report, ...files });
    const madeAt = app.clock.now().toISOString();
    await writeReport(report, reportOfCheck(checked, { madeAt, words: app.words }));
    const sums = { rows: checked.rows, amounts: walk.amounts.result() };
    return { checked, sums, invalidByReference: walk.invalidByReference };
  } catch (error) {
    await workbook.discard();
    throw error;
  } finally {
    app.report({ kind: 'step.ended' });
  }
}

function workbookOf({ table, mapping }: InputTable, stem: string, path: string): FailedWorkbook {
  return new FailedWorkbook({
    path,
    header: table.header,
    batch: null,
    sheet: table.sheet ?? mapping.kind,
    choices: choicesIn(mapping, []),
    files: realFileSystem,
    allRows: `What was found in all of them is in ${stem}.findings.csv, a line for each finding.`,
  });
}

/** Collects counts, totals and findings of a table's rows while they are read. */
class CheckWalk {
  readonly #attention: AttentionCollector;
  readonly #totals = new StatusSums();
  readonly amounts = new AmountSums();
  invalidByReference = 0;
  readonly #changes = new ChangesWatch();
  readonly #app: CallContext;
  readonly #inputTable: InputTable;
  readonly #workbook: FailedWorkbook;
  readonly #changesFile: OptionalCsvFile;
  readonly #tally = new FindingsTally();
  readonly #counts: Partial<Record<ResultStatus, number>> = {};
  readonly #repeats: Partial<Record<ResultStatus, number>> = {};
  #rows = 0;

  constructor(
    app: CallContext,
    inputTable: InputTable,
    workbook: FailedWorkbook,
    changesFile: OptionalCsvFile,
  ) {
    this.#app = app;
    this.#inputTable = inputTable;
    this.#workbook = workbook;
    this.#changesFile = changesFile;
    this.#attention = new AttentionCollector(inputTable.table.header);
  }

  async *findings({
    findEarlierPayees = async () => [],
    onRows,
    ...judging
  }: Checking): AsyncGenerator<RowFinding[]> {
    const changes = new CheckedChanges(this.#inputTable.fileName, findEarlierPayees);
    const take = async (rows: readonly ChangedRow[]): Promise<void> => {
      const changed = await changes.of(rows);
      this.#changes.add(changed);
      await this.#changesFile.write(changed.map(changeRecord));
    };
    const listening = {
      ...judging,
      onSeries: (series: SeriesComparison | null): void => {
        this.#changes.series = series;
      },
      onDrift: ({ drift }: DriftResult): void => {
        this.#changes.drift = drift;
      },
      onLateChanges: take,
    };
    try {
      for await (const group of judgeInputTable(this.#app, listening, this.#inputTable)) {
        onRows(group);
        await take(group);
        this.#app.report({ kind: 'step.advanced', rows: group.length, share: this.#inputTable.readShare() });
        yield await this.#findingsIn(group);
      }
    } catch (error) {
      await this.#changesFile.discard();
      throw error;
    }
  }

  async #findingsIn(group: readonly StagedRow[]): Promise<RowFinding[]> {
    const found: RowFinding[] = [];
    const faulty: FaultyRow[] = [];
    for (const row of group) {
      const ofRow = findingsOf(row);
      this.#count(row, ofRow);
      if (ofRow.length > 0) faulty.push(faultyRow(row, ofRow));
      for (const finding of ofRow) found.push({ row: row.row, finding: this.#inFull(finding, row) });
      if (row.state === 'duplicate') found.push({ row: row.row, finding: repeatOf(row) });
    }
    for (const row of faulty) this.#attention.add(row);
    await this.#workbook.write(faulty);
    return found;
  }

  result(files: CheckedAccount['files']): CheckedAccount {
    const { table, mapping, fileName } = this.#inputTable;
    return {
      id: null,
      place: placeOf(table, nameOf(this.#inputTable)),
      kind: mapping.kind,
      file: fileName,
      sheet: table.sheet,
      rows: this.#rows,
      counts: this.#counts,
      repeats: this.#repeats,
      sums: this.#totals.result(),
      attention: this.#attention.result(),
      findings: this.#tally.result(),
      notes: notesAbout(table, files),
      changes: this.#changes.result(),
      plan: null,
      auditHead: null,
      logHead: null,
      files,
    };
  }

  #count(row: StagedRow, findings: readonly Finding[]): void {
    const status = statuses[row.state];
    this.#rows += 1;
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
    const isRepeat = row.state === 'duplicate';
    if (isRepeat) this.#repeats[status] = (this.#repeats[status] ?? 0) + 1;
    if (isInvalidByReferenceAlone(row)) this.invalidByReference += 1;
    this.#tally.add(row.row, findings, row.notes);
    tallyAliases(this.#tally, row);
    const money = moneyOf(row);
    // A row that repeats another one is about the same payment, so it is not in the totals. Expected totals count every
    // row.
    if (!isRepeat) this.#totals.add(status, money);
    if (money !== undefined) this.amounts.add(money.currency, money.amount);
  }

  /**
   * Returns findings with their full values. Only the owner can read the file of findings, and the checked file has the
   * values anyway.
   */
  #inFull(finding: Finding, { cells }: StagedRow): Finding {
    const cell = cells[this.#inputTable.table.header.indexOf(finding.column)];
    return cell === undefined ? finding : { ...finding, message: unmasked(finding.message, cell) };
  }
}

function nameOf({ fileName }: InputTable): string {
  return fileName === '-' ? 'standard input' : fileName;
}

function notesAbout(table: InputTable['table'], files: CheckedAccount['files']): readonly Message[] {
  const { findingsWorkbook = null, findingsWorkbookLeftOut = 0 } = files;
  const isMissing = findingsWorkbook === null && findingsWorkbookLeftOut > 0;
  return isMissing ? [...table.notes, tooLargeForWorkbook] : table.notes;
}

/** Without a definition, it is unknown how the amount of an invalid row has to be read. */
function moneyOf({ resource, state, record }: StagedRow): { currency: string; amount: string } | undefined {
  const { amount, currency } = record;
  const isUnknown = resource === null && state === 'invalid';
  return isUnknown || amount === undefined || currency === undefined ? undefined : { currency, amount };
}

function faultyRow(row: StagedRow, findings: readonly Finding[]): FaultyRow {
  const [first] = findings;
  return {
    row: row.row,
    cells: row.cells,
    status: statuses[row.state],
    objectId: row.objectId,
    code: first?.code ?? null,
    field: first?.column ?? null,
    message: first === undefined ? null : plainText(first.message),
    notes: row.notes.map(noteText),
    findings,
  };
}

/** A row that is held because of data in the ledger has a reason, but no finding. */
function findingsOf({ findings, state, reason }: StagedRow): StagedRow['findings'] {
  if (findings.length > 0 || state !== 'held' || reason === null) return findings;
  const { code, field, message } = reason;
  return [{ severity: 'held', field: field ?? '', column: field ?? '', code, message }];
}

/** Counts the probable meanings of unknown values, for a person who writes the mapping. */
function tallyAliases(tally: FindingsTally, { findings, record }: StagedRow): void {
  for (const { field, nearest } of findings) {
    const [value, first] = [record[field], nearest?.[0]];
    if (value !== undefined && first !== undefined) tally.addAlias(field, value, first);
  }
}

/**
 * A finding for a row that repeats another one. This is not a mistake, but a person who checks the number of rows wants to
 * see such rows.
 */
function repeatOf({ sameAs }: StagedRow): RowFinding['finding'] {
  return { column: '', code: 'duplicate', message: `the same as row ${sameAs}; it is sent once` };
}
