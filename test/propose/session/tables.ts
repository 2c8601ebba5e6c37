import type { OpenedTable } from '../../../src/read/rows/input-table.ts';

/** A table of texts whose first line is its header. */
export function tableOfLines(lines: readonly (readonly string[])[]): OpenedTable {
  const [header = [], ...rows] = lines;
  const table: OpenedTable = {
    sheet: null,
    header,
    headerRow: 1,
    notes: [],
    readShare: () => 1,
    top: async () => ({ rows: [], merged: [] }),
    below: async () => table,
    rows: async function* () {
      yield rows.map((cells, index) => ({ number: index + 2, cells }));
    },
  };
  return table;
}
