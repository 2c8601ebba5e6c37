import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { TableRow } from '../../domain/tables/table.ts';
import { gunzip, isGzip } from '../file/gzip.ts';
import { defaultLimits, type InputLimits } from '../file/limits.ts';
import { ReadingShare } from '../file/reading-share.ts';
import { assertUnchanged, type ByteSource, contentHashOf, hashedBytes, openFile } from '../file/source.ts';
import { XmlReader } from '../file/xml.ts';
import type { OpenedTable } from '../table/opened-table.ts';
import { CamtReader } from './camt.ts';
import { rowOf, type StatementEntry, statementColumns } from './entries.ts';
import { Mt940Reader } from './mt940.ts';

/** An account statement as a table of its entries. */
export interface StatementFile {
  readonly format: 'camt' | 'mt940';
  readonly contentHash: string;
  readonly tables: readonly Pick<OpenedTable, 'sheet' | 'header' | 'rows' | 'readShare'>[];
}

type Format = StatementFile['format'];

/** What a file's first bytes say: an ISO 20022 statement or notification, an MT940 statement, or neither. */
function formatOf(start: string): Format | null {
  if (/^\s*</.test(start) && /urn:iso:std:iso:20022:tech:xsd:camt\.05[34]\./.test(start)) return 'camt';
  return /^\s*(?:\{1:[^\n]*\{4:\s*\r?\n)?:20:/.test(start) ? 'mt940' : null;
}

async function firstBytes(source: ByteSource, limits: InputLimits): Promise<string> {
  if (!isGzip(source.start)) return text(source.start);
  for await (const chunk of gunzip(
    hashedBytes(source, () => {}),
    source.bytes,
    limits,
  )) {
    return text(chunk.subarray(0, source.start.length));
  }
  return '';
}

/** Without the marks and zeros of an encoding, which the markers of both formats do not need. */
function text(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\0', '');
}

/**
 * Opens a file if it is an account statement: CAMT.053 or CAMT.054 (XML), or MT940.
 * @returns null for any other file
 * @throws InputError when it cannot be opened; `rows()` throws when it turns out to be damaged
 */
export async function openStatement(path: string): Promise<StatementFile | null> {
  if (path === '-') return null;
  const limits = defaultLimits;
  const source = await openFile(path, limits);
  const format = formatOf(await firstBytes(source, limits));
  if (format === null) return null;
  const contentHash = await contentHashOf(source);
  const share = new ReadingShare();
  const bytes = (): AsyncIterable<Buffer> => {
    const read = hashedBytes(source, (found) => assertUnchanged(contentHash, found), share);
    return isGzip(source.start) ? gunzip(read, source.bytes, limits) : read;
  };
  const entries = format === 'camt' ? camtEntries : mt940Entries;
  const rows = (): AsyncIterable<readonly TableRow[]> => numbered(entries(bytes(), limits));
  const table = { sheet: null, header: statementColumns, rows, readShare: () => share.value };
  return { format, contentHash, tables: [table] };
}

async function* camtEntries(
  bytes: AsyncIterable<Buffer>,
  limits: InputLimits,
): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new XmlReader(new CamtReader((entry) => found.push(entry)), limits);
  for await (const chunk of bytes) {
    reader.write(chunk);
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

async function* mt940Entries(bytes: AsyncIterable<Buffer>): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new Mt940Reader((entry) => found.push(entry));
  // SWIFT's characters are those of ASCII; what a bank writes beyond them is not needed.
  const stream = Readable.from(bytes, { objectMode: false }).setEncoding('latin1');
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    reader.line(line);
    if (found.length < 1_000) continue;
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

/** The row of an entry is its place in the file: there is no line that people would know it by. */
async function* numbered(
  groups: AsyncIterable<readonly StatementEntry[]>,
): AsyncGenerator<readonly TableRow[]> {
  let number = 0;
  for await (const group of groups) {
    yield group.map((entry) => {
      number += 1;
      return rowOf(entry, number);
    });
  }
}
