import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import { createNonRowCheck } from '../../read/mapping/non-rows.ts';
import { areTitles, isFigure, titlesApart, untitledNamed } from '../../read/mapping/titles.ts';
import { type Decisions, decidedText, type Proposing } from '../decisions.ts';
import { type Column, columnOf } from './column.ts';
import {
  cellText,
  type Grid,
  type GridRow,
  type HeaderChoice,
  headerChoices,
  proposedHeader,
} from './grid.ts';
import { labelsOf, rowsAndHeadings } from './row-groups.ts';
import { lowerTitle } from './title-words.ts';

/** The sheet that is read: its header, its columns, and which of its lines are rows. */

/** The columns and rows of the sheet that is read. */
export interface Sheet {
  readonly grid: Grid;
  readonly header: HeaderChoice['rows'];
  readonly titles: readonly string[];
  /** The rows. Headings, totals, and hidden rows to be left out are not among them. */
  readonly rows: readonly GridRow[];
  readonly columns: readonly Column[];
  /** The number of lines below the header that are not rows. */
  readonly otherLines: number;
  readonly hiddenRows: number;
  /** The number of the sheet's rows that each row represents; 1 if the rows are not a sample. */
  readonly weight: number;
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

/** The other sheets that have rows. */
export function leftOutSheets(
  { sheet, sheets = [sheet ?? ''] }: Pick<Grid, 'sheet' | 'sheets'>,
  grids: readonly Grid[],
): readonly { readonly sheet: string; readonly rows: number }[] {
  return grids.flatMap((grid) => {
    // A line of prose has one filled cell, and a row of a table has more. The first line with more cells is a header.
    const lines = grid.rows.filter((row) => row.cells.filter((cell) => cell.trim() !== '').length > 1);
    const isLeftOut = grid.sheet !== null && !sheets.includes(grid.sheet) && lines.length > 1;
    return isLeftOut ? [{ sheet: grid.sheet, rows: lines.length - 1 }] : [];
  });
}

/** The answer to read all sheets that have the header of the likeliest sheet. */
export const allSheets = '*';

/**
 * The sheets that have this sheet's header in the same rows: a list that a person has divided by place or month. A long
 * sheet, of which only a sample is available, is read alone.
 */
async function sameHeader(
  grids: readonly Grid[],
  own: Grid,
  header: HeaderChoice['rows'],
): Promise<readonly Grid[]> {
  const titlesOf = async (grid: Grid): Promise<string> =>
    JSON.stringify((await grid.titles(header)).map((title) => title.toLowerCase()));
  const wanted = await titlesOf(own);
  const last = header.at(-1) ?? 1;
  const same: Grid[] = [];
  for (const grid of grids) {
    const hasRows = grid.rows.some(({ number }) => number > last);
    const hasHeader = grid.rows.some(({ number }) => number === last);
    if (grid.isCut || grid.isHidden !== own.isHidden || grid.sheet === null || !hasRows || !hasHeader)
      continue;
    if (grid === own || (await titlesOf(grid)) === wanted) same.push(grid);
  }
  return same.includes(own) ? same : [own];
}

/** Several sheets as one. The row numbers of later sheets continue after those of the first sheet. */
function together(grids: readonly Grid[], own: Grid, header: HeaderChoice['rows']): Grid {
  const last = header.at(-1) ?? 1;
  const others = grids.filter((grid) => grid !== own);
  const rows: GridRow[] = [...own.rows];
  const laterSheets: number[] = [];
  for (const grid of others) {
    const before = (rows.at(-1)?.number ?? last) - last;
    laterSheets.push(before + last + 1);
    const below = grid.rows.filter(({ number }) => number > last);
    rows.push(...below.map((row) => ({ ...row, number: row.number + before })));
  }
  const sheets = [own, ...others].map(({ sheet }) => sheet ?? '');
  return { ...own, sheets, laterSheets, rows, allRows: rows.length };
}

/** If this share of its values are days, numbers or addresses, a column is a column of figures. */
const mostAreFigures = 0.8;

/** Whether the values below the first line are not only words. */
function isColumnOfFigures(index: number, [, ...below]: readonly GridRow[]): boolean {
  const texts = below.map((row) => cellText(row, index)).filter((text) => text !== '');
  return texts.length > 0 && texts.filter(isFigure).length >= texts.length * mostAreFigures;
}

/** Where and how the rows of a file are read; undefined where nothing is said. */
interface SheetChoice {
  readonly wanted: string | undefined;
  readonly headerRows: string | undefined;
  readonly hidden: string | undefined;
}

const sheetsOf = new WeakMap<readonly Grid[], Map<string, Promise<Sheet>>>();

/**
 * The sheet or the sheets on which a person has decided, or the likeliest ones. It is the same object after each answer that
 * changes nothing of it, so that what is computed of its columns is computed once.
 */
export function sheetOf(
  { grids, stated }: Pick<Proposing, 'grids' | 'stated'>,
  decisions: Decisions,
): Promise<Sheet> {
  const choice: SheetChoice = {
    wanted: decidedText(decisions.get('reading:sheet')) ?? stated.sheet,
    headerRows: decidedText(decisions.get('reading:header_rows')),
    hidden: decidedText(decisions.get('reading:hidden')) ?? stated.hidden,
  };
  const known = sheetsOf.get(grids) ?? new Map<string, Promise<Sheet>>();
  sheetsOf.set(grids, known);
  const key = JSON.stringify(choice);
  const sheet = known.get(key) ?? chosenSheet(grids, choice);
  known.set(key, sheet);
  return sheet;
}

async function chosenSheet(
  grids: readonly Grid[],
  { wanted, headerRows, hidden }: SheetChoice,
): Promise<Sheet> {
  const named = grids.find(({ sheet }) => sheet !== null && sheet === wanted);
  const likely = named ?? likelySheets(grids)[0] ?? grids[0];
  if (likely === undefined) throw new Error('a file without a sheet has nothing to propose');
  const decidedRows = headerRows?.split(',').map(Number);
  const [first = 1, second] = decidedRows ?? proposedHeader(likely);
  const header: HeaderChoice['rows'] = second === undefined ? [first] : [first, second];
  const same = named === undefined ? await sameHeader(grids, likely, header) : [likely];
  const grid = same.length > 1 ? together(same, likely, header) : likely;
  const ofHeader = titlesApart(await grid.titles(header));
  const below = grid.rows.filter(({ number }) => number > (second ?? first));
  const own = ofHeader.flatMap((title, index) => (title === '' ? [] : [index]));
  const figures = own.filter((index) => isColumnOfFigures(index, below));
  const above = grid.rows.filter(({ number }) => number < first);
  const labels = labelsOf(below, own);
  const check = createNonRowCheck(ofHeader.map(lowerTitle), {
    own,
    above,
    labels,
    isHeaderAgain: ({ number, cells }) => number === (second ?? first) + 1 && areTitles(cells, own, figures),
  });
  const meant = below.filter((row) => row.isHidden !== true || hidden !== 'skip');
  const { rows: ownRows, beside } = rowsAndHeadings(meant, { own, above, labels }, check, grid);
  // An import refuses values without a title, unless the mapping names their column.
  // In a CSV file, a cell behind the last title may come from a separator inside a value, which shifts the cells of its row.
  const isWorkbook = grid.sheet !== null;
  const width = isWorkbook ? ownRows.reduce((most, { cells }) => Math.max(most, cells.length), 0) : 0;
  const ofCells = untitledNamed(ofHeader, width, (index) =>
    ownRows.some((row) => cellText(row, index) !== ''),
  );
  const titles = [...ofCells, ...beside.map(({ title }) => title)];
  const rows = ownRows.map((row, at) => {
    if (beside.length === 0) return row;
    const cells = ofCells.map((_, index) => row.cells[index] ?? '');
    return { ...row, cells: [...cells, ...beside.map(({ texts }) => texts[at] ?? '')] };
  });
  const ofFile = [...titles.entries()].filter(
    ([, title]) => title !== '' && !title.toLowerCase().startsWith('result_'),
  );
  const columns = await eachInTurn(ofFile, ([index, title]) =>
    columnOf(index, title, rows, grid.counts?.get(index)),
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
  };
}
