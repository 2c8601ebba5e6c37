import { expect, it } from 'vitest';
import { runsTable } from '../../src/account/batch-tables.ts';
import { cellText, columnsOf } from '../../src/account/table.ts';
import type { RunRecord } from '../../src/domain/batches/run.ts';
import { sampleAccount } from '../support/accounts.ts';

function ended(command: string, outcome: RunRecord['outcome']): RunRecord {
  return {
    ...{ id: command, command, actor: null, owner: { host: 'worker', process: '1' }, outcome },
    ...{ startedAt: '2026-11-20T10:00:00Z', endedAt: '2026-11-20T10:01:05Z' },
    ...{ number: 1, leaseUntil: '2026-11-20T10:02:00Z' },
  };
}

it('reports that all rows are there only for a command whose exit code depends on the rows of its batch', () => {
  const runs = [
    ended('import', 'rows_need_correction'),
    ended('resolve', 'done'),
    ended('plan', 'done'),
    ended('close', 'done'),
    ended('resume', 'done'),
  ];
  const table = runsTable(sampleAccount({ counts: { invalid: 85, rejected: 60 }, runs }).runs);
  const at = columnsOf(table).findIndex(({ title }) => title === 'Exit code');
  expect(table.rows.map((line) => cellText(line[at] ?? null))).toEqual([
    '1: rows to correct, or waiting',
    '0: done',
    '0: done',
    '0: done',
    '0: all rows are there',
  ]);
});
