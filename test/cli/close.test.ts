import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { changeBatch } from '../../src/ledger/protocol/batch-lock.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import { created, type Desk, type DeskOptions, type JsonEnd, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { copyOfLedger, emptyLedger, logOf, quiet } from '../support/lost-ledger.ts';

const rows = 5;
const note = ['--note', 'last month, by mistake'];

interface PlannedDesk {
  readonly desk: Desk;
  readonly file: string;
  readonly batch: string;
}

async function plannedBatch(options: DeskOptions = {}): Promise<PlannedDesk> {
  const desk = await openDesk(options);
  const file = await desk.write('people.csv', csvOf(customers(rows)));
  const { summary } = await desk.json(['plan', file]);
  return { desk, file, batch: summary.batches[0]?.batch ?? '' };
}

const countsOf = ({ summary }: JsonEnd): unknown => summary.batches[0]?.counts;

describe.each(['server', 'embedded'] as const)('a closed batch, on the %s', (ledger) => {
  it('sends no unsent row with any command; its failed file can be imported instead', async () => {
    const { desk, file, batch } = await plannedBatch({ ledger });
    const end = await desk.json(['close', batch, ...note]);
    expect([end.exitCode, countsOf(end)]).toEqual([0, { invalid: rows }]);
    expect(JSON.parse(end.stdout)).toMatchObject({
      closed: { is_new: true, rows, note: 'last month, by mistake', by: expect.any(String) },
    });
    const commands = [
      ['import', file],
      ['plan', file],
      ['submit', batch],
      ['resume', batch],
      ['retry', batch],
      ...(ledger === 'server' ? [['resume', batch, '--join']] : []),
    ];
    for (const words of commands) {
      const { exitCode, summary } = await desk.json(words);
      expect([words[0], exitCode, summary.error?.code]).toEqual([words[0], 3, 'batch_closed']);
      expect(summary.error?.next).toContain(`paybatch results ${batch.slice(0, 8)}`);
    }
    expect((await desk.run(['resume'])).exitCode).toBe(0);
    expect(created(desk)).toBe(0);
    const results = await desk.results();
    expect(new Set(results.map((row) => `${row['result_status']} ${row['result_code']}`))).toEqual(
      new Set(['invalid closed']),
    );
    const { summary } = await desk.json(['results', batch]);
    const again = await desk.json(['import', summary.batches[0]?.files.failed ?? '']);
    expect([again.exitCode, countsOf(again)]).toEqual([0, { created: rows }]);
    expect(created(desk)).toBe(rows);
  });
});

it('says who closed it, when and why, in status, report and summary', async () => {
  const { desk, batch } = await plannedBatch();
  const end = await desk.run(['close', batch, ...note]);
  const headline = /Closed by \S+ on 20\d\d-\d\d-\d\d \d\d:\d\d UTC: last month, by mistake/;
  expect(end.stdout).toMatch(headline);
  expect(end.stdout).toContain(`Closed: ${rows} rows that had not been sent. Nothing was sent.`);
  const status = await desk.run(['status', batch]);
  expect(status.stdout).toMatch(headline);
  expect(status.stdout).not.toContain('needs you');
  expect((await desk.run(['status'])).stdout).toContain('closed');
  expect(await desk.resultText('report.html')).toMatch(headline);
  const shown = await desk.json(['status']);
  expect(shown.summary.batches[0]).toMatchObject({
    state: 'closed',
    needs_person: 0,
    closed: { note: 'last month, by mistake' },
  });
});

it('is closed once: the second time changes nothing and keeps the first note', async () => {
  const { desk, batch } = await plannedBatch();
  await desk.run(['close', batch, ...note]);
  const log = await desk.resultText('run.jsonl');
  const again = await desk.json(['close', batch, '--note', 'another']);
  expect(JSON.parse(again.stdout)).toMatchObject({
    exit_code: 0,
    closed: { is_new: false, rows: 0, note: 'last month, by mistake' },
  });
  const after = await desk.resultText('run.jsonl');
  expect(after.startsWith(log)).toBe(true);
  expect(readLog(after.slice(log.length)).map(({ event }) => event)).toEqual(['audit.head']);
});

it('keeps what is created, and refuses to close without a note', async () => {
  const desk = await openDesk();
  const file = await desk.write('people.csv', `${csvOf(customers(2))},,,,\n`);
  const [batch] = (await desk.json(['import', file])).summary.batches;
  const id = batch?.batch ?? '';
  expect((await desk.json(['close', id])).summary.error).toMatchObject({ code: 'usage' });
  const end = await desk.json(['close', id, ...note]);
  expect(countsOf(end)).toEqual(batch?.counts);
});

it('is not closed before its rows in doubt are decided', async () => {
  const { desk, batch } = await plannedBatch();
  await withLedger(desk, async (database) => {
    await changeBatch(database, batch, (transaction) =>
      execute(
        transaction,
        `UPDATE row_states SET state = 'unknown', may_exist = true, first_sent_at = now(), owned_key = 'x', attempts = 1,
           credential = 'one' WHERE batch_id = ? AND row_number = 2`,
        [batch],
      ),
    );
  });
  const refused = await desk.json(['close', batch, ...note]);
  expect([refused.exitCode, refused.summary.error?.code]).toEqual([5, 'rows_in_doubt']);
  expect(refused.summary.error?.next).toContain('reconcile');
  expect(countsOf(await desk.json(['results', batch]))).toEqual({ unknown: 1, not_sent: rows - 1 });
  await desk.run(['resolve', batch, '--row', '2', '--as', 'not-created', '--attempts', '1']);
  expect(countsOf(await desk.json(['close', batch, ...note]))).toEqual({ invalid: rows });
});

async function withLedger(
  { databaseUrl }: Desk,
  work: (database: Parameters<typeof execute>[0] & Parameters<typeof changeBatch>[0]) => Promise<void>,
): Promise<void> {
  const ledger = await openServerLedger(databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  await work(ledger.database);
}

it('is refused while a run is alive, which is named', async () => {
  const { desk, batch } = await plannedBatch({ latencyInMs: 60_000 });
  const running = desk.start(['submit', batch]);
  while (!(await desk.run(['status', batch])).stdout.includes('running:'));
  const { exitCode, summary } = await desk.json(['close', batch, ...note]);
  expect([exitCode, summary.error?.code]).toEqual([7, 'batch_held']);
  expect(summary.error?.message).toContain('submit');
  running.child.kill('SIGKILL');
  await running.ended;
});

it('the database itself refuses a claim of it, and to open it again', async () => {
  const { desk, batch } = await plannedBatch();
  await desk.run(['close', batch, ...note]);
  await withLedger(desk, async (database) => {
    const claim = changeBatch(database, batch, (transaction) =>
      execute(
        transaction,
        "INSERT INTO claims (batch_id, lease_token, run_id, credential) SELECT id, 7, gen_random_uuid(), 'x' FROM batches WHERE id = ?",
        [batch],
      ),
    );
    await expect(claim).rejects.toThrow('closed batch');
    const reopened = execute(
      database,
      'UPDATE batches SET closed_at = NULL, closed_by = NULL, closed_note = NULL WHERE id = ?',
      [batch],
    );
    await expect(reopened).rejects.toThrow('stays closed');
  });
});

describe('a ledger that was lost', () => {
  it('knows from the run log that the batch is closed, and sends nothing of it', async () => {
    const { desk, file, batch } = await plannedBatch();
    await desk.run(['close', batch, ...note]);
    const log = await logOf(desk);
    await quiet(log);
    const env = await emptyLedger(desk);
    const refused = await desk.json(['import', file], { env });
    expect(refused.summary.error?.code).toBe('ledger_lost');
    const recovered = await desk.json(['recover', '--log', log, file], { env });
    expect(countsOf(recovered)).toEqual({ invalid: rows });
    expect((await desk.json(['import', file], { env })).summary.error?.code).toBe('batch_closed');
    expect(created(desk)).toBe(0);
  });

  it('that was put back to before the closing sends nothing either', async () => {
    const { desk, file, batch } = await plannedBatch();
    const env = await copyOfLedger(desk);
    await desk.run(['close', batch, ...note]);
    const log = await logOf(desk);
    const refused = await desk.json(['import', file], { env });
    expect(refused.summary.error?.code).toBe('ledger_behind');
    await desk.json(['recover', '--log', log, file], { env });
    expect((await desk.json(['import', file], { env })).summary.error?.code).toBe('batch_closed');
    expect(created(desk)).toBe(0);
  });
});

describe('a family', () => {
  const broken = (text: string): string => text.replace(/^([^\n]*\n)([^,\n]*,)[^,\n]*/, '$1$2');

  it('of which a correction is closed leaves the first batch as it was', async () => {
    const desk = await openDesk();
    const text = csvOf(customers(2));
    const file = await desk.write('people.csv', broken(text));
    const first = await desk.json(['import', file]);
    const failed = first.summary.batches[0]?.files.failed ?? '';
    const before = await desk.results();
    await writeFile(failed, (await readFile(failed, 'utf8')).replace(',,', ',Ama,'));
    const correction = await desk.json(['plan', failed]);
    const id = correction.summary.batches[0]?.batch ?? '';
    expect(countsOf(await desk.json(['close', id, ...note]))).toEqual({ invalid: 1 });
    expect(countsOf(first)).toEqual({ created: 1, invalid: 1 });
    expect(before.length).toBe(2);
    // The correction that is closed can itself be corrected.
    const again = await desk.json(['results', id]);
    const sent = await desk.json(['import', again.summary.batches[0]?.files.failed ?? '']);
    expect(countsOf(sent)).toEqual({ created: 1 });
    expect(created(desk)).toBe(2);
  });

  it('reports a row as superseded if it was corrected before the first batch was closed', async () => {
    const { desk, batch } = await plannedBatch();
    const { summary } = await desk.json(['results', batch]);
    const failed = await readFile(summary.batches[0]?.files.failed ?? '', 'utf8');
    const [header = '', row = ''] = failed.split('\r\n');
    const corrected = await desk.write('corrected.csv', `${header}\r\n${row}\r\n`);
    expect(countsOf(await desk.json(['import', corrected]))).toEqual({ created: 1 });
    await desk.json(['close', batch, ...note]);
    const results = await desk.results(`people.${batch.slice(0, 8)}`);
    const codes = results.map((each) => each['result_code']);
    expect(codes).toEqual(['superseded', ...Array.from({ length: rows - 1 }, () => 'closed')]);
  });
});
