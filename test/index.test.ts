import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type CallEvent, openPaybatch, PaybatchError } from '../src/index.ts';
import { csvOf, customers } from './support/cli-files.ts';

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-library-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it('refuses a setting that cannot be, by its name', () => {
  expect(() => openPaybatch({ keyLifetime: 'soon' })).toThrow(
    expect.objectContaining({
      code: 'option_invalid',
      message: expect.stringContaining('keyLifetime is "soon"'),
    }),
  );
});

it('rejects with the code, message and next step of --json', async () => {
  const folder = await openFolder();
  const paybatch = openPaybatch({ out: join(folder, 'results'), ledgerDir: join(folder, 'ledger') });
  const error = await paybatch
    .validate({ files: [join(folder, 'missing.csv')] })
    .result.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(PaybatchError);
  expect(error).toMatchObject({ kind: 'file_refused', code: expect.any(String), next: expect.any(String) });
});

it('tells what it does on the way, and makes no ledger by looking', async () => {
  const folder = await openFolder();
  const file = join(folder, 'people.csv');
  await writeFile(file, csvOf(customers(2)));
  const paybatch = openPaybatch({ out: join(folder, 'results'), ledgerDir: join(folder, 'ledger') });
  const run = paybatch.validate({ files: [file] });
  const events: CallEvent[] = [];
  for await (const event of run.events) events.push(event);
  expect(events).toMatchObject([
    { kind: 'step.started', step: 'checking', label: 'checking people.csv' },
    { kind: 'step.advanced', rows: 2, share: 1 },
    { kind: 'step.ended' },
    { kind: 'file.checked' },
  ]);
  expect(await run.result).toMatchObject({ outcome: 'done', batches: [{ rows: 2 }] });
  expect((await paybatch.status({}).result).shown).toEqual({ kind: 'no_ledger' });
});

it('stops when it is told to', async () => {
  const folder = await openFolder();
  const file = join(folder, 'people.csv');
  await writeFile(file, csvOf(customers(2)));
  const paybatch = openPaybatch({ out: join(folder, 'results'), ledgerDir: join(folder, 'ledger') });
  const run = paybatch.validate({ files: [file] }, { signal: AbortSignal.abort() });
  await expect(run.result).rejects.toMatchObject({ kind: 'stopped', code: 'interrupted' });
});

it('refuses live mode where the process checks no certificates', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const paybatch = openPaybatch({ mode: 'live', baseUrl: 'https://api.example.test', apiKey: 'k' });
  await expect(paybatch.institutions({ country: 'KE' }).result).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED'),
  });
});
