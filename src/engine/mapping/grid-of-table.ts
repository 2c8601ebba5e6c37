import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import type { OpenedTable } from '../../input/table/opened-table.ts';
import type { Grid, GridRow } from '../../pipeline/proposing/grid.ts';

/**
 * The rows of a sheet that a reading is proposed from: all of them, or of a long sheet a sample taken over the whole
 * of it, with every value of a column of few values and every form in which a value is written.
 */

/** A sheet of more rows is looked at by a sample. */
const mostRows = 5_000;
/** The first rows, among which is the header. */
const firstRows = 1_000;
/** The last rows, where totals and signatures stand. */
const lastRows = 40;
/** Rows at equal distances; every second one is dropped once they are more. */
const mostSpread = 2_000;
/** A column of more distinct values has not few of them. */
const fewValues = 300;
const fewForms = 60;

/** @param limit for tests: sheets with more rows are sampled */
export async function gridOfTable(table: OpenedTable, limit = mostRows): Promise<Grid> {
  const first: GridRow = { number: table.headerRow, cells: table.header };
  const all: GridRow[] = [first];
  const sample = new RowSample();
  sample.add(first);
  let isCut = false;
  for await (const group of table.rows()) {
    for (const source of group) {
      const row = gridRow(source);
      sample.add(row);
      if (isCut) continue;
      all.push(row);
      isCut = all.length > limit;
      if (isCut) all.length = 0;
    }
  }
  const isEmpty = sample.seen === 1 && table.header.every((title) => unprotectCell(title) === '');
  const titles = async (header: readonly number[]): Promise<readonly string[]> =>
    (await table.below(header)).header.map(unprotectCell);
  return {
    sheet: table.sheet,
    isHidden: table.isHidden === true,
    titles,
    isCut,
    rows: isEmpty ? [] : isCut ? sample.rows() : all,
    allRows: isEmpty ? 0 : sample.seen,
    ...(isCut ? { counts: sample.counts() } : {}),
  };
}

function gridRow({ number, cells, kinds, isHidden }: TableRow): GridRow {
  return {
    number,
    cells: [...cells],
    ...(kinds === undefined ? {} : { kinds }),
    ...(isHidden === undefined ? {} : { isHidden }),
  };
}

/** What is known of one column while its rows go by. */
interface Watched {
  /** How many rows have each value; null once they are too many. */
  values: Map<string, number> | null;
  readonly forms: Set<string>;
}

/** Chooses rows while they go by, with as much in memory as it chooses. */
class RowSample {
  seen = 0;
  readonly #chosen = new Map<number, GridRow>();
  readonly #columns: Watched[] = [];
  #spread: GridRow[] = [];
  #last: GridRow[] = [];
  #step = 1;

  add(row: GridRow): void {
    const isNew = this.#isNew(row);
    if (isNew || this.seen < firstRows) this.#chosen.set(row.number, row);
    if (this.seen % this.#step === 0) this.#spread.push(row);
    if (this.#spread.length > mostSpread) {
      this.#spread = this.#spread.filter((_, index) => index % 2 === 0);
      this.#step *= 2;
    }
    this.#last.push(row);
    if (this.#last.length > 2 * lastRows) this.#last = this.#last.slice(-lastRows);
    this.seen += 1;
  }

  rows(): readonly GridRow[] {
    for (const row of [...this.#spread, ...this.#last.slice(-lastRows)]) this.#chosen.set(row.number, row);
    return [...this.#chosen.values()].sort((left, right) => left.number - right.number);
  }

  /** How many rows of the whole sheet have each value of the columns of few values. */
  counts(): ReadonlyMap<number, ReadonlyMap<string, number>> {
    return new Map(
      this.#columns.flatMap(({ values }, index) => (values === null ? [] : [[index, values] as const])),
    );
  }

  /** Whether a cell has a value that its column of few values did not have before, or a form that is new in it. */
  #isNew({ cells, kinds }: GridRow): boolean {
    let isNew = false;
    for (let index = 0; index < cells.length; index += 1) {
      const text = unprotectCell(cells[index] ?? '').trim();
      if (text === '') continue;
      const column = this.#columns[index] ?? { values: new Map<string, number>(), forms: new Set<string>() };
      this.#columns[index] = column;
      const { values, forms } = column;
      if (values !== null) {
        const rows = values.get(text) ?? 0;
        values.set(text, rows + 1);
        if (rows === 0) isNew = true;
        if (values.size > fewValues) column.values = null;
      }
      if (forms.size >= fewForms) continue;
      const form = `${kinds?.get(index) ?? ''} ${formOf(text)}`;
      if (!forms.has(form)) {
        forms.add(form);
        isNew = true;
      }
    }
    return isNew;
  }
}

/** How a value is written: its signs, how many digits stand together, and where there are letters. */
function formOf(text: string): string {
  return text
    .slice(0, 40)
    .replace(/\d+/g, (digits) => String(digits.length))
    .replace(/\p{L}[\p{L}\s.'’]*/gu, 'a');
}
