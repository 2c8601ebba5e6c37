/*
 * Values that a list has only once for a group of rows: in a cell that is merged over these rows, or above empty cells.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import { cellText } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import { type Assignment, requiredGroups } from './assignment.ts';

/**
 * Fields that a list may state once for several rows. An amount, or a number or name of a payee, never applies to
 * several rows.
 */
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

/** Kinds of which a customer may have several rows, so that a list by customer states the number once. */
const severalOfCustomer: ReadonlySet<Kind> = new Set<Kind>(['accounts', 'collections']);

function isOfGroup(field: string, kind: Kind): boolean {
  return fieldsOfGroups.has(field) || (field === 'customer_external_id' && severalOfCustomer.has(kind));
}

/** From this share of the complete rows on, empty cells are not mistakes in single rows. */
const leastEmpty = 0.3;
/**
 * The share of the empty cells that need a value above them in the same group. With a lower share, the empty cells are
 * meant to be empty.
 */
const leastBelow = 0.9;

/** A column, and the values that its empty cells would get. */
interface GroupedColumn {
  readonly column: Column;
  readonly cells: readonly RepairSample[];
}

/**
 * The columns whose values seem to be written once for a group of rows. Every row needs a value of such a column: in a column
 * that may be empty, an empty cell only means that the value is missing. A heading, a subtotal or another line that is
 * no row ends a group. A hidden row belongs to its group. The result is empty for a sample of a long sheet, because the
 * sample lacks rows in between.
 */
export function valuesOfGroups(
  { grid, header, rows }: Pick<Sheet, 'grid' | 'header' | 'rows'>,
  { uses, definitions, kind }: Assignment,
): readonly GroupedColumn[] {
  if (grid.isCut) return [];
  const required = new Set(requiredGroups(definitions).flat());
  const lines = grid.rows.filter(({ number }) => number > (header.at(-1) ?? 1));
  const ofEachRow = uses.filter(({ fields }) =>
    fields.some((field) => required.has(field) && !isOfGroup(field, kind)),
  );
  // A line that lacks what each row has of its own is of another sort, such as the invoices below a payment.
  const complete = rows.filter((row) => ofEachRow.every(({ column }) => cellText(row, column.index) !== ''));
  const own = new Set(complete.map(({ number }) => number));
  const all = new Set(rows.map(({ number }) => number));
  return uses.flatMap(({ column, fields: [field = ''] }): GroupedColumn[] => {
    // Of several columns of one field, each row has a value in one of them.
    const isOnly = uses.filter(({ fields }) => fields.includes(field)).length === 1;
    const mayBeOfGroup = isOnly && isOfGroup(field, kind) && required.has(field);
    const empty = mayBeOfGroup ? complete.filter((row) => cellText(row, column.index) === '').length : 0;
    if (empty === 0 || empty < leastEmpty * complete.length) return [];
    let above = '';
    const cells = lines.flatMap((line): RepairSample[] => {
      const text = cellText(line, column.index);
      if (!all.has(line.number) && line.isHidden !== true) above = '';
      else if (text !== '') above = text;
      return own.has(line.number) && text === '' && above !== ''
        ? [{ row: line.number, before: '', after: above }]
        : [];
    });
    return cells.length === 0 || cells.length < leastBelow * empty ? [] : [{ column, cells }];
  });
}
