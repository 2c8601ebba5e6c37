import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { TableRow } from '../../domain/tables/table.ts';
import { defaultLimits, type InputLimits } from '../file/input-error.ts';
import { gunzip, isGzip } from '../file/signature.ts';
import {
  assertUnchanged,
  type ByteSource,
  contentHashOf,
  hashedBytes,
  openFile,
  ReadingShare,
} from '../file/source.ts';
import { type XmlDocument, XmlReader } from '../file/xml.ts';
import type { OpenedTable } from '../table/opened-table.ts';
import { CamtReader } from './camt.ts';
import {
  damagedStatement,
  rowOfEntry,
  type StatementEntry,
  type StatementFormat,
  statementColumns,
  statementFormat,
} from './formats.ts';
import { Mt940Reader } from './mt940.ts';

/** An account statement as a table of its entries. */
export interface StatementFile {
  readonly format: StatementFormat;
  readonly contentHash: string;
  readonly tables: readonly Pick<OpenedTable, 'sheet' | 'header' | 'rows' | 'readShare'>[];
}

async function firstBytes(source: ByteSource, limits: InputLimits): Promise<Buffer> {
  if (!isGzip(source.start)) return source.start;
  for await (const chunk of gunzip(
    hashedBytes(source, () => {}),
    source.bytes,
    limits,
  )) {
    return chunk.subarray(0, source.start.length);
  }
  return Buffer.alloc(0);
}

/** The bytes as text, without byte order marks and zero bytes, which the markers of both formats do not need. */
function text(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\0', '');
}

/**
 * Opens a file if it is an account statement: CAMT.053 or CAMT.054 (XML), or MT940.
 * @returns null for a file that is no statement
 * @throws InputError when it cannot be opened, or is an unsupported statement; `rows()` throws when it is damaged or
 * another message
 */
export async function openStatement(path: string): Promise<StatementFile | null> {
  if (path === '-') return null;
  const limits = defaultLimits;
  const source = await openFile(path, limits);
  const start = await firstBytes(source, limits);
  const format = statementFormat(text(start));
  if (format === null) return null;
  const contentHash = await contentHashOf(source);
  const share = new ReadingShare();
  const bytes = (): AsyncIterable<Buffer> => {
    const read = hashedBytes(source, (found) => assertUnchanged(contentHash, found), share);
    return isGzip(source.start) ? gunzip(read, source.bytes, limits) : read;
  };
  const entries = (): AsyncIterable<readonly StatementEntry[]> =>
    format === 'camt' ? camtEntries(bytes(), limits) : mt940Entries(bytes(), isUtf16(start));
  const rows = (): AsyncIterable<readonly TableRow[]> => numbered(entries());
  const table = { sheet: null, header: statementColumns, rows, readShare: () => share.value };
  return { format, contentHash, tables: [table] };
}

/** The errors with which the XML reader refuses a statement. */
const aStatement: XmlDocument = {
  damaged: damagedStatement,
  documentType: () =>
    damagedStatement('it has a document type, with entities of its own, which no bank writes'),
};

async function* camtEntries(
  bytes: AsyncIterable<Buffer>,
  limits: InputLimits,
): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new XmlReader(new CamtReader((entry) => found.push(entry)), limits, aStatement);
  for await (const chunk of bytes) {
    reader.write(chunk);
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

async function* mt940Entries(
  bytes: AsyncIterable<Buffer>,
  isWide: boolean,
): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new Mt940Reader((entry) => found.push(entry));
  const stream = Readable.from(bytes, { objectMode: false }).setEncoding(isWide ? 'utf16le' : 'latin1');
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    reader.line(isWide ? line : decoded(line));
    if (found.length < 1_000) continue;
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

function isUtf16(start: Buffer): boolean {
  return start[0] === 0xff && start[1] === 0xfe;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A line of bytes as text: SWIFT allows ASCII only; banks that write other letters use UTF-8 or Latin-1. */
function decoded(line: string): string {
  if (!/[\u0080-\u00ff]/.test(line)) return line;
  try {
    return utf8.decode(Buffer.from(line, 'latin1'));
  } catch {
    return line;
  }
}

/** The row number of an entry is its place in the file, since statements have no row numbers. */
async function* numbered(
  groups: AsyncIterable<readonly StatementEntry[]>,
): AsyncGenerator<readonly TableRow[]> {
  let number = 0;
  for await (const group of groups) {
    yield group.map((entry) => {
      number += 1;
      return rowOfEntry(entry, number);
    });
  }
}
