import { describe, expect, it } from 'vitest';
import { statusTable } from '../../../src/cli/views/status-table.ts';
import { textWidth } from '../../../src/cli/views/terminal-text.ts';
import type { BatchAccount } from '../../../src/domain/batches/account.ts';
import { sampleAccount, sampleBatch } from '../../support/accounts.ts';

const listing: BatchAccount = {
  ...sampleAccount(
    { counts: { created: 19_000, existing: 500, held: 500 } },
    {},
    { fileName: 'a.csv', kind: 'customers' },
  ),
  lastRunAt: '2026-11-20T10:03:11Z',
};

const showCommand = ({ id }: BatchAccount): string => `paybatch status ${id.slice(0, 8)}`;
const tableOf = (batches: readonly BatchAccount[], isColoured: boolean, columns?: number): string =>
  statusTable(batches, showCommand, isColoured, columns);

const clean = { ...listing, counts: { created: 20_000 }, needsPerson: 0 };

describe('the list of batches', () => {
  it('shows a line for each batch, a column for each status that occurs, and what needs a person', () => {
    const never: BatchAccount = {
      ...clean,
      rows: 3,
      counts: { not_sent: 3 },
      state: 'planned',
      lastRunAt: null,
    };
    expect(tableOf([listing, never], false, 120)).toBe(
      [
        'batch     file   kind         rows  created  existing  not sent  held  needs you  state     last run (UTC)',
        '3f2a9c1e  a.csv  customers  20,000   19,000       500         -   500        500  finished  2026-11-20 10:03',
        '3f2a9c1e  a.csv  customers       3        -         -         3     -          -  planned   never',
        '',
        'needs you: 500 rows in 1 batch. These say what to do:',
        '  paybatch status 3f2a9c1e',
      ].join('\n'),
    );
  });

  it('says who works on a batch since when, and when the oldest key in doubt runs out', () => {
    const running: BatchAccount = {
      ...clean,
      state: 'running',
      runs: [
        {
          id: 'a run',
          number: 1,
          command: 'resume',
          actor: null,
          host: 'night',
          process: '4711',
          startedAt: '2026-11-20T10:03:11Z',
          endedAt: null,
          outcome: null,
          isUnderWay: true,
        },
      ],
      counts: { created: 19_998, unknown: 2 },
      doubt: {
        oldestSentAt: '2026-11-20T09:00:00.000Z',
        nextRunsOutAt: null,
        oldestRunsOutAt: '2026-11-21T09:00:00.000Z',
        expired: 0,
        unsettled: 0,
      },
    };
    expect(tableOf([running], false, 100)).toBe(
      [
        'batch     file   kind         rows  created  unknown  needs you  state    last run (UTC)',
        '3f2a9c1e  a.csv  customers  20,000   19,998        2          -  running  2026-11-20 10:03',
        '    running: paybatch resume, process 4711 on night, since 2026-11-20 10:03 UTC',
        '    In doubt: the oldest key runs out at 2026-11-21 09:00 UTC; then only a person may decide',
      ].join('\n'),
    );
  });

  it('shows corrections below the batch whose rows they correct, and how many of its rows are done', () => {
    const ids = ['11111111', '22222222', '33333333'].map((start) => `${start}${sampleBatch.slice(8)}`);
    const [first = '', second = '', third = ''] = ids;
    const family = {
      first: { id: first, rows: 4 },
      doneRows: 3,
      corrections: [
        { id: second, rows: 3, doneRows: 1 },
        { id: third, rows: 2, doneRows: 1 },
      ],
    };
    const member = (id: string, rows: number): BatchAccount => ({
      ...clean,
      id,
      family,
      rows,
      counts: { created: 1, invalid: rows - 1 },
    });
    const newestFirst = [member(third, 2), clean, member(second, 3), member(first, 4)];
    expect(tableOf(newestFirst, false, 120)).toBe(
      [
        'batch       file   kind         rows  created  invalid  needs you  state     last run (UTC)',
        '11111111    a.csv  customers       4        1        3          -  finished  2026-11-20 10:03',
        '    with its corrections, 3 of 4 rows are done now',
        '  22222222  a.csv  customers       3        1        2          -  finished  2026-11-20 10:03',
        '    corrects 3 rows of batch 11111111',
        '  33333333  a.csv  customers       2        1        1          -  finished  2026-11-20 10:03',
        '    corrects 2 rows of batch 11111111',
        '3f2a9c1e    a.csv  customers  20,000   20,000        -          -  finished  2026-11-20 10:03',
      ].join('\n'),
    );
    expect(tableOf(newestFirst.slice(0, 1), false, 120)).toContain(
      'corrects 2 rows of batch 11111111, of which 3 of 4 rows are done now',
    );
  });

  it.each([40, 60, 100, 200])('fits into %i columns, whatever the name is', (columns) => {
    const long: BatchAccount = {
      ...listing,
      file: '銀行口座'.repeat(50),
      sheet: 'y',
      rows: 1_000_000,
      kind: 'collections',
      counts: { created: 900_000, existing: 1, invalid: 2, rejected: 3, waiting: 4, not_sent: 5, unknown: 6 },
    };
    for (const line of tableOf([long, listing], false, columns).split('\n')) {
      expect(textWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('says it when there are none', () => {
    expect(tableOf([], false)).toBe('There are no batches in this ledger yet.');
  });
});
