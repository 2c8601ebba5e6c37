import type { Decisions, DialogueQuestion } from './decisions.ts';
import { decidesRows } from './marked-rows.ts';
import type { ProposedReading, TrialResult } from './reading-source.ts';
import type { TriedRow } from './refused-groups.ts';
import { sentValues } from './sent-values.ts';

type Review = Extract<DialogueQuestion, { readonly kind: 'review' }>;

/** The question about the whole reading: each column, with what it is read as, and its values as they would be sent. */
export function reviewOf(
  number: number,
  reading: ProposedReading,
  { forecast, reasons }: TrialResult,
  rows: readonly TriedRow[],
  decided: Decisions,
  leftOut: NonNullable<Review['left_out_sheets']>,
): Review {
  const { sheet, uses, repairs, about, fields: all } = reading;
  const columns = uses.map(({ column, fields }) => ({
    column: column.title,
    field: fields.length === 0 ? null : fields.length === 1 ? (fields[0] ?? null) : fields,
    ...(fields.length === 0 && decidesRows(column.title, decided) ? { decides_rows: true as const } : {}),
    samples: column.values.slice(0, 2).map(({ text }) => text),
    repairs: repairs[column.title] ?? [],
    sent: sentValues(column, fields, rows),
  }));
  return {
    question: number,
    kind: 'review',
    sheet: sheet.grid.sheet,
    about,
    rows: Math.round(sheet.rows.length * sheet.weight),
    samples: [],
    proposal: 'accept',
    why: { code: 'review' },
    options: [{ id: 'accept', label: 'read it so', passes: forecast.pass }],
    free_text: false,
    columns,
    fields: all,
    reasons,
    ...(leftOut.length === 0 ? {} : { left_out_sheets: leftOut }),
    forecast,
  };
}
