import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type AskedQuestion, refusedWithoutQuestion } from '../test/propose/session/unasked.ts';
import {
  answerTo,
  judge,
  questionSchema,
  readTruths,
  resultsOption,
  type Truth,
} from '../test/support/partner-truth.ts';

/*
 * npm run bench:partners -- FOLDER [FILE-NUMBER...]
 *
 * Imports every file of a folder of partners' files at the first try, and has the folder's own judge compare what was
 * created with the truth: once with the proposals alone, and once with a person who answers every question of the
 * dialogue truthfully. The folder holds truth.json (what each file, column and row is), judge.mjs, and the files. Below the
 * table are the groups of rows that were refused without a question, of which there should be none.
 */

const program = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

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
  const reviewed = new Set<string>();
  for await (const line of createInterface({ input: running.stdout })) {
    const json: unknown = JSON.parse(line);
    if (typeof json === 'object' && json !== null && 'mapping' in json) {
      writeFileSync(join(cwd, 'm.json'), JSON.stringify(json.mapping));
      forecast = endSchema.parse(json).forecast.pass;
      break;
    }
    const question = questionSchema.parse(json);
    if (question.kind !== 'review') questions.set(question.question, question);
    const own = question.error === undefined ? answerTo(truth, question) : 'accept';
    // A reading that the dialogue cannot express is shown again after each such answer. It is accepted the second time.
    const isRepeated = question.kind === 'review' && reviewed.has(JSON.stringify(own));
    if (question.kind === 'review') reviewed.add(JSON.stringify(own));
    const answer = isRepeated ? 'accept' : own;
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
      return [resultsOption(file), resolve(cwd, batches[0]?.files.results ?? '')];
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
    const judged = judge(folder, {
      file: truth.file,
      results: resolve(cwd, results),
      journal,
      before,
      isPerson,
    });
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
process.stdout.write(
  '| file | person | good rows right | after a yes | bad created | wrong values | questions | forecast and done |\n|---|---|---|---|---|---|---|---|\n',
);
for (const [index, truth] of readTruths(folder).entries()) {
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
