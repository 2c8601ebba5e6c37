import { printable } from '../../output/words/wording.ts';
import { type Colour, padded, shortened, TEXT_COLUMNS, textWidth } from './terminal-text.ts';

/** One column of a table on a terminal. */
export interface AlignedColumn {
  readonly title: string;
  /** Figures stand to the right, words to the left. */
  readonly isFigure?: boolean;
  /** Gives way when the table would be wider than a terminal. */
  readonly mayShrink?: boolean;
}

const GAP = '  ';
const LEAST_CHARACTERS = 12;

/**
 * Aligned lines under a line of titles, at most `terminalColumns` wide where a column may shrink.
 * @param records one text for each column; text from outside is made safe here
 */
export function alignedTable(
  columns: readonly AlignedColumn[],
  records: readonly (readonly string[])[],
  colour: Colour,
  indent = '  ',
  terminalColumns = TEXT_COLUMNS,
): string[] {
  const safe = [columns.map(({ title }) => title), ...records.map((record) => record.map(printable))];
  const widths = columns.map((_, at) => Math.max(...safe.map((record) => textWidth(record[at] ?? ''))));
  const total = widths.reduce((sum, width) => sum + width, indent.length + GAP.length * (columns.length - 1));
  const shrinking = columns.findIndex(({ mayShrink }) => mayShrink);
  const full = widths[shrinking];
  if (full !== undefined && total > terminalColumns) {
    widths[shrinking] = Math.max(full - (total - terminalColumns), Math.min(full, LEAST_CHARACTERS));
  }
  const [titles = '', ...lines] = safe.map((record) => lineOf(columns, widths, record, indent));
  return [colour('bold', titles), ...lines];
}

function lineOf(
  columns: readonly AlignedColumn[],
  widths: readonly number[],
  record: readonly string[],
  indent: string,
): string {
  const cells = columns.map(({ isFigure }, at) => {
    const width = widths[at] ?? 0;
    return padded(shortened(record[at] ?? '', width), width, isFigure);
  });
  return (indent + cells.join(GAP)).trimEnd();
}
