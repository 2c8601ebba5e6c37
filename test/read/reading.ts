import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainText } from '../../src/domain/settings/message.ts';
import type { Table, TableRow } from '../../src/domain/tables/table.ts';
import { InputError } from '../../src/read/file/input-error.ts';
import type { InputFile, InputOptions } from '../../src/read/rows/input-table.ts';
import { openInput } from '../../src/read/sources/open-file.ts';

export { seededRandom } from '../support/crash.ts';

const folders: string[] = [];

/** Writes a file of that name into a folder of its own, and says where. */
export function temporaryFile(name: string, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-test-'));
  folders.push(folder);
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Call after each test that used `temporaryFile`. */
export function removeTemporaryFiles(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export async function rowsOf(table: Table): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const group of table.rows()) rows.push(...group);
  return rows;
}

export interface ReadTable {
  readonly sheet: string | null;
  readonly header: readonly string[];
  readonly headerRow: number;
  readonly rows: readonly TableRow[];
  readonly cells: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** Opens, reads and closes a file of that content. */
export async function readAll(
  content: string | Buffer,
  options: InputOptions = {},
  name = 'list.csv',
): Promise<{ file: InputFile; tables: ReadTable[] }> {
  const file = await openInput(temporaryFile(name, content), options);
  try {
    const tables: ReadTable[] = [];
    for (const table of file.tables) {
      const rows = await rowsOf(table);
      const { sheet, header, headerRow, notes } = table;
      tables.push({
        sheet,
        header,
        headerRow,
        rows,
        cells: rows.map((row) => row.cells),
        notes: notes.map(plainText),
      });
    }
    return { file, tables };
  } finally {
    await file.close();
  }
}

/** The same for a file of one table. */
export async function readTable(content: string | Buffer, options: InputOptions = {}): Promise<ReadTable> {
  const { tables } = await readAll(content, options);
  const [table] = tables;
  if (table === undefined || tables.length > 1) throw new Error(`${tables.length} tables instead of one`);
  return table;
}

/** What a file is refused with; fails when it is not refused. */
export async function refusalOf(content: string | Buffer, options: InputOptions = {}): Promise<InputError> {
  try {
    await readAll(content, options);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('the file was not refused');
}

/** Rows, or null when the content was refused in the proper way; anything else fails. */
export async function outcomeOf(content: Buffer): Promise<unknown> {
  try {
    const { tables } = await readAll(content);
    return tables.map((table) => [table.header, table.rows]);
  } catch (error) {
    if (error instanceof InputError && error.remedies.length > 0) return null;
    throw error;
  }
}
