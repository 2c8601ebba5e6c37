import { describe, expect, it } from 'vitest';
import {
  AcceptedDifferences,
  type DecisionRecord,
  decidedDifferences,
  FingerprintCollector,
  fingerprintOf,
  openByPerson,
} from '../../../src/domain/batches/difference-decisions.ts';
import type { FoundDifference } from '../../../src/domain/rows/row-state.ts';

const amountDiffers: FoundDifference = {
  kind: 'mismatched',
  row: 2,
  status: 'created',
  there: { file: 'june.csv', row: 7 },
  values: [
    { name: 'id', here: 'o-1', there: 'o-1', differs: false },
    { name: 'amount', here: '10.00', there: '12.00', differs: true },
    { name: 'bank_name', here: 'Equity', there: 'Equity', differs: false },
  ],
  evidence: 'same id',
  action: null,
  foundId: null,
};

function withValue(
  name: string,
  changed: { readonly here?: string; readonly there?: string },
): FoundDifference {
  const values = amountDiffers.values.map((value) =>
    value.name === name ? { ...value, ...changed } : value,
  );
  return { ...amountDiffers, values };
}

const unknownHere: FoundDifference = {
  ...amountDiffers,
  kind: 'unknown_here',
  row: null,
  status: null,
  values: [
    { name: 'amount', here: null, there: '5.00', differs: false },
    { name: 'account_name', here: null, there: 'Ann', differs: false },
  ],
};

function acceptance(...found: readonly FoundDifference[]): DecisionRecord {
  return {
    decision: 'accepted',
    assignedTo: null,
    note: 'fees',
    by: 'grace',
    at: '2026-11-27T10:00:00.000Z',
    differences: decidedDifferences(found),
  };
}

describe('an acceptance', () => {
  it.each([
    ['the other side has another amount', withValue('amount', { there: '13.00' })],
    ['the ledger has another amount', withValue('amount', { here: '11.00' })],
    ['the other side has another id', withValue('id', { there: 'o-2' })],
    ['it is another row', { ...amountDiffers, row: 3 }],
    ['the row has another status', { ...amountDiffers, status: 'existing' }],
    ['it is of another kind', { ...amountDiffers, kind: 'duplicate_there' as const }],
    [
      'something else differs as well',
      {
        ...amountDiffers,
        values: [...amountDiffers.values, { name: 'date', here: '1', there: '2', differs: true }],
      },
    ],
  ])('does not count once %s', (_, changed) => {
    const accepted = new AcceptedDifferences([acceptance(amountDiffers)]);
    expect(accepted.accepts(changed)).toBe(false);
    expect(accepted.accepts(amountDiffers)).toBe(true);
  });

  it.each([
    ['the next export has it elsewhere', { ...amountDiffers, there: { file: 'july.csv', row: 1 } }],
    [
      'a value on which both agree is not compared any more',
      { ...amountDiffers, values: amountDiffers.values.slice(0, 2) },
    ],
    ['it is explained in other words', { ...amountDiffers, evidence: 'same reference' }],
  ])('still counts where %s', (_, same) => {
    expect(new AcceptedDifferences([acceptance(amountDiffers)]).accepts(same)).toBe(true);
  });

  it('of a record that only one side has counts for all of its values', () => {
    const other = {
      ...unknownHere,
      values: [
        ...unknownHere.values.slice(0, 1),
        { name: 'account_name', here: null, there: 'Bob', differs: false },
      ],
    };
    expect(fingerprintOf(other)).not.toBe(fingerprintOf(unknownHere));
  });

  it('counts for as many records as it was made for, where they cannot be told apart', () => {
    const accepted = new AcceptedDifferences([acceptance(unknownHere, unknownHere)]);
    expect([1, 2, 3].map(() => accepted.accepts(unknownHere))).toEqual([true, true, false]);
    expect(accepted.counts()).toEqual([
      { kind: 'unknown_here', count: 2, by: 'grace', at: '2026-11-27T10:00:00.000Z', note: 'fees' },
    ]);
    expect(accepted.countOf('unknown_here', 'mismatched')).toBe(2);
  });

  it('is taken back by opening the difference again, and by giving it to somebody', () => {
    for (const decision of ['reopened', 'assigned'] as const) {
      const later = { ...acceptance(amountDiffers), decision };
      expect(new AcceptedDifferences([acceptance(amountDiffers), later]).accepts(amountDiffers)).toBe(false);
    }
  });

  it('does not count for a row in doubt', () => {
    const inDoubt = { ...amountDiffers, status: 'unknown' };
    expect(new AcceptedDifferences([acceptance(inDoubt)]).accepts(inDoubt)).toBe(false);
  });
});

describe('the open differences of a reconciliation', () => {
  it('leave out rows in doubt, and count what is beyond the bound without telling it apart', () => {
    const collector = new FingerprintCollector(2);
    for (const each of [
      { ...amountDiffers, status: 'unknown' as const },
      amountDiffers,
      withValue('amount', { there: '13.00' }),
      unknownHere,
      amountDiffers,
    ])
      collector.add(each);
    expect(collector.found).toEqual([
      [fingerprintOf(amountDiffers), 1],
      [fingerprintOf(withValue('amount', { there: '13.00' })), 1],
    ]);
    expect(collector.beyond).toBe(2);
    expect(openByPerson(collector, [acceptance(amountDiffers)])).toEqual([{ assignedTo: null, count: 3 }]);
  });
});
