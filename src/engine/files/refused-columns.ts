import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { refusedColumn } from '../../resources/refused-field.ts';

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
