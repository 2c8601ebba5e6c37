import { describe, expect, it } from 'vitest';
import { lastReconciliationSections } from '../../../src/account/reconciliation/report.ts';
import type { ReconciliationFigures } from '../../../src/domain/batches/reconciliation.ts';

const sums = [{ currency: 'KES', rows: 1, amount: '10.00' }];
const side = { records: 1, repeated: { records: 0, sums: [] }, sums, firstDay: null, lastDay: null };

const result: ReconciliationFigures = {
  account: {
    rows: 1,
    counts: { created: 1 },
    isComplete: true,
    sums: [],
    leftOut: { invalid: [], repeated: [] },
    source: null,
    contradictions: [],
    echoes: { checked: 1, unchecked: 0, partly: 0, differing: 0, differences: [] },
  },
  doubts: 2,
  replayed: [],
  replayedRows: 0,
  facts: { filled: 0, missing: [] },
  accepted: [],
  comparison: {
    hereName: 'p.csv',
    thereName: 'e.csv',
    compared: ['id'],
    amounts: 'compared',
    columns: [],
    unread: [],
    onlyInSome: [],
    remarks: [],
    isCoverageDeclared: true,
    breakCount: 0,
    here: { ...side, leftOut: [] },
    there: { ...side, leftOut: [{ reason: 'State: Failed', records: 3 }] },
    states: [{ side: 'here', state: 'matched', isDifference: false, records: 1, sums }],
  },
};

function made(madeAt: string, kept: ReconciliationFigures) {
  return { result: kept, madeBy: 'ada', madeAt };
}

describe('the last reconciliation in the report of a later run', () => {
  it('is the newest, with its date and who made it', () => {
    const older = made('2026-11-01T10:00:00.000Z', { ...result, comparison: null });
    const [account, states] = lastReconciliationSections([older, made('2026-11-20T10:00:00.000Z', result)]);
    expect(account?.introduction).toBe(
      'As of 2026-11-20 10:00:00 UTC, made by ada; rows may have moved on since.',
    );
    expect(account?.rows.at(-1)).toEqual(['Rows that wait for a verdict', 'WAITING', '2 rows']);
    expect(states?.title).toBe('Reconciliation: p.csv beside e.csv');
    expect(states?.introduction).toContain('2026-11-20');
    expect(states?.introduction).toContain('State: Failed (3)');
    expect(lastReconciliationSections([older])).toHaveLength(1);
  });

  it('is left out where there is none', () => {
    expect(lastReconciliationSections([])).toEqual([]);
  });
});
