import { expect, it } from 'vitest';
import type { RunningCli } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { uploadAndCheck, Visitor } from '../support/console.ts';
import { serveConsole } from '../support/served-console.ts';

/** Starts the program, and enters. */
async function serve(desk: Desk): Promise<{ readonly program: RunningCli; readonly visitor: Visitor }> {
  const { program, url, entry } = await serveConsole(desk, ['--port', '0', '--rate', '40']);
  const visitor = new Visitor(url);
  await visitor.get(entry);
  return { program, visitor };
}

/** Sends 200 rows, and ends the program in the middle of it. @returns the page of the batch */
async function endWhileSending(desk: Desk, signal: NodeJS.Signals): Promise<string> {
  const { program, visitor } = await serve(desk);
  const { path, text } = await uploadAndCheck(visitor, [
    { name: 'people.csv', content: csvOf(customers(200)) },
  ]);
  const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  await visitor.post(`${path}/send`, { plan_hash: planHash });
  await visitor.until(path, () => (desk.sandbox.counts().sandbox.created.customers ?? 0) > 20);
  program.child.kill(signal);
  await program.ended;
  return path;
}

it('is killed while it sends, started again, and goes on by itself: every row is created once', async () => {
  const desk = await openDesk();
  const path = await endWhileSending(desk, 'SIGKILL');
  const before = desk.sandbox.counts().sandbox.created.customers ?? 0;
  expect(before).toBeLessThan(200);
  const second = await serve(desk);
  const shown = await second.visitor.until(path, (page) => page.text.includes('All 200 rows created'));
  expect(shown.text).toContain('(console)');
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(200);
});

it('ends on a signal as an import does: what is in flight is answered, and it goes on later', async () => {
  const desk = await openDesk();
  const path = await endWhileSending(desk, 'SIGTERM');
  const { summary } = await desk.json(['status']);
  expect(summary.batches[0]?.counts['unknown'] ?? 0).toBe(0);
  const second = await serve(desk);
  const shown = await second.visitor.get(path);
  expect(shown.text).toContain('Go on');
  await second.visitor.post(`${path}/resume`);
  await second.visitor.until(path, (page) => page.text.includes('All 200 rows created'));
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(200);
});
