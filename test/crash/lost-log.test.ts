import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { created, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { emptyLedger, logOf, quiet, standing } from '../support/lost-ledger.ts';

it('a log that is still written is not recovered from, and no import goes on beside it', async () => {
  const rows = 300;
  let requests = 0;
  const desk = await openDesk({
    latencyInMs: 20,
    onRequest: () => {
      requests += 1;
      return undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  await desk.run(['plan', file]);
  const running = desk.start(['import', file, '--concurrency', '4']);
  while (requests < 40) await new Promise((resolve) => setTimeout(resolve, 5));
  const log = await logOf(desk);
  const env = await emptyLedger(desk);
  const copy = join(desk.folder, 'copies', 'log.run.jsonl');
  await mkdir(join(desk.folder, 'copies'));
  await cp(log, copy);
  await quiet(copy);
  for (const words of [
    ['recover', '--log', log, file],
    ['recover', '--log', copy, file],
  ]) {
    const { summary } = await desk.json(words, { env });
    expect([summary.exit_code, summary.error?.code]).toEqual([7, 'log_in_use']);
  }
  expect((await desk.json(['import', file], { env })).summary.error?.code).toBe('ledger_lost');
  // Whether a process of another host has ended is unknown here, so a log without new lines counts as complete. Its
  // lines are those of an earlier version: a line with a hash would not fit any more.
  const elsewhere = (await readFile(copy, 'utf8'))
    .replace(/"host":"[^"]*"/g, '"host":"elsewhere"')
    .replace(/(?:,"after":\[[^\]]*\])?,"chain":"\w+","line":\d+,"line_hash":"\w+"\}/g, '}');
  await writeFile(copy, elsewhere);
  expect((await desk.json(['recover', '--log', copy, file], { env })).summary.error?.code).toBe('log_in_use');
  await quiet(copy);
  expect((await desk.json(['recover', '--log', copy, file], { env })).exitCode).toBe(0);
  expect((await desk.json(['import', file], { env })).summary.error?.code).toMatch(
    /ledger_behind|log_in_use/,
  );
  expect((await running.ended).exitCode).toBe(0);
  expect(created(desk)).toBe(rows);
  expect(readLog(await readFile(log, 'utf8')).some(({ event }) => event === 'claim.made')).toBe(true);
});

it('a log that lacks answers because its run was killed has them once the batch is worked on again, and a lost ledger comes back the same', async () => {
  const rows = 600;
  let requests = 0;
  const desk = await openDesk({
    latencyInMs: 3,
    onRequest: ({ body }) => {
      requests += 1;
      const number = Number(/"C-(\d+)"/.exec(JSON.stringify(body))?.[1] ?? 0);
      return number % 40 === 0 ? '422' : undefined;
    },
  });
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  await desk.run(['plan', file]);
  const killed = desk.start(['import', file]);
  while (requests < 250) await new Promise((resolve) => setTimeout(resolve, 2));
  killed.child.kill('SIGKILL');
  await killed.ended;
  const again = await desk.json(['import', file]);
  // A row that was refused after the kill, and may have been created before it, is for a person.
  expect([1, 5]).toContain(again.exitCode);
  const log = await logOf(desk);
  const answered = readLog(await readFile(log, 'utf8')).flatMap(({ event, row }) =>
    event === 'row.answered' ? [row] : [],
  );
  expect(new Set(answered).size).toBe(rows);
  const before = await standing(desk);
  const env = await emptyLedger(desk);
  expect((await desk.json(['recover', '--log', log, file], { env })).exitCode).toBe(0);
  // The rows that the killed run had in flight are sent once more. Only their number differs by run.
  expect(await standing(desk)).toEqual(before);
  await desk.json(['import', file], { env });
  expect(created(desk)).toBe(rows - rows / 40);
});
