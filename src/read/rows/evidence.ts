/*
 * What all rows of a table together show, for the repair of single cells: the length of account numbers, and the
 * country of phone numbers.
 */

import type { MappedColumn, ReadingRules, Repair, TableMapping } from '../../domain/tables/mapping.ts';
import { type Cells, type SourceTable, unprotectCell } from '../../domain/tables/table.ts';
import { treatText } from '../../kinds/fields/cell-repairs.ts';
import { planColumn, ValuesOfRow } from '../../kinds/fields/definition-plan.ts';
import { createPlainCellCheck } from '../../kinds/fields/field-check.ts';
import { institutionColumns, institutionOf } from '../../kinds/fields/number-repair.ts';
import { PhonesOfColumn } from '../../kinds/fields/phone.ts';
import { ruleOf } from '../../kinds/registry.ts';

/**
 * The mapping with the evidence that its repairs need from the whole table. Repairs that this table contradicts are
 * removed, even if they were right for an earlier table. The table is read to its end only if a repair needs it.
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

/** How many account numbers of one length are needed to infer the length of an institution's numbers. */
const enoughNumbers = 3;
const digits = /^\d{4,20}$/;

/** How many numbers there are of each length: in cells that may have lost zeros, and in others. */
interface Lengths {
  readonly open: Map<number, number>;
  readonly sure: Map<number, number>;
}

/** Whether a mapping repairs account numbers, which needs data from the whole file. */
function needsAccountLengths({ columns }: TableMapping): boolean {
  return columns.some(
    ({ field, repairs }) =>
      field === 'account_number' &&
      (repairs?.has('lost_zeros') === true || repairs?.has('number_cells') === true),
  );
}

/**
 * Makes the collection of a file's account numbers: `add` takes every row, `result` has the one length of each
 * institution whose numbers have one, using numbers from which no spreadsheet can have removed zeros.
 */
function createAccountLengths(
  mapping: TableMapping,
  reading: ReadingRules,
): { readonly add: (row: Cells) => void; readonly result: () => ReadonlyMap<string, number> } {
  const index = mapping.columns.find(({ field }) => field === 'account_number')?.index ?? -1;
  const plans = mapping.columns
    .filter(({ field }) => institutionColumns.includes(field))
    .map((column, position) => planColumn(column, position, createPlainCellCheck(column, reading)));
  const values = new ValuesOfRow(mapping);
  const seen = new Map<string, Lengths>();
  return {
    add: (row) => {
      const text = row.cells[index]?.trim() ?? '';
      if (!digits.test(text)) return;
      values.begin(row, plans);
      const institution = institutionOf(values);
      if (institution === undefined) return;
      const lengths = seen.get(institution) ?? { open: new Map(), sure: new Map() };
      seen.set(institution, lengths);
      const isOpen = mapping.isTextOnly === true || row.kinds?.get(index) === 'number';
      const counts = isOpen ? lengths.open : lengths.sure;
      counts.set(text.length, (counts.get(text.length) ?? 0) + 1);
    },
    result: () =>
      new Map(
        [...seen].flatMap(([institution, lengths]) => {
          const length = oneLength(lengths);
          return length === undefined ? [] : [[institution, length] as const];
        }),
      ),
  };
}

/** The longest, if every certain number has it, and more numbers have it than are shorter. */
function oneLength({ open, sure }: Lengths): number | undefined {
  const longest = Math.max(...open.keys(), ...sure.keys());
  if ([...sure.keys()].some((length) => length !== longest)) return undefined;
  const full = (open.get(longest) ?? 0) + (sure.get(longest) ?? 0);
  const shorter = [...open].reduce((sum, [length, count]) => (length < longest ? sum + count : sum), 0);
  return full >= enoughNumbers && full > shorter ? longest : undefined;
}
