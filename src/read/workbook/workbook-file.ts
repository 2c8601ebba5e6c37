/* Opens a workbook of whatever format its content has. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Archive, encryptedFile } from '../file/archive.ts';
import { CompoundFile } from '../file/compound-file.ts';
import { InputError, type InputLimits } from '../file/input-error.ts';
import type { ByteSource } from '../file/source.ts';
import type { InputFile, InputOptions } from '../rows/input-table.ts';
import { openOds } from './ods/ods-file.ts';
import { assertWholeFileSize, openWholeFile } from './whole/whole-file.ts';
import { keepOnlyCells } from './whole/xls-records.ts';
import { findWorkbookPart, openXlsx } from './xlsx/xlsx-file.ts';

/** The result of opening a file's content, for every format. */
export type OpenedContent = Pick<
  InputFile,
  'format' | 'contentHash' | 'tables' | 'chosenEncoding' | 'dialect'
> & {
  /** Removes what was stored beside the file. */
  remove?(): Promise<void>;
};

const ODS = 'application/vnd.oasis.opendocument.spreadsheet';

type ZippedFormat = { readonly format: 'ods' | 'xlsb' } | { readonly format: 'xlsx'; readonly part: string };

/** Small parts only, since the whole part is held in memory. */
async function readPart(archive: Archive, name: string, limits: InputLimits): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of archive.read(name)) {
    length += piece.length;
    if (length > limits.recordBytes) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function zippedFormat(archive: Archive, limits: InputLimits): Promise<ZippedFormat> {
  if (archive.has('mimetype') && (await readPart(archive, 'mimetype', limits)).startsWith(ODS)) {
    return { format: 'ods' };
  }
  if (archive.has('[Content_Types].xml') && archive.has('_rels/.rels')) {
    const part = await findWorkbookPart(archive, limits);
    return /\.bin$/i.test(part) ? { format: 'xlsb' } : { format: 'xlsx', part };
  }
  throw new InputError(
    'unsupported_archive',
    'This is a zip archive, but no workbook.',
    'unpack it, and give the file that is in it',
  );
}

async function assertNotEncrypted(archive: Archive, limits: InputLimits): Promise<void> {
  const manifest = 'META-INF/manifest.xml';
  if (archive.has('encrypted-package')) throw encryptedFile();
  if (archive.has(manifest) && /encryption-data/.test(await readPart(archive, manifest, limits))) {
    throw encryptedFile();
  }
}

/**
 * Unpacks every part once, for its checksum and for its real size, before a library reads any of it.
 *
 * @returns the unpacked size in bytes
 */
async function unpackAll(archive: Archive): Promise<number> {
  let bytes = 0;
  for (const name of archive.names) {
    if (name.endsWith('/')) continue;
    for await (const piece of archive.read(name)) bytes += piece.length;
  }
  return bytes;
}

/** Opens a file that begins as a zip archive. */
export async function openZipped(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedContent> {
  const archive = await Archive.open(source.file, limits);
  let found: ZippedFormat;
  try {
    found = await zippedFormat(archive, limits);
    if (found.format === 'xlsx') {
      const opened = await openXlsx(source, archive, found.part, options, limits);
      return { format: 'xlsx', ...opened };
    }
    await assertNotEncrypted(archive, limits);
  } finally {
    archive.close();
  }
  if (found.format === 'xlsb') return openBinaryWorkbook(source, options, limits);
  return { format: 'ods', ...(await openOds(source, options, limits)) };
}

async function openBinaryWorkbook(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedContent> {
  assertWholeFileSize(source, limits);
  const archive = await Archive.open(source.file, {
    ...limits,
    inflatedBytes: limits.wholeFileInflatedBytes,
  });
  let inflatedBytes: number;
  try {
    inflatedBytes = await unpackAll(archive);
  } finally {
    archive.close();
  }
  const bytes = await readFile(source.file);
  const opened = await openWholeFile(bytes, inflatedBytes, options, limits);
  return { format: 'xlsb', contentHash: hashOf(bytes), ...opened };
}

/** Opens a file that begins as an old Office file: an `.xls`, or a newer workbook that is encrypted. */
export async function openCompound(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedContent> {
  assertWholeFileSize(source, limits);
  const bytes = await readFile(source.file);
  const compound = new CompoundFile(bytes);
  if (compound.stream('EncryptedPackage') !== null) throw encryptedFile();
  const workbook = compound.stream('Workbook') ?? compound.stream('Book');
  if (workbook === null) {
    throw new InputError(
      'document_file',
      'This is an Office file, but no workbook.',
      'copy its table into a spreadsheet program and save it as .xlsx',
    );
  }
  const contentHash = hashOf(bytes);
  const cells = Buffer.from(workbook);
  keepOnlyCells(cells);
  const opened = await openWholeFile(cells, cells.length, options, limits);
  return { format: 'xls', contentHash, ...opened };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
