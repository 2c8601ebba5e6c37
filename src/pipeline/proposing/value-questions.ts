import type { Looked, Point } from './point.ts';
import type { ValueTable } from './value-tables.ts';

/** Questions about values: what they mean, and whether they are repaired. */

const samplesShown = 4;

export function valueQuestions({ tables }: Looked): Point[] {
  return tables.filter(({ lines }) => lines.some(({ isSure }) => !isSure)).map(valuePoint);
}

/** The question about the values of a column; its rows are those of the values that nobody has spoken of. */
export function valuePoint({ column, field, lines, choices }: ValueTable): Point {
  const unsure = lines.filter(({ isSure }) => !isSure);
  const open = unsure.length > 0 ? unsure : lines;
  return {
    id: `values:${column.title}`,
    about: column.title,
    rows: open.reduce((sum, { rows }) => sum + rows, 0),
    samples: open.slice(0, samplesShown).map(({ value }) => value),
    why: `its values have to become ${field}`,
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
        options: choices(value),
      })),
    },
  };
}

/** What only reads what is there was shown at the review and agreed to with it. */
export function repairQuestions({ writing, decisions }: Looked): Point[] {
  const isReviewed = decisions.has('review:first');
  return writing.offers
    .filter(({ isHarmless }) => !isHarmless || !isReviewed)
    .map(
      ({ name, column, cells, samples, isHarmless }): Point => ({
        id: `repair:${column.title}:${name}`,
        about: column.title,
        rows: cells,
        samples,
        why: repairReasons[name],
        options: [
          { id: 'yes', label: 'repair the column so' },
          { id: 'no', label: 'leave the cells as they are' },
        ],
        freeText: false,
        isNeeded: false,
        stage: 4,
        subject: { kind: 'repair', repair: name, proposal: isHarmless ? 'yes' : null },
      }),
    );
}

const repairReasons = {
  lost_zeros: 'Numbers are shorter than they must be: a spreadsheet program has taken zeros away.',
  local_phone: 'Phone numbers are written as they are dialled in their country.',
  number_cells: 'The column has number cells, which are read as the digits that they show.',
  ditto: 'Marks stand for the value above.',
  negative_in_brackets: 'Amounts in brackets are negative.',
  empty_words: 'Words stand for nothing.',
  line_breaks: 'Values have line breaks.',
  amount_marks: 'Amounts have signs of a currency.',
  only_where_used:
    'Rows of other payee types are filled in here too, and have no such field: the cells of these rows would be left out.',
} as const;
