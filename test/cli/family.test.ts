import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, readCsv } from '../support/cli-files.ts';

it('status shows a batch with its corrections, and how many of its first rows are done now', async () => {
  const desk = await openDesk();
  const rows = [1, 2, 3, 4].map((number) => customer(number, number === 1 ? {} : { email: 'nobody' }));
  const first = await desk.json(['import', await desk.write('people.csv', csvOf(rows))]);
  const root = first.summary.batches[0]?.batch ?? '';
  expect((await desk.run(['status', root])).stdout).not.toContain('corrections');
  /** Corrects one more row of a failed file than the round before. */
  const round = async (path: string, corrected: number): Promise<{ batch: string; failed: string }> => {
    const failed = readCsv(await readFile(path, 'utf8')).map((record, index) =>
      index < corrected ? { ...record, email: `right${record['external_id']}@people.example` } : record,
    );
    const { summary } = await desk.json(['import', await desk.write('again.csv', csvOf(failed))]);
    const [batch] = summary.batches;
    return { batch: batch?.batch ?? '', failed: batch?.files.failed ?? '' };
  };
  const second = await round(first.summary.batches[0]?.files.failed ?? '', 1);
  const third = await round(second.failed, 1);
  const short = [second, third].map(({ batch }) => batch.slice(0, 8));
  const ofRoot = (await desk.run(['status', root])).stdout.replace(/\s+/g, ' ');
  expect(ofRoot).toContain(
    `with its corrections, 3 of 4 rows are done now; its corrections: ${short[0]} (1 of 3 done), ${short[1]} (1 of 2 done)`,
  );
  const listed = await desk.json(['status']);
  const needing = Object.fromEntries(
    (listed.summary.batches as unknown as { batch: string; needs_person: number; next: unknown[] }[]).map(
      ({ batch, needs_person: rows, next }) => [batch, [rows, next.length]],
    ),
  );
  // What a later round took up is that round's matter: only the last one has a row to correct.
  expect(needing).toEqual({ [root]: [0, 0], [second.batch]: [0, 0], [third.batch]: [1, 1] });
  expect((listed.summary.batches as unknown as { family: unknown }[]).map(({ family }) => family)).toEqual(
    Array(3).fill({
      first: root,
      rows: 4,
      done_rows: 3,
      corrections: [
        { batch: second.batch, rows: 3, done_rows: 1 },
        { batch: third.batch, rows: 2, done_rows: 1 },
      ],
    }),
  );
  expect((await desk.run(['status'])).stdout).toContain('with its corrections, 3 of 4 rows are done now');
  const ofThird = (await desk.run(['status', third.batch])).stdout.replace(/\s+/g, ' ');
  expect(ofThird).toContain(
    `it corrects 2 rows of batch ${root.slice(0, 8)}, of which 3 of 4 rows are done now`,
  );
});
