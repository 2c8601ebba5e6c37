/* Values that a list has once for a group of rows: in a cell that is merged over them, or above empty cells. */

import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import { cellText } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import { type Assignment, requiredGroups } from './assignment.ts';

/** What a list may state once for several rows. An amount, and a number or a name of a person, is never meant for several. */
const fieldsOfGroups: ReadonlySet<string> = new Set([
  ...['institution_name', 'institution_country', 'bank_name', 'currency', 'country', 'state', 'city'],
  ...[
    'payee_type',
    'account_type',
    'account_owner_type',
    'blockchain_network',
    'methods',
    'destination_label',
  ],
]);

/** The share of the rows from which on empty cells are no mistakes in single rows. */
const leastEmpty = 0.3;
/** The share of the empty cells that has a value above in the same group, else the empty ones are not meant to have one. */
const leastBelow = 0.9;

/** A column, and what its empty cells would be. */
interface GroupedColumn {
  readonly column: Column;
  readonly cells: readonly RepairSample[];
}

/**
 * The columns whose values seem to be written once for a group of rows, and which every row needs: where a value may be missing,
 * an empty cell means that it is. A heading, a subtotal or another line that is no row
 * ends a group; a hidden row belongs to it. None in a sample of a long sheet, which lacks rows between others.
 */
export function valuesOfGroups(
  { grid, header, rows }: Pick<Sheet, 'grid' | 'header' | 'rows'>,
  { uses, definitions }: Assignment,
): readonly GroupedColumn[] {
  if (grid.isCut) return [];
  const required = new Set(requiredGroups(definitions).flat());
  const lines = grid.rows.filter(({ number }) => number > (header.at(-1) ?? 1));
  const own = new Set(rows.map(({ number }) => number));
  return uses.flatMap(({ column, fields: [field = ''] }): GroupedColumn[] => {
    const empty = rows.length - column.cells.length;
    const mayBeOfGroup = fieldsOfGroups.has(field) && required.has(field);
    if (!mayBeOfGroup || empty < leastEmpty * rows.length) return [];
    let above = '';
    const cells = lines.flatMap((line): RepairSample[] => {
      const isRow = own.has(line.number);
      const text = cellText(line, column.index);
      if (!isRow && line.isHidden !== true) above = '';
      else if (text !== '') above = text;
      return isRow && text === '' && above !== '' ? [{ row: line.number, before: '', after: above }] : [];
    });
    return cells.length === 0 || cells.length < leastBelow * empty ? [] : [{ column, cells }];
  });
}
