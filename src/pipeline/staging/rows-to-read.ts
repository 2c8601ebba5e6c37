import type { HiddenChoice } from '../../domain/batches/batch.ts';
import { compareDecimals, parseNumberText } from '../../domain/money/money.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { ruleOf } from '../../resources/registry.ts';
import { templateOf } from '../../resources/template.ts';
import type { SourceRow, SourceTable } from '../ports.ts';

const rowsNamed = 10;
/** Fewer cells than these say too little to be sure that a row is nobody's. */
const fewestCells = 4;

/** Rows of one sort that passed by: how many, and the numbers of the first. */
export class CountedRows {
  #count = 0;
  #first: number[] = [];

  get count(): number {
    return this.#count;
  }

  /** The numbers, for a sentence: `3, 7, 9 and 12 more`. */
  get numbers(): string {
    const more = this.#count - this.#first.length;
    return `${this.#first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }

  add(row: number): void {
    this.#count += 1;
    if (this.#first.length < rowsNamed) this.#first.push(row);
  }

  clear(): void {
    this.#count = 0;
    this.#first = [];
  }
}

/** A table without the rows that are not meant, and its hidden rows: complete once it was read to its end. */
interface RowsToRead {
  readonly table: SourceTable;
  readonly hidden: CountedRows;
}

/**
 * Leaves out the example rows of our own templates, and hidden rows if a person has said so. What is left out, and
 * which rows are hidden, stands among the table's notes.
 */
export function rowsToRead(
  table: SourceTable,
  mapping: TableMapping,
  choice: HiddenChoice | null,
): RowsToRead {
  const hidden = new CountedRows();
  const examples = new CountedRows();
  const isExample = exampleCheck(mapping);
  const isMeant = (row: SourceRow): boolean => {
    const isLeftOut = isExample(row);
    if (isLeftOut) examples.add(row.number);
    if (row.isHidden !== true && table.isHidden !== true) return !isLeftOut;
    hidden.add(row.number);
    return !isLeftOut && choice !== 'skip';
  };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    hidden.clear();
    examples.clear();
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

function hiddenNotes(hidden: CountedRows, choice: HiddenChoice | null): string[] {
  if (hidden.count === 0) return [];
  const rows = `${countOfRows(hidden, 'hidden row')}: ${hidden.numbers}`;
  if (choice === 'skip') return [`${rows}; left out, as the setting hidden says`];
  if (choice === 'include') return [`${rows}; read like the others, as the setting hidden says`];
  return [`${rows}; nothing is sent before the setting hidden says what is meant`];
}

function exampleNotes(examples: CountedRows): string[] {
  if (examples.count === 0) return [];
  return [`${countOfRows(examples, 'example row')} of the template left out: ${examples.numbers}`];
}

function countOfRows({ count }: CountedRows, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Recognises a row in which nothing of a template's example was changed. */
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
