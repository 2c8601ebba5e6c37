import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { CallEvent } from '../../../src/index.ts';
import { openEngine } from '../../support/engine.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';

it('reports how much of each export is read, one step after the other', async () => {
  const folder = await mkdtemp(join(inject('testFolder'), 'exports-'));
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const write = async (name: string, rows: number): Promise<string> => {
    const lines = Array.from({ length: rows }, (_, at) => `i${at},r${at}\n`);
    await writeFile(join(folder, name), `id,reference\n${lines.join('')}`);
    return join(folder, name);
  };
  const paybatch = await openEngine({ ledger: { databaseUrl }, output: { out: join(folder, 'results') } });
  const sides = { left: [await write('ours.csv', 2)], right: [await write('theirs.csv', 3)], rules: {} };
  const run = paybatch.compare(sides);
  const events: CallEvent[] = [];
  for await (const event of run.events) events.push(event);
  const comparing = { kind: 'step.started', step: 'comparing' };
  const reading = (name: string, rows: number): object[] => [
    { kind: 'step.started', step: 'reading', about: name },
    { kind: 'step.advanced', rows, share: 1 },
    { kind: 'step.ended' },
  ];
  expect(events).toMatchObject([
    // Its first rows show what its columns are.
    ...reading('ours.csv', 2),
    ...reading('theirs.csv', 3),
    comparing,
    ...reading('ours.csv', 2),
    ...reading('theirs.csv', 3),
    comparing,
    { kind: 'step.ended' },
  ]);
  expect(await run.result).toMatchObject({ outcome: 'decision_needed' });
});
