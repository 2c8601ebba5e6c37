import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { created, type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { type Env, emptyLedger, logOf, quiet } from '../support/lost-ledger.ts';

/** A batch of six customers that was sent, and whose ledger is lost: its folder of results is as the run left it. */
async function sentBatch(): Promise<{ desk: Desk; file: string; log: string; head: string; env: Env }> {
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf(customers(6)));
  // In a process that is gone: the log of one that is there may still be written.
  await desk.start(['import', file]).ended;
  const log = await logOf(desk);
  return { desk, file, log, head: log.replace(/\.jsonl$/, '.head'), env: await emptyLedger(desk) };
}

/** Leaves nothing of a log but its first lines. */
async function cut(log: string, lines: number): Promise<void> {
  const text = await readFile(log, 'utf8');
  await writeFile(log, `${text.split('\n').slice(0, lines).join('\n')}\n`);
  await quiet(log);
}

const removeResults = async (log: string, ...names: readonly string[]): Promise<void> => {
  for (const name of names) await rm(log.replace(/run\.jsonl$/, name), { force: true });
};

describe('a log that was cut', () => {
  it('is noticed by its head, and its rows are held: exit 3', async () => {
    const { desk, file, log, env } = await sentBatch();
    await removeResults(log, 'results.csv', 'objects.csv');
    await cut(log, 1);
    const { summary } = await desk.json(['recover', '--log', log, file], { env });
    expect(summary).toMatchObject({
      exit_code: 3,
      error: { code: 'run_log_damaged' },
      batches: [{ counts: { held: 6 } }],
    });
    expect(JSON.stringify(summary)).toContain('it ends after line 1 and lacks');
    await desk.run(['import', file], { env });
    expect(created(desk)).toBe(6);
  });

  it('that lacks only answers has no row held, and the advice speaks of none', async () => {
    const { desk, file, log, env } = await sentBatch();
    const lines = (await readFile(log, 'utf8')).split('\n');
    await cut(
      log,
      lines.findIndex((line) => line.includes('"row.answered"')),
    );
    const { summary } = await desk.json(['recover', '--log', log, file], { env });
    expect(summary).toMatchObject({ exit_code: 3, error: { code: 'run_log_damaged' } });
    expect(JSON.stringify(summary)).toContain('No row had to be held: the log still has the key');
    expect(JSON.stringify(summary)).not.toContain('lists the rows that are held');
    await desk.run(['import', file], { env });
    expect(created(desk)).toBe(6);
  });

  it('without its head is reported as unproven, and --hold-rest holds its rows', async () => {
    const { desk, file, log, head, env } = await sentBatch();
    await removeResults(log, 'results.csv', 'objects.csv');
    await cut(log, 1);
    await rm(head);
    const other = await emptyLedger(desk);
    const plain = await desk.run(['recover', '--log', log, file], { env: other });
    expect(plain).toMatchObject({ exitCode: 0 });
    expect(plain.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /a cut at its end cannot be excluded\. It ends after line 1 of a run that did not finish\..*--hold-rest/,
    );
    const { summary } = await desk.json(['recover', '--hold-rest', '--log', log, file], { env });
    expect(summary).toMatchObject({ exit_code: 0, batches: [{ counts: { held: 6 } }] });
    await desk.run(['import', file], { env });
    expect(created(desk)).toBe(6);
  });

  it.each([
    ['results.csv', 'objects.csv'],
    ['objects.csv', 'results.csv'],
  ])('and is contradicted by %s has its rows held with their ids', async (evidence, other) => {
    const { desk, file, log, head, env } = await sentBatch();
    const before = await desk.results();
    await removeResults(log, other);
    await cut(log, 1);
    await rm(head);
    const { summary } = await desk.json(['recover', '--log', log, file], { env });
    expect(summary).toMatchObject({
      exit_code: 3,
      error: { code: 'run_log_damaged' },
      batches: [{ counts: { held: 6 } }],
    });
    const after = await desk.results();
    expect(after.map((row) => row['result_id'])).toEqual(before.map((row) => row['result_id']));
    expect(after[0]).toMatchObject({ result_status: 'held', result_code: 'created_in_results' });
    expect(evidence).toMatch(/csv$/);
    await desk.run(['import', file], { env });
    expect(created(desk)).toBe(6);
  });
});

it('a log of an earlier version, without numbers and hashes, is read as it is, and said to prove nothing', async () => {
  const { desk, file, log, head, env } = await sentBatch();
  const text = await readFile(log, 'utf8');
  const link = /(?:,"after":\[[^\]]*\])?,"chain":"[^"]*","line":\d+,"line_hash":"[^"]*"\}$/gm;
  await writeFile(log, text.replaceAll(link, '}').replaceAll(/,"rows":\[\[.*?\]\]/g, ''));
  await rm(head);
  await quiet(log);
  const recovered = await desk.run(['recover', '--log', log, file], { env });
  expect(recovered).toMatchObject({ exitCode: 0 });
  expect(recovered.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /an earlier version wrote it without numbers and hashes/,
  );
  await desk.run(['import', file], { env });
  expect(created(desk)).toBe(6);
});

it('a run says with which line its log ended: in the report, and in the head file that its summary names', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', csvOf(customers(3)));
  const { summary } = await desk.json(['import', file]);
  const log = await logOf(desk);
  expect(summary).toMatchObject({ batches: [{ files: { log_head: log.replace(/\.jsonl$/, '.head') } }] });
  const report = await readFile(log.replace(/run\.jsonl$/, 'report.html'), 'utf8');
  const [, line = '', hash = ''] = /line (\d+), ([0-9a-f]{32})/.exec(report) ?? [];
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines[Number(line) - 1] ?? '{}').line_hash).toBe(hash);
});
