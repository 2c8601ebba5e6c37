/*
 * Visible marks of rows in a table: a fill, a text colour, a strike-through. Only a person knows their meaning, so reading a
 * file never decides about it.
 */

/** The possible meanings of marked rows: they are sent like the others, left out, or held until a person decides. */
export const rowMeanings = ['send', 'leave_out', 'hold'] as const;

export type RowMeaning = (typeof rowMeanings)[number];

/** Used instead of a value of a column: all values that are not named. Without it, rows with such a value are held. */
export const otherValues = '*';

/** Used as the meaning of a refused value: its rows are left out. No word of the API has this form. */
export const leaveOutRows = 'rows:leave_out';

/** The marks of a cell by its style, such as `struck through` or `yellow FFFF00`. */
export type CellMarks = readonly string[];

/** The look of a row in its file. Only rows with a marked cell have one. */
export interface RowLook {
  /** The marks of more than half of the row's filled cells. */
  readonly marks: readonly string[];
  /** Marks that at most half of its filled cells have; only the first few of them. */
  readonly partly: readonly string[];
}

export const noMarks: CellMarks = [];

export const struckMark = 'struck through';
/** The mark of rows without a fill, if most rows have one. */
export const noFillMark = 'no fill';

const textWord = ' text ';

/** A lighter fill is not visible as a fill. */
const whitest = 0xf8;
/** A darker text is not visible as coloured. */
const darkest = 0x66;

/** The look of a cell according to its style. */
interface CellLook {
  readonly isStruck?: boolean | undefined;
  /**
   * The colours as six hexadecimal digits, in upper or lower case; undefined or empty for the default colour, and for no
   * fill.
   */
  readonly text?: string | undefined;
  readonly fill?: string | undefined;
}

export function cellMarks({ isStruck, text, fill }: CellLook): CellMarks {
  const marks: string[] = isStruck === true ? [struckMark] : [];
  if (text && Math.max(...channelsOf(text)) > darkest)
    marks.push(`${colourName(text)}${textWord}${text.toUpperCase()}`);
  if (fill && Math.min(...channelsOf(fill)) < whitest)
    marks.push(`${colourName(fill)} ${fill.toUpperCase()}`);
  return marks.length === 0 ? noMarks : marks;
}

function channelsOf(rgb: string): readonly [number, number, number] {
  const at = (start: number): number => Number.parseInt(rgb.slice(start, start + 2), 16);
  return [at(0), at(2), at(4)];
}

/** The upper ends of the hues, in degrees, with their usual names. */
const hues: readonly (readonly [to: number, name: string])[] = [
  [16, 'red'],
  [43, 'orange'],
  [70, 'yellow'],
  [165, 'green'],
  [200, 'turquoise'],
  [258, 'blue'],
  [300, 'purple'],
  [344, 'pink'],
  [361, 'red'],
];

const leastSaturation = 0.12;
const leastBlack = 0.12;
const leastPink = 0.78;
const mostBrown = 0.35;

/** The usual name of a colour. */
function colourName(rgb: string): string {
  const [red, green, blue] = channelsOf(rgb).map((channel) => channel / 255) as [number, number, number];
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const [light, range] = [(most + least) / 2, most - least];
  const saturation = range === 0 ? 0 : range / (1 - Math.abs(2 * light - 1));
  if (light < leastBlack) return 'black';
  if (saturation < leastSaturation) return light > 0.95 ? 'white' : 'grey';
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  const hue = (sixth * 60 + 360) % 360;
  const name = hues.find(([to]) => hue < to)?.[1] ?? 'red';
  if (name === 'red' && light > leastPink) return 'pink';
  return name === 'orange' && light < mostBrown ? 'brown' : name;
}

/** The colour of a mark, in words and as six hexadecimal digits; null for any other text. */
export function colourOfMark(mark: string): { readonly name: string; readonly rgb: string } | null {
  const [, name = '', rgb = ''] = /^(.+) ([\dA-F]{6})$/.exec(mark) ?? [];
  if (rgb === '') return null;
  const colour = colourName(rgb);
  return name === colour || name === `${colour}${textWord.trimEnd()}` ? { name, rgb } : null;
}

/** The sort of a mark. A cell has at most one mark of each sort. */
type Sort = 'strike' | 'fill' | 'text';

function sortOf(mark: string): Sort {
  if (mark === struckMark) return 'strike';
  return mark.includes(textWord) ? 'text' : 'fill';
}

/** Counts the marks of a row's filled cells, from left to right. */
export class LookBuilder {
  #filled = 0;
  #counts: Map<string, number> | undefined;

  add(marks: CellMarks): void {
    this.#filled += 1;
    if (marks.length === 0) return;
    this.#counts ??= new Map();
    for (const mark of marks) this.#counts.set(mark, (this.#counts.get(mark) ?? 0) + 1);
  }

  /** @returns undefined for a row without a marked cell */
  build(): RowLook | undefined {
    if (this.#counts === undefined) return undefined;
    const all = [...this.#counts];
    const isMost = ([, count]: (typeof all)[number]): boolean => count * 2 > this.#filled;
    const partly = all.filter((each) => !isMost(each)).slice(0, mostPartly);
    return {
      marks: all.filter(isMost).map(([mark]) => mark),
      partly: partly.map(([mark]) => mark),
    };
  }
}

const mostPartly = 8;

/** The marks of a row as a mapping names them. A row without a fill has the mark `no fill`. */
export function marksOf({ marks }: RowLook = { marks: noMarks, partly: noMarks }): readonly string[] {
  return marks.some((mark) => sortOf(mark) === 'fill') ? marks : [...marks, noFillMark];
}

/** A mark that distinguishes some rows of a table. */
export interface FoundMark {
  readonly mark: string;
  readonly rows: number;
  /** The numbers of the first rows with the mark. */
  readonly first: readonly number[];
}

/** The counts of one mark while the rows of a table are read. */
interface Counted {
  readonly sort: Sort;
  rows: number;
  readonly first: number[];
  /** The number of rows in which only some cells have it. */
  partly: number;
  /** The position of the last row with it. */
  last: number;
  run: number;
  /** How often each number of adjacent rows with the mark occurs, and of adjacent rows without it between them. */
  readonly runs: Map<number, number>;
  readonly gaps: Map<number, number>;
}

const firstKept = 10;
/** In a table with more colours the colours have another purpose. The first ones are enough to ask a person. */
const mostMarks = 40;

/** Finds the marks that distinguish rows of one table while its rows are read. It stores only counts. */
export class MarkTally {
  readonly #known: ReadonlySet<string>;
  readonly #counted = new Map<string, Counted>();
  #rows = 0;

  /** @param known marks about which a person has stated something; rows with only these marks show nothing new */
  constructor(known: ReadonlySet<string> = new Set()) {
    this.#known = known;
  }

  /** Counts the next row of the table. Headings and totals must not be passed. */
  add(row: { readonly number: number; readonly look?: RowLook }): void {
    const { marks = noMarks } = row.look ?? {};
    if (marks.length > 0 && marks.every((mark) => this.#known.has(mark))) return;
    this.#rows += 1;
    for (const mark of marksOf(row.look)) {
      const counted = this.#of(mark);
      if (counted !== undefined) this.#count(counted, row.number);
    }
    for (const mark of row.look?.partly ?? []) {
      const counted = this.#of(mark);
      if (counted !== undefined) counted.partly += 1;
    }
  }

  #of(mark: string): Counted | undefined {
    const known = this.#counted.get(mark);
    if (known !== undefined || this.#counted.size >= mostMarks) return known;
    const counted: Counted = {
      sort: sortOf(mark),
      rows: 0,
      first: [],
      partly: 0,
      last: 0,
      run: 0,
      runs: new Map(),
      gaps: new Map(),
    };
    this.#counted.set(mark, counted);
    return counted;
  }

  #count(counted: Counted, number: number): void {
    const between = this.#rows - counted.last - 1;
    if (counted.rows > 0 && between > 0) {
      add(counted.gaps, between);
      add(counted.runs, counted.run);
      counted.run = 0;
    }
    counted.run += 1;
    counted.last = this.#rows;
    counted.rows += 1;
    if (counted.first.length < firstKept) counted.first.push(number);
  }

  /**
   * The marks of only some rows. A strike-through always is such a mark. Not included are the most frequent fill, which is
   * the table's own, stripes, which only help reading, and a fill that most other rows have in some columns, which belongs
   * to the columns.
   */
  found(): readonly FoundMark[] {
    const usual = this.#usualFill();
    const found = [...this.#counted].filter(
      ([mark, counted]) =>
        counted.rows > 0 &&
        !this.#known.has(mark) &&
        (counted.sort === 'strike' ||
          (mark !== usual &&
            counted.rows < this.#rows &&
            !this.#isOfColumns(counted) &&
            !this.#isStripe(counted))),
    );
    return found.map(([mark, { rows, first }]) => ({ mark, rows, first }));
  }

  #usualFill(): string {
    const fills = [...this.#counted].filter(([, { sort }]) => sort === 'fill');
    return fills.sort(([, left], [, right]) => right.rows - left.rows)[0]?.[0] ?? noFillMark;
  }

  #isOfColumns({ partly, rows, sort }: Counted): boolean {
    const others = this.#rows - rows;
    return partly * 2 > others || (sort === 'text' && rows * 2 > this.#rows);
  }

  #isStripe({ rows, runs, gaps, run }: Counted): boolean {
    const all = new Map(runs);
    add(all, run);
    const [length, gap] = [usualOf(all), usualOf(gaps)];
    if (length === undefined || gap === undefined) return false;
    const count = [...all.values()].reduce((sum, times) => sum + times, 0);
    const least = length.value + gap.value <= shortStripes ? fewestShortStripes : fewestStripes;
    return (
      count >= least &&
      length.share >= mostlyEqual &&
      gap.share >= mostlyEqual &&
      rows * (1 + gap.value / length.value) >= this.#rows * mostlyEqual
    );
  }
}

const shortStripes = 4;
const fewestShortStripes = 3;
const fewestStripes = 5;
const mostlyEqual = 0.7;
/** Stripes all have the same width. If the marked rows are random, there are many different widths. */
const mostWidths = 50;

function add(counts: Map<number, number>, value: number): void {
  if (counts.size < mostWidths || counts.has(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
}

function usualOf(counts: ReadonlyMap<number, number>): { value: number; share: number } | undefined {
  const all = [...counts].sort(([, left], [, right]) => right - left);
  const [first] = all;
  if (first === undefined) return undefined;
  const sum = all.reduce((rows, [, times]) => rows + times, 0);
  return { value: first[0], share: first[1] / sum };
}
