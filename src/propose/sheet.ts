import { countryWritten } from '../kinds/fields/places.ts';
import { createNonRowCheck } from '../read/mapping/non-rows.ts';
import { type Decisions, decidedText, type Proposing } from './decisions.ts';
import { type Column, columnOf } from './evidence.ts';
import { type Grid, type GridRow, type HeaderChoice, headerChoices } from './grid.ts';
import { lowerTitle } from './title-words.ts';

/** The sheet that is read: its header, its columns, and which of its lines are rows. */

/** The columns and rows of the sheet that is read. */
export interface Sheet {
  readonly grid: Grid;
  readonly header: HeaderChoice['rows'];
  readonly titles: readonly string[];
  /** The rows, without headings, totals, and hidden rows that are left out. */
  readonly rows: readonly GridRow[];
  readonly columns: readonly Column[];
  /** The number of lines below the header that are not rows. */
  readonly otherLines: number;
  readonly hiddenRows: number;
  /** The number of the sheet's rows that each row represents; 1 unless they are a sample. */
  readonly weight: number;
  /** The country code for a country as written in the file; undefined for another text. */
  readonly countryOf: (text: string) => string | undefined;
}

/** The sheets that seem to have rows, the likeliest first. */
export function likelySheets(grids: readonly Grid[]): readonly Grid[] {
  const weighed = grids
    .filter(({ rows }) => rows.length > 1)
    .map((grid) => ({
      grid,
      score:
        (headerChoices(grid)[0]?.score ?? 0) * Math.log2(1 + grid.rows.length) * (grid.isHidden ? 0.1 : 1),
    }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  return weighed.map(({ grid }) => grid);
}

/** The sheet that was decided on, or the likeliest one. */
export async function sheetOf(
  { grids, stated }: Pick<Proposing, 'grids' | 'stated'>,
  decisions: Decisions,
): Promise<Sheet> {
  const wanted = decidedText(decisions.get('reading:sheet')) ?? stated.sheet;
  const grid =
    grids.find(({ sheet }) => sheet !== null && sheet === wanted) ?? likelySheets(grids)[0] ?? grids[0];
  if (grid === undefined) throw new Error('a file without a sheet has nothing to propose');
  const decidedRows = decidedText(decisions.get('reading:header_rows'))?.split(',').map(Number);
  const [first = 1, second] = decidedRows ?? headerChoices(grid)[0]?.rows ?? [grid.rows[0]?.number ?? 1];
  const header: HeaderChoice['rows'] = second === undefined ? [first] : [first, second];
  const titles = await grid.titles(header);
  const hidden = decidedText(decisions.get('reading:hidden')) ?? stated.hidden;
  const below = grid.rows.filter(({ number }) => number > (second ?? first));
  const own = titles.flatMap((title, index) => (title === '' ? [] : [index]));
  const check = createNonRowCheck(titles.map(lowerTitle), { own });
  const meant = below.filter((row) => row.isHidden !== true || hidden !== 'skip');
  const rows = meant.filter((row) => check(row) === null);
  const columns = titles.flatMap((title, index) =>
    title === '' || title.toLowerCase().startsWith('result_')
      ? []
      : [columnOf(index, title, rows, grid.counts?.get(index))],
  );
  const hiddenRows = below.filter(({ isHidden }) => isHidden).length;
  return {
    grid,
    header,
    titles,
    rows,
    columns,
    otherLines: meant.length - rows.length,
    hiddenRows,
    weight: grid.isCut ? (grid.allRows - (grid.rows.length - below.length)) / Math.max(1, below.length) : 1,
    countryOf: countryWritten,
  };
}
