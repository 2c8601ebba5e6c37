/* Opens the export files of a comparison, and refuses unreadable ones before anything is sent. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { readSettingsFile, UnusableFile } from '../../call/credentials.ts';
import type { BatchRecord, Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { TableRow } from '../../domain/tables/table.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { InputError } from '../../read/file/input-error.ts';
import { placeOf } from '../../read/mapping/table-mapping.ts';
import { choosingEncoding, openInputFile } from '../../read/sources/open-file.ts';
import { openStatement, type StatementFile } from '../../read/statement/statement-file.ts';
import type { InputFile, OpenedTable } from '../../read/table/opened-table.ts';
import { parseExportMapping, parseTwoMappings } from '../export/mapping.ts';
import { type ExportSide, type OpenFile, openExportSide } from '../export/open-files.ts';
import { readExportRecords } from '../export/records.ts';
import { rememberedExportsOf } from '../remembered-exports.ts';
import { evidenceReader, ownFactsOf } from './export-evidence.ts';
import { reconcileUsage, type SidesRequest } from './reconciliation.ts';

/**
 * Opens the other side's export files that a batch is compared with; `mapping` says how to read them.
 * @returns null when no paths are given
 * @throws PaybatchError for a file or a mapping that is refused
 */
export async function openAgainst(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'findOwnRecords'>,
  paths: readonly string[],
  batch: BatchRecord,
): Promise<ExportSide | null> {
  if (paths.length === 0) return null;
  const mapping = readMapping(app.settings.reading.mapping, parseExportMapping, {});
  const remembered = await rememberedExportsOf(app);
  const reader = evidenceReader(batch.kind, ownFactsOf(verbs, batch), remembered);
  const side = await openExportSide(paths, mapping, batch.kind, opener(app), reader);
  for (const text of side.notes)
    app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
  return side;
}

/**
 * Reads the exports to their ends, so that one that will be refused is refused before anything is sent.
 * @throws PaybatchError (`file_refused`)
 */
export async function requireReadable(against: ExportSide | null, kind: Kind): Promise<void> {
  if (against === null) return;
  for await (const _ of readExportRecords(against.tables, kind, [])) {
    // The records are only read to see that they can be.
  }
}

/**
 * Opens the files of `left` and `right`, works on them, and closes them; one `mapping` tells of both.
 * @throws PaybatchError (`usage`) when one side is missing, or for a file or a mapping that is refused
 */
export async function withLeftAndRight<Result>(
  app: CallContext,
  { left: leftPaths, right: rightPaths }: SidesRequest,
  work: (left: ExportSide, right: ExportSide) => Promise<Result>,
): Promise<Result> {
  if (leftPaths.length === 0 || rightPaths.length === 0)
    throw reconcileUsage('The setting left and the setting right go together.');
  const mappings = readMapping(app.settings.reading.mapping, parseTwoMappings, { left: {}, right: {} });
  const open = opener(app);
  const reader = evidenceReader(null, null);
  const left = await openExportSide(leftPaths, mappings.left, null, open, reader);
  try {
    const right = await openExportSide(rightPaths, mappings.right, null, open, reader);
    for (const text of [...left.notes, ...right.notes])
      app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
    try {
      return await work(left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

function readMapping<Mapping>(
  path: string | undefined,
  parse: (text: string, path: string) => Mapping,
  none: Mapping,
): Mapping {
  if (path === undefined) return none;
  if (!existsSync(path)) throw reconcileUsage(`The mapping ${path} is not there.`);
  return parse(textOf(path), path);
}

function textOf(path: string): string {
  try {
    return readSettingsFile(path);
  } catch (error) {
    throw error instanceof UnusableFile ? reconcileUsage(`The mapping ${path} ${error.message}.`) : error;
  }
}

/** What turns out to be wrong with a file below its header is told by the file's name too. */
function opener(app: CallContext): OpenFile {
  return async (path, isHeader) => {
    const file =
      (await statementIn(path)) ??
      (await openInputFile(path, app.settings.reading, isHeader, choosingEncoding(basename(path), app.ask)));
    const tables = file.tables.map((table) => ({
      sheet: table.sheet,
      header: table.header,
      rows: () => namingFile(path, tellingShare(app, path, table)),
    }));
    return { contentHash: file.contentHash, tables, close: () => file.close() };
  };
}

/** The rows of a table, whose reading is a step of its own. */
async function* tellingShare(
  { report }: CallContext,
  path: string,
  table: Pick<OpenedTable, 'sheet' | 'rows' | 'readShare'>,
): AsyncGenerator<readonly TableRow[]> {
  const about = placeOf(table, basename(path));
  report({ kind: 'step.started', step: 'reading', about, rows: null });
  try {
    for await (const group of table.rows()) {
      yield group;
      report({ kind: 'step.advanced', rows: group.length, share: table.readShare() });
    }
  } finally {
    report({ kind: 'step.ended' });
  }
}

type OpenedStatement = StatementFile & Pick<InputFile, 'close'>;

/** An account statement of a bank; null for any other file. @throws PaybatchError (`file_refused`) */
async function statementIn(path: string): Promise<OpenedStatement | null> {
  try {
    const statement = await openStatement(path);
    return statement === null ? null : { ...statement, close: async () => {} };
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}

function named(path: string, { code, message, remedies }: InputError): PaybatchError {
  return new PaybatchError(code, `${path}: ${message}`, remedies, { kind: 'file_refused' });
}

async function* namingFile<Group>(path: string, groups: AsyncIterable<Group>): AsyncGenerator<Group> {
  try {
    yield* groups;
  } catch (error) {
    throw error instanceof InputError ? named(path, error) : error;
  }
}
