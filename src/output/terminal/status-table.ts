import { shortBatchId } from '../../domain/batch.ts';
import type { Kind } from '../../domain/kind.ts';
import type { StatusCounts } from '../../domain/row-state.ts';
import { groupedNumber } from '../words/wording.ts';
import { colourIf, printable, shortened, TEXT_COLUMNS } from './terminal-text.ts';

/** One batch as the list of batches shows it. */
export interface BatchListing {
  readonly batch: string;
  readonly file: string;
  readonly sheet: string | null;
  readonly kind: Kind;
  readonly rows: number;
  readonly counts: StatusCounts;
  /** In people's words: `finished`, `unfinished`, `running`, `planned`. */
  readonly state: string;
  /** ISO 8601, UTC; null when it never ran. */
  readonly lastRunAt: string | null;
}

const titles = ['batch', 'file', 'kind', 'rows', 'done', 'not done', 'state', 'last run (UTC)'] as const;
const figures: ReadonlySet<string> = new Set(['rows', 'done', 'not done']);
const FILE_COLUMN = titles.indexOf('file');
const LEAST_FILE_CHARACTERS = 12;
const GAP = '  ';

type Line = readonly { readonly title: string; readonly text: string }[];

function cells(listing: BatchListing): Line {
  const { batch, file, sheet, kind, rows, counts, state, lastRunAt } = listing;
  const done = (counts.created ?? 0) + (counts.existing ?? 0);
  const texts = [
    shortBatchId(batch),
    printable(sheet === null ? file : `${file}:${sheet}`),
    kind,
    groupedNumber(rows),
    groupedNumber(done),
    groupedNumber(rows - done),
    state,
    lastRunAt === null ? 'never' : new Date(lastRunAt).toISOString().slice(0, 16).replace('T', ' '),
  ];
  return titles.map((title, column) => ({ title, text: texts[column] ?? '' }));
}

function characterCount(text: string): number {
  return Array.from(text).length;
}

/** As wide as what stands in them; the files' names give way when the table would be too wide. */
function columnWidths(records: readonly Line[]): number[] {
  const widths = titles.map((_, column) =>
    Math.max(...records.map((record) => characterCount(record[column]?.text ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (titles.length - 1));
  const file = widths[FILE_COLUMN] ?? 0;
  widths[FILE_COLUMN] = Math.min(file, Math.max(file - (total - TEXT_COLUMNS), LEAST_FILE_CHARACTERS));
  return widths;
}

/** The batches as a table of at most 100 columns, in the order given; a sentence when there are none. */
export function statusTable(batches: readonly BatchListing[], useColour: boolean): string {
  if (batches.length === 0) return 'There are no batches in this ledger yet.';
  const records = [titles.map((title) => ({ title, text: title })), ...batches.map(cells)];
  const widths = columnWidths(records);
  const lines = records.map((record) =>
    record
      .map(({ title, text }, column) => {
        const width = widths[column] ?? 0;
        const cell = shortened(text, width);
        const padding = ' '.repeat(width - characterCount(cell));
        return figures.has(title) ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
  const [first = '', ...others] = lines;
  return [colourIf(useColour)('bold', first), ...others].join('\n');
}
