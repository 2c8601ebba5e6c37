import type { CellKind, SourceRow, SourceTable } from '../../../src/domain/tables/table.ts';
import type { MappingFile } from '../../../src/read/mapping/mapping-schema.ts';

/** The titles of a small file of payees. */
export const header = ['Customer', 'Name', 'Bank', 'Account', 'Sum'];

/** How it is read. */
export const mapping: MappingFile = {
  kind: 'recipients',
  columns: {
    Customer: 'customer_external_id',
    Name: 'account_name',
    Bank: 'institution_name',
    Account: 'account_number',
    Sum: 'amount',
  },
  constants: { payee_type: 'bank_account', currency: 'KES' },
  repair: { Bank: ['ditto'], Sum: ['ditto'], Account: ['lost_zeros'] },
};

/** A table with these rows, in two groups. @param kinds of the cells, by column */
export function tableOf(
  lines: readonly (readonly string[])[],
  kinds?: ReadonlyMap<number, CellKind>,
): SourceTable {
  const rows = lines.map((cells, index): SourceRow => {
    const row = { number: index + 2, cells };
    return kinds === undefined ? row : { ...row, kinds };
  });
  return {
    sheet: null,
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield rows.slice(0, 2);
      yield rows.slice(2);
    },
  };
}
