import { removeTemporaryFiles } from '../test/read/reading.ts';
import { changeNames } from '../test/watch/drift/changes.ts';
import { changedMonth, habitOf, honestMonth, type Verdict } from '../test/watch/drift/judge.ts';
import { layouts } from '../test/watch/drift/layouts.ts';

/*
 * npm run bench:drift -- [--files N] [--seed N] [--shown]
 *
 * Reads next months of twelve known layouts: N with a change that would send something wrong, and N without one. Prints
 * how many of them are noticed before anything is sent, by kind of change.
 */

const words = process.argv.slice(2);
const numberAfter = (name: string, unstated: number): number => {
  const at = words.indexOf(name);
  return at < 0 ? unstated : Number(words[at + 1]);
};
const [files, seed] = [numberAfter('--files', 300), numberAfter('--seed', 1)];
const isShown = words.includes('--shown');
const verdicts: readonly Verdict[] = ['stopped', 'rows refused', 'sent with a word', 'sent wrong'];
const lines: string[] = [];

const counts = new Map<string, Map<Verdict, number>>();
let made = 0;
for (let at = 0; made < files; at += 1) {
  const change = changeNames[at % changeNames.length];
  const layout = layouts[Math.floor(at / changeNames.length) % layouts.length];
  if (change === undefined || layout === undefined) throw new Error('there is no change');
  const month = await changedMonth(layout, change, seed * 100_000 + at);
  if (month === null) continue;
  made += 1;
  const ofChange = counts.get(change) ?? new Map<Verdict, number>();
  counts.set(change, ofChange.set(month.verdict, (ofChange.get(month.verdict) ?? 0) + 1));
  if (isShown || month.verdict.startsWith('sent')) {
    const { message, result, refused } = month.outcome;
    lines.push(`${at}: ${change}, ${layout.name}: ${month.verdict} ${refused ?? ''} ${message}`);
    if (refused === null) lines.push(JSON.stringify(result?.drift));
  }
  removeTemporaryFiles();
}
process.stdout.write(`| change | ${verdicts.join(' | ')} |\n|---|${verdicts.map(() => '---|').join('')}\n`);
const sum = new Map<Verdict, number>();
for (const change of changeNames) {
  const of = counts.get(change) ?? new Map<Verdict, number>();
  for (const verdict of verdicts) sum.set(verdict, (sum.get(verdict) ?? 0) + (of.get(verdict) ?? 0));
  process.stdout.write(`| ${change} | ${verdicts.map((verdict) => of.get(verdict) ?? 0).join(' | ')} |\n`);
}
process.stdout.write(`| all ${made} | ${verdicts.map((verdict) => sum.get(verdict) ?? 0).join(' | ')} |\n\n`);

let [stopped, told] = [0, 0];
const habits = new Map<string, [files: number, stopped: number, told: number]>();
for (let at = 0; at < files; at += 1) {
  const layout = layouts[at % layouts.length];
  const habit = habitOf(Math.floor(at / layouts.length));
  if (layout === undefined) throw new Error('there is no layout');
  const { outcome } = await honestMonth(layout, habit, seed * 100_000 + 50_000 + at);
  const isTold = outcome.refused === null && (outcome.result?.drift.length ?? 0) > 0;
  const of = habits.get(habit) ?? [0, 0, 0];
  of[0] += 1;
  if (outcome.refused !== null) {
    stopped += 1;
    of[1] += 1;
    lines.push(`${at}: honest, ${habit}, ${layout.name}: ${outcome.message}`);
  } else if (isTold) {
    told += 1;
    of[2] += 1;
    if (isShown || outcome.result?.drift.some(({ what }) => what !== 'new_column') === true)
      lines.push(`${at}: honest, ${habit}, ${layout.name}: ${JSON.stringify(outcome.result?.drift)}`);
  }
  habits.set(habit, of);
  removeTemporaryFiles();
}
process.stdout.write('| honest month | files | stopped | with a word |\n|---|---|---|---|\n');
for (const [habit, of] of habits) process.stdout.write(`| ${habit} | ${of.join(' | ')} |\n`);
process.stdout.write(`| all | ${files} | ${stopped} | ${told} |\n`);
for (const line of lines) process.stdout.write(`${line}\n`);
