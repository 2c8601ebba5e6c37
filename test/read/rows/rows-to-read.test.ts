import { expect, it } from 'vitest';
import type { SourceRow } from '../../../src/domain/tables/table.ts';
import { definitionsOf, kinds } from '../../../src/kinds/registry.ts';
import { templateOf } from '../../../src/kinds/template.ts';
import { mapTable } from '../../../src/read/mapping/table-mapping.ts';
import { rowsToRead } from '../../../src/read/rows/rows-to-read.ts';

async function read(
  header: readonly string[],
  kind: (typeof kinds)[number],
  rows: readonly (readonly string[])[],
) {
  const source = rows.map((cells, index): SourceRow => ({ number: index + 2, cells }));
  const whole = {
    sheet: null,
    header,
    headerRow: 1,
    notes: [],
    rows: async function* () {
      yield source;
    },
  };
  const mapping = mapTable(whole, { kind, mapping: {}, fileName: 'x.csv' });
  const { table } = rowsToRead(whole, mapping, null);
  const kept: number[] = [];
  for await (const group of table.rows()) kept.push(...group.map(({ number }) => number));
  return { kept, notes: table.notes };
}

const templates = kinds.flatMap((kind) =>
  [null, ...definitionsOf(kind).map(({ payeeType }) => payeeType)].map((type) => templateOf(kind, type)),
);

it.each(templates)('every example row of the template $name is left out, and reported', async (template) => {
  const { kind, columns, exampleRows } = template;
  const header = columns.map(({ name }) => name);
  const changed = exampleRows.map((cells) => cells.map((cell) => cell.replace('EXAMPLE-', 'C-')));
  const { kept, notes } = await read(header, kind, [...exampleRows, ...changed]);
  expect(kept).toEqual(changed.map((_, index) => exampleRows.length + index + 2));
  expect(notes).toEqual([expect.stringContaining('of the template left out: 2')]);
});

it('an amount counts by its value, since a workbook keeps it as a number', async () => {
  const { columns, exampleRows } = templateOf('collections', null);
  const header = columns.map(({ name }) => name);
  const cells = (exampleRows[0] ?? []).map((cell, at) =>
    header[at] === 'amount' ? String(Number(cell)) : cell,
  );
  expect((await read(header, 'collections', [cells])).kept).toEqual([]);
});
