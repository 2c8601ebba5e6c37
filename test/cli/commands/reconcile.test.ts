import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/cli-desk.ts';

const customers = 'external_id,first_name,last_name,country,email\nC-1,Amina,Otieno,KE,a@example.test\n';

function accounts(...labels: string[]): string {
  const rows = labels.map((label) => `C-1,USD,regular,polygon,${label}\n`);
  return `customer_external_id,currency,type,blockchain_network,label\n${rows.join('')}`;
}

function collections(...rows: readonly (readonly [reference: string, amount: string])[]): string {
  const lines = rows.map(([reference, amount]) => `${reference},${amount},KES,KE,C-1,Main\n`);
  return `client_reference,amount,currency,country,customer_external_id,destination_label\n${lines.join('')}`;
}

async function importAll(desk: Desk, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, content] of Object.entries(files)) await desk.write(name, content);
  const { summary } = await desk.json(['import', ...Object.keys(files), '--max-attempts', '1']);
  return summary.batches.at(-1)?.batch ?? '';
}

interface Reconciled {
  readonly exitCode: number | null;
  readonly reconciliation: {
    readonly account: {
      readonly isComplete: boolean;
      readonly source: { isEqual: boolean } | null;
      readonly echoes: { differing: number };
    };
    readonly doubts: number;
    readonly replayed: readonly { row: number; state: string; origin: string | null }[];
    readonly comparison: { states: readonly { side: string; state: string; records: number }[] } | null;
    readonly files: { verdicts?: string | null; breaks: string | null; pairs: string | null };
  };
}

async function reconcile(desk: Desk, ...words: string[]): Promise<Reconciled> {
  const end = await desk.json(['reconcile', ...words]);
  const { reconciliation } = JSON.parse(end.stdout) as Pick<Reconciled, 'reconciliation'>;
  return { exitCode: end.exitCode, reconciliation };
}

function stateCounts({ reconciliation }: Reconciled, side: string): Record<string, number> {
  const states = reconciliation.comparison?.states.filter((each) => each.side === side) ?? [];
  return Object.fromEntries(states.map(({ state, records }) => [state, records]));
}

/** What the other side holds, as an export of its dashboard would list it. */
async function exportOf(desk: Desk, name: string, change: (lines: string[]) => string[]): Promise<void> {
  const answer = await fetch(`${desk.sandbox.url}/sandbox/objects?kind=collections&mode=sandbox`);
  const objects = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const lines = objects.map(({ id, object }) =>
    [id, object.client_reference, object.amount, object.currency].join(),
  );
  await desk.write(name, ['id,client_reference,amount,currency', ...change(lines)].join('\n'));
}

const wideCoverage = ['--covers-from', '2020-01-01', '--covers-to', '2099-12-31'];

describe('reconcile', () => {
  it('accounts for every row, finds the source file by its name, and ends with 0', async () => {
    const desk = await openDesk();
    const batch = await importAll(desk, { 'c.csv': customers, 'a.csv': accounts('Main', 'Other') });
    const { exitCode, reconciliation } = await reconcile(desk, batch);
    expect(exitCode).toBe(0);
    expect(reconciliation.account).toMatchObject({ isComplete: true, source: { isEqual: true } });
    await writeFile(join(desk.folder, 'a.csv'), accounts('Main', 'Another'));
    const changed = await desk.run(['reconcile', batch]);
    expect(changed.stdout).toContain('Source file not compared');
    expect(changed.exitCode).toBe(0);
    expect((await desk.run(['reconcile', batch, '--source', 'a.csv'])).exitCode).toBe(3);
  });

  it('replays unknown rows under their own keys and tells what had been there', async () => {
    const desk = await openDesk();
    const batch = await importAll(desk, {
      'c.csv': customers,
      'a.csv': accounts('Main', 'Lost Once', 'Error Once'),
    });
    const before = await reconcile(desk, batch);
    expect([before.exitCode, before.reconciliation.doubts]).toEqual([5, 2]);
    expect((await desk.run(['reconcile', batch, '--replay'])).exitCode).toBe(2);
    const after = await reconcile(desk, batch, '--replay', '--yes');
    expect(after.exitCode).toBe(0);
    const [lost, failed] = after.reconciliation.replayed;
    expect([lost, failed]).toMatchObject([
      { row: 3, state: 'created' },
      { row: 4, state: 'created' },
    ]);
    // How sure it can be depends on the clocks; it must never be wrong.
    expect(lost?.origin).not.toBe('created_by_replay');
    expect(failed?.origin).not.toBe('existed_before');
    const summary = await (await fetch(`${desk.sandbox.url}/sandbox/summary`)).json();
    expect(summary).toMatchObject({ sandbox: { created: { accounts: 3 }, duplicates: { accounts: 0 } } });
  });

  // On the embedded ledger everything has to pass through its one connection.
  it('puts our rows beside an export, names what differs, and ends with 5', async () => {
    const desk = await openDesk({ ledger: 'embedded' });
    const batch = await importAll(desk, {
      'c.csv': customers,
      'a.csv': accounts('Main'),
      'p.csv': collections(['R-1', '10.00'], ['R-2', '20.00'], ['R-3', '30.00'], ['LOST-ALWAYS-4', '40.00']),
    });
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
    const breaks = await desk.resultText('.breaks.csv');
    expect(breaks).toContain('amount: 20.00 / 20.01');
    expect(breaks).toMatch(/resolve row 5 as created with the id/);
    expect(await desk.resultText(`${batch.slice(0, 8)}.report.html`)).toContain(
      'stands in exactly one state',
    );
    const tolerant = await reconcile(desk, batch, '--against', 'e.csv', '--tolerance', '0.1%');
    expect(stateCounts(tolerant, 'here')).toEqual({
      matched: 2,
      matched_within_tolerance: 1,
      not_covered: 1,
    });
  });

  it('lets a file of verdicts decide about many rows, all of them or none', async () => {
    const desk = await openDesk();
    const batch = await importAll(desk, {
      'c.csv': customers,
      'a.csv': accounts('Main'),
      'p.csv': collections(['LOST-ALWAYS-1', '10.00'], ['ERROR-ONCE-2', '20.00']),
    });
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
    const refused = await desk.run(['resolve', batch, '--file', path]);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('row 3')]);
    await writeFile(path, answered('created', 'not-created'));
    expect((await desk.run(['resolve', batch, '--file', path])).exitCode).toBe(0);
    expect((await desk.json(['resume', batch])).summary.batches[0]?.counts).toEqual({ created: 2 });
    expect((await reconcile(desk, batch)).exitCode).toBe(0);
  });

  it('finds answers that belong to another request', async () => {
    const { parseFaults } = await import('../../../src/sandbox/server.ts');
    const desk = await openDesk({ faults: parseFaults('wrong_echo=1,first=1') });
    const batch = await importAll(desk, { 'c.csv': customers, 'a.csv': accounts('Main') });
    const { exitCode, reconciliation } = await reconcile(desk, batch);
    expect([exitCode, reconciliation.account.echoes.differing]).toEqual([5, 1]);
  });

  it('sends a held row all the same, or takes the earlier object, as a person says', async () => {
    const desk = await openDesk();
    await importAll(desk, {
      'c.csv': customers,
      'a.csv': accounts('Main'),
      'p.csv': collections(['R-1', '10.00'], ['R-2', '10.00']),
    });
    const batch = await importAll(desk, { 'q.csv': collections(['R-1', '11.00'], ['R-2', '12.00']) });
    expect((await desk.run(['resolve', batch, '--row', '2', '--as', 'created', '--id', 'x'])).exitCode).toBe(
      2,
    );
    expect(
      (await desk.run(['resolve', batch, '--row', '2', '--as', 'send', '--note', 'a new one'])).exitCode,
    ).toBe(0);
    expect((await desk.run(['resolve', batch, '--row', '3', '--as', 'existing'])).exitCode).toBe(0);
    const { exitCode, summary } = await desk.json(['resume', batch]);
    expect([exitCode, summary.batches[0]?.counts]).toEqual([0, { created: 1, existing: 1 }]);
    expect((await reconcile(desk, batch)).exitCode).toBe(0);
    const again = await importAll(desk, { 'r.csv': `${collections(['R-1', '10.00'])}\n` });
    expect((await desk.json(['results', again])).summary.batches[0]?.counts).toEqual({ existing: 1 });
  });

  it('compares two files without a ledger', async () => {
    const desk = await openDesk();
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
    expect((await desk.run(['reconcile', ...words])).exitCode).toBe(3);
  });
});
