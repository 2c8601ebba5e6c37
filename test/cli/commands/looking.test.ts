import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/account/result.ts';
import { type FaultName, parseFaults } from '../../../src/sandbox/faults.ts';
import {
  accounts,
  collections,
  customer,
  exportOf,
  importAll,
  importCollections,
  reconcile,
  stateCounts,
  wideCoverage,
} from '../reconciling/batches.ts';
import { type InProcessDesk, openInProcessDesk } from '../reconciling/in-process.ts';

async function countsAfter(desk: InProcessDesk, words: readonly string[]): Promise<unknown> {
  const { document } = await desk.call(words);
  return (document as CallResult).batches[0]?.counts;
}

describe('resolve', () => {
  it('lets a file of verdicts decide about many rows, all of them or none', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['LOST-ALWAYS-1', '10.00'], ['ERROR-ONCE-2', '20.00']);
    await exportOf(desk, 'e.csv', (lines) => lines);
    const { reconciliation } = await reconcile(desk, batch, '--against', 'e.csv', ...wideCoverage);
    const path = reconciliation.files.verdicts ?? '';
    const lines = (await readFile(path, 'utf8')).split('\r\n');
    const answered = (first: string, second: string): string =>
      [
        lines[0],
        lines[1]?.replace(/,,([^,]*),$/, `,${first},$1,looked`),
        lines[2]?.replace(/,,,$/, `,${second},,asked`),
      ].join('\r\n');
    await writeFile(path, answered('created', 'existing'));
    const refused = await desk.call(['resolve', batch, '--file', path]);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('row 3')]);
    await writeFile(path, answered('created', 'not-created'));
    expect((await desk.call(['resolve', batch, '--file', path])).exitCode).toBe(0);
    expect(await countsAfter(desk, ['resume', batch])).toEqual({ created: 2 });
    expect((await reconcile(desk, batch)).exitCode).toBe(0);
  });

  it('names every wrong line of a file at once, whatever is wrong with it', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['LOST-ALWAYS-1', '10.00'], ['ERROR-ONCE-2', '20.00']);
    const file = await desk.write(
      'v.csv',
      'row,verdict,id,key\n2,perhaps,,\nx,send,,\n2,created,,\n3,send,,another-key\n99,send,,\n',
    );
    const { exitCode, stderr } = await desk.call(['resolve', batch, '--file', file]);
    expect(exitCode).toBe(3);
    for (const problem of [
      'row 2: the verdict is none of',
      'line 3: "row" is no row number',
      "row 2: created needs the object's id",
      'row 3: its key is another one by now',
      'row 99: the batch has no such row',
    ]) {
      expect(stderr).toContain(problem);
    }
  });

  it('never takes a verdict back, whatever is reconciled or said afterwards', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['LOST-ALWAYS-1', '10.00']);
    const resolve = ['resolve', batch, '--row', '2'];
    const known = [...resolve, '--as', 'created', '--id', 'obj-1', '--note', 'seen by phone'];
    expect((await desk.call(known)).exitCode).toBe(0);
    expect((await desk.call([...resolve, '--as', 'not-created'])).exitCode).toBe(2);
    const { exitCode, reconciliation } = await reconcile(desk, batch);
    expect(exitCode).toBe(0);
    expect(reconciliation).toMatchObject({
      verdicts: [{ row: 2, verdict: 'created', objectId: 'obj-1', note: 'seen by phone' }],
    });
  });

  it('sends a held row all the same, or takes the earlier object, as a person says', async () => {
    const desk = await openInProcessDesk();
    await importCollections(desk, ['R-1', '10.00'], ['R-2', '10.00']);
    const batch = await importAll(desk, { 'q.csv': collections(['R-1', '11.00'], ['R-2', '12.00']) });
    const resolve = (row: string, ...words: string[]): Promise<{ exitCode: number }> =>
      desk.call(['resolve', batch, '--row', row, ...words]);
    expect((await resolve('2', '--as', 'created', '--id', 'x')).exitCode).toBe(2);
    expect((await resolve('2', '--as', 'send', '--note', 'a new one')).exitCode).toBe(0);
    expect((await resolve('3', '--as', 'existing')).exitCode).toBe(0);
    expect(await countsAfter(desk, ['resume', batch])).toEqual({ created: 1, existing: 1 });
    expect((await reconcile(desk, batch)).exitCode).toBe(0);
    const again = await importAll(desk, { 'r.csv': `${collections(['R-1', '10.00'])}\n` });
    expect(await countsAfter(desk, ['results', again])).toEqual({ existing: 1 });
  });
});

describe('a verdict on rows that were sent again since', () => {
  /** Two collections that were not created in the morning, and that a run of noon creates without an answer. */
  async function sentAgainAtNoon(): Promise<{ desk: InProcessDesk; batch: string; morning: string }> {
    let fault: FaultName | undefined = 'reset_before';
    const desk = await openInProcessDesk({
      onRequest: ({ path, method }) => (method === 'POST' && path.includes('collection') ? fault : undefined),
    });
    const batch = await importCollections(desk, ['MORNING-1', '10.00'], ['MORNING-2', '20.00']);
    const { reconciliation } = await reconcile(desk, batch);
    const morning = await readFile(reconciliation.files.verdicts ?? '', 'utf8');
    fault = 'reset_after';
    expect((await desk.call(['resume', batch, '--max-attempts', '1'])).exitCode).toBe(5);
    fault = undefined;
    return { desk, batch, morning };
  }

  const createdCollections = ({ sandbox }: InProcessDesk): number =>
    sandbox.counts().sandbox.created.collections ?? 0;

  it('is refused with the newer evidence when it is in a file, so that each row is created once', async () => {
    const { desk, batch, morning } = await sentAgainAtNoon();
    const file = await desk.write('morning.csv', morning.replaceAll(',,,\r\n', ',not-created,,\r\n'));
    const refused = await desk.call(['resolve', batch, '--file', file]);
    await desk.call(['resume', batch]);
    expect(createdCollections(desk)).toBe(2);
    expect(refused.exitCode).toBe(3);
    for (const row of [2, 3]) {
      expect(refused.stderr).toContain(`row ${row}: it was sent again since: 1 request then, 2 now`);
    }
    expect(refused.stderr).toContain('the connection was lost');
  });

  it('needs on a command line the number of requests that the person knew of, and refuses an older number', async () => {
    const { desk, batch } = await sentAgainAtNoon();
    const resolve = (...words: string[]): Promise<{ exitCode: number; stderr: string }> =>
      desk.call(['resolve', batch, '--row', '2', '--as', 'not-created', ...words]);
    expect(await resolve()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--attempts 2'),
    });
    expect(await resolve('--attempts', '1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('1 request then, 2 now'),
    });
    expect((await resolve('--attempts', 'two')).exitCode).toBe(2);
    await desk.call(['resume', batch]);
    expect(createdCollections(desk)).toBe(2);
  });

  it('still counts for rows that were only held since, because their keys ran out', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['ERROR-ONCE-1', '10.00']);
    const { reconciliation } = await reconcile(desk, batch);
    const morning = await readFile(reconciliation.files.verdicts ?? '', 'utf8');
    expect(await countsAfter(desk, ['resume', batch, '--key-lifetime', '1ms'])).toEqual({ held: 1 });
    const file = await desk.write('morning.csv', morning.replace(',,,\r\n', ',not-created,,\r\n'));
    expect((await desk.call(['resolve', batch, '--file', file])).exitCode).toBe(0);
    expect(await countsAfter(desk, ['resume', batch])).toEqual({ created: 1 });
    expect(createdCollections(desk)).toBe(1);
  });

  it('needs the column in a file that was written without it', async () => {
    const { desk, batch } = await sentAgainAtNoon();
    const file = await desk.write('own.csv', 'row,verdict\n2,not-created\n');
    const refused = await desk.call(['resolve', batch, '--file', file]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringContaining('row 2: it was sent 2 times'),
    ]);
    const right = await desk.write('right.csv', 'row,verdict,attempts\n2,existing,2\n');
    expect((await desk.call(['resolve', batch, '--file', right])).exitCode).toBe(3);
    const found = await desk.write('found.csv', 'row,verdict,attempts,id\n2,created,2,object-of-noon\n');
    expect((await desk.call(['resolve', batch, '--file', found])).exitCode).toBe(0);
  });
});

it('a file of verdicts that nobody has filled in is a mistake of the caller', async () => {
  const desk = await openInProcessDesk();
  const batch = await importCollections(desk, ['LOST-ALWAYS-1', '10.00']);
  const { reconciliation } = await reconcile(desk, batch);
  const { exitCode, stderr } = await desk.call([
    'resolve',
    batch,
    '--file',
    reconciliation.files.verdicts ?? '',
  ]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has no verdict')]);
});

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
      matched: 2,
      mismatched: 1,
      duplicate_there: 1,
      unknown_here: 1,
    });
    expect(found.stdout).toMatch(/DIFF {2}mismatched +1 +1 +KES +20\.00 +20\.01\n/);
    const breaks = await desk.resultText('.breaks.csv');
    expect(breaks).toContain('amount: 20.00 / 20.01');
    expect(breaks).toMatch(/resolve row 5 as created with the id/);
    const report = await desk.resultText(`${batch.slice(0, 8)}.report.html`);
    expect(report).toContain('is in exactly one state');
    const tolerant = await reconcile(desk, batch, '--against', 'e.csv', '--tolerance', '0.1%');
    expect(stateCounts(tolerant, 'here')).toEqual({
      matched: 2,
      matched_within_tolerance: 1,
      not_covered: 1,
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
      decimal: ',',
      thousands: '.',
      dateFormat: 'DD.MM.YYYY',
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
