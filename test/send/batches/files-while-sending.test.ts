import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import { type Desk, openDesk } from '../../support/cli-desk.ts';
import { csvOf, customers } from '../../support/cli-files.ts';

const rows = 5_000;

/** People of whom one is invalid, one repeats another, and one is refused by the API. */
function people(): Record<string, string>[] {
  return customers(rows).map((customer, at, all) => {
    if (at === 10) return { ...customer, email: 'nobody' };
    return at === 2_500 ? { ...all[20] } : customer;
  });
}

const isRefused = (body: unknown): boolean => JSON.stringify(body).includes('"C-4001"');

function isBegun(folder: string): boolean {
  return readdirSync(join(folder, 'results')).some((name) => name.endsWith('.tmp'));
}

async function tables(desk: Desk): Promise<string[]> {
  return Promise.all(['.results.csv', '.failed.csv', '.objects.csv'].map((end) => desk.resultText(end)));
}

describe('files that are begun while rows are sent', () => {
  it('have the same content as those that are written from the whole batch', async () => {
    let begun = 0;
    const desk: Desk = await openDesk({
      onRequest: ({ body }): FaultName | undefined => {
        if (isBegun(desk.folder)) begun += 1;
        return isRefused(body) ? '422' : undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(people()));
    const { summary } = await desk.json(['import', file]);
    const counts = { created: rows - 3, existing: 1, invalid: 1, rejected: 1 };
    expect(summary.batches[0]?.counts).toEqual(counts);
    expect(begun).toBeGreaterThan(rows / 2);
    const written = await tables(desk);
    expect((await desk.results()).map((row) => row['result_row'])).toEqual(
      Array.from({ length: rows }, (_, at) => String(at + 2)),
    );
    await desk.json(['results', summary.batches[0]?.batch ?? '']);
    expect(await tables(desk)).toEqual(written);
    const finals = (await desk.resultText('.run.jsonl')).split('"event":"row.final"').length - 1;
    expect(finals).toBe(rows);
  });

  it('are written as a whole when the begun ones were removed', async () => {
    let requests = 0;
    const desk: Desk = await openDesk({
      onRequest: () => {
        requests += 1;
        if (requests !== rows - 500) return undefined;
        const folder = join(desk.folder, 'results');
        const hidden = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
        expect(hidden.length).toBeGreaterThan(0);
        for (const name of hidden) rmSync(join(folder, name));
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const { exitCode } = await desk.run(['import', file]);
    expect(exitCode).toBe(0);
    expect(await desk.results()).toHaveLength(rows);
    expect((await desk.resultNames()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
