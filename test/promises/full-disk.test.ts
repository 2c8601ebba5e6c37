import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

/** Lets a running program write no file beyond a number of bytes, as a disk without room would. */
const prlimit = '/usr/bin/prlimit';
function limitFiles(pid: number | undefined, bytes: number): void {
  execFileSync(prlimit, ['--pid', String(pid), `--fsize=${bytes}`]);
}

it.runIf(existsSync(prlimit))(
  'a disk that is full when keys are noted stops the run before they are used, and it continues later',
  async () => {
    const sent = new Set<string>();
    const desk = await openDesk({
      program: 'started',
      onRequest: ({ idempotencyKey = '' }) => {
        sent.add(idempotencyKey);
        return undefined;
      },
    });
    const rows = 120;
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const running = desk.start(['import', file, '--json']);
    // About 50 of the 120 keys.
    limitFiles(running.child.pid, 16_000);
    const end = await running.ended;
    expect(end.exitCode).toBe(4);
    expect(JSON.parse(end.stdout)).toMatchObject({ exit_code: 4, error: { code: 'disk_full' } });
    expect(sent.size).toBe(0);
    const again = await desk.json(['import', file]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    expect(sent.size).toBe(rows);
  },
);

it.runIf(existsSync(prlimit))(
  'a disk that is full when answers are noted, or the results are written, loses no answer',
  async () => {
    let requests = 0;
    let limit = (): void => {};
    const desk = await openDesk({
      program: 'started',
      onRequest: () => {
        requests += 1;
        if (requests === 30) limit();
        return undefined;
      },
    });
    const rows = 120;
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const running = desk.start(['import', file, '--json']);
    // The keys of all rows and the answers of a few.
    limit = () => limitFiles(running.child.pid, 46_000);
    const end = await running.ended;
    expect(JSON.parse(end.stdout)).toMatchObject({ exit_code: 4, error: { code: 'disk_full' } });
    const again = await desk.json(['import', file]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(rows);

    const remark = 'x'.repeat(2_000);
    const wide = customers(60, 1_000).map((row) => ({ ...row, remark }));
    const mapping = await desk.write('mapping.json', JSON.stringify({ ignore: ['remark'] }));
    const second = await desk.write('wide.csv', csvOf(wide));
    const writing = desk.start(['import', second, '--mapping', mapping, '--json']);
    // Room for the run log, and not for the results.
    limitFiles(writing.child.pid, 100_000);
    const stopped = await writing.ended;
    expect(JSON.parse(stopped.stdout)).toMatchObject({ exit_code: 4, error: { code: 'disk_full' } });
    expect((await desk.resultNames()).filter((name) => name.startsWith('wide') && !/run/.test(name))).toEqual(
      [],
    );
    const requestsBefore = requests;
    const written = await desk.json(['import', second, '--mapping', mapping]);
    expect(written.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 60 } }] });
    expect(requests).toBe(requestsBefore);
    expect((await desk.results('wide')).every((row) => row['remark'] === remark)).toBe(true);
  },
);
