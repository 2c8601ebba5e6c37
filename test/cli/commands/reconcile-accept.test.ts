import { expect, it } from 'vitest';
import { exportOf, importCollections, reconcile, wideCoverage } from '../reconciling/batches.ts';
import { openInProcessDesk } from '../reconciling/in-process.ts';

it('accepts differences with a note and their hash: they are listed, and do not count as differences any more', async () => {
  const desk = await openInProcessDesk();
  const rows = ['a', 'b', 'c'].map((name, at) => [`INV-${name}`, `${at + 1}0.00`] as const);
  const batch = await importCollections(desk, ...rows);
  const withFees = (lines: string[]): string[] => lines.map((line) => line.replace('0.00', '0.50'));
  await exportOf(desk, 'e.csv', withFees);
  const against = [batch, '--against', 'e.csv', ...wideCoverage];
  expect((await reconcile(desk, ...against)).exitCode).toBe(5);

  const accept = [...against, '--accept', 'mismatched', '--note', 'fees of the bank'];
  const shown = await reconcile(desk, ...accept);
  expect([shown.exitCode, shown.stderr]).toEqual([
    2,
    expect.stringContaining('3 differences would be accepted'),
  ]);
  const [, hash = ''] = /--selection ([0-9a-f]{16})/.exec(shown.stderr.replaceAll(/\s+/g, ' ')) ?? [];
  const other = await reconcile(desk, ...accept, '--selection', 'f'.repeat(16));
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    expect.stringContaining('not the differences of that hash'),
  ]);

  const accepted = await reconcile(desk, ...accept, '--selection', hash);
  expect(accepted.exitCode).toBe(0);
  expect(accepted.stdout.replace(/\s+/g, ' ')).toContain('3 differences (mismatched), by');
  expect(accepted.stdout).toContain('fees of the bank');
  expect(accepted.reconciliation).toMatchObject({
    comparison: { breakCount: 0 },
    accepted: [{ kind: 'mismatched', count: 3, note: 'fees of the bank' }],
    files: { breaks: null },
  });
  // Next month the same, and one amount is another again.
  await exportOf(desk, 'july.csv', withFees);
  expect((await reconcile(desk, batch, '--against', 'july.csv', ...wideCoverage)).exitCode).toBe(0);
  await exportOf(desk, 'july.csv', (lines) => withFees(lines).map((line) => line.replace('20.50', '20.51')));
  const changed = await reconcile(desk, batch, '--against', 'july.csv', ...wideCoverage);
  expect(changed.exitCode).toBe(5);
  expect(changed.reconciliation).toMatchObject({
    comparison: { breakCount: 1 },
    accepted: [{ kind: 'mismatched', count: 2 }],
  });
});

it('refuses to accept without a note, what needs a verdict, and what there is not', async () => {
  const desk = await openInProcessDesk();
  const batch = await importCollections(desk, ['INV-a', '10.00']);
  await exportOf(desk, 'e.csv', (lines) => lines);
  const withOptions = async (...words: string[]): Promise<readonly [number, string]> => {
    const end = await reconcile(desk, batch, '--against', 'e.csv', ...words);
    return [end.exitCode, end.stderr.replaceAll(/\s+/g, ' ')];
  };
  expect(await withOptions('--accept', 'mismatched')).toEqual([2, expect.stringContaining('needs --note')]);
  expect(await withOptions('--note', 'x')).toEqual([2, expect.stringContaining('goes with --accept')]);
  expect(await withOptions('--accept', 'in_doubt_found', '--note', 'x')).toEqual([
    2,
    expect.stringContaining('it can be two_ids'),
  ]);
  expect(await withOptions('--accept', 'mismatched', '--note', 'x')).toEqual([
    2,
    expect.stringContaining('no difference of these kinds'),
  ]);
});
