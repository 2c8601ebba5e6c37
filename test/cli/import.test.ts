import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { account, collection, csvOf, customer, customers, recipient } from '../support/cli-files.ts';

describe('import', () => {
  it('sends files in the order in which their kinds depend on each other, whatever the order given', async () => {
    const desk = await openDesk();
    const given = [
      await desk.write('payins.csv', csvOf([collection(1)])),
      await desk.write('payees.csv', csvOf([recipient(1), recipient(2)])),
      await desk.write('wallets.csv', csvOf([account(1)])),
      await desk.write('people.csv', csvOf(customers(2))),
    ];
    const { exitCode, summary } = await desk.json(['import', ...given]);
    expect(exitCode).toBe(0);
    expect(summary.batches.map(({ kind, counts }) => [kind, counts])).toEqual([
      ['customers', { created: 2 }],
      ['accounts', { created: 1 }],
      ['recipients', { created: 2 }],
      ['collections', { created: 1 }],
    ]);
    expect(desk.sandbox.counts().sandbox.created).toEqual({
      customers: 2,
      accounts: 1,
      external_accounts: 2,
      collections: 1,
    });
  });

  it('knows the customers and accounts of earlier imports by their names, and a customer’s country', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf([customer(1, { country: 'KE' })]));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const payins = await desk.write('payins.csv', csvOf([collection(1)]));
    const payees = await desk.write('payees.csv', csvOf([recipient(1, { institution_country: '' })]));
    expect((await desk.run(['import', people])).exitCode).toBe(0);
    expect((await desk.run(['import', wallets])).exitCode).toBe(0);
    const { exitCode, summary } = await desk.json(['import', payins, payees]);
    expect(summary.batches.map(({ counts }) => counts)).toEqual([{ created: 1 }, { created: 1 }]);
    expect(exitCode).toBe(0);
  });

  it('of an account and what is paid into it works when its customer was there before', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf(customers(1)));
    const wallets = await desk.write('wallets.csv', csvOf([account(1)]));
    const payins = await desk.write('payins.csv', csvOf([collection(1)]));
    expect((await desk.run(['import', people])).exitCode).toBe(0);
    const { summary } = await desk.json(['import', payins, wallets]);
    expect(summary.batches.map(({ counts }) => counts)).toEqual([{ created: 1 }, { created: 1 }]);
  });

  it('sends nothing of any file when one is refused, and leaves nothing of any behind', async () => {
    const desk = await openDesk();
    const people = await desk.write('people.csv', csvOf(customers(2)));
    const payees = await desk.write('payees.csv', csvOf([recipient(1, { currency: 'Shilling' })]));
    const refused = await desk.json(['import', people, payees, '--max-invalid', '0']);
    expect(refused.summary).toMatchObject({ exit_code: 3, batches: [], error: { code: 'too_many_invalid' } });
    expect(refused.summary.error?.message).toContain('payees.csv');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
    const { stdout } = await desk.run(['status']);
    expect(stdout).toMatch(/^No batch was imported yet\.\n\n1 run failed, /);
    expect(stdout).toContain('exit 3: paybatch import ');
    // The good file can be imported afterwards.
    expect((await desk.run(['import', people])).exitCode).toBe(0);
  });

  it('of the same file again sends nothing, whatever the file is called', async () => {
    const desk = await openDesk();
    const content = csvOf(customers(3));
    const first = await desk.json(['import', await desk.write('people.csv', content)]);
    const copy = await desk.write('copy.csv', content);
    const again = await desk.run(['import', copy, copy]);
    expect({ exitCode: again.exitCode, stdout: again.stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Nothing was sent: every row was created earlier.'),
    });
    expect(first.summary.batches[0]?.counts).toEqual({ created: 3 });
    expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: 3 }, replayed: 0 });
  });

  it('of other files with the same rows creates nothing twice', async () => {
    const desk = await openDesk();
    const first = await desk.write('monday.csv', csvOf(customers(2)));
    const second = await desk.write('tuesday.csv', csvOf(customers(3)));
    expect((await desk.run(['import', first])).exitCode).toBe(0);
    const { summary } = await desk.json(['import', second]);
    expect(summary.batches[0]?.counts).toEqual({ existing: 2, created: 1 });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
  });

  it('of two files with the same rows at the same time creates each of them once', async () => {
    const desk = await openDesk({ latencyInMs: 5 });
    const files = [
      await desk.write('monday.csv', csvOf(customers(150))),
      await desk.write('tuesday.csv', csvOf(customers(150).reverse())),
    ];
    await Promise.all(files.map((file) => desk.run(['import', file])));
    // What waited for the other file is there now.
    const ends = [await desk.json(['import', files[0] ?? '']), await desk.json(['import', files[1] ?? ''])];
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const counts = ends.map(({ summary }) => summary.batches[0]?.counts);
    const sum = (status: 'created' | 'existing'): number =>
      counts.reduce((total, each) => total + (each?.[status] ?? 0), 0);
    expect({ created: sum('created'), existing: sum('existing') }).toEqual({ created: 150, existing: 150 });
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: 150 },
      duplicates: { customers: 0 },
    });
  });

  it('reads standard input, and calls its files stdin', async () => {
    const desk = await openDesk();
    const { summary } = await desk.json(['import', '-'], { stdin: csvOf(customers(2)) });
    expect(summary.batches[0]).toMatchObject({ file: '-', rows: 2, counts: { created: 2 } });
    expect((await desk.resultNames()).every((name) => name.startsWith('stdin.'))).toBe(true);
  });
});
