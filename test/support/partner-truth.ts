/*
 * A folder of files as partners send them, with truth.json (what each file, column and row is) and judge.mjs, which compares
 * what was created with it: what a person who knows a file answers to questions about it.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { headingColumn, labelOfColumn } from '../../src/read/mapping/headings.ts';

const words = z.record(z.string(), z.string());
const stated = z.record(z.string(), z.union([z.string(), words, z.record(z.string(), words)]));
const truthSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      kind: z.string(),
      sheet: z.string().nullable(),
      header_rows: z.array(z.number()),
      before: z.array(z.string()),
      asked: stated,
      reading: z.record(z.string(), z.unknown()),
      columns: z.array(
        z.object({ title: z.string(), field: z.string(), split: z.array(z.string()).optional() }),
      ),
      /** What the headings between the rows say of the rows below them. */
      headings: z
        .object({ field: z.string(), lines: z.array(z.looseObject({ text: z.string() })).default([]) })
        .optional(),
      values: z.record(z.string(), z.record(z.string(), z.string().nullable())),
      rows: z.array(
        z.looseObject({
          row: z.number(),
          is: z.string(),
          column: z.string().optional(),
          value: z.unknown().optional(),
          reason: z.string().optional(),
          expect: z.record(z.string(), z.unknown()).optional(),
          checked: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
});
/** What a file, its columns and its rows are. */
export type Truth = z.output<typeof truthSchema>['files'][number];

const sampleSchema = z.object({ row: z.number(), before: z.string(), after: z.string() });

export const questionSchema = z.looseObject({
  question: z.number(),
  kind: z.string().optional(),
  about: z.string().default(''),
  error: z.string().optional(),
  field: z.string().optional(),
  /** The code of the reason for which the values are refused now. */
  reason: z.string().optional(),
  samples: z.array(z.unknown()).default([]),
  options: z.array(z.object({ id: z.string().nullable() })).default([]),
  columns: z.array(z.object({ column: z.string(), field: z.unknown() })).default([]),
  values: z
    .array(
      z.object({
        value: z.string(),
        rows: z.number().optional(),
        options: z.array(z.object({ id: z.string().nullable() })).optional(),
      }),
    )
    .default([]),
});
/** A question of the dialogue, as programs get it. */
export type Question = z.output<typeof questionSchema>;

/** The truth of each file of a folder. */
export function readTruths(folder: string): readonly Truth[] {
  return truthSchema.parse(JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'))).files;
}

const judgedSchema = z.object({
  good: z.number(),
  good_created: z.number(),
  after_yes: z.number(),
  after_yes_created: z.number(),
  bad_created: z.number(),
  not_rows_created: z.number(),
  wrong_values: z.number(),
});

/** What the judge of a folder says. */
export type Judged = z.output<typeof judgedSchema>;

/** What was created with a file of a folder. */
interface Created {
  readonly file: string;
  /** The path of its results file. */
  readonly results: string;
  /** The path of the journal of the API. */
  readonly journal: string;
  /** Options that name the results of the files before it. */
  readonly before: readonly string[];
  /** Whether somebody has answered questions. */
  readonly isPerson: boolean;
}

/** Has the judge of a folder compare what was created with the truth. */
export function judge(folder: string, { file, results, journal, before, isPerson }: Created): Judged {
  const asked = [file, results, '--api', journal, ...before, '--json', ...(isPerson ? [] : ['--no-person'])];
  const { stdout } = spawnSync('node', [join(folder, 'judge.mjs'), ...asked], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return judgedSchema.parse(JSON.parse(stdout));
}

/** The option of the judge, and of an import, that names the results of a file before. */
export function resultsOption(file: string): '--accounts' | '--customers' {
  return file.includes('.accounts.') ? '--accounts' : '--customers';
}

/** Whether two texts are one title: a title over several lines of its cell may be written on one. */
function isTitle(one: string, other: string): boolean {
  return one.replace(/\s+/g, ' ').trim() === other.replace(/\s+/g, ' ').trim();
}

/** What the column is in truth; undefined for one that the truth does not name. */
function fieldOf({ columns, headings }: Truth, about: string): string | readonly string[] | undefined {
  const column = columns.find(({ title }) => isTitle(title, about));
  const label = labelOfColumn(about);
  const hasLabel = label === undefined || headings?.lines.some(({ text }) => text.startsWith(label));
  if (column === undefined && (about === headingColumn || label !== undefined))
    return hasLabel === true ? headings?.field : undefined;
  return column?.field === 'name' ? ['first_name', 'last_name'] : (column?.split ?? column?.field);
}

/** What a colleague who knows the file answers. */
export function answerTo(truth: Truth, question: Question): unknown {
  const { kind, about } = question;
  switch (kind) {
    case 'review': {
      const wrong = question.columns.flatMap(({ column, field }) => {
        const right = fieldOf(truth, column);
        const isRight = right === undefined || JSON.stringify(right) === JSON.stringify(field ?? 'ignore');
        return isRight ? [] : [[column, right] as const];
      });
      return wrong.length === 0 ? 'accept' : { columns: Object.fromEntries(wrong) };
    }
    case 'column':
      return fieldOf(truth, about) ?? 'accept';
    case 'values': {
      if (question.field === 'marked_rows') return { values: rowsMeant(truth, question) };
      const known = truth.values[question.field ?? ''] ?? {};
      const nothing = new Set(
        [truth.reading['empty'] ?? []].flat().map((word) => String(word).toLowerCase()),
      );
      const folded = new Map(Object.entries(known).map(([value, meaning]) => [value.toLowerCase(), meaning]));
      const own = question.values.flatMap(({ value, options = [] }) => {
        const isOffered = question.reason !== undefined || options.some(({ id }) => id === '');
        const isNothing = isOffered && nothing.has(value.toLowerCase());
        const meaning = value in known ? known[value] : isNothing ? '' : folded.get(value.toLowerCase());
        // A value without a counterpart is left out of its row, unless the truth calls the row bad for it.
        const isLeftEmpty =
          meaning === null && options.some(({ id }) => id === '') && !isBadValue(truth, value);
        return meaning === undefined ? [] : [[value, isLeftEmpty ? '' : meaning] as const];
      });
      return { values: Object.fromEntries(own) };
    }
    case 'constant': {
      const text = truth.asked[about];
      return typeof text === 'string' ? { text } : null;
    }
    case 'repair':
      return question.reason === undefined || isRightRepair(truth, question) ? 'yes' : 'no';
    default:
      return readingOf(truth, question);
  }
}

function isBadValue({ rows }: Truth, text: string): boolean {
  return rows.some(({ is, value }) => is === 'bad' && value === text);
}

/** What a person who knows the file says of rows that are set apart: those that the truth calls bad for it are left out. */
function rowsMeant({ asked, rows }: Truth, { about, values }: Question): Readonly<Record<string, string>> {
  const meant = statedOf(asked['rows'], about);
  const badFor = (reason: string): number => rows.filter((row) => row.reason === reason).length;
  const isBad = ({ value, rows: marked }: Question['values'][number]): boolean => {
    if (about !== 'marked_rows') {
      return rows.some(
        (row) => row.is === 'bad' && isTitle(String(row.column), about) && row.value === value,
      );
    }
    const isStrike = value.startsWith('struck through');
    return isStrike ? badFor('struck') > 0 : badFor('colour') > 0 && badFor('colour') === marked;
  };
  return Object.fromEntries(
    values.map((each) => [
      each.value,
      meant?.[each.value] ?? meant?.['*'] ?? (isBad(each) ? 'leave_out' : 'send'),
    ]),
  );
}

/** What the person knows of the rows that a column sets apart. */
function statedOf(
  rows: Truth['asked'][string] | undefined,
  about: string,
): Readonly<Record<string, string>> | undefined {
  if (typeof rows !== 'object') return undefined;
  const [, meant] = Object.entries(rows).find(([title]) => isTitle(title, about)) ?? [];
  return typeof meant === 'object' ? meant : undefined;
}

/** Whether a repair of values that are refused now makes the right ones of all that are shown. */
function isRightRepair({ columns, rows }: Truth, { about, samples }: Question): boolean {
  const truths = new Map(rows.map((row) => [row.row, row]));
  const field = [columns.find(({ title }) => isTitle(title, about))?.field ?? ''].flat()[0] ?? '';
  const shown = samples.flatMap((sample) => sampleSchema.safeParse(sample).data ?? []);
  const known = shown.flatMap(({ row, after }) => {
    const { column, expect, checked = {} } = truths.get(row) ?? {};
    // Of a row that is bad for another reason, the person knows only that this value is not what is wrong.
    if (expect === undefined) return [!isTitle(String(column), about)];
    // An amount that is only checked and not sent is known to the person as well.
    const truth = { ...checked, ...expect };
    const wanted = [truth[field] ?? (field === 'account_number' ? truth['phone_number'] : '')].flat();
    return [wanted.some((value) => String(value) === after || isSameNumber(field, value, after))];
  });
  return known.length > 0 && known.every(Boolean);
}

function isSameNumber(field: string, value: unknown, text: string): boolean {
  return field === 'amount' && text !== '' && Number(value) === Number(text);
}

function readingOf(
  { asked, reading, sheet, kind, header_rows: rows }: Truth,
  { about, options }: Question,
): unknown {
  const [payeeType, phones] = [asked['payee_type'], asked['phoneCountry']];
  const known: Readonly<Record<string, unknown>> = {
    sheet,
    kind,
    header_rows: rows.join(','),
    encoding: reading['encoding'] === undefined ? undefined : { text: reading['encoding'] },
    hidden: asked['hidden'] ?? 'include',
    // The truth names each row, so a total that differs from them is the one that is wrong.
    totals: 'rows',
    payee_type: typeof payeeType === 'object' ? 'institution_name' : payeeType,
    phone_country: typeof phones === 'object' ? `column:${phones['column']}` : phones,
  };
  if (known[about] !== undefined) return known[about];
  const ids = new Set(options.map(({ id }) => id ?? ''));
  if (ids.has(',')) return reading['decimal'] ?? 'accept';
  return [...ids].some((id) => id.includes('YY')) ? (reading['dateFormat'] ?? 'accept') : 'accept';
}
