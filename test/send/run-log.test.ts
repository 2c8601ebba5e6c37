import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/disk/log/run-event.ts';
import { openRunLog, type RunLog } from '../../src/disk/log/run-log.ts';
import { endedUnsent, noteRows } from '../../src/send/run-log.ts';
import { sampleBatch, sampleRow } from '../account/sample-rows.ts';
import { temporaryFolder } from '../account/temporary-folder.ts';

const invalid = { status: 'invalid', attempts: 0, idempotencyKey: null, objectId: null } as const;

it('rows that are not sent are in the log, on disk, before the next ones are read', async () => {
  const path = join(temporaryFolder(), 'batch.run.jsonl');
  const runLog = await openRunLog(path, { batch: sampleBatch, now: () => new Date(0) });
  await noteRows(
    runLog,
    [sampleRow(invalid), sampleRow({ row: 3 })].filter((row) => endedUnsent(row, '')),
  );
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  await runLog.close();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'row.final', row: 2, status: 'invalid' },
  ]);
});

it('where nothing is to be noted, nothing waits for the disk', async () => {
  const appended: RunEvent[] = [];
  const runLog: Pick<RunLog, 'append' | 'flush'> = {
    append: (events) => appended.push(...events),
    flush: () => Promise.reject(new Error('waited for the disk')),
  };
  await noteRows(
    runLog,
    [sampleRow()].filter((row) => endedUnsent(row, '')),
  );
  expect(appended).toEqual([]);
});
