import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type AskedQuestion, refusedWithoutQuestion } from '../test/propose/session/unasked.ts';

/*
 * npm run bench:partners -- FOLDER [FILE-NUMBER...]
 *
 * Imports every file of a folder of partners' files at the first try, and has the folder's own judge compare what was
 * created with the truth: once with the proposals alone, and once with a person who answers every question of the
 * dialogue truthfully. The folder holds truth.json (what each file, column and row is), judge.mjs, and the files. Below the
 * table are the groups of rows that were refused without a question, of which there should be none.
 */

const program = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

const stated = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));
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
      columns: z.array(z.object({ title: z.string(), field: z.string() })),
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
type Truth = z.output<typeof truthSchema>['files'][number];

const sampleSchema = z.object({ row: z.number(), before: z.string(), after: z.string() });

const questionSchema = z.looseObject({
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
type Question = z.output<typeof questionSchema>;

const endSchema = z.looseObject({ forecast: z.object({ pass: z.number() }) });

const summarySchema = z.object({
  batches: z.array(
    z.object({
      files: z.object({ results: z.string().nullable() }),
      counts: z.record(z.string(), z.number()),
    }),
  ),
  error: z.object({ message: z.string() }).nullable(),
});

const judgedSchema = z.object({
  good: z.number(),
  good_created: z.number(),
  after_yes: z.number(),
  after_yes_created: z.number(),
  bad_created: z.number(),
  not_rows_created: z.number(),
  wrong_values: z.number(),
});

/** What the column is in truth; undefined for one that the truth does not name. */
function fieldOf({ columns }: Truth, title: string): string | readonly string[] | undefined {
  const field = columns.find((column) => column.title === title)?.field;
  return field === 'name' ? ['first_name', 'last_name'] : field;
}

/** What a colleague who knows the file answers. */
function answerTo(truth: Truth, question: Question): unknown {
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
        const isNothing = question.reason !== undefined && nothing.has(value.toLowerCase());
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
function rowsMeant({ rows }: Truth, { about, values }: Question): Readonly<Record<string, string>> {
  const badFor = (reason: string): number => rows.filter((row) => row.reason === reason).length;
  const isBad = ({ value, rows: marked }: Question['values'][number]): boolean => {
    if (about !== 'marked_rows') {
      return rows.some((row) => row.is === 'bad' && row.column === about && row.value === value);
    }
    const isStrike = value.startsWith('struck through');
    return isStrike ? badFor('struck') > 0 : badFor('colour') > 0 && badFor('colour') === marked;
  };
  return Object.fromEntries(values.map((each) => [each.value, isBad(each) ? 'leave_out' : 'send']));
}

/** Whether a repair of values that are refused now makes the right ones of all that are shown. */
function isRightRepair({ columns, rows }: Truth, { about, samples }: Question): boolean {
  const truths = new Map(rows.map((row) => [row.row, row]));
  const field = [columns.find(({ title }) => title === about)?.field ?? ''].flat()[0] ?? '';
  const shown = samples.flatMap((sample) => sampleSchema.safeParse(sample).data ?? []);
  const known = shown.flatMap(({ row, after }) => {
    const { column, expect, checked = {} } = truths.get(row) ?? {};
    // Of a row that is bad for another reason, the person knows only that this value is not what is wrong.
    if (expect === undefined) return [column !== about];
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

function run(cwd: string, args: readonly string[]): { readonly stdout: string; readonly stderr: string } {
  return spawnSync('node', [program, ...args], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** What a dialogue came to. */
interface Led {
  /** By number, without reviews. */
  readonly questions: ReadonlyMap<number, AskedQuestion>;
  /** How many rows it said would pass. */
  readonly forecast: number;
}

/** Leads the dialogue, and writes the mapping to m.json. */
async function lead(cwd: string, args: readonly string[], truth: Truth): Promise<Led> {
  const running = spawn('node', [program, 'mapping', ...args, '--dialogue'], {
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const questions = new Map<number, AskedQuestion>();
  let forecast = Number.NaN;
  for await (const line of createInterface({ input: running.stdout })) {
    const json: unknown = JSON.parse(line);
    if (typeof json === 'object' && json !== null && 'mapping' in json) {
      writeFileSync(join(cwd, 'm.json'), JSON.stringify(json.mapping));
      forecast = endSchema.parse(json).forecast.pass;
      break;
    }
    const question = questionSchema.parse(json);
    if (question.kind !== 'review') questions.set(question.question, question);
    const answer = question.error === undefined ? answerTo(truth, question) : 'accept';
    if (process.env['PARTNERS_SHOW'] === 'questions' && question.kind !== 'review')
      process.stderr.write(`${line}\n  ${JSON.stringify(answer)}\n`);
    running.stdin.write(`${JSON.stringify({ question: question.question, answer })}\n`);
  }
  running.stdin.end();
  return { questions, forecast };
}

/** Lines about groups that were refused without a question. */
const unasked: string[] = [];

/** The judge's figures of one first import, as cells of a table. */
async function measure(folder: string, truth: Truth, isPerson: boolean): Promise<readonly string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'paybatch-partner-'));
  try {
    for (const file of [truth.file, ...truth.before]) cpSync(join(folder, file), join(cwd, file));
    const before = truth.before.flatMap((file) => {
      const { batches } = summarySchema.parse(
        JSON.parse(run(cwd, ['import', file, '--local-sandbox', '--json']).stdout),
      );
      const option = file.includes('.accounts.') ? '--accounts' : '--customers';
      return [option, resolve(cwd, batches[0]?.files.results ?? '')];
    });
    const place = [
      truth.file,
      '--kind',
      truth.kind,
      ...(truth.sheet === null ? [] : ['--sheet', truth.sheet]),
    ];
    const local = [...place, '--local-sandbox'];
    const led = isPerson ? await lead(cwd, local, truth) : null;
    const questions = led?.questions.size ?? 0;
    if (!isPerson) writeFileSync(join(cwd, 'm.json'), run(cwd, ['mapping', ...local]).stdout);
    const hidden = String(truth.asked['hidden'] ?? 'include');
    const reading = isPerson ? [truth.file] : [...place, '--hidden', hidden, '--leave-out-non-rows'];
    const imported = run(cwd, ['import', ...reading, '--mapping', 'm.json', '--local-sandbox', '--json']);
    const { batches, error } = summarySchema.parse(JSON.parse(imported.stdout));
    const results = batches[0]?.files.results;
    if (results === undefined || results === null)
      return ['refused', error?.message ?? '', '', '', String(questions), ''];
    if (led !== null) {
      const found = refusedWithoutQuestion(readFileSync(resolve(cwd, results), 'utf8'), [
        ...led.questions.values(),
      ]);
      for (const { column, code, rows, samples } of found)
        unasked.push(`${truth.file}: ${column}, ${code}: ${rows} rows, ${samples.join(', ')}`);
    }
    const { created = 0, existing = 0 } = batches[0]?.counts ?? {};
    const journal = join(cwd, '.paybatch-sandbox/journal.jsonl');
    const judging = [truth.file, resolve(cwd, results), '--api', journal, ...before, '--json'];
    const judge = spawnSync(
      'node',
      [join(folder, 'judge.mjs'), ...judging, ...(isPerson ? [] : ['--no-person'])],
      {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      },
    );
    const judged = judgedSchema.parse(JSON.parse(judge.stdout));
    return [
      `${judged.good_created} of ${judged.good}`,
      `${judged.after_yes_created} of ${judged.after_yes}`,
      String(judged.bad_created + judged.not_rows_created),
      String(judged.wrong_values),
      String(questions),
      led === null ? '' : `${led.forecast} and ${created + existing}`,
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const [folder, ...numbers] = process.argv.slice(2);
if (folder === undefined) throw new Error('npm run bench:partners -- FOLDER [FILE-NUMBER...]');
const { files } = truthSchema.parse(JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')));
process.stdout.write(
  '| file | person | good rows right | after a yes | bad created | wrong values | questions | forecast and done |\n|---|---|---|---|---|---|---|---|\n',
);
for (const [index, truth] of files.entries()) {
  if (numbers.length > 0 && !numbers.includes(String(index + 1))) continue;
  for (const isPerson of [false, true]) {
    const cells = await measure(resolve(folder), truth, isPerson);
    process.stdout.write(`| ${[truth.file, isPerson ? 'answers' : 'none', ...cells].join(' | ')} |\n`);
  }
}
const listed = unasked.length === 0 ? ['none'] : unasked;
process.stdout.write(
  `\nRefused in groups without a question:\n${listed.map((line) => `- ${line}`).join('\n')}\n`,
);
