/* Opens an account statement: the list of formats, and which of them a file has. */

import type { TableRow } from '../../domain/tables/table.ts';
import { defaultLimits, InputError, type InputLimits } from '../file/input-error.ts';
import { gunzip, isGzip } from '../file/signature.ts';
import {
  assertUnchanged,
  type ByteSource,
  contentHashOf,
  hashedBytes,
  openFile,
  ReadingShare,
} from '../file/source.ts';
import type { OpenedTable } from '../rows/input-table.ts';
import { camt } from './camt.ts';
import {
  rowOfEntry,
  type StatementEntry,
  type StatementFormat,
  statementColumns,
  UnknownStatement,
} from './entry.ts';
import { mt940 } from './mt940.ts';

/* The formats of account statements that are read, and what is said of all others. */

/** A new format is one more file in this folder, and one more element of this list. */
const formats: readonly StatementFormat[] = [camt, mt940];

/** Other formats of bank statements, by how they begin. */
const otherFormats: readonly (readonly [name: string, start: RegExp])[] = [
  ['an OFX file', /^(?:OFXHEADER:|<OFX>|<\?xml[\s\S]*<\?OFX\b)/],
  ['a QIF file', /^!(?:Type|Account|Option):/],
  ['a BAI2 file', /^01,[^,\n]*,[^,\n]*,\d{6},[^\n]*\/\s*\n0[23],/],
];

const webPageOrWorkbook = /<(?:!doctype html|html|\?mso-application|[a-z]+:?workbook)\b/i;

/**
 * The statement format that a file's first bytes show; null for a file that is not a statement.
 * @throws InputError that names a bank's message or statement that is not supported
 */
function statementFormat(start: string): Pick<StatementFormat, 'name' | 'entries'> | null {
  try {
    const format = formats.find(({ recognises }) => recognises(start));
    if (format !== undefined) return { ...format, entries: (...file) => entriesIn(format, ...file) };
    const begun = start.trimStart();
    const other = otherFormats.find(([, begins]) => begins.test(begun));
    if (other !== undefined) throw new UnknownStatement(`This is ${other[0]}, which is not read`);
    if (begun.startsWith('<?xml') && !webPageOrWorkbook.test(begun)) {
      throw new UnknownStatement('This XML file is no statement that is read');
    }
    return null;
  } catch (error) {
    throw withWhatIsRead(error);
  }
}

/** @throws InputError where the statement is damaged, or contains another message */
async function* entriesIn(
  { entries }: StatementFormat,
  ...file: Parameters<StatementFormat['entries']>
): ReturnType<StatementFormat['entries']> {
  try {
    yield* entries(...file);
  } catch (error) {
    throw withWhatIsRead(error);
  }
}

/** Names the formats of the list to people whose statement has another one; other errors are returned unchanged. */
function withWhatIsRead(error: unknown): unknown {
  if (!(error instanceof UnknownStatement)) return error;
  const names = formats.flatMap(({ messages }) => messages);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  const readFormats = `Statements are read as ${listed}; anything else as CSV or a workbook.`;
  return new InputError('unknown_statement', error.message, `${error.advice} ${readFormats}`.trim());
}

/** An account statement as a table of its entries. */
interface StatementFile {
  readonly format: string;
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
  const rows = (): AsyncIterable<readonly TableRow[]> => numbered(format.entries(bytes(), { start, limits }));
  const table = { sheet: null, header: statementColumns, rows, readShare: () => share.value };
  return { format: format.name, contentHash, tables: [table] };
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
