import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programWords } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';

/** What a command ended with; one that ends with 70, or without a sentence and a next step, has a bug. */
async function endOf(
  desk: Desk,
  words: readonly string[],
  options?: Parameters<Desk['run']>[1],
): Promise<{ exitCode: number | null; code: unknown }> {
  const end = await desk.run([...words, '--json'], options);
  const { error } = JSON.parse(end.stdout);
  expect(error.message).toMatch(/\.$/);
  expect(error.next).toBeTruthy();
  return { exitCode: end.exitCode, code: error.code };
}

describe('an input', () => {
  it('whose path is a circle of links, or too long, is not found', async () => {
    const desk = await openDesk({ program: 'started', ledger: 'embedded' });
    symlinkSync('loop.csv', join(desk.folder, 'loop.csv'));
    const notFound = { exitCode: 3, code: 'file_not_found' };
    for (const path of ['loop.csv', `${'a'.repeat(300)}.csv`]) {
      expect(await endOf(desk, ['import', path])).toEqual(notFound);
    }
  });

  it('from standard input needs a folder for temporary files', async () => {
    const desk = await openDesk({ program: 'started', ledger: 'embedded' });
    const options = { env: { TMPDIR: join(desk.folder, 'nowhere') }, stdin: csvOf(customers(1)) };
    expect(await endOf(desk, ['import', '-'], options)).toEqual({ exitCode: 2, code: 'temporary_folder' });
  });

  it.runIf(canMount)('from standard input needs room there', async () => {
    const desk = await openDesk({ program: 'started', ledger: 'embedded' });
    const disk = mountSmallDisk(1024 * 1024);
    disk.fill(8_192);
    const options = { env: { TMPDIR: disk.folder }, stdin: csvOf(customers(5_000)) };
    expect(await endOf(desk, ['import', '-'], options)).toEqual({ exitCode: 2, code: 'temporary_folder' });
  });
});

it.runIf(process.platform === 'linux')('a working folder that is gone is reported', async () => {
  const desk = await openDesk({ program: 'started', ledger: 'embedded' });
  mkdirSync(join(desk.folder, 'gone'));
  const script = 'cd gone && rmdir ../gone && exec "$0" "$@"';
  const program = [process.execPath, ...programWords(), 'status'];
  const end = spawnSync('/bin/sh', ['-c', script, ...program], { cwd: desk.folder, encoding: 'utf8' });
  expect(end.status).toBe(2);
  expect(end.stderr).toContain('is gone');
  expect(end.stderr).toContain('next: ');
});

describe.runIf(canMount)('the embedded ledger', () => {
  it('on a disk that may only be read cannot be opened', async () => {
    const desk = await openDesk({ program: 'started', ledger: 'embedded' });
    const file = await desk.write('people.csv', csvOf(customers(1)));
    const disk = mountSmallDisk(1024 * 1024);
    mkdirSync(join(disk.folder, 'ledger', 'pgdata'), { recursive: true });
    disk.makeReadOnly();
    const unreadable = { exitCode: 2, code: 'ledger_unreadable' };
    const ledger = join(disk.folder, 'ledger');
    expect(await endOf(desk, ['import', file, '--ledger-dir', ledger])).toEqual(unreadable);
    expect(await endOf(desk, ['status', '--ledger-dir', ledger])).toEqual(unreadable);
    expect(await endOf(desk, ['import', file, '--ledger-dir', join(disk.folder, 'new')])).toEqual(unreadable);
  });

  it('whose disk is full ends with 4, and continues when there is room', async () => {
    const desk = await openDesk({ program: 'started', ledger: 'embedded' });
    const disk = mountSmallDisk(250 * 1024 * 1024);
    const ledger = ['--ledger-dir', join(disk.folder, 'ledger')];
    const first = await desk.write('first.csv', csvOf(customers(1)));
    await desk.json(['import', first, ...ledger]);
    // Enough for the file to be read in, and too little for the write-ahead log of what follows.
    disk.fill(12 * 1024 * 1024);
    const rows = 6_000;
    const file = await desk.write('people.csv', csvOf(customers(rows, 10)));
    expect(await endOf(desk, ['import', file, ...ledger])).toEqual({ exitCode: 4, code: 'disk_full' });
    disk.makeRoom();
    const again = await desk.json(['import', file, ...ledger]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: rows } }] });
    expect(desk.sandbox.counts().sandbox).toMatchObject({
      created: { customers: rows + 1 },
      duplicates: {},
    });
  }, 180_000);
});

describe('a database server', () => {
  it('without TLS, or a root certificate that is not there, is a mistake in DATABASE_URL', async () => {
    const desk = await openDesk({ program: 'started' });
    const withParameter = (name: string, value: string): string => {
      const url = new URL(desk.databaseUrl ?? '');
      url.searchParams.set(name, value);
      return url.href;
    };
    const tls = { env: { DATABASE_URL: withParameter('sslmode', 'require') } };
    expect(await endOf(desk, ['status'], tls)).toEqual({ exitCode: 2, code: 'database_refused' });
    const certificate = { env: { DATABASE_URL: withParameter('sslrootcert', '/nowhere/root.crt') } };
    expect(await endOf(desk, ['status'], certificate)).toEqual({ exitCode: 2, code: 'database_url' });
  });

  it('that is reached through a socket file, and is being restarted, is only not available', async () => {
    const desk = await openDesk({ program: 'started' });
    const folder = join(desk.folder, 'sockets');
    mkdirSync(folder);
    const url = new URL('postgres://postgres:secret@localhost/postgres');
    url.searchParams.set('host', folder);
    expect(await endOf(desk, ['status'], { env: { DATABASE_URL: url.href } })).toEqual({
      exitCode: 4,
      code: 'database_unavailable',
    });
  });
});
