import { basename } from 'node:path';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { Kind } from '../domain/kind.ts';
import { type ExportMapping, looksLikeExportHeader, readColumns } from './export-mapping.ts';
import type { ExportTable } from './export-records.ts';
import type { SourceRow } from './ports.ts';

/** An opened file of rows, as the input layer gives it. */
export interface OpenedFile {
  readonly contentHash: string;
  readonly tables: readonly {
    readonly sheet: string | null;
    readonly header: readonly string[];
    rows(): AsyncIterable<readonly SourceRow[]>;
  }[];
  close(): Promise<void>;
}

/** Opens a file of rows; `isHeader` tells which of its first rows is the header. */
export type OpenFile = (path: string, isHeader: (cells: readonly string[]) => boolean) => Promise<OpenedFile>;

/** One side's files, open. */
export interface ExportSide {
  readonly tables: readonly ExportTable[];
  /** As people call the files, by the numbers that their records have. */
  readonly names: readonly string[];
  readonly hashes: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the files of one side and finds out what their columns are; of a workbook, every sheet that can tell
 * a record.
 * @throws Failure (exit 3) for a file without any such column
 */
export async function openExportSide(
  paths: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
  open: OpenFile,
): Promise<ExportSide> {
  const opened: OpenedFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  try {
    const tables: ExportTable[] = [];
    for (const path of paths) {
      const file = await open(path, (cells) => looksLikeExportHeader(cells, mapping, kind));
      opened.push(file);
      const usable = file.tables.filter(({ header }) => looksLikeExportHeader(header, mapping, kind));
      if (usable.length === 0) throw withoutColumns(path);
      tables.push(
        ...usable.map((table) => ({
          name: table.sheet === null ? basename(path) : `${basename(path)}:${table.sheet}`,
          columns: readColumns(table.header, mapping, kind),
          mapping,
          rows: () => table.rows(),
        })),
      );
    }
    const hashes = opened.map(({ contentHash }) => contentHash);
    return { tables, names: tables.map(({ name }) => name), hashes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function withoutColumns(path: string): Failure {
  return new Failure(
    exitCodes.fileRefused,
    'export_without_key',
    `${basename(path)}: no column of it can tell a record: neither an id nor a reference.`,
    'name the columns in a --mapping (docs/reconciling.md)',
  );
}
