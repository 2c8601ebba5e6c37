import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { DecidedDifference } from '../../../src/domain/batches/difference-decisions.ts';
import {
  addDifferenceDecisions,
  listDifferenceDecisions,
} from '../../../src/ledger/after-sending/reconciliations.ts';
import { readAuditEvents } from '../../../src/ledger/audit/events.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { stagedBatch, stagedRow } from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const grace = { name: 'grace', channel: 'console' };
  const accepted = { decision: 'accepted', assignedTo: null, note: 'fees' } as const;

  function difference(row: number): DecidedDifference {
    return { fingerprint: String(row).repeat(64).slice(0, 64), kind: 'mismatched', row, occurrences: 1 };
  }

  async function batchWithDoubt(): Promise<string> {
    const batch = await stagedBatch(database, [
      stagedRow(2, { state: 'existing', objectId: 'object-2' }),
      stagedRow(3, { state: 'held', reason: { code: 'differs', field: null, message: 'Differs.' } }),
    ]);
    return batch.id;
  }

  it('is kept with who decided it, and recorded in the trail', async () => {
    const batch = await batchWithDoubt();
    const strange = JSON.stringify('a\u0000b');
    const groups = [{ differences: [difference(2)], shown: strange }];
    await addDifferenceDecisions(database, batch, accepted, grace, groups);
    expect(await listDifferenceDecisions(database, batch)).toEqual([
      { ...accepted, by: 'grace', at: expect.stringMatching(/Z$/), differences: [difference(2)] },
    ]);
    const events = [];
    for await (const group of readAuditEvents(database, batch)) events.push(...group);
    expect(events.at(-1)).toMatchObject({
      event: 'differences.decided',
      actor: 'grace',
      channel: 'console',
      details: expect.stringContaining('"accepted"'),
    });
    expect(events.at(-1)?.details).not.toContain('fees');
  });

  it('is never changed or removed', async () => {
    const batch = await batchWithDoubt();
    await addDifferenceDecisions(database, batch, accepted, grace, [
      { differences: [difference(2)], shown: '[]' },
    ]);
    for (const sql of [
      `UPDATE difference_decisions SET note = 'x' WHERE batch_id = ?`,
      'DELETE FROM difference_decisions WHERE batch_id = ?',
    ]) {
      await expect(execute(database, sql, [batch])).rejects.toMatchObject({ code: '23001' });
    }
  });

  it('accepts nothing about a row in doubt, and nothing without a note', async () => {
    const batch = await batchWithDoubt();
    const decide = (given: Parameters<typeof addDifferenceDecisions>[2], row: number): Promise<void> =>
      addDifferenceDecisions(database, batch, given, grace, [
        { differences: [difference(row)], shown: '[]' },
      ]);
    await expect(decide(accepted, 3)).rejects.toThrow('a row in doubt is decided by a verdict');
    await expect(decide({ ...accepted, note: ' ' }, 2)).rejects.toThrow('accepted_with_a_note');
    const assigned = { decision: 'assigned', note: '' } as const;
    await expect(decide({ ...assigned, assignedTo: null }, 3)).rejects.toThrow('assigned_to_somebody');
    await decide({ ...assigned, assignedTo: 'ben' }, 3);
    expect(await listDifferenceDecisions(database, batch)).toHaveLength(1);
  });
});
