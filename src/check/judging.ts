/* Checks the rows of one table, with the rules of the installation. */

import type { CallContext } from '../call/context.ts';
import type { SeriesComparison } from '../domain/batches/last-time.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ChangedRow, StagedRow } from '../domain/rows/ledger-row.ts';
import type { InvalidLimit } from '../domain/settings/definitions.ts';
import { say } from '../domain/settings/message.ts';
import type { SourceRow, SourceTable } from '../domain/tables/table.ts';
import { createRowChecker } from '../kinds/fields/row-checker.ts';
import { namingColumns } from '../kinds/own-columns.ts';
import { allDefinitions } from '../kinds/registry.ts';
import { readingRulesOf } from '../read/mapping/mapping-file.ts';
import { placeOf } from '../read/mapping/table-mapping.ts';
import { attachEarlierValues, withoutDoubts } from '../read/rows/corrections.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import type { DriftResult } from '../watch/drift/drift-watch.ts';
import { PayeeWatch } from '../watch/payee-watch.ts';
import type { RowAccess } from './judging-access.ts';
import { driftRefusal, watchReading } from './reading-contradiction.ts';
import { createValidation, type Validation } from './validation.ts';

/** How the rows of every table of a call are judged. */
export interface Judging extends RowAccess {
  /** Called with rows whose payees were found to differ only once a table was read to its end. */
  readonly onLateChanges?: (rows: readonly ChangedRow[]) => Promise<void> | void;
  /** Whether rows may refer to those of a refused file: then such a reference alone is no reason to refuse them. */
  readonly isAfterRefusal?: boolean;
  /**
   * Called when the values contradict the reading, where this is not thrown: all findings are wanted, or the rows were
   * sent under this reading before.
   */
  readonly onContradiction?: (refusal: PaybatchError) => void;
  /**
   * Which of these rows were sent before, where the ledger does not know that: then their cells were right, and a person
   * may have confirmed them. Their earlier rounds are not used against them.
   */
  readonly wereSent?: (rows: readonly number[]) => Promise<ReadonlySet<number>>;
  /**
   * Called after the last row with the comparison with the last file of the series, null where there is none. The table
   * is compared only for this.
   */
  readonly onSeries?: (comparison: SeriesComparison | null) => Promise<void> | void;
  /**
   * Called after the last row with what the columns hold, and how that differs from the last files of the layout. The table
   * is compared only for this; it is not called for a table of no known layout.
   */
  readonly onDrift?: (found: DriftResult) => Promise<void> | void;
}

/**
 * Walks over one table's rows once, in groups: they are judged and compared. What is done with a row is the caller's:
 * a plan and an import stage it, a check counts it.
 * @throws PaybatchError (`file_refused`) when the whole table is refused; (`interrupted`) when the person interrupts
 */
export async function* judgeInputTable(
  app: CallContext,
  judging: Judging,
  inputTable: InputTable,
): AsyncGenerator<StagedRow[]> {
  const { references, directory, corrections, payees, endedBefore, findSeries, findDrift } = judging;
  const { isAfterRefusal = false, onLateChanges, wereSent, onSeries, onDrift } = judging;
  const { onContradiction: refuse = refuseTable } = judging;
  const [reading, today] = [readingRulesOf(inputTable.reading), app.clock.now().toISOString().slice(0, 10)];
  const checker = createRowChecker({
    mapping: inputTable.mapping,
    reading,
    today,
    headerWidth: inputTable.table.header.length,
    rules: inputTable.rules,
  });
  const place = placeOf(inputTable.table, inputTable.fileName);
  const watch = watchReading({
    mapping: inputTable.mapping,
    stated: inputTable.reading,
    reading,
    today,
    place,
    path: inputTable.path,
    areSomeRows: inputTable.firstInput !== undefined,
  });
  inputTable.corrected.rows = 0;
  const validation = createValidation({
    place,
    watch,
    checker,
    mapping: inputTable.mapping,
    references,
    directory,
    endedBefore: endedBefore && (() => endedBefore(inputTable)),
    attachEarlier: async (rows) => {
      const attached = await attachEarlierValues(rows, inputTable.table.header, corrections, place);
      inputTable.corrected.rows += attached.filter((row) => row.corrects !== undefined).length;
      if (wereSent === undefined) return attached;
      const sent = await wereSent(attached.map(({ number }) => number));
      return attached.map((row) => (sent.has(row.number) ? withoutDoubts(row) : row));
    },
  });
  const limit = app.settings.controls.maxInvalid ?? null;
  const counts = (row: StagedRow): boolean => !isAfterRefusal || !isInvalidByReferenceAlone(row);
  const judged = judgeTable(inputTable.table, inputTable, validation, limit, counts, refuse);
  const { mapping, table } = inputTable;
  const options = {
    isHeld: app.settings.controls.changes === 'hold',
    namingColumns: namingColumns(mapping.kind, table.header, mapping),
    onLate: onLateChanges,
  };
  const groups = payees === undefined ? judged : new PayeeWatch(payees(inputTable), options).judgeAll(judged);
  const series = onSeries === undefined ? undefined : await findSeries?.(inputTable);
  const compared = series === undefined ? groups : series.follow(groups);
  const drift = onDrift === undefined ? undefined : await findDrift?.(inputTable);
  for await (const group of drift === undefined ? compared : drift.follow(compared)) {
    // A large file takes a while to read; an interruption then has sent nothing.
    if (app.interrupted.aborted) {
      const message = 'Interrupted while the files were read: nothing was sent.';
      throw new PaybatchError('interrupted', message, { action: 'again' });
    }
    yield group;
  }
  await onSeries?.(series === undefined ? null : await series.result());
  if (drift === undefined) return;
  const found = await drift.result();
  await onDrift?.(found);
  const refusal = driftRefusal(inputTable, found, place);
  if (refusal !== null) refuse(refusal);
}

/**
 * The rows of a table, judged group by group; the reason to refuse the whole file is thrown during it.
 * @param validation for this table alone; ended with the table
 * @param limit how many invalid rows a file may have; null for any number
 * @param counts which invalid rows count for the limit; all when absent
 * @param refuse called when the values contradict the reading
 */
export async function* judgeTable(
  table: SourceTable,
  { fileName, path }: { readonly fileName: string; readonly path: string },
  validation: Validation,
  limit: InvalidLimit | null,
  counts: (row: StagedRow) => boolean = () => true,
  refuse: (refusal: PaybatchError) => void = refuseTable,
): AsyncGenerator<StagedRow[]> {
  const unnamed = table.header.flatMap((title, index) => (title === '' ? [index] : []));
  const place = placeOf(table, fileName);
  let rows = 0;
  let invalid = 0;
  try {
    for await (const group of table.rows()) {
      refuseUnnamedValues(group, unnamed, { place, path });
      const judged = await validation.judge(group);
      rows += judged.length;
      invalid += judged.filter((row) => row.state === 'invalid' && counts(row)).length;
      if (limit !== null && 'rows' in limit && isBeyond(limit, invalid, rows)) {
        throw tooManyInvalid({ place, path }, invalid, rows, limit);
      }
      yield judged;
    }
    const refusal = validation.refusal();
    if (refusal !== null) refuse(refusal);
  } finally {
    validation.end();
  }
  if (limit !== null && isBeyond(limit, invalid, rows)) {
    throw tooManyInvalid({ place, path }, invalid, rows, limit);
  }
}

function refuseTable(refusal: PaybatchError): never {
  throw refusal;
}

const unknownCodes: ReadonlySet<string> = new Set(
  allDefinitions.flatMap(({ references }) => references.map(({ unknownCode }) => unknownCode)),
);

/** Whether a row is invalid only because an object that it refers to does not exist. */
export function isInvalidByReferenceAlone({ state, findings }: StagedRow): boolean {
  return (
    state === 'invalid' &&
    findings.every(({ severity, code }) => severity !== 'invalid' || unknownCodes.has(code))
  );
}

/** Whether a table has more invalid rows than its limit allows. */
export function isBeyond(limit: InvalidLimit, invalid: number, rows: number): boolean {
  return 'rows' in limit ? invalid > limit.rows : invalid * 100 > limit.percent * rows;
}

function refuseUnnamedValues(
  rows: readonly SourceRow[],
  unnamed: readonly number[],
  { place, path }: { readonly place: string; readonly path: string },
): void {
  for (const index of unnamed) {
    const row = rows.find(({ cells }) => (cells[index] ?? '').trim() !== '');
    if (row === undefined) continue;
    throw new PaybatchError(
      'unnamed_column',
      `${place}: column ${index + 1} has no name in the header, but row ${row.number} has a value in it.`,
      {
        action: 'mapping',
        file: path,
        effect: 'proposes to leave such a column out; or name it in the header, or empty it',
      },
    );
  }
}

function tooManyInvalid(
  { place, path }: { readonly place: string; readonly path: string },
  invalid: number,
  rows: number,
  limit: InvalidLimit,
): PaybatchError {
  const allowed = 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
  return new PaybatchError(
    'too_many_invalid',
    say`${place}: ${invalid} of the first ${rows} rows ${invalid === 1 ? 'is' : 'are'} invalid, and ${{ setting: 'maxInvalid' }} allows ${allowed}.`,
    { action: 'validate', files: [path], asRead: true, effect: 'lists the findings' },
  );
}
