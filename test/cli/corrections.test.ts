import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rememberMapping } from '../../src/ledger/batches/readings.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { headerKeyOf } from '../../src/read/sources/remembered-mappings.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, type ResultRecord, readCsv } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

/** A batch of one customer whose external id, and with it the natural key, is wrong; and how the API answers. */
interface OriginalBatch {
  readonly desk: Desk;
  readonly batch: string;
  /** The failed file's rows. */
  readonly failed: readonly ResultRecord[];
  /** How the API answers from now on; well when absent. */
  readonly answer: (fault?: FaultName) => void;
  readonly created: () => number;
}

type Batch = Awaited<ReturnType<Desk['json']>>['summary']['batches'][number];

const once = ['--max-attempts', '1'];

async function originalBatch(fault: FaultName, rows = 1): Promise<OriginalBatch> {
  let current: FaultName | undefined = fault;
  const desk = await openDesk({ onRequest: () => current });
  const wrong = Array.from({ length: rows }, (_, at) => customer(at + 1, { external_id: `WRONG-${at + 1}` }));
  const first = await desk.json(['import', await desk.write('june.csv', csvOf(wrong)), ...once]);
  const [batch] = first.summary.batches;
  const failed = readCsv(await readFile(batch?.files.failed ?? '', 'utf8'));
  expect(failed).toHaveLength(rows);
  current = undefined;
  return {
    desk,
    batch: batch?.batch ?? '',
    failed,
    answer: (next) => {
      current = next;
    },
    created: () => desk.sandbox.counts().sandbox.created.customers,
  };
}

/** Imports the failed rows with other external ids; `name` tells several corrected files apart. */
async function importCorrected(
  { desk, failed }: Pick<OriginalBatch, 'desk' | 'failed'>,
  name: string,
  ...options: readonly string[]
): Promise<{ readonly exitCode: number | null; readonly batch: Batch }> {
  const corrected = failed.map((row, at) => ({ ...row, external_id: `${name}-${at + 1}` }));
  const file = await desk.write(`${name}.csv`, csvOf(corrected));
  const { exitCode, summary } = await desk.json(['import', file, ...once, ...options]);
  const [batch] = summary.batches;
  if (batch === undefined) throw new Error(JSON.stringify(summary.error));
  return { exitCode, batch };
}

async function resultOf(batch: Batch): Promise<ResultRecord[]> {
  return readCsv(await readFile(batch.files.results ?? '', 'utf8'));
}

async function importAgain({
  desk,
}: Pick<OriginalBatch, 'desk'>): Promise<{ exitCode: number | null; batch: Batch }> {
  const { exitCode, summary } = await desk.json(['import', 'june.csv', ...once]);
  const [batch] = summary.batches;
  if (batch === undefined) throw new Error(JSON.stringify(summary.error));
  return { exitCode, batch };
}

it.each(['import', 'resume', 'retry'])(
  'a row that was not sent and is corrected is never sent again, not by %s',
  async (command) => {
    const round = await originalBatch('401');
    const { batch: corrected } = await importCorrected(round, 'RIGHT');
    expect(corrected.counts).toEqual({ created: 1 });
    const words = command === 'import' ? ['import', 'june.csv'] : [command, round.batch];
    const again = await round.desk.json(words);
    expect(round.created()).toBe(1);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { invalid: 1 } }] });
    const [row] = await resultOf(again.summary.batches[0] as Batch);
    expect(row).toMatchObject({ result_status: 'invalid', result_code: 'superseded' });
    expect(row?.['result_message']).toContain(`RIGHT.csv, row 2, batch ${corrected.batch?.slice(0, 8)}`);
  },
);

it('a correction of a row in doubt is held, and goes once a person found the row not created', async () => {
  const round = await originalBatch('reset_before');
  const corrected = await importCorrected(round, 'RIGHT');
  expect(corrected).toMatchObject({ exitCode: 5, batch: { counts: { held: 1 } } });
  const [row] = await resultOf(corrected.batch);
  expect(row).toMatchObject({ result_code: 'corrects_in_doubt', result_attempts: '0' });
  await round.desk.json(['resolve', round.batch, '--row', '2', '--as', 'not-created']);
  const resumed = await round.desk.json(['resume']);
  expect(resumed.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1 } }] });
  expect(await importAgain(round)).toMatchObject({ exitCode: 0, batch: { counts: { invalid: 1 } } });
  expect(round.created()).toBe(1);
});

it('a correction of a row in doubt that is created after all is held for good, until a person has it sent', async () => {
  const round = await originalBatch('reset_after');
  expect((await importCorrected(round, 'RIGHT')).batch.counts).toEqual({ held: 1 });
  expect((await importAgain(round)).batch.counts).toEqual({ created: 1 });
  const again = await importCorrected(round, 'RIGHT');
  expect(again).toMatchObject({ exitCode: 5, batch: { counts: { held: 1 } } });
  expect((await resultOf(again.batch))[0]).toMatchObject({ result_code: 'corrects_created' });
  expect(round.created()).toBe(1);
  await round.desk.json(['resolve', again.batch.batch ?? '', '--row', '2', '--as', 'send']);
  expect((await importCorrected(round, 'RIGHT')).batch.counts).toEqual({ created: 1 });
  expect(round.created()).toBe(2);
});

it('a row that was refused and is corrected stays rejected, and is not retried', async () => {
  const round = await originalBatch('422');
  expect((await importCorrected(round, 'RIGHT')).batch.counts).toEqual({ created: 1 });
  const retried = await round.desk.json(['retry', round.batch]);
  expect(retried.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { rejected: 1 } }] });
  expect((await resultOf(retried.summary.batches[0] as Batch))[0]).toMatchObject({
    result_code: 'superseded',
  });
  expect(round.created()).toBe(1);
});

it('the old failed file of a row that was retried meanwhile corrects a created one', async () => {
  const round = await originalBatch('422');
  await round.desk.json(['retry', round.batch]);
  const corrected = await importCorrected(round, 'RIGHT');
  expect(corrected.batch.counts).toEqual({ held: 1 });
  expect((await resultOf(corrected.batch))[0]).toMatchObject({ result_code: 'corrects_created' });
  expect(round.created()).toBe(1);
});

it('of two corrected files the later one counts, as long as the earlier was not sent', async () => {
  const round = await originalBatch('422');
  round.answer('401');
  expect((await importCorrected(round, 'ONE')).batch.counts).toEqual({ not_sent: 1 });
  round.answer();
  expect((await importCorrected(round, 'TWO')).batch.counts).toEqual({ created: 1 });
  expect(await importCorrected(round, 'ONE')).toMatchObject({
    exitCode: 0,
    batch: { counts: { invalid: 1 } },
  });
  expect((await importCorrected(round, 'THREE')).batch.counts).toEqual({ held: 1 });
  await round.desk.json(['retry', round.batch]);
  expect(round.created()).toBe(1);
});

it('a correction that is itself invalid supersedes nothing', async () => {
  const round = await originalBatch('422');
  const corrected = round.failed.map((row) => ({ ...row, email: 'nobody' }));
  const { summary } = await round.desk.json(['import', await round.desk.write('bad.csv', csvOf(corrected))]);
  expect(summary.batches[0]?.counts).toEqual({ invalid: 1 });
  const retried = await round.desk.json(['retry', round.batch]);
  expect(retried.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1 } }] });
});

it('the same row twice in one corrected file is sent once', async () => {
  const round = await originalBatch('422');
  const [row] = round.failed;
  const twice = ['ONE', 'TWO'].map((name) => ({ ...row, external_id: name }));
  const { summary } = await round.desk.json(['import', await round.desk.write('twice.csv', csvOf(twice))]);
  expect(summary).toMatchObject({ exit_code: 1, batches: [{ counts: { created: 1, invalid: 1 } }] });
  expect((await resultOf(summary.batches[0] as Batch))[1]).toMatchObject({ result_code: 'corrected_twice' });
  expect(round.created()).toBe(1);
});

it('names another row of a corrected file as the first file has it', async () => {
  const round = await originalBatch('422', 3);
  // Rows 3 and 4 of june.csv are rows 2 and 3 of this file.
  const same = round.failed.slice(1).map((row) => ({ ...row, external_id: 'SAME' }));
  const { summary } = await round.desk.json(['import', await round.desk.write('same.csv', csvOf(same))]);
  expect((await resultOf(summary.batches[0] as Batch))[1]).toMatchObject({
    result_row: '3',
    result_code: 'conflicting_duplicate',
    result_message:
      'It is about the same object as row 3 of june.csv, with other values. Keep the row that is right.',
  });
});

/** A mapping of a partner's file; which of two columns the external ids come from is what a person may get wrong. */
function mappingOf(reference: 'Reference' | 'Former'): string {
  return JSON.stringify({
    columns: { [reference]: 'external_id', Given: 'first_name', Family: 'last_name' },
    constants: { country: 'KE' },
    ignore: [reference === 'Former' ? 'Reference' : 'Former'],
  });
}

const partnerFile = 'Reference,Former,Given,Family\nR-1,F-1,Amina,Odhiambo\nR-2,F-2,Brian,Kamau\n';

it('row N of another reading of the same content corrects row N of the first one', async () => {
  let fault: FaultName | undefined;
  let requests = 0;
  const desk = await openDesk({
    onRequest: () => {
      requests += 1;
      return requests > 1 ? fault : undefined;
    },
  });
  const file = await desk.write('partner.csv', partnerFile);
  for (const name of ['Reference', 'Former'] as const) await desk.write(`${name}.json`, mappingOf(name));
  const importWith = (name: string) =>
    desk.json([
      'import',
      file,
      '--kind',
      'customers',
      '--mapping',
      `${name}.json`,
      '--concurrency',
      '1',
      ...once,
    ]);
  fault = '401';
  const first = await importWith('Reference');
  expect(first.summary.batches[0]?.counts).toEqual({ created: 1, not_sent: 1 });
  fault = undefined;
  const second = await importWith('Former');
  expect(second.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 1, held: 1 } }] });
  expect((await resultOf(second.summary.batches[0] as Batch))[0]).toMatchObject({
    result_code: 'corrects_created',
  });
  const third = await importWith('Reference');
  expect(third.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1, invalid: 1 } }] });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
});

it('a plan of another reading leaves the rows of the first one as they are', async () => {
  let fault: FaultName | undefined = '401';
  const desk = await openDesk({ onRequest: () => fault });
  const file = await desk.write('partner.csv', partnerFile);
  for (const name of ['Reference', 'Former'] as const) await desk.write(`${name}.json`, mappingOf(name));
  const read = (name: string) => [file, '--kind', 'customers', '--mapping', `${name}.json`];
  await desk.json(['import', ...read('Reference')]);
  const planned = await desk.json(['plan', ...read('Former')]);
  expect(planned.summary.batches[0]?.counts).toEqual({ not_sent: 2 });
  fault = undefined;
  expect((await desk.json(['import', ...read('Reference')])).summary.batches[0]?.counts).toEqual({
    created: 2,
  });
  const submitted = await desk.json(['submit', planned.summary.batches[0]?.batch ?? '']);
  expect(submitted.summary.batches[0]?.counts).toEqual({ held: 2 });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
});

it('a mapping that is remembered anew makes no second batch of what is known, unless it was agreed to for that file', async () => {
  const desk = await openDesk();
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  const header = ['Reference', 'Former', 'Given', 'Family'];
  const remember = (name: 'Reference' | 'Former', contentHash: string | null = null): Promise<void> =>
    rememberMapping(ledger.database, {
      headerKey: headerKeyOf(header),
      header,
      name,
      kind: 'customers',
      mapping: mappingOf(name),
      contentHash,
    });
  const file = await desk.write('partner.csv', partnerFile);
  await remember('Reference');
  const first = await desk.json(['import', file]);
  await remember('Former');
  const again = await desk.json(['import', file]);
  expect(again.summary).toMatchObject({
    exit_code: 0,
    batches: [{ batch: first.summary.batches[0]?.batch }],
  });
  expect(again.stderr).toContain('goes on as it was read then');
  await remember('Former', createHash('sha256').update(partnerFile).digest('hex'));
  const anew = await desk.json(['import', file]);
  expect(anew.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { held: 2 } }] });
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
});

it('says of which file the rows are, and refuses those of a batch that this environment does not have', async () => {
  const round = await originalBatch('422', 2);
  const { failed, desk } = round;
  const file = await desk.write(
    'corrected.csv',
    csvOf(failed.map((row, at) => ({ ...row, external_id: `C-${at}` }))),
  );
  const { stdout, stderr } = await desk.run(['import', file]);
  expect(stdout).toContain('2 rows read as rows of june.csv');
  expect(stderr).toContain('corrected.csv: 2 rows read as rows of june.csv');
  const other = await startSandbox({ dataDir: join(desk.folder, 'other-api') });
  onTestFinished(() => other.close());
  const env = { PAYBATCH_BASE_URL: other.url, PAYBATCH_API_KEY: other.apiKeys.sandbox };
  for (const command of ['import', 'validate', 'plan']) {
    const { summary } = await desk.json([command, file], { env });
    expect(summary).toMatchObject({ exit_code: 3, error: { code: 'unknown_batch' } });
    expect(summary.error?.next).toContain('empty the columns result_batch and result_row');
  }
  expect(other.counts().sandbox.created.customers).toBe(0);
});

it('a ledger that is lost, and recovered from the first log, does not send what was corrected', async () => {
  const round = await originalBatch('401', 2);
  const { desk } = round;
  await importCorrected({ ...round, failed: round.failed.slice(0, 1) }, 'RIGHT');
  const log = (await desk.resultNames()).find(
    (name) => name.includes(round.batch.slice(0, 8)) && name.endsWith('.jsonl'),
  );
  const other = await createDatabase();
  onTestFinished(() => dropDatabase(other));
  const env = { DATABASE_URL: other };
  const recovered = await desk.json(['recover', '--log', `results/${log}`, 'june.csv'], { env });
  expect(recovered.summary.batches[0]?.counts).toEqual({ invalid: 1, unknown: 1 });
  const again = await desk.json(['import', 'june.csv'], { env });
  expect(again.summary.batches[0]?.counts).toEqual({ created: 1, invalid: 1 });
  // The corrected file belongs to it still, whose row was created.
  expect(round.created()).toBe(2);
});
