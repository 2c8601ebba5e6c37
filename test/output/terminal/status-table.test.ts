import { describe, expect, it } from 'vitest';
import { type BatchListing, statusTable } from '../../../src/output/terminal/status-table.ts';
import { sampleBatch } from '../sample-rows.ts';

const listing: BatchListing = {
  batch: sampleBatch,
  file: 'a.csv',
  sheet: null,
  kind: 'customers',
  rows: 20_000,
  counts: { created: 19_000, existing: 500, held: 500 },
  state: 'finished',
  lastRunAt: '2026-11-20T10:03:11Z',
};

describe('the list of batches', () => {
  it('shows a line for each batch, numbers at the right', () => {
    const never = { ...listing, rows: 3, counts: { not_sent: 3 }, state: 'planned', lastRunAt: null };
    expect(statusTable([listing, never], false)).toBe(
      [
        'batch     file   kind         rows    done  not done  state     last run (UTC)',
        '3f2a9c1e  a.csv  customers  20,000  19,500       500  finished  2026-11-20 10:03',
        '3f2a9c1e  a.csv  customers       3       0         3  planned   never',
      ].join('\n'),
    );
  });

  it('is at most 100 columns wide', () => {
    const long = { ...listing, file: 'x'.repeat(200), sheet: 'y', rows: 1_000_000, state: 'unfinished' };
    for (const line of statusTable([{ ...long, kind: 'collections' }], false).split('\n')) {
      expect(Array.from(line).length).toBeLessThanOrEqual(100);
    }
  });

  it('says it when there are none', () => {
    expect(statusTable([], false)).toBe('There are no batches in this ledger yet.');
  });
});
