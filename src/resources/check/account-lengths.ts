import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { Cells } from '../../domain/tables/table.ts';
import { planColumn, ValuesOfRow } from './definition-plan.ts';
import { createPlainCellCheck } from './field-check.ts';
import { institutionColumns, institutionOf } from './number-repair.ts';

/** So many account numbers of one length say how long an institution's are. */
const enoughNumbers = 3;
const digits = /^\d{4,20}$/;

/** How many numbers there are by their length: in cells that may have lost zeros, and in others. */
interface Lengths {
  readonly open: Map<number, number>;
  readonly sure: Map<number, number>;
}

/** Whether a mapping repairs account numbers, for which those of the whole file tell something. */
export function needsAccountLengths({ columns }: TableMapping): boolean {
  return columns.some(
    ({ field, repairs }) =>
      field === 'account_number' &&
      (repairs?.has('lost_zeros') === true || repairs?.has('number_cells') === true),
  );
}

/**
 * Makes the gathering of a file's account numbers: `add` takes every row, `result` has the one length of each
 * institution whose numbers have one, as far as no spreadsheet can have taken zeros from them.
 */
export function createAccountLengths(
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

/** The longest, where every number that is sure has it, and more numbers than are shorter. */
function oneLength({ open, sure }: Lengths): number | undefined {
  const longest = Math.max(...open.keys(), ...sure.keys());
  if ([...sure.keys()].some((length) => length !== longest)) return undefined;
  const full = (open.get(longest) ?? 0) + (sure.get(longest) ?? 0);
  const shorter = [...open].reduce((sum, [length, count]) => (length < longest ? sum + count : sum), 0);
  return full >= enoughNumbers && full > shorter ? longest : undefined;
}
