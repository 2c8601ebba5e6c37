/** So many values of a reason are shown, each with so many ranges of rows. */
const SHOWN_VALUES = 30;
const SHOWN_RANGES = 40;
const VALUE_CHARACTERS = 60;

/** Rows that have the same value in the column that a reason is about. */
export interface Place {
  /** What stands in the cell, in full but for its end where it is long; empty where the row as a whole is meant. */
  readonly value: string;
  readonly rowCount: number;
  /** In words: `3, 7–12, 20 and 4 more`. */
  readonly rows: string;
}

/** The numbers of rows, of which those that follow each other are one range; what is kept has a limit. */
class RowRanges {
  readonly #ranges: { first: number; last: number }[] = [];
  #count = 0;
  #beyond = 0;

  get count(): number {
    return this.#count;
  }

  add(row: number): void {
    const last = this.#ranges.at(-1);
    if (last?.last === row && this.#beyond === 0) return;
    this.#count += 1;
    if (last !== undefined && last.last === row - 1 && this.#beyond === 0) last.last = row;
    else if (this.#ranges.length < SHOWN_RANGES) this.#ranges.push({ first: row, last: row });
    else this.#beyond += 1;
  }

  get text(): string {
    const shown = this.#ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
    return `${shown.join(', ')}${this.#beyond === 0 ? '' : ` and ${this.#beyond.toLocaleString('en-US')} more`}`;
  }
}

/** Where a reason applies: which rows, by what stands in them. */
export class ReportPlaces {
  readonly #byValue = new Map<string, RowRanges>();
  readonly #others = new RowRanges();

  add(row: number, value: string): void {
    const characters = Array.from(value);
    const shown =
      characters.length > VALUE_CHARACTERS ? `${characters.slice(0, VALUE_CHARACTERS - 1).join('')}…` : value;
    const own = this.#byValue.get(shown);
    if (own !== undefined) own.add(row);
    else if (this.#byValue.size >= SHOWN_VALUES) this.#others.add(row);
    else {
      const ranges = new RowRanges();
      ranges.add(row);
      this.#byValue.set(shown, ranges);
    }
  }

  /** The values in the order in which they came; what had no room is the last one, without a value. */
  result(): Place[] {
    const shown = [...this.#byValue].map(([value, ranges]) => ({
      value,
      rowCount: ranges.count,
      rows: ranges.text,
    }));
    if (this.#others.count === 0) return shown;
    return [...shown, { value: '', rowCount: this.#others.count, rows: this.#others.text }];
  }
}
