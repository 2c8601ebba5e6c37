/* Which rows of a table are read: its control line, hidden rows and rows that are set apart are removed and counted. */

import type { HiddenChoice } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { compareDecimals, parseNumberText } from '../../domain/money/money.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import { foldWord, type ReadingRules, type TableMapping } from '../../domain/tables/mapping.ts';
import {
  type FoundMark,
  MarkTally,
  marksOf,
  otherValues,
  type RowMeaning,
} from '../../domain/tables/row-marks.ts';
import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { templateOf } from '../../kinds/own-columns.ts';
import { ruleOf } from '../../kinds/registry.ts';
import type { MappingFile } from '../mapping/mapping-file.ts';
import { type ControlFigures, createControlLineCheck, placeOfTitle } from '../mapping/mapping-schema.ts';
import { saysNotToSend } from './marked-words.ts';
import { CountedRows, nonRowCheckOf } from './prepared-rows.ts';
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

/* Rows that a file sets apart, by how they look or by a column: what a person has said about them is done here. */

/** The beginning of the key of a line that explains marks which no row has. */
export const saidPrefix = 'said: ';

/** What is done with the marked rows of a table. */
interface Marking {
  readonly mapping: TableMapping;
  readonly stated: Pick<MappingFile, 'markedRows' | 'markedValues'>;
  /** Refuses a file with marks that the mapping does not know; null where no person has to be asked about them. */
  readonly refuseNew: { readonly place: string; readonly path: string } | null;
  /** Called with such marks in place of refusing the file, each time that the rows are read. */
  readonly onNew?: ((fresh: readonly FoundMark[]) => void) | undefined;
  /** Takes the rows that are left out. */
  readonly leftOut?: SumsOfLeftOut | null;
}

/** What a person has said about a row, and the words for its mark. */
interface Said {
  readonly meaning: RowMeaning;
  /** As in `they are struck through`. */
  readonly is: string;
}

type Judge = (row: SourceRow) => Said | null;

/**
 * Leaves out the marked rows that a person has said to leave out, and holds those that are to be held. The table's notes
 * name them.
 *
 * @throws PaybatchError (`file_refused`), at the end of the rows, when other rows are marked than the mapping knows
 */
export function withMarkedRows(
  table: SourceTable,
  { mapping, stated, refuseNew, onNew, leftOut: sums = null }: Marking,
): SourceTable {
  const judge = judgeOf(table.header, stated);
  const isWatched = refuseNew !== null || onNew !== undefined;
  if (judge === null && !isWatched) return table;
  const known = new Set(Object.keys(stated.markedRows ?? {}));
  const isNoRow = nonRowCheckOf(table, mapping);
  const leftOut = new Map<string, CountedRows>();
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    leftOut.clear();
    const tally = new MarkTally(known);
    for await (const group of table.rows()) {
      const kept = group.flatMap((row): readonly SourceRow[] => {
        if (isNoRow(row) !== null) return [row];
        if (isWatched) tally.add(row);
        const said = judge?.(row) ?? null;
        if (said === null || said.meaning === 'send') return [row];
        if (said.meaning === 'hold') return [{ ...row, heldFor: heldMessage(said) }];
        const counted = leftOut.get(said.is) ?? new CountedRows();
        leftOut.set(said.is, counted);
        counted.add(row.number);
        sums?.add(row);
        return [];
      });
      if (kept.length > 0) yield kept;
    }
    const fresh = isWatched ? tally.found() : [];
    if (onNew !== undefined) onNew(fresh);
    else if (refuseNew !== null && fresh.length > 0) throw newMarks(fresh, refuseNew);
  };
  return tableLike(table, { rows, notes: () => [...table.notes, ...markNotesOf(leftOut)] });
}

/** Whether a row is left out for a mark; where a table's totals may be those of the other rows only. */
export function isLeftOutFor(
  header: readonly string[],
  stated: Marking['stated'],
): (row: SourceRow) => boolean {
  const judge = judgeOf(header, stated);
  return judge === null ? () => false : (row) => judge(row)?.meaning === 'leave_out';
}

/** @returns null where nothing is said about any row */
function judgeOf(
  header: readonly string[],
  { markedRows = {}, markedValues = {} }: Marking['stated'],
): Judge | null {
  const isAllHeld = Object.entries(markedRows).some(
    ([mark, meaning]) => mark.startsWith(saidPrefix) && meaning === 'hold',
  );
  const byMark = new Map(Object.entries(markedRows).filter(([, meaning]) => meaning !== 'send'));
  const columns = Object.entries(markedValues).flatMap(([title, meanings]) => {
    const index = placeOfTitle(header, title);
    const folded = new Map(Object.entries(meanings).map(([value, meaning]) => [foldWord(value), meaning]));
    return index === -1 ? [] : [{ title, index, folded }];
  });
  if (byMark.size === 0 && columns.length === 0) return null;
  return (row) => {
    const all: Said[] = isAllHeld ? [{ meaning: 'hold', is: 'explained by a line of the file' }] : [];
    if (byMark.size > 0) {
      for (const mark of marksOf(row.look)) {
        const meaning = byMark.get(mark);
        if (meaning !== undefined) all.push({ meaning, is: mark });
      }
    }
    for (const { title, index, folded } of columns) {
      const text = unprotectCell(row.cells[index] ?? '').trim();
      const meaning = folded.get(foldWord(text)) ?? ofOther(text, folded.get(otherValues));
      if (meaning !== 'send') all.push({ meaning, is: `"${text}" in "${title}"` });
    }
    return all.find(({ meaning }) => meaning === 'leave_out') ?? all[0] ?? null;
  };
}

/** What becomes of a row with a value that is not named. One that says itself that it is not to be sent waits for a person. */
function ofOther(text: string, others: RowMeaning = 'hold'): RowMeaning {
  return others === 'send' && saysNotToSend(text) ? 'hold' : others;
}

function heldMessage({ is }: Said): string {
  return `The row is held, since it is ${is}: a person has said that such rows are not sent yet.`;
}

function markNotesOf(leftOut: ReadonlyMap<string, CountedRows>): string[] {
  return [...leftOut].map(([is, counted]) =>
    counted.count === 1
      ? `1 row is left out, since it is ${is}: ${counted.numbers}`
      : `${counted.count} rows are left out, since they are ${is}: ${counted.numbers}`,
  );
}

function newMarks(
  fresh: readonly FoundMark[],
  { place, path }: NonNullable<Marking['refuseNew']>,
): PaybatchError {
  const marks = fresh.map(({ mark, rows, first }) => {
    const more = rows > first.length ? ', ...' : '';
    return `${mark} (${rows === 1 ? 'row' : 'rows'} ${first.join(', ')}${more})`;
  });
  return new PaybatchError(
    'mapping_open',
    `${place}: rows are marked in a way that no person has explained, so nothing of it is sent: ${marks.join('; ')}.`,
    { action: 'mapping', file: path, effect: 'asks what becomes of them' },
  );
}
