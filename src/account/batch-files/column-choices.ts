/* Columns as the user named them: what can be chosen in them, and what the API refused in them. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { MappedColumn, TableMapping } from '../../domain/tables/mapping.ts';
import { refusedColumn } from '../../kinds/own-columns.ts';
import { parseRules } from '../../kinds/rule-changes.ts';
import { templateOf } from '../../kinds/template.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { parseMappingFile } from '../../read/mapping/mapping-file.ts';
import { mapTable } from '../../read/mapping/table-mapping.ts';
import type { ColumnChoices } from '../files/failed-workbook.ts';

/** More names than these are no choice any more. */
const mostInstitutions = 300;

/** The values that columns of a batch's file may have, where they are few: what a person may choose from. */
export async function columnChoicesOf(
  verbs: Pick<LedgerVerbs, 'readPinnedInstitutionNames'>,
  batchId: string,
  mapping: TableMapping | null,
): Promise<readonly ColumnChoices[]> {
  if (mapping === null) return [];
  const institutions = await verbs.readPinnedInstitutionNames(batchId, mostInstitutions);
  return choicesIn(mapping, institutions);
}

/** How a batch's file was read; null where a later version reads it in another way. */
export async function mappingOfBatch(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  batch: BatchRecord,
): Promise<TableMapping | null> {
  const round = await verbs.findOriginalBatch(batch.id);
  return mappingOf(batch, round?.reading ?? null);
}

/**
 * @param institutions names of the institutions that rows may name; empty where they are many, or none
 */
export function choicesIn(mapping: TableMapping, institutions: readonly string[]): readonly ColumnChoices[] {
  const { columns } = templateOf(mapping.kind, null);
  return mapping.columns.flatMap((column): ColumnChoices[] => {
    if (column.index === null) return [];
    const known = columns.find(({ name }) => name === column.field)?.choices ?? null;
    const values = column.field === 'institution_name' ? institutions : (known?.values ?? []);
    const written = inTheFile(column, values);
    // What a file calls things may be written in more ways than a list has.
    const isClosed = known?.isClosed === true && column.values === undefined;
    return written.length === 0 ? [] : [{ title: column.title, values: written, isClosed }];
  });
}

/** As the file writes them: what the mapping translates, then what needs no translation. */
function inTheFile({ values: translations }: MappedColumn, values: readonly string[]): string[] {
  if (translations === undefined) return [...values];
  const meant = new Set(translations.values());
  return [...translations.keys(), ...values.filter((value) => !meant.has(value) && !translations.has(value))];
}

/** A file that was read once is read again in the same way; null where a later version reads it in another one. */
function mappingOf(
  { kind, header, sheet, fileName }: BatchRecord,
  reading: { readonly mapping: string; readonly rules: string } | null,
): TableMapping | null {
  try {
    const mapping = reading === null ? {} : parseMappingFile(reading.mapping, 'of the batch');
    const rules = parseRules(JSON.parse(reading?.rules ?? '{}'));
    return mapTable({ sheet, header }, { kind, mapping, fileName, rules });
  } catch (error) {
    if (error instanceof PaybatchError) return null;
    throw error;
  }
}

/** Says of rows that the API refused which of the file's columns is meant, where the refusal names a field. */
export async function* withRefusedColumns(
  groups: AsyncIterable<readonly ResultRow[]>,
  mapping: TableMapping | null,
): AsyncGenerator<readonly ResultRow[]> {
  const known = new Map<string, string | null>();
  const columnOf = ({ code, message }: ResultRow): string | null => {
    if (mapping === null) return null;
    const key = `${code} ${message}`;
    const found = known.get(key) ?? refusedColumn({ code, message }, mapping);
    // Should every row have words of its own, they are not kept.
    if (known.size < 1_000) known.set(key, found);
    return found;
  };
  for await (const rows of groups) {
    yield rows.map((row) => {
      const isRefused = (row.status === 'rejected' || row.status === 'waiting') && row.field === null;
      const field = isRefused ? columnOf(row) : null;
      return field === null ? row : { ...row, field };
    });
  }
}
