import { describe, expect, it } from 'vitest';
import { ImportHandles } from '../../src/check/judging-access.ts';
import type { StagedRow } from '../../src/domain/rows/ledger-row.ts';
import type { ReferencePort } from '../../src/kinds/request.ts';

const ledger: ReferencePort = {
  findByHandles: async (_, handles) =>
    new Map(handles.includes('C-1') ? [['C-1', { id: 'known-id', country: 'UG' }]] : []),
  findCustomersById: async () => new Map(),
  findRivals: async () => new Map(),
  findKeyOwners: async () => new Map(),
};

function row(handle: string | null, record: Record<string, string> = {}): StagedRow {
  return {
    row: 2,
    resource: 'customers',
    state: 'invalid',
    cells: [],
    record,
    findings: [],
    notes: [],
    handle,
    sameAs: null,
    objectId: null,
    reason: null,
  };
}

describe('ImportHandles', () => {
  it('finds objects of the ledger first, then earlier rows with their countries, including invalid ones', async () => {
    const handles = new ImportHandles();
    handles.note('customers', [
      row('C-1', { country: 'KE' }),
      row('C-2', { country: 'KE' }),
      row('C-3'),
      row(null),
    ]);
    const found = await handles.before(ledger).findByHandles('customers', ['C-1', 'C-2', 'C-3', 'C-4']);
    expect(Object.fromEntries(found)).toEqual({
      'C-1': { id: 'known-id', country: 'UG' },
      'C-2': { id: null, country: 'KE' },
      'C-3': { id: null, country: null },
    });
  });

  it('keeps the kinds apart', async () => {
    const handles = new ImportHandles();
    handles.note('customers', [row('X')]);
    expect(await handles.before(ledger).findByHandles('accounts', ['X'])).toEqual(new Map());
  });
});
