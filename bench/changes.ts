import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import * as z from 'zod';
import { createRandom } from '../test/simulation/random.ts';
import { hiddenKinds } from './changes/hidden-changes.ts';
import type { MonthRow } from './changes/month-row.ts';
import { changesIn, type Payroll, secondMonth } from './changes/second-month.ts';

/*
 * npm run bench:changes -- FOLDER [--changes N] [--hidden N] [--seed N] [--payroll own|one]
 *
 * Pays the payees of a folder of partners' files twice: once as the truth file beside them says, and once more with
 * changes that only this program knows. The findings of the second month are compared with these changes.
 */

const program = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

const value = z.union([z.string(), z.array(z.string())]);
const truthSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      kind: z.string(),
      before: z.array(z.string()),
      rows: z.array(
        z.object({
          is: z.string(),
          expect: z.record(z.string(), value).optional(),
          same_as: z.number().nullish(),
          checked: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
});
type Truth = z.output<typeof truthSchema>['files'][number];

const summarySchema = z.object({
  batches: z.array(
    z.object({
      counts: z.record(z.string(), z.number()),
      files: z.object({ changes: z.string().nullish(), results: z.string().nullish() }),
    }),
  ),
  error: z.object({ message: z.string() }).nullable(),
});

/** The correct recipients of a file, as the API is to receive them. */
function payeesOf({ rows }: Truth): Record<string, string>[] {
  return rows.flatMap(({ expect, same_as: sameAs, checked }) => {
    if (expect === undefined || (sameAs ?? null) !== null) return [];
    const own = Object.entries(expect).map(([name, each]) => [name, Array.isArray(each) ? each[0] : each]);
    const { institution_id: _, ...record } = Object.fromEntries(own) as Record<string, string>;
    const country =
      record['institution_name'] === undefined ? {} : { institution_country: countryOf(record) };
    return [{ ...record, ...country, amount: String(checked?.['amount'] ?? '100.00') }];
  });
}

const countries: Readonly<Record<string, string>> = { GHS: 'GH', UGX: 'UG', NGN: 'NG', KES: 'KE' };

function countryOf({ currency = '' }: Record<string, string>): string {
  return countries[currency] ?? '';
}

function call(cwd: string, words: readonly string[]): z.output<typeof summarySchema> {
  const ended = spawnSync(process.execPath, [program, ...words, '--local-sandbox', '--json'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const summary = summarySchema.parse(JSON.parse(ended.stdout));
  if (summary.error !== null) throw new Error(`${words.join(' ')}: ${summary.error.message}`);
  return summary;
}

/**
 * The figures of one file: changes and how many were reported, honest rows and how many were reported, and the
 * mistakes.
 */
interface Judged {
  readonly changes: number;
  readonly told: number;
  readonly honest: number;
  readonly honestTold: number;
  readonly mistakes: readonly string[];
  /** Of each kind of hidden change: how many there are, and how many were reported. */
  readonly hidden: ReadonlyMap<string, readonly [number, number]>;
}

/** How the months are made of the files. */
interface MonthOptions {
  readonly seed: number;
  readonly changes: number;
  readonly hidden: number;
  readonly payroll: Payroll;
}

function measure(folder: string, truth: Truth, { seed, ...options }: MonthOptions): Judged {
  const cwd = mkdtempSync(join(tmpdir(), 'paybatch-changes-'));
  try {
    for (const file of truth.before) {
      cpSync(join(folder, file), join(cwd, file));
      call(cwd, ['import', file]);
    }
    // Staff numbers, which no field has.
    writeFileSync(join(cwd, 'mapping.json'), JSON.stringify({ ignore: ['reference'] }));
    const random = createRandom(seed);
    const { first, second } = secondMonth(payeesOf(truth), random, options);
    write(cwd, 'first.csv', first);
    const known = call(cwd, ['import', 'first.csv', '--mapping', 'mapping.json']).batches[0]?.counts ?? {};
    if ((known['created'] ?? 0) < first.length * 0.95)
      throw new Error(`${truth.file}: ${JSON.stringify(known)}`);
    // The columns in another order, as the next export may have them.
    write(
      cwd,
      'second.csv',
      second.map(({ record }) => record),
      random,
    );
    const [batch] = call(cwd, ['import', 'second.csv', '--mapping', 'mapping.json']).batches;
    const path = batch?.files.changes ?? null;
    const told = path === null || !existsSync(path) ? new Map() : changesIn(readFileSync(path, 'utf8'));
    const results = batch?.files.results ?? '';
    return judge(second, told, rowsThatAre(['invalid', 'rejected'], results), rowsThatAre(['held'], results));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function rowsThatAre(statuses: readonly string[], path: string): ReadonlySet<number> {
  const rows = parse(readFileSync(path), { columns: true, bom: true }) as Record<string, string>[];
  return new Set(
    rows.flatMap((row) => (statuses.includes(row['result_status'] ?? '') ? [Number(row['result_row'])] : [])),
  );
}

/**
 * @param refused rows that are refused for another reason: nothing is paid there, so nothing has to be reported
 * @param held rows that a person has to decide about: each of them is reported, whether it is a change or not
 */
function judge(
  rows: readonly MonthRow[],
  told: ReadonlyMap<number, readonly string[]>,
  refused: ReadonlySet<number>,
  held: ReadonlySet<number>,
): Judged {
  const numbers = new Map(rows.map((row, at) => [row, at + 2]));
  const codesOf = (number: number): readonly string[] =>
    told.get(number) ?? (held.has(number) ? ['held'] : []);
  const judged = rows.map((row, at) => {
    const number = at + 2;
    const other = (row.contradicts && numbers.get(row.contradicts)) ?? number;
    const codes = codesOf(number).length > 0 ? codesOf(number) : codesOf(other);
    return { ...row, number, codes, isRefused: refused.has(number) || refused.has(other) };
  });
  const sent = judged.filter(({ isRefused }) => !isRefused);
  const changed = sent.filter(({ expected, kind }) => expected !== null && kind === undefined);
  const honest = sent.filter(({ expected, kind }) => expected === null && kind === undefined);
  const missed = changed.filter(
    ({ codes, expected }) => !codes.includes(expected ?? '') && !codes.includes('held'),
  );
  const hiddenMissed = sent.filter(
    ({ kind, expected, codes }) => kind !== undefined && expected !== null && codes.length === 0,
  );
  const loud = honest.filter(({ codes }) => codes.length > 0);
  return {
    changes: changed.length,
    told: changed.length - missed.length,
    honest: honest.length,
    honestTold: loud.length,
    hidden: new Map(
      hiddenKinds.map((name) => {
        // A refused row is not paid, so it counts as reported.
        const ofKind = judged.filter(({ kind, expected }) => kind === name && expected !== null);
        const told = ofKind.filter(({ codes, isRefused }) => codes.length > 0 || isRefused);
        return [name, [ofKind.length, told.length]];
      }),
    ),
    mistakes: [...missed, ...hiddenMissed, ...loud].map(
      ({ number, what, expected, codes, record }) =>
        `row ${number}, ${what}: ${expected ?? 'nothing'} expected, ${codes.join(' and ') || 'nothing'} told (${record['account_name']})`,
    ),
  };
}

function write(
  cwd: string,
  name: string,
  records: readonly Readonly<Record<string, string>>[],
  random?: { readonly pick: <Value>(from: readonly Value[]) => Value },
): void {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  for (let at = 0; random !== undefined && at < columns.length; at += 1) {
    const other = columns.indexOf(random.pick(columns));
    [columns[at], columns[other]] = [columns[other] ?? '', columns[at] ?? ''];
  }
  writeFileSync(join(cwd, name), stringify(records as Record<string, string>[], { header: true, columns }));
}

const usage = 'npm run bench:changes -- FOLDER [--changes N] [--hidden N] [--seed N] [--payroll own|one]';
const [folder, ...words] = process.argv.slice(2);
if (folder === undefined) throw new Error(usage);
const wordAfter = (name: string): string | undefined => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
};
const numberOf = (name: string, unstated: number): number => Number(wordAfter(name) ?? unstated);
const [wanted, hidden, seed] = [numberOf('--changes', 200), numberOf('--hidden', 0), numberOf('--seed', 1)];
const { files } = truthSchema.parse(JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')));
const recipients = files.filter(({ kind }) => kind === 'recipients');
const payroll = wordAfter('--payroll') ?? 'own';
if (payroll !== 'one' && payroll !== 'own') throw new Error(usage);
const all: Judged[] = [];
process.stdout.write('| file | changes told | honest rows told |\n|---|---|---|\n');
for (const [at, truth] of recipients.entries()) {
  const share = (of: number): number =>
    Math.ceil((of * (at + 1)) / recipients.length) - Math.ceil((of * at) / recipients.length);
  const options = { seed: seed + at, changes: share(wanted), hidden: share(hidden), payroll } as const;
  const judged = measure(resolve(folder), truth, options);
  all.push(judged);
  process.stdout.write(
    `| ${truth.file} | ${judged.told} of ${judged.changes} | ${judged.honestTold} of ${judged.honest} |\n`,
  );
}
const sum = (of: (judged: Judged) => number): number => all.reduce((total, each) => total + of(each), 0);
const [honest, honestTold] = [sum((each) => each.honest), sum((each) => each.honestTold)];
process.stdout.write(
  `| all | ${sum((each) => each.told)} of ${sum((each) => each.changes)} | ${honestTold} of ${honest} (${((100 * honestTold) / honest).toFixed(2)} %) |\n`,
);
if (hidden > 0) {
  process.stdout.write('\n| hidden change | told |\n|---|---|\n');
  for (const kind of hiddenKinds) {
    const of = (at: 0 | 1): number => sum((each) => each.hidden.get(kind)?.[at] ?? 0);
    process.stdout.write(`| ${kind} | ${of(1)} of ${of(0)} |\n`);
  }
}
for (const { mistakes } of all) for (const mistake of mistakes) process.stdout.write(`${mistake}\n`);
