import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import type { ValueTable } from '../columns/value-tables.ts';
import type { Point, ReadingParts } from './point.ts';

/** Questions about values: their meaning and their repairs. */

const samplesShown = 4;

/** The answer about a value that its rows are left out of the file. */
export const leaveOutOption = { id: leaveOutRows, label: 'leave these rows out' };

export function valueQuestions({ tables }: ReadingParts): Point[] {
  return tables.filter(({ lines }) => lines.some(({ isSure }) => !isSure)).map(valuePoint);
}

/** The question about the values of a column; its rows are those with values without a decision. */
export function valuePoint({ column, field, lines, choices, fillers }: ValueTable): Point {
  const unsure = lines.filter(({ isSure }) => !isSure);
  const open = unsure.length > 0 ? unsure : lines;
  return {
    id: `values:${column.title}`,
    about: column.title,
    rows: open.reduce((sum, { rows }) => sum + rows, 0),
    samples: open.slice(0, samplesShown).map(({ value }) => value),
    why: { code: fillers === undefined ? 'values_to_translate' : 'words_may_be_nothing', field },
    options: [],
    freeText: true,
    isNeeded: true,
    stage: 3,
    subject: {
      kind: 'values',
      field,
      proposal: null,
      values: lines.map(({ value, rows, meaning }) => ({
        value,
        rows,
        proposal: meaning,
        options: [...choices(value), leaveOutOption],
      })),
    },
  };
}

/** Harmless repairs were shown at the review and accepted there. */
export function repairQuestions({ writing, decisions }: ReadingParts): Point[] {
  const isReviewed = decisions.has('review:first');
  return writing.offers
    .filter(({ isHarmless }) => !isHarmless || !isReviewed)
    .map(
      ({ name, column, cells, samples, isHarmless }): Point => ({
        id: `repair:${column.title}:${name}`,
        about: column.title,
        rows: cells,
        samples,
        why: { code: 'repair', repair: name },
        options: [
          { id: 'yes', label: 'repair the column like this' },
          { id: 'no', label: 'leave the cells as they are' },
        ],
        freeText: false,
        isNeeded: false,
        stage: 4,
        subject: { kind: 'repair', repair: name, proposal: isHarmless ? 'yes' : null },
      }),
    );
}
