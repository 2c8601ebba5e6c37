import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { JsonSummary } from '../../../src/output/words/json-summary.ts';
import {
  collections,
  exportOf,
  importAll,
  importCollections,
  reconcile,
  wideCoverage,
} from '../reconciling/batches.ts';
import { type InProcessDesk, openInProcessDesk } from '../reconciling/in-process.ts';

async function countsAfter(desk: InProcessDesk, words: readonly string[]): Promise<unknown> {
  const { document } = await desk.call(words);
  return (document as Pick<JsonSummary, 'batches'>).batches[0]?.counts;
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
