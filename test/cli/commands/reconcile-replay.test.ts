import { describe, expect, it } from 'vitest';
import { answerOnTerminal, hasPseudoTerminal } from '../../support/terminal.ts';
import { accounts, customer, importAll, importCollections, reconcile } from '../reconciling/batches.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

describe('reconcile --replay', () => {
  it('replays unknown rows under their own keys and reports which objects existed before', async () => {
    const desk = await openInProcessDesk();
    const labels = accounts('Main', 'Lost Once', 'Error Once');
    const batch = await importAll(desk, { 'c.csv': customer, 'a.csv': labels });
    const before = await reconcile(desk, batch);
    expect([before.exitCode, before.reconciliation.doubts]).toEqual([5, 2]);
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
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { accounts: 3 },
      duplicates: { accounts: 0 },
    });
    const again = await desk.call(['reconcile', batch, '--replay']);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('Nothing to replay')]);
  });

  it('sends nothing but unknown rows, none beyond the lifetime of its key, and none elsewhere', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['ERROR-ONCE-1', '10.00'], ['LOST-ONCE-2', '20.00']);
    await desk.call(['resolve', batch, '--row', '2', '--as', 'not-created']);
    const elsewhere = { PAYBATCH_BASE_URL: 'http://127.0.0.1:9' };
    const other = await desk.call(['reconcile', batch, '--replay', '--yes'], elsewhere);
    expect([other.exitCode, other.document]).toEqual([2, { error: { code: 'other_environment' } }]);
    const words = ['reconcile', batch, '--replay', '--yes'];
    // By the ledger's clock, which no test can put forward.
    const late = await desk.call([...words, '--key-lifetime', '1ms']);
    expect([late.exitCode, late.stdout]).toEqual([5, expect.stringContaining('1 not sent, 1 held')]);
    expect(desk.sandbox.counts().sandbox.created.collections).toBe(1);
  });

  it('needs --yes where no person can be asked, and names the command', async () => {
    const desk = await openInProcessDesk();
    const batch = await importCollections(desk, ['ERROR-ONCE-1', '10.00']);
    const { exitCode, stdout, stderr } = await desk.run(['reconcile', batch, '--replay']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('nobody has agreed to it');
    expect(stderr).toContain(`next: paybatch reconcile ${batch.slice(0, 8)} --replay`);
    expect(desk.sandbox.counts().sandbox.created.collections).toBe(0);
  });

  it.runIf(hasPseudoTerminal)(
    'asks on a real terminal, and takes nothing but the whole word for a yes',
    async () => {
      const desk = await openInProcessDesk();
      const batch = await importCollections(desk, ['ERROR-ONCE-1', '10.00']);
      const words = ['reconcile', batch, '--replay'];
      for (const [answer, exitCode, created] of [
        ['y\r', 2, 0],
        ['\u0003', 2, 0],
        ['yes\r', 0, 1],
      ] as const) {
        const end = await answerOnTerminal(words, { cwd: desk.folder, env: desk.env }, answer);
        expect(end.output).toContain('1 unknown row goes again to');
        const { collections } = desk.sandbox.counts().sandbox.created;
        expect([end.exitCode, collections], end.output).toEqual([exitCode, created]);
      }
    },
  );
});
