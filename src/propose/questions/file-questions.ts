/*
 * The questions about the file as a whole: its sheet, its header, the kind of its rows, its hidden rows, and its
 * totals.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import { countOf } from '../../domain/money/money.ts';
import { type FieldPart, joined, type Message, say } from '../../domain/settings/message.ts';
import { kinds } from '../../kinds/registry.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import type { Assignment } from '../columns/assignment.ts';
import { acceptedTotals, type Decision, type Decisions, refuseFile, totalsId } from '../decisions.ts';
import { isLegendOf } from '../sheet/explanations.ts';
import { cellText, type Grid, type HeaderChoice, headerChoices } from '../sheet/grid.ts';
import { allSheets, likelySheets } from '../sheet/sheet.ts';
import { type Point, type ReadingParts, reading } from './point.ts';
import { isDirectionOpen, isRival } from './rivals.ts';

/** With this difference of scores or more, a second header is clearly worse. */
const clearlyWorseHeader = 0.25;
const columnsNamed = 4;

/** The questions that come first, because every other question depends on them. */
export const firstQuestions: ReadonlySet<string> = new Set([
  'reading:sheet',
  'reading:header_rows',
  'reading:kind',
]);

/** The questions about the file that are not decided yet. */
export function fileQuestions({ proposing, sheet, assignment, ofKinds }: ReadingParts): Point[] {
  const { grids, stated } = proposing;
  const rows = sheet.rows.length;
  const sheets = likelySheets(grids).filter(
    (grid) => grid.sheet === sheet.grid.sheet || !(grid.isHidden || isLegendOf(grid, sheet.columns)),
  );
  const points: Point[] = [];
  if (stated.sheet === undefined && sheets.length > 1) {
    const { sheets: together } = sheet.grid;
    const all =
      together === undefined
        ? []
        : [{ id: allSheets, label: `all of them, which have the same header: ${together.join(', ')}` }];
    points.push(
      reading('sheet', {
        about: 'sheet',
        rows,
        proposal: together === undefined ? sheet.grid.sheet : allSheets,
        options: [...all, ...sheets.map((grid) => ({ id: grid.sheet ?? '', label: sheetLabel(grid) }))],
        why: { code: 'several_sheets' },
        isNeeded: true,
      }),
    );
  }
  const headers = headerChoices(sheet.grid);
  const [first, second] = headers;
  if (first !== undefined && second !== undefined && second.score > first.score - clearlyWorseHeader) {
    points.push(
      reading('header_rows', {
        about: 'header_rows',
        rows,
        proposal: sheet.header.join(','),
        options: headers
          .slice(0, 4)
          .map((choice) => ({ id: choice.rows.join(','), label: headerLabel(choice, sheet.grid) })),
        why: { code: 'several_headers' },
      }),
    );
  }
  if (stated.kind === undefined && ofKinds.some((other) => isRival(other, assignment))) {
    points.push(
      reading('kind', {
        about: 'kind',
        rows,
        proposal: isDirectionOpen(ofKinds, assignment) ? null : assignment.kind,
        options: kinds.map((kind) => ({
          id: kind,
          label: kind,
          evidence: speakingFor(kind, ofKinds.find((other) => other.kind === kind) ?? assignment),
        })),
        why: { code: 'several_kinds' },
        isNeeded: true,
      }),
    );
  }
  if (sheet.hiddenRows > 0 && stated.hidden === undefined) {
    points.push(
      reading('hidden', {
        about: 'hidden',
        rows: sheet.hiddenRows,
        proposal: null,
        options: [
          { id: 'include', label: `read the ${sheet.hiddenRows} hidden rows like the others` },
          { id: 'skip', label: 'leave the hidden rows out' },
        ],
        why: { code: 'hidden_rows' },
        isNeeded: true,
      }),
    );
  }
  return points;
}

function sheetLabel(grid: Grid): string {
  const header = headerChoices(grid)[0]?.rows.at(-1);
  const titles = header === undefined ? [] : titlesIn(grid, header);
  return `${grid.sheet ?? ''}, ${countOf(grid.rows.length, 'line')}: ${titles.slice(0, columnsNamed).join(', ')}`;
}

function headerLabel({ rows }: HeaderChoice, grid: Grid): string {
  const titles = rows.flatMap((row) => titlesIn(grid, row)).slice(0, columnsNamed);
  return `${rows.length === 1 ? 'row' : 'rows'} ${rows.join(' and ')}: ${titles.join(', ')}`;
}

function titlesIn({ rows }: Grid, number: number): readonly string[] {
  const row = rows.find((each) => each.number === number);
  return row === undefined
    ? []
    : row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
}

/** A kind with the columns that are its strongest evidence: columns of required fields first. */
function speakingFor(kind: Kind, { kind: own, uses, missing }: Assignment): Message {
  if (own !== kind) return '';
  const speaking = [...uses]
    .filter(({ fields }) => fields.length > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, columnsNamed)
    .map(({ column, fields }) => say`"${column.title}" is ${joined(fields.map(fieldPart), ' and ')}`);
  if (speaking.length === 0) return '';
  const lacking = missing.slice(0, columnsNamed).map((group) => joined(group.map(fieldPart), ' or '));
  return say`${joined(speaking, ', ')}${lacking.length === 0 ? '' : say`; no column is ${joined(lacking, ', ')}`}`;
}

function fieldPart(field: string): FieldPart {
  return { field };
}

/* The questions about totals of the file that are none of its rows. */

const takeRows = 'rows';
const samplesShown = 4;

/**
 * The question whether the rows are right although totals differ. A row may be missing, so no answer is proposed.
 * @param rows the number of rows of the file
 */
export function totalsPoint(
  differing: readonly DifferingTotal[],
  rows: number,
  decisions: Decisions,
): Point | undefined {
  const [first, ...others] = differing;
  if (first === undefined || decisions.get(totalsId) === refuseFile) return undefined;
  return {
    id: totalsId,
    about: 'totals',
    rows,
    samples: differing.slice(0, samplesShown).map(({ row, total }) => `row ${row}: ${total}`),
    why: { code: 'total_differs', ...first, more: others.length },
    options: [
      { id: takeRows, label: 'the rows are right: import them, and leave the total out' },
      { id: refuseFile, label: 'a row is missing or wrong: refuse the file' },
    ],
    freeText: false,
    isNeeded: true,
    stage: 3,
    subject: { kind: 'reading', proposal: null },
  };
}

/** The decision in an answer: either to accept the totals, or to refuse the file. */
export function totalsDecision(
  differing: readonly DifferingTotal[],
  before: Decisions,
  said: Decision,
): Decision {
  if (said !== takeRows) return refuseFile;
  return [...new Set([...acceptedTotals(before), ...differing.map(({ total }) => total)])];
}
