/*
 * The values of a column as they would be sent, for the review: no value is sent that a person could not have seen in
 * kind. Of few values all are shown, of many the rarest and the oddest.
 */

import { parseNumberText } from '../domain/money/money.ts';
import type { SentValue } from './decisions.ts';
import type { Column } from './evidence.ts';
import type { TriedRow } from './refused-groups.ts';

/** Up to this number, all distinct values are shown. */
const allShown = 12;
/** Of more values, this many with the rarest forms, besides the extremes. */
const rareShown = 4;

interface Seen extends SentValue {
  readonly form: string;
}

/** @param fields the fields that the column is read as; none for a column that is left out */
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

/** The values whose form is rarest, and the shortest, the longest, the smallest and the largest. */
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

/** Some of these values, those of the rarest forms first, and one of each form before a second one. */
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
