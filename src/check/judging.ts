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

/** Options for the check of all tables of a call. */
export interface Judging extends RowAccess {
  /** Called with rows for which the difference of their payee was found only after a table was read to its end. */
  readonly onLateChanges?: (rows: readonly ChangedRow[]) => Promise<void> | void;
  /**
   * Whether rows may refer to rows of a refused file. Rows that are invalid only for such a reference then do not count for
   * the limit of invalid rows.
   */
  readonly isAfterRefusal?: boolean;
  /**
   * Called if the values contradict the reading; when absent, the contradiction is thrown. Set where all findings are
   * wanted, or where the rows were sent under this reading before.
   */
  readonly onContradiction?: (refusal: PaybatchError) => void;
  /**
   * Finds the rows that were sent before, if the ledger does not know that. The cells of these rows were right, and a
   * person may have confirmed them, so doubts from earlier rounds are dropped for them.
   */
  readonly wereSent?: (rows: readonly number[]) => Promise<ReadonlySet<number>>;
  /**
   * Called after the last row with the comparison with the last file of the series; null if no earlier file is known. The
   * comparison is made only if this is set.
   */
  readonly onSeries?: (comparison: SeriesComparison | null) => Promise<void> | void;
  /**
   * Called after the last row with the profile of the columns, and its differences from the last files of the layout. The
   * comparison is made only if this is set. Not called for a table without a known layout.
   */
  readonly onDrift?: (found: DriftResult) => Promise<void> | void;
}

/**
 * Reads one table's rows once, in groups, and checks and compares them. The caller decides what happens to the rows: a plan
 * and an import stage them, a check counts them.
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
    // Reading a large file takes time, so an interruption is checked here. Nothing has been sent at this point.
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
 * Checks the rows of a table, group by group. A reason to refuse the whole file is thrown as soon as it is known.
 * @param validation used only for this table; ended with the table
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

/** Whether a row is invalid only because an object to which it refers does not exist. */
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
