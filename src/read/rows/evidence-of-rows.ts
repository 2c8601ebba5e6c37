/* What all rows of a table together say of its numbers, for the repairs of single ones. */

import type { MappedColumn, ReadingRules, Repair, TableMapping } from '../../domain/tables/mapping.ts';
import { type SourceTable, unprotectCell } from '../../domain/tables/table.ts';
import { treatText } from '../../kinds/fields/cell-repairs.ts';
import { createAccountLengths, needsAccountLengths } from '../../kinds/fields/definition-plan.ts';
import { PhonesOfColumn } from '../../kinds/fields/phone.ts';
import { ruleOf } from '../../kinds/registry.ts';

/**
 * The mapping with the evidence that its repairs need from the whole table, and without those that this table speaks
 * against, however right they were for an earlier one. The table is read to its end only if a repair needs it.
 *
 * @param isTextOnly whether every cell is text and none was corrected by a person
 */
export async function withEvidence(
  mapping: TableMapping,
  table: SourceTable,
  reading: ReadingRules,
  isTextOnly: boolean,
): Promise<TableMapping> {
  const mayLoseZeros = mapping.columns.some(
    ({ repairs }) => repairs?.has('lost_zeros') === true || repairs?.has('zeros_in_front') === true,
  );
  const typed = isTextOnly && mayLoseZeros ? { ...mapping, isTextOnly } : mapping;
  const lengths = needsAccountLengths(mapping) ? createAccountLengths(typed, reading) : null;
  const phones = phonesToConfirm(mapping);
  if (lengths === null && phones.length === 0) return typed;
  for await (const group of table.rows()) {
    for (const row of group) {
      lengths?.add(row);
      for (const { column, index, found } of phones) {
        const text = treatText(unprotectCell(row.cells[index] ?? ''), column).text.trim();
        if (text !== '') found.add(text);
      }
    }
  }
  const contradicted = phones.filter(({ found }) => found.isContradicted).map(({ column }) => column);
  const columns = typed.columns.map((column) =>
    contradicted.includes(column) ? withoutRepair(column, 'phones_of_country') : column,
  );
  return {
    ...typed,
    ...(contradicted.length === 0 ? {} : { columns }),
    ...(lengths === null ? {} : { accountLengths: lengths.result() }),
  };
}

/** The columns whose doubtful phones are read as those of one country, as an earlier file may have shown. */
function phonesToConfirm({ kind, columns, phoneCountry }: TableMapping): readonly {
  readonly column: MappedColumn;
  readonly index: number;
  readonly found: PhonesOfColumn;
}[] {
  if (phoneCountry === undefined || !('country' in phoneCountry)) return [];
  const { country } = phoneCountry;
  return columns.flatMap((column) => {
    const { field, index, repairs } = column;
    if (index === null || repairs?.has('phones_of_country') !== true) return [];
    return [{ column, index, found: new PhonesOfColumn(country, ruleOf(kind, field)?.type === 'phone') }];
  });
}

function withoutRepair(column: MappedColumn, repair: Repair): MappedColumn {
  return { ...column, repairs: new Set([...(column.repairs ?? [])].filter((name) => name !== repair)) };
}
