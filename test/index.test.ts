import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type CallEvent, Engine, PaybatchError } from '../src/index.ts';
import { csvOf, customers } from './support/cli-files.ts';
import { openEngine } from './support/engine.ts';

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-library-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function engineIn(folder: string): Promise<Engine> {
  return openEngine({
    ledger: { ledgerDir: join(folder, 'ledger') },
    output: { out: join(folder, 'results') },
  });
}

it('refuses an impossible setting and names it', async () => {
  const refusal = expect.objectContaining({
    code: 'option_invalid',
    message: expect.stringContaining('keyLifetime is "soon"'),
  });
  await expect(Engine.open({ keys: { keyLifetime: 'soon' } })).rejects.toEqual(refusal);
  const engine = await engineIn(await openFolder());
  await expect(engine.status({ keys: { keyLifetime: 'soon' } }).result).rejects.toEqual(refusal);
});

it('rejects with the code, message and next step of --json', async () => {
  const folder = await openFolder();
  const engine = await engineIn(folder);
  const { result } = engine.validate({ files: [join(folder, 'missing.csv')] });
  const error: unknown = await result.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PaybatchError);
  expect(error).toMatchObject({
    kind: 'file_refused',
    code: expect.any(String),
    remedies: expect.any(Array),
  });
});

it('reports its progress, and creates no ledger by reading', async () => {
  const folder = await openFolder();
  const file = join(folder, 'people.csv');
  await writeFile(file, csvOf(customers(2)));
  const engine = await engineIn(folder);
  const told: CallEvent[] = [];
  const run = engine.validate({ files: [file] }, { report: (event) => told.push(event) });
  const events: CallEvent[] = [];
  for await (const event of run.events) events.push(event);
  expect(events).toMatchObject([
    { kind: 'step.started', step: 'checking', about: 'people.csv' },
    { kind: 'step.advanced', rows: 2, share: 1 },
    { kind: 'step.ended' },
    { kind: 'file.checked' },
  ]);
  expect(told).toEqual(events);
  expect(await run.result).toMatchObject({
    outcome: 'done',
    batches: [{ rows: 2 }],
    checked: [{ place: 'people.csv', counts: { not_sent: 2 }, findings: { count: 0 } }],
  });
  expect((await engine.status({}).result).shown).toEqual({ kind: 'no_ledger' });
});

it('stops when its signal is aborted', async () => {
  const folder = await openFolder();
  const file = join(folder, 'people.csv');
  await writeFile(file, csvOf(customers(2)));
  const engine = await engineIn(folder);
  const run = engine.validate({ files: [file] }, { signal: AbortSignal.abort() });
  await expect(run.result).rejects.toMatchObject({ kind: 'stopped', code: 'interrupted' });
});

it('refuses live mode where the process checks no certificates', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const api = { mode: 'live', baseUrl: 'https://api.example.test', apiKey: 'k' } as const;
  const engine = await openEngine({ api });
  await expect(engine.institutions({ country: 'KE' }).result).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED'),
  });
});
