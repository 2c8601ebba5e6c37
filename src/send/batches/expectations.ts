/*
 * Checks files before they are sent: the choice about hidden rows, the expected totals and number of rows, and control
 * lines.
 */

import { basename } from 'node:path';
import { type LeasedBatch, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError, type Remedy } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import {
  type Difference,
  differencesFrom,
  type Expectation,
  joinSums,
  type ReadSums,
} from '../../domain/money/sums.ts';
import type { ControlTotals, ReadingProfile } from '../../domain/settings/definitions.ts';
import { say } from '../../domain/settings/message.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { placeOf } from '../../read/mapping/table-mapping.ts';
import type { InputTable } from '../../read/rows/input-table.ts';
import type { ControlLine } from '../../read/rows/rows-to-read.ts';

/**
 * Refuses files with hidden rows for which no choice is stated: people forget what a filter hides. Called after every table
 * was read to its end.
 * @throws PaybatchError (`file_refused`)
 */
export function refuseHiddenRows(inputTables: readonly InputTable[]): void {
  for (const { hidden, hiddenChoice, table, fileName } of inputTables) {
    if (hidden.count === 0 || hiddenChoice !== null) continue;
    throw new PaybatchError(
      'hidden_rows',
      `${placeOf(table, fileName)}: ${count(hidden.count)} hidden, and it is not stated whether they count: ${hidden.numbers}.`,
      [{ action: 'advice', text: 'look at them in the file', next: including }, skipping],
    );
  }
}

/** The same check for planned batches. A choice to include their hidden rows has to be recorded before they are sent. */
export async function requireHiddenChoice(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch' | 'chooseHidden'>,
  held: readonly LeasedBatch[],
  { hidden }: Pick<ReadingProfile, 'hidden'>,
): Promise<void> {
  for (const { batch } of held) {
    const reading = (await verbs.findOriginalBatch(batch.id))?.reading;
    if (reading === undefined || reading.hiddenRows === 0 || reading.hiddenChoice !== null) continue;
    if (hidden === 'include') {
      await verbs.chooseHidden(batch.id, 'include');
      continue;
    }
    throw new PaybatchError(
      'hidden_rows',
      `Of batch ${shortBatchId(batch.id)} (${batch.fileName}), ${count(reading.hiddenRows)} hidden in the file, and it is not stated whether they count.`,
      [including, { ...skipping, purpose: 'plan the file again' }],
    );
  }
}

function count(rows: number): string {
  return rows === 1 ? '1 row is' : `${rows} rows are`;
}

const including: Remedy = {
  action: 'set',
  oneOf: [{ setting: 'hidden', value: 'include' }],
  effect: 'sends them like the others',
};

const skipping: Remedy = {
  action: 'set',
  oneOf: [{ setting: 'hidden', value: 'skip' }],
  effect: 'leaves them out',
};

type ExpectedTotals = Pick<ControlTotals, 'expectRows' | 'expectTotal'>;

/** A table of a call, with the totals that were read from it. */
export interface SummedTable {
  readonly name: string;
  /** How the table is read, from its mapping. */
  readonly reading: InputTable['reading'];
  readonly sums: ReadSums;
  /** The control line of the table; only if the table was read in this call and its mapping declares one. */
  readonly control?: ControlLine | undefined;
}

/** Whether the options or a mapping state any expected values. */
export function isAnythingExpected(
  controls: ExpectedTotals,
  inputTables: readonly Pick<InputTable, 'reading'>[],
): boolean {
  return (
    controls.expectRows !== undefined ||
    controls.expectTotal !== undefined ||
    inputTables.some(
      ({ reading: { expectRows, expectTotal, controlLine } }) =>
        expectRows !== undefined || expectTotal !== undefined || controlLine !== undefined,
    )
  );
}

/**
 * Compares what was read with the expected values. The options apply to all tables of the call together, a mapping to the
 * tables that are read with it. If both state a value, the option takes precedence. A control line always applies to its
 * own table.
 * @throws PaybatchError (`file_refused`) that says what differs
 */
export function refuseUnexpected(controls: ExpectedTotals, tables: readonly SummedTable[]): void {
  const stated: Expectation = {
    rows: controls.expectRows ?? null,
    totals: controls.expectTotal ?? null,
  };
  refuseDifferent(stated, tables, '');
  for (const reading of new Set(tables.map((table) => table.reading))) {
    const expected = {
      rows: stated.rows === null ? (reading.expectRows ?? null) : null,
      totals: stated.totals === null ? (reading.expectTotal ?? null) : null,
    };
    const own = tables.filter((table) => table.reading === reading);
    refuseDifferent(expected, own, ' in the mapping');
  }
  for (const table of tables) refuseUncontrolled(table);
}

/** @throws PaybatchError (`file_refused`) for a table whose control line is missing, or has other values */
function refuseUncontrolled(table: SummedTable): void {
  const { control, sums } = table;
  if (control === undefined || !control.isRead) return;
  if (control.found === null) throw noControlLine(table, control);
  const { row, figures } = control.found;
  const currencies = sums.amounts.map(({ currency }) => currency);
  const currency = figures.currency ?? (currencies.length > 1 ? null : (currencies[0] ?? ''));
  if (figures.total !== null && currency === null) throw unclearControlLine(table, row, currencies);
  const totals = figures.total === null ? null : { [currency ?? '']: figures.total };
  const expected = { rows: figures.rows, totals };
  // The control line may count the rows that a person has left out, or it may not count them.
  const { leftOut } = control;
  if (leftOut.sums.rows > 0 && differencesFrom(expected, joinSums([sums, leftOut.sums])).length === 0) return;
  refuseDifferent(expected, [table], ` in the control line, row ${row}`, leftOut.sums.rows);
}

function noControlLine({ name }: SummedTable, { template }: ControlLine): PaybatchError {
  return new PaybatchError(
    'control_line_missing',
    `${namesOf([name])}: no line is what the mapping declares as the control line: ${template}`,
    'find out whether the end of the file is missing; or correct "controlLine" in the mapping',
  );
}

function unclearControlLine(
  { name }: SummedTable,
  row: number,
  currencies: readonly string[],
): PaybatchError {
  return new PaybatchError(
    'control_line_unclear',
    `${namesOf([name])}: the total in the control line, row ${row}, has no currency, and the amounts are in ${currencies.join(' and ')}.`,
    'have the line name the currency, and add {currency} to "controlLine" in the mapping',
  );
}

/** File names for messages. */
function namesOf(names: readonly string[]): string {
  return [...new Set(names.map((name) => (name === '-' ? 'standard input' : basename(name))))].join(', ');
}

/** The same check against the options for batches that are in the ledger already. */
export async function requireExpected(
  verbs: Pick<LedgerVerbs, 'sumRead'>,
  held: readonly LeasedBatch[],
  controls: ExpectedTotals,
): Promise<void> {
  if (!isAnythingExpected(controls, [])) return;
  const tables: SummedTable[] = [];
  for (const { batch } of held) {
    tables.push({ name: batch.fileName, reading: {}, sums: await verbs.sumRead(batch.id) });
  }
  refuseUnexpected(controls, tables);
}

function refuseDifferent(
  expected: Expectation,
  tables: readonly SummedTable[],
  where: string,
  leftOut = 0,
): void {
  if (tables.length === 0) return;
  const found = joinSums(tables.map(({ sums }) => sums));
  const differences = differencesFrom(expected, found);
  const [first] = differences;
  if (first === undefined) return;
  const withoutAmount = found.rows - found.amounts.reduce((sum, { rows }) => sum + rows, 0);
  const unread =
    differences.some(({ kind }) => kind === 'total') && withoutAmount > 0
      ? ` ${countOf(withoutAmount, 'row')} ${withoutAmount === 1 ? 'has' : 'have'} no amount and currency that can be read.`
      : '';
  const notCounted =
    leftOut === 0
      ? ''
      : ` ${countOf(leftOut, 'row')} that ${leftOut === 1 ? 'is left out is' : 'are left out are'} not counted.`;
  throw new PaybatchError(
    first.kind === 'rows' ? 'rows_differ' : 'total_differs',
    `${namesOf(tables.map(({ name }) => name))}: ${differences.map(inWords).join('; ')}.${unread}${notCounted}`,
    say`find out which of them is right; the number that is expected is${where === '' ? say` in ${{ setting: 'expectRows' }} or ${{ setting: 'expectTotal' }}` : where}`,
  );
}

function inWords(difference: Difference): string {
  if (difference.kind === 'rows') {
    const { found, expected } = difference;
    return `there are ${countOf(found, 'row')}, and ${groupedNumber(expected)} are expected`;
  }
  const { currency, found, expected } = difference;
  const amounts = currency === '' ? 'the amounts' : `the amounts in ${currency}`;
  const amount = `${amounts} add up to ${groupedAmount(found, currency)}`;
  if (expected === null) return `${amount}, and none in ${currency} are expected`;
  return `${amount}, and ${groupedAmount(expected, currency)} is expected`;
}
