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
import type { OpenedTable } from '../table/opened-table.ts';
import { rowOfEntry, type StatementEntry, statementColumns } from './entry.ts';
import { statementFormat } from './formats.ts';

/** An account statement as a table of its entries. */
export interface StatementFile {
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
