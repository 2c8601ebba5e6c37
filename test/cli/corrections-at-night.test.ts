import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { type Desk, type DeskOptions, type JsonEnd, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, readCsv } from '../support/cli-files.ts';

/** A first file whose external id is wrong, and what the API answers to each row that is sent, in turn. */
interface Night {
  readonly desk: Desk;
  /** Answers of the next rows; well once they are used up. */
  readonly answers: (FaultName | undefined)[];
  readonly env: Readonly<Record<string, string>>;
  /** The first file again, as the job of each night imports it. */
  readonly night: (...options: readonly string[]) => Promise<JsonEnd>;
  /** Writes the failed row into a file, with the file's name as external id unless another one is passed. */
  readonly correct: (name: string, externalId?: string) => Promise<string>;
  /** A person found out that the row in doubt does not exist. */
  readonly findNotCreated: () => Promise<JsonEnd>;
  readonly created: () => number;
}

const once = ['--max-attempts', '1'];

async function firstImport(answer: FaultName, options: DeskOptions = {}): Promise<Night> {
  const answers: (FaultName | undefined)[] = [answer];
  const onRequest = ({ method }: { readonly method: string }) =>
    method === 'POST' ? answers.shift() : undefined;
  const desk = await openDesk({ onRequest, ...options });
  const isLive = options.ledger === 'durable';
  const env = isLive ? { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: desk.sandbox.apiKeys.live } : {};
  await desk.write('june.csv', csvOf([customer(1, { external_id: 'WRONG' })]));
  const night: Night['night'] = (...given) => desk.json(['import', 'june.csv', ...once, ...given], { env });
  const first = await night('--yes');
  const batch = first.summary.batches[0]?.batch ?? '';
  const failed = readCsv(await readFile(first.summary.batches[0]?.files.failed ?? '', 'utf8'));
  const { counts } = desk.sandbox;
  return {
    desk,
    answers,
    env,
    night,
    correct: (name, externalId = name) =>
      desk.write(name, csvOf(failed.map((row) => ({ ...row, external_id: externalId })))),
    findNotCreated: () => desk.json(['resolve', batch, '--row', '2', '--as', 'not-created'], { env }),
    created: () => (isLive ? counts().live : counts().sandbox).created.customers,
  };
}

/** Imports the corrected file, as a person does at a desk. */
async function importCorrected(night: Night, name = 'fix.csv'): Promise<JsonEnd> {
  return night.desk.json(['import', await night.correct(name), ...once, '--yes'], { env: night.env });
}

const countsOf = ({ summary }: JsonEnd): unknown => summary.batches.map(({ counts }) => counts);

describe.each(['server', 'embedded'] as const)('the import of a first file, on the %s', (ledger) => {
  it('sends the correction that waited for a doubt which a person has settled', async () => {
    const night = await firstImport('reset_before', { ledger });
    expect(countsOf(await importCorrected(night))).toEqual([{ held: 1 }]);
    await night.findNotCreated();
    const program = ledger === 'server' ? 'started' : 'in_process';
    const end = await night.desk.json(['import', 'june.csv', ...once], { program });
    expect(countsOf(end)).toEqual([{ invalid: 1 }, { created: 1 }]);
    // The row that the correction supersedes is done with it.
    expect([end.exitCode, night.created()]).toEqual([0, 1]);
    expect(end.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `Batch ${(end.summary.batches[1]?.batch ?? '').slice(0, 8)} has later rows`,
    );
    const again = await night.night();
    expect([again.exitCode, again.summary.batches.length, night.created()]).toEqual([0, 1, 1]);
  });

  it('settles the doubt itself, and then says of the correction what it is now', async () => {
    const night = await firstImport('reset_after', { ledger });
    const same = await night.correct('same.csv', 'WRONG');
    expect(countsOf(await night.desk.json(['import', same, ...once]))).toEqual([{ held: 1 }]);
    const end = await night.night();
    expect([end.exitCode, countsOf(end)]).toEqual([0, [{ created: 1 }, { existing: 1 }]]);
    expect(night.created()).toBe(1);
  });
});

describe('the import of a first file', () => {
  it('sends a correction again that is itself in doubt', async () => {
    const night = await firstImport('422');
    night.answers.push('reset_after');
    expect(countsOf(await importCorrected(night))).toEqual([{ unknown: 1 }]);
    const end = await night.night();
    expect([end.exitCode, countsOf(end)]).toEqual([0, [{ rejected: 1 }, { created: 1 }]]);
    expect(night.created()).toBe(1);
  });

  it('continues in a later run with a correction that it had released but could not send', async () => {
    const night = await firstImport('reset_before');
    await importCorrected(night);
    await night.findNotCreated();
    night.answers.push('401');
    const stopped = await night.night();
    expect([stopped.exitCode, countsOf(stopped)]).toEqual([6, [{ invalid: 1 }, { not_sent: 1 }]]);
    const end = await night.night();
    expect([end.exitCode, countsOf(end)]).toEqual([0, [{ invalid: 1 }, { created: 1 }]]);
    expect(night.created()).toBe(1);
  });

  it('sends the correction when both files are in one call, in any order', async () => {
    const night = await firstImport('reset_after');
    const file = await night.correct('before-june.csv', 'WRONG');
    const end = await night.desk.json(['import', file, 'june.csv', ...once]);
    expect([end.exitCode, countsOf(end)]).toEqual([0, [{ existing: 1 }, { created: 1 }]]);
    expect(night.created()).toBe(1);
  });

  it('continues with a correction of a correction', async () => {
    const night = await firstImport('422');
    night.answers.push('reset_after');
    const first = await importCorrected(night, 'one.csv');
    const failed = readCsv(await readFile(first.summary.batches[0]?.files.failed ?? '', 'utf8'));
    const second = await night.desk.write(
      'two.csv',
      csvOf(failed.map((row) => ({ ...row, external_id: 'TWO' }))),
    );
    expect(countsOf(await night.desk.json(['import', second, ...once]))).toEqual([{ held: 1 }]);
    const end = await night.night();
    expect([end.exitCode, countsOf(end)]).toEqual([5, [{ rejected: 1 }, { created: 1 }, { held: 1 }]]);
    const results = await readFile(end.summary.batches[2]?.files.results ?? '', 'utf8');
    expect(readCsv(results)[0]).toMatchObject({ result_code: 'corrects_created' });
    expect(night.created()).toBe(1);
  });

  it('leaves a correction alone that was only planned, or that a person has closed', async () => {
    const night = await firstImport('reset_before');
    const { summary } = await importCorrected(night, 'closed.csv');
    await night.desk.run(['close', summary.batches[0]?.batch ?? '', '--note', 'wrong']);
    await night.desk.run(['plan', await night.correct('planned.csv')]);
    await night.findNotCreated();
    expect((await night.night()).summary.batches).toHaveLength(1);
    expect((await night.night()).summary.batches).toHaveLength(1);
    expect(night.created()).toBe(0);
  });

  it('sends no correction besides the plan that a person agreed to, and counts what is expected of its file alone', async () => {
    const night = await firstImport('reset_before');
    await importCorrected(night);
    await night.findNotCreated();
    const planned = await night.desk.json(['plan', 'june.csv']);
    const [, hash = ''] = /"plan_hash": ?"([\da-f]{64})"/.exec(planned.stdout) ?? [];
    expect((await night.night('--plan-hash', hash)).summary.batches).toHaveLength(1);
    expect(night.created()).toBe(0);
    const end = await night.night('--expect-rows', '1');
    expect([end.exitCode, end.summary.batches.length, night.created()]).toEqual([0, 2, 1]);
  });
});

describe('a live import of a first file', () => {
  it('sends no correction that a person was asked about and has not agreed to', async () => {
    const night = await firstImport('422', { ledger: 'durable' });
    const asked = ['import', await night.correct('fix.csv'), ...once];
    const refused = await night.desk.json(asked, { env: night.env });
    expect(refused.summary.error?.code).toBe('live_not_confirmed');
    expect((await night.night('--yes')).summary.batches).toHaveLength(1);
    expect(night.created()).toBe(0);
    const agreed = await night.desk.json(['import', 'fix.csv', ...once, '--yes'], { env: night.env });
    expect([agreed.exitCode, night.created()]).toEqual([0, 1]);
  });

  it('without the yes of an unattended run it sends no correction besides', async () => {
    const night = await firstImport('reset_before', { ledger: 'durable' });
    await importCorrected(night);
    await night.findNotCreated();
    // The first file has nothing to send, so nothing is asked about it.
    const settled = await night.night();
    expect([countsOf(settled), night.created()]).toEqual([[{ invalid: 1 }], 0]);
    const end = await night.night('--yes');
    expect([end.exitCode, night.created()]).toEqual([0, 1]);
  });
});
