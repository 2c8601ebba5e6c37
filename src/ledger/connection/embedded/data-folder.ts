/*
 * The data folder of the embedded PostgreSQL. PostgreSQL creates it, or it is unpacked from the folder that the build has
 * packed.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/**
 * The settings of the engine, for one session and for files that the system's page cache contains anyway. PostgreSQL's own
 * defaults are for a server: 128 MB of buffers, and up to 1 GB of write-ahead log between two checkpoints.
 */
const engineSettings: Readonly<Record<string, string>> = { shared_buffers: '16MB', max_wal_size: '64MB' };

/** The parameters for creating a data folder. Its write-ahead log begins with a file of 1 MB instead of 16 MB. */
const initialSettings = ['--wal-segsize=1', '-c', `shared_buffers=${engineSettings['shared_buffers']}`];

/** An empty data folder that the build puts next to the program. `.ci/make-ledger-template.mjs` writes the module. */
interface DataTemplate {
  /** The versions and settings with which it was made. A different engine could not open it. */
  readonly madeWith: string;
  /** The folder, packed. */
  readonly content: string;
}

/** The file name of the template's module. */
export const templateName = 'ledger-template.js';

/** The paths of the module, relative to the bundled program, to the library, and to the sources. */
const templatePlaces = ['.', '../../../cli/bundle', '../../../../dist/src/cli/bundle'].map(
  (folder) => `${folder}/${templateName}`,
);

/** The parameters with which the engine is started on a data folder. */
export async function startParameters(): Promise<string[]> {
  const { PGlite } = await import('@electric-sql/pglite');
  const own = Object.entries(engineSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return [...PGlite.defaultStartParams, ...own];
}

/**
 * Creates an empty data folder. Unpacking a template takes a fraction of the time, and a third of the memory, of creating
 * the folder with PostgreSQL.
 * @param folder is created if it does not exist
 */
export async function makeDataFolder(folder: string): Promise<void> {
  const template = await findTemplate();
  if (template?.madeWith === recipe()) unpackFolder(template.content, folder);
  else await initializeDataFolder(folder);
}

/** Lets PostgreSQL make an empty data folder, and shuts it down cleanly. */
export async function initializeDataFolder(folder: string): Promise<void> {
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = await startParameters();
  const fresh = await PGlite.create(folder, { initDbStartParams: initialSettings, startParams });
  await fresh.close();
}

async function findTemplate(): Promise<DataTemplate | undefined> {
  const url = templatePlaces
    .map((place) => new URL(place, import.meta.url))
    .find((place) => existsSync(place));
  if (url === undefined) return undefined;
  const template: DataTemplate = await import(url.href);
  return template;
}

/** The engine's version and the settings. A template that was made with others is not used. */
export function recipe(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  const { version }: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
  return `pglite ${String(version)} ${initialSettings.join(' ')}`;
}

/** A folder or file of a packed folder. */
interface PackedEntry {
  readonly path: string;
  /** In bytes; null for a folder. */
  readonly size: number | null;
}

const lengthOfLength = 4;

/**
 * Packs a folder with all its contents into one text: the list of its entries, and the contents of the files one after
 * another.
 */
export function packFolder(folder: string): string {
  const entries: PackedEntry[] = [];
  const contents: Buffer[] = [];
  // In sorted order a folder precedes its contents.
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const isFolder = statSync(join(folder, path)).isDirectory();
    const content = isFolder ? Buffer.alloc(0) : readFileSync(join(folder, path));
    entries.push({ path, size: isFolder ? null : content.length });
    contents.push(content);
  }
  const list = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(lengthOfLength);
  length.writeUInt32BE(list.length);
  const params = {
    // The three databases of an empty cluster are copies of each other, megabytes apart. A small window would not find the
    // copies.
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_QUALITY]: 9,
  };
  return brotliCompressSync(Buffer.concat([length, list, ...contents]), { params }).toString('base64');
}

/** Unpacks a packed folder, with access only for its owner. */
export function unpackFolder(packed: string, folder: string): void {
  const bytes = brotliDecompressSync(Buffer.from(packed, 'base64'));
  let at = lengthOfLength + bytes.readUInt32BE(0);
  const entries: readonly PackedEntry[] = JSON.parse(bytes.toString('utf8', lengthOfLength, at));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path, size } of entries) {
    if (size === null) {
      mkdirSync(join(folder, path), { mode: 0o700 });
      continue;
    }
    writeFileSync(join(folder, path), bytes.subarray(at, at + size), { mode: 0o600 });
    at += size;
  }
}
