/* The review: each column with the field that it is read as, its values as they would be sent, and how sure that is. */

import { parseNumberText } from '../../domain/money/money.ts';
import { unsure } from '../columns/column-use.ts';
import { dividedCells } from '../columns/divided-cells.ts';
import type { Decisions } from '../decisions.ts';
import type { DialogueQuestion, QuestionSubject, SentValue } from '../question.ts';
import { decidesRows } from '../questions/marked-decisions.ts';
import type { Column } from '../sheet/column.ts';
import type { Grid } from '../sheet/grid.ts';
import type { ProposedReading, TrialResult } from './reading-source.ts';
import type { TriedRow } from './refused-groups.ts';

type Review = Extract<DialogueQuestion, { readonly kind: 'review' }>;

/**
 * The question about the whole reading: each column with the field that it is read as, and its values as they would be
 * sent.
 */
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
    ...dividedCells(column),
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

/* How a reading takes the lines and columns of its file, for a channel that shows the file beside the review. */

/**
 * How sure the use of a column is. `sure`: its name and values leave no doubt. `guess`: it is a guess. `decided`: a
 * person has decided it. `left_out`: the column is left out.
 */
export type Sureness = 'sure' | 'guess' | 'decided' | 'left_out';

/** A column, in the order of the review's columns. */
interface SeenColumn {
  /** Its place in the lines of the file, from 0 on. */
  readonly index: number;
  readonly sureness: Sureness;
}

/** A question that follows the review. */
export type NextQuestion = { readonly about: string } & QuestionSubject;

/** A reading, as it takes the lines of its sheet. */
export interface SeenReading {
  /** The lines of the file. Those that are rows also have the cells of columns that are beside the rows, such as headings. */
  readonly grid: Grid;
  /** The numbers of the lines that are the header. */
  readonly header: readonly number[];
  /** The numbers of the lines that are rows. Every other line below the header is left out. */
  readonly rows: ReadonlySet<number>;
  readonly columns: readonly SeenColumn[];
  /** The known questions that follow, without those about single columns. Answers may lead to more questions. */
  readonly next: readonly NextQuestion[];
}

/** @param following the questions about the reading after the open one */
export function seenReading(
  { sheet, uses }: Pick<ProposedReading, 'sheet' | 'uses'>,
  following: readonly NextQuestion[],
): SeenReading {
  const read = new Map(sheet.rows.map((row) => [row.number, row]));
  return {
    grid: { ...sheet.grid, rows: sheet.grid.rows.map((line) => read.get(line.number) ?? line) },
    header: sheet.header,
    rows: new Set(sheet.rows.map(({ number }) => number)),
    columns: uses.map((use) => ({ index: use.column.index, sureness: surenessOf(use) })),
    next: following.filter(({ kind }) => kind !== 'column'),
  };
}

/** A use is a guess if it rests on values alone, on a weak match, or if a second column matches as well. */
function surenessOf({ fields, evidence, rival, score }: ProposedReading['uses'][number]): Sureness {
  if (evidence === 'decided') return 'decided';
  if (fields.length === 0) return 'left_out';
  return rival !== undefined || evidence === 'values' || score < unsure ? 'guess' : 'sure';
}

/*
 * The values of a column as they would be sent, for the review. A person can see every kind of value that is sent. All
 * values are shown if they are few; otherwise the rarest and most unusual ones.
 */

/** Up to this number, all distinct values are shown. */
const allShown = 12;
/** If there are more values, this many with the rarest forms are shown besides the extremes. */
const rareShown = 4;

interface Seen extends SentValue {
  readonly form: string;
}

/** @param fields the fields that the column is read as; empty for a column that is left out */
export function sentValues(
  { cells }: Column,
  fields: readonly string[],
  rows: readonly TriedRow[],
): readonly SentValue[] {
  if (fields.length === 0) return [];
  const passed = new Map(rows.filter(({ isPassed }) => isPassed).map(({ row, record }) => [row, record]));
  const byText = new Map<string, { -readonly [Key in keyof Seen]: Seen[Key] }>();
  for (const { row, text } of cells) {
    const record = passed.get(row);
    if (record === undefined) continue;
    const known = byText.get(text);
    if (known !== undefined) known.rows += 1;
    else {
      const sent = fields.flatMap((field) => record[field] ?? []).join(' + ');
      byText.set(text, { value: text, sent, rows: 1, example_row: row, form: formOf(text) });
    }
  }
  const all = [...byText.values()];
  const chosen = all.length <= allShown ? all : oddest(all);
  return chosen.map(({ form: _, ...value }) => value);
}

/** The values with the rarest form, and the shortest, longest, smallest and largest values. */
function oddest(all: readonly Seen[]): readonly Seen[] {
  const forms = new Map<string, number>();
  for (const { form, rows } of all) forms.set(form, (forms.get(form) ?? 0) + rows);
  const rarest = [...all].sort(
    (left, right) => (forms.get(left.form) ?? 0) - (forms.get(right.form) ?? 0) || left.rows - right.rows,
  );
  const byForm = rarest.filter(
    (value, index) => rarest.findIndex(({ form }) => form === value.form) === index,
  );
  const byLength = [...all].sort((left, right) => left.value.length - right.value.length);
  const numbers = all
    .flatMap((value) =>
      parseNumberText(value.sent) === undefined ? [] : [{ value, size: Number(value.sent) }],
    )
    .sort((left, right) => left.size - right.size)
    .map(({ value }) => value);
  const ends = [byLength, numbers].flatMap((sorted) => [sorted[0], sorted.at(-1)]);
  return [...new Set([...byForm.slice(0, rareShown), ...ends.flatMap((value) => value ?? [])])];
}

/**
 * Some of these values. Values with the rarest forms come first, and one value of each form comes before a second one.
 */
export function rarestOf(values: readonly SentValue[], most: number): readonly SentValue[] {
  const seen = values.map((value) => ({ ...value, form: formOf(value.value) }));
  const forms = new Map<string, number>();
  for (const { form, rows } of seen) forms.set(form, (forms.get(form) ?? 0) + rows);
  const isFirst = new Set(forms.keys());
  const ranked = seen
    .map((value) => ({ value, inForm: forms.get(value.form) ?? 0, repeats: !isFirst.delete(value.form) }))
    .sort(
      (left, right) =>
        Number(left.repeats) - Number(right.repeats) ||
        left.inForm - right.inForm ||
        left.value.rows - right.value.rows,
    );
  return ranked.slice(0, most).map(({ value: { form: _, ...value } }) => value);
}

/** The signs of a value, the lengths of its runs of digits, and the places of its letters. */
export function formOf(text: string): string {
  return text
    .slice(0, 40)
    .replace(/\d+/g, (digits) => String(digits.length))
    .replace(/\p{L}[\p{L}\s.'’]*/gu, 'a');
}
