/* A disk of the console that is full: what was not kept is said so, and nothing is lost or sent twice. */

import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvOf, customers, readCsv } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

/** The files of a folder that this process has open. */
function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

describe.runIf(canMount)('a full disk', () => {
  it('while files come in: nothing of them stays, and it works again once there is room', async () => {
    const disk = mountSmallDisk(1024 * 1024);
    const { visitor } = await openConsole({}, { uploadFolder: join(disk.folder, 'uploads') });
    disk.fill(64 * 1024);
    const content = csvOf(customers(3_000));
    await visitor.get('/');
    const shown = await visitor.upload('/uploads', [{ name: 'people.csv', content }]);
    expect(shown.status).toBe(507);
    expect(shown.text).toContain('cannot keep files (ENOSPC): nothing of this was kept');
    expect(shown.text).not.toContain(disk.folder);
    expect(await readdir(join(disk.folder, 'uploads'))).toEqual([]);
    disk.makeRoom();
    const checked = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
    expect(checked.text).toContain('Send 3 rows');
  });

  it('while a batch is sent and its results are written: every row is created once', async () => {
    const disk = mountSmallDisk(4 * 1024 * 1024);
    const out = join(disk.folder, 'results');
    const { visitor, desk } = await openConsole({ latencyInMs: 5 }, {}, undefined, { output: { out } });
    const file = { name: 'people.csv', content: csvOf(customers(120)) };
    disk.fill(8 * 1024);
    const unplanned = await uploadAndCheck(visitor, [file]);
    expect(unplanned.text).toContain('role="alert"');
    expect(unplanned.text).not.toContain('internal error');
    expect(unplanned.text).not.toContain(disk.folder);
    expect(openFilesIn(disk.folder)).toEqual([]);
    disk.makeRoom();
    const { path } = await uploadAndCheck(visitor, [file]);
    disk.fill(24 * 1024);
    await visitor.post(`${path}/resume`);
    const stopped = await visitor.until(
      path,
      ({ text }) => text.includes('role="alert"') && !text.includes('id="progress"'),
    );
    expect(stopped.text).not.toContain('internal error');
    expect(stopped.text).toMatch(/disk|space/i);
    expect(stopped.text).not.toContain(disk.folder);
    // A console that runs for months would run out of file descriptors.
    expect(openFilesIn(disk.folder)).toEqual([]);
    disk.makeRoom();
    await visitor.get(path);
    await visitor.post(`${path}/resume`);
    await visitor.until(path, ({ text }) => text.includes('All 120 rows created'));
    expect(desk.sandbox.counts().sandbox).toMatchObject({ created: { customers: 120 }, duplicates: {} });
    expect(await readCsv((await visitor.get(`${path}/files/results`)).text)).toHaveLength(120);
  });

  it('while differences are written: the reconciliation says so, and can be repeated', async () => {
    const disk = mountSmallDisk(1024 * 1024);
    const { visitor } = await openConsole({}, { uploadFolder: join(disk.folder, 'uploads') });
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    const strangers = Array.from({ length: 2_000 }, (_, at) => `S-${at},s${at}@example.com`).join('\n');
    const exported = { name: 'export.csv', content: `external_id,email\n${strangers}` };
    disk.fill(128 * 1024);
    await visitor.get(`${path}/reconcile`);
    const began = await visitor.upload(`${path}/reconcile`, [exported]);
    const shown = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
    expect(shown.text).toContain('role="alert"');
    expect(shown.text).not.toContain('internal error');
    expect(shown.text).not.toContain(disk.folder);
    disk.makeRoom();
    await visitor.get(`${path}/reconcile`);
    const again = await visitor.upload(`${path}/reconcile`, [exported]);
    const found = await visitor.until(again.path, ({ text }) => !text.includes('id="progress"'));
    expect(found.text).toContain('2,000 differences');
  });

  it('that may only be read takes no upload, and says so', async () => {
    const disk = mountSmallDisk(1024 * 1024);
    mkdirSync(join(disk.folder, 'uploads'));
    const { visitor } = await openConsole({}, { uploadFolder: join(disk.folder, 'uploads') });
    disk.makeReadOnly();
    await visitor.get('/');
    const shown = await visitor.upload('/uploads', [{ name: 'people.csv', content: csvOf(customers(1)) }]);
    expect([shown.status, shown.text.includes('cannot keep files')]).toEqual([507, true]);
    expect(shown.text).not.toContain(disk.folder);
  });
});
