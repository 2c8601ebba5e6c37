/* Which rows of a table are read: its control line, example rows and hidden rows are removed and counted. */

import type { HiddenChoice } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { compareDecimals, parseNumberText } from '../../domain/money/money.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { ruleOf } from '../../kinds/registry.ts';
import { templateOf } from '../../kinds/template.ts';
import { type ControlFigures, createControlLineCheck } from '../mapping/mapping-schema.ts';
import { CountedRows } from './prepared-rows.ts';
import type { SumsOfLeftOut } from './row-sums.ts';

/**
 * The control line that a mapping declares, and its figures in the table; known once the table was read to its end.
 */
export interface ControlLine {
  readonly template: string;
  /** False for a table whose rows were not read, since its batch is in the ledger already. */
  isRead: boolean;
  /** The rows that a person has left out, which the line may count; those of the newest reading. */
  readonly leftOut: SumsOfLeftOut;
  found: { readonly row: number; readonly figures: ControlFigures } | null;
}

/**
 * Removes the declared control line from a table's rows, or from above the header, and reports its figures in the
 * table's notes. The caller compares them with the rows.
 *
 * @param place the table, as messages name it
 * @throws PaybatchError (`file_refused`), while the rows are read, at a second line that is the control line
 */
export function withControlLine(
  table: SourceTable,
  {
    template,
    reading,
    leftOut,
  }: { readonly template: string; readonly reading: ReadingRules; readonly leftOut: SumsOfLeftOut },
  place: string,
): { readonly table: SourceTable; readonly control: ControlLine } {
  const check = createControlLineCheck(template, reading);
  const control: ControlLine = { template, isRead: false, leftOut, found: null };
  const isControl = (row: SourceRow): boolean => {
    const figures = check(row);
    if (figures === undefined) return false;
    if (control.found !== null) {
      throw new PaybatchError(
        'control_line_repeated',
        `${place}: row ${control.found.row} and row ${row.number} are both what the mapping declares as the control line.`,
        'take out the line that does not speak of the whole file, or correct "controlLine" in the mapping',
      );
    }
    control.found = { row: row.number, figures };
    return true;
  };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    Object.assign(control, { isRead: false, found: null });
    for (const row of table.above ?? []) isControl(row);
    for await (const group of table.rows()) {
      const kept = group.filter((row) => !isControl(row));
      if (kept.length > 0) yield kept;
    }
    control.isRead = true;
  };
  return {
    control,
    table: tableLike(table, { rows, notes: () => [...table.notes, ...notesOf(control)] }),
  };
}

function notesOf({ found }: ControlLine): string[] {
  if (found === null) return [];
  const { rows, total, currency } = found.figures;
  const figures = [
    ...(rows === null ? [] : [`${rows} ${rows === 1 ? 'row' : 'rows'}`]),
    ...(total === null ? [] : [currency === null ? total : `${currency} ${total}`]),
  ];
  return [`the control line, row ${found.row}, says ${figures.join(' and ')}; compared with what was read`];
}

/** With fewer cells than these, a row is not recognised as an example. */
const fewestCells = 4;

/**
 * Leaves out the example rows of paybatch's own templates, and hidden rows if a person has said so. The table's notes
 * name the rows that are left out or hidden; both are complete once the table was read to its end.
 */
export function rowsToRead(
  table: SourceTable,
  mapping: TableMapping,
  choice: HiddenChoice | null,
  leftOut: SumsOfLeftOut | null = null,
): { readonly table: SourceTable; readonly hidden: CountedRows } {
  const hidden = new CountedRows();
  const examples = new CountedRows();
  const isExample = exampleCheck(mapping);
  const isMeant = (row: SourceRow): boolean => {
    const isLeftOut = isExample(row);
    if (isLeftOut) examples.add(row.number);
    if (row.isHidden !== true && table.isHidden !== true) return !isLeftOut;
    hidden.add(row.number);
    if (!isLeftOut && choice === 'skip') leftOut?.add(row);
    return !isLeftOut && choice !== 'skip';
  };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    hidden.clear();
    examples.clear();
    leftOut?.clear();
    for await (const group of table.rows()) {
      const meant = group.filter(isMeant);
      if (meant.length > 0) yield meant;
    }
  };
  return {
    hidden,
    table: tableLike(table, {
      rows,
      notes: () => [...table.notes, ...hiddenNotes(hidden, choice), ...exampleNotes(examples)],
    }),
  };
}

/** Whether a table has anything hidden. */
export async function hasHiddenRows(table: SourceTable): Promise<boolean> {
  for await (const group of table.rows()) {
    if (table.isHidden === true || group.some(({ isHidden }) => isHidden)) return true;
  }
  return false;
}

function hiddenNotes(hidden: CountedRows, choice: HiddenChoice | null): Message[] {
  if (hidden.count === 0) return [];
  const rows = `${countOfRows(hidden, 'hidden row')}: ${hidden.numbers}`;
  if (choice === 'skip') return [say`${rows}; left out, as ${{ setting: 'hidden' }} says`];
  if (choice === 'include') return [say`${rows}; read like the others, as ${{ setting: 'hidden' }} says`];
  return [say`${rows}; nothing is sent before ${{ setting: 'hidden' }} says what is meant`];
}

function exampleNotes(examples: CountedRows): string[] {
  if (examples.count === 0) return [];
  return [`${countOfRows(examples, 'example row')} of the template left out: ${examples.numbers}`];
}

function countOfRows({ count }: CountedRows, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Recognises an unchanged example row of a template. */
function exampleCheck({ kind, columns }: TableMapping): (row: SourceRow) => boolean {
  const template = templateOf(kind, null);
  const ownColumns = columns.flatMap(({ field, index }) => (index === null ? [] : [{ field, index }]));
  const examples = template.exampleRows.map((cells) => {
    const values = new Map(template.columns.map(({ name }, at) => [name, cells[at] ?? '']));
    return ownColumns.map(({ field, index }) => ({
      index,
      value: values.get(field) ?? '',
      isAmount: ruleOf(kind, field)?.type === 'amount',
    }));
  });
  const possible = examples.filter(
    (example) => example.filter(({ value }) => value !== '').length >= fewestCells,
  );
  return ({ cells }) =>
    possible.some((example) =>
      example.every(({ index, value, isAmount }) => {
        const cell = unprotectCell(cells[index] ?? '').trim();
        return cell === value || (isAmount && isSameAmount(cell, value));
      }),
    );
}

function isSameAmount(cell: string, value: string): boolean {
  const [left, right] = [parseNumberText(cell), parseNumberText(value)];
  return left !== undefined && right !== undefined && compareDecimals(left, right) === 0;
}
