import { expect, it } from 'vitest';
import type { CallEvent } from '../../src/call/context.ts';
import { start } from '../../src/call/start.ts';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { RunStop } from '../../src/domain/sending/stops.ts';

async function all(events: AsyncIterable<CallEvent>): Promise<CallEvent[]> {
  const read: CallEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

it('gives the events in their order, rows that went on meanwhile as one, and then the result', async () => {
  const run = start(async (report) => {
    report({ kind: 'step.started', step: 'sending', about: 'customers', rows: 3 });
    report({ kind: 'step.advanced', rows: 1 });
    report({ kind: 'step.advanced', rows: 2 });
    await Promise.resolve();
    report({ kind: 'step.ended' });
    return 'done';
  });
  const read = await all(run.events);
  expect(read.map(({ kind }) => kind)).toEqual(['step.started', 'step.advanced', 'step.ended']);
  expect(read[1]).toEqual({ kind: 'step.advanced', rows: 3 });
  expect(await run.result).toBe('done');
});

it('keeps the newest share of a file among rows that went on meanwhile', async () => {
  const run = start(async (report) => {
    report({ kind: 'step.advanced', rows: 1, share: 0.2 });
    report({ kind: 'step.advanced', rows: 2, share: 0.6 });
    report({ kind: 'step.advanced', rows: 4 });
  });
  expect(await all(run.events)).toEqual([{ kind: 'step.advanced', rows: 7, share: 0.6 }]);
});

it('ends its events when it fails, and reports the error only in its result', async () => {
  const run = start(async () => {
    throw new RunStop('credentials', 'the API refused the key');
  });
  expect(await all(run.events)).toEqual([]);
  await expect(run.result).rejects.toBeInstanceOf(PaybatchError);
  await expect(run.result).rejects.toMatchObject({
    kind: 'credentials_refused',
    code: 'credentials',
    message: 'The API refused the key.',
  });
});

it('keeps the newest events of those that nobody reads', async () => {
  const run = start(async (report) => {
    for (let at = 0; at < 5_000; at += 1) report({ kind: 'detail', text: String(at) });
  });
  await run.result;
  const read = await all(run.events);
  expect(read).toHaveLength(1_000);
  expect(read.at(-1)).toEqual({ kind: 'detail', text: '4999' });
});
