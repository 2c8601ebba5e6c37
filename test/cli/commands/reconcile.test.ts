import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../../src/sandbox/server.ts';
import {
  accounts,
  customer,
  exportOf,
  importAll,
  importCollections,
  reconcile,
  stateCounts,
  wideCoverage,
} from '../reconciling/batches.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

describe('reconcile', () => {
  it('accounts for every row, finds the source file by its name, and ends with 0', async () => {
    const desk = await openInProcessDesk();
    const batch = await importAll(desk, { 'c.csv': customer, 'a.csv': accounts('Main', 'Other') });
    const { exitCode, reconciliation } = await reconcile(desk, batch);
    expect(exitCode).toBe(0);
    expect(reconciliation.account).toMatchObject({ isComplete: true, source: { isEqual: true } });
    await desk.write('a.csv', accounts('Main', 'Another'));
    const changed = await desk.call(['reconcile', batch]);
    expect(changed.stdout).toContain('Source file not compared');
    expect(changed.exitCode).toBe(0);
    expect((await desk.call(['reconcile', batch, '--source', 'a.csv'])).exitCode).toBe(3);
  });

  // On the embedded ledger everything has to pass through its one connection.
  it('puts our rows beside an export, names what differs, and ends with 5', async () => {
    const desk = await openInProcessDesk({ ledger: 'embedded' });
    const batch = await importCollections(
      desk,
      ...([
        ['R-1', '10.00'],
        ['R-2', '20.00'],
        ['R-3', '30.00'],
        ['LOST-ALWAYS-4', '40.00'],
      ] as const),
    );
    await exportOf(desk, 'e.csv', ([first = '', second = '', third = '', fourth = '']) => [
      first,
      first,
      second.replace('20.00', '20.01'),
      fourth,
      third.replace(/^[^,]+,R-3,30.00/, 'x,FOREIGN,31.00'),
    ]);
    const found = await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
    expect(found.exitCode).toBe(5);
    expect(stateCounts(found, 'here')).toEqual({ matched: 2, mismatched: 1, missing_there: 1 });
    expect(stateCounts(found, 'there')).toEqual({
      ...{ matched: 2, mismatched: 1, duplicate_there: 1, unknown_here: 1 },
    });
    expect(found.stdout).toMatch(/DIFF {2}mismatched +1 +1 +KES +20\.00 +20\.01\n/);
    const breaks = await desk.resultText('.breaks.csv');
    expect(breaks).toContain('amount: 20.00 / 20.01');
    expect(breaks).toMatch(/resolve row 5 as created with the id/);
    const report = await desk.resultText(`${batch.slice(0, 8)}.report.html`);
    expect(report).toContain('stands in exactly one state');
    const tolerant = await reconcile(desk, batch, '--against', 'e.csv', '--tolerance', '0.1%');
    expect(stateCounts(tolerant, 'here')).toEqual({
      ...{ matched: 2, matched_within_tolerance: 1, not_covered: 1 },
    });
  });

  it('leaves its summary, with its date, in the reports of later runs', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['R-1', '10.00'], ['R-2', '20.00']);
    await exportOf(desk, 'e.csv', ([first = '']) => [first, 'x,FOREIGN,5.00,KES']);
    const reportAfter = async (words: readonly string[]): Promise<string> => {
      await desk.call(words);
      return desk.resultText(`${batch.slice(0, 8)}.report.html`);
    };
    expect(await reportAfter(['results', batch])).not.toContain('Reconciliation');
    await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
    const report = await reportAfter(['results', batch]);
    expect(report).toMatch(/As of 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC, made by/);
    expect(report).toContain('Reconciliation: p.csv beside e.csv');
    expect(report).toContain('missing_there');
    await reconcile(desk, batch);
    expect(await reportAfter(['resume', batch])).not.toContain('beside e.csv');
  });

  it('finds answers that belong to another request', async () => {
    const desk = await openInProcessDesk({ faults: parseFaults('wrong_echo=1,first=1') });
    const batch = await importAll(desk, { 'c.csv': customer, 'a.csv': accounts('Main') });
    const { exitCode, reconciliation } = await reconcile(desk, batch);
    expect([exitCode, reconciliation.account.echoes.differing]).toEqual([5, 1]);
  });

  it('compares two files without a ledger', async () => {
    const desk = await openInProcessDesk();
    await desk.write('ours.csv', 'Ref;Betrag;Tag\nA;1.000,50;01.11.2026\nB;2,00;02.11.2026\n');
    await desk.write(
      'theirs.csv',
      'reference,amount,date\nB,2.00,2026-11-02T23:30:00Z\nA,1000.5,2026-11-02T01:30:00+02:00\n',
    );
    const left = {
      columns: { Ref: 'reference', Betrag: 'amount', Tag: 'date' },
      ...{ decimal: ',', thousands: '.', dateFormat: 'DD.MM.YYYY' },
    };
    await desk.write('m.json', JSON.stringify({ left, right: {} }));
    const words = ['--left', 'ours.csv', '--right', 'theirs.csv', '--mapping', 'm.json'];
    const end = await reconcile(desk, ...words);
    expect(stateCounts(end, 'here')).toEqual({ matched: 2 });
    expect(end.exitCode).toBe(0);
    await desk.write('theirs.csv', 'reference,amount,date\nB,2.00,soon\n');
    expect((await desk.call(['reconcile', ...words])).exitCode).toBe(3);
  });

  it('groups records on the left by what ourGroup names, and counts refunds by their type', async () => {
    const desk = await openInProcessDesk();
    await desk.write('ours.csv', 'Ref,Sum,Payout\nA,10.00,P-1\nB,20.00,P-1\nC,5.00,\n');
    await desk.write('theirs.csv', 'Ref,Sum,Kind\nP-1,30.00,Payment\nC,5.00,Payment\n');
    const columns = { Ref: 'reference', Sum: 'amount' };
    const left = { columns: { ...columns, Payout: 'payout' }, ourGroup: 'payout' };
    const words = ['--left', 'ours.csv', '--right', 'theirs.csv', '--mapping', 'm.json'];
    await desk.write('m.json', JSON.stringify({ left, right: { columns } }));
    const found = await reconcile(desk, ...words);
    expect([found.exitCode, stateCounts(found, 'here')]).toEqual([0, { matched: 3 }]);
    await desk.write('m.json', JSON.stringify({ left: { columns, ourGroup: 'payout' }, right: { columns } }));
    const unnamed = await desk.call(['reconcile', ...words]);
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([2, expect.stringContaining('“payout”')]);
    await desk.write('theirs.csv', 'For,Sum,Kind\nA,15.00,Payment\nA,5.00,REFUND\n');
    await desk.write('ours.csv', 'Ref,Sum\nA,10.00\n');
    const right = { columns: { For: 'group', Sum: 'amount' }, sign: { Kind: { refund: -1 } } };
    await desk.write('m.json', JSON.stringify({ left: { columns }, right }));
    expect(stateCounts(await reconcile(desk, ...words), 'there')).toEqual({ matched: 2 });
    await desk.write('theirs.csv', 'For,Sum,Kind\nA,15.00,Payment\nA,-5.00,Refund\n');
    const doubled = await desk.call(['reconcile', ...words]);
    expect([doubled.exitCode, doubled.stderr]).toEqual([
      3,
      expect.stringContaining('row 3: the amount is negative'),
    ]);
  });
});
