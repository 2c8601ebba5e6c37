import { expect, it } from 'vitest';
import { mappingBesideNewColumns, mappingFor } from '../../../src/read/sources/mapping-of-table.ts';
import { headerKeyOf, type KnownMapping } from '../../../src/read/sources/remembered-mappings.ts';

function known(name: string, header: readonly string[], sheet?: string): KnownMapping {
  const mapping = sheet === undefined ? {} : { sheet };
  return { headerKey: headerKeyOf(header, sheet), name, kind: 'customers', header, mapping };
}

const titles = ['No', 'First', 'Last', 'Mobile'];
const csv = (header: readonly string[]) => ({ header, sheet: null });

it('takes a mapping for the same titles in any order, and one for exactly this header first', () => {
  const other = known('other', ['Mobile', 'No', 'First', 'Last']);
  const own = known('own', titles);
  expect(mappingFor(csv(['LAST', 'first', 'no', 'mobile']), [null], [other])?.name).toBe('other');
  expect(mappingFor(csv(titles), [null], [other, own])?.name).toBe('own');
  expect(mappingFor(csv(['No', 'First', 'Last']), [null], [own])).toBeUndefined();
  expect(mappingFor(csv([...titles, 'Notes']), [null], [own])).toBeUndefined();
});

it('takes a mapping beside one more column, and not beside many, without one of its own, or with one without a title', () => {
  const own = known('own', titles);
  const beside = (header: readonly string[]) => mappingBesideNewColumns(csv(header), [null], [own])?.name;
  expect(beside(['Notes', ...titles])).toBe('own');
  expect(beside([...titles, 'Notes', 'More'])).toBeUndefined();
  expect(beside(['No', 'First', 'Last', 'Notes'])).toBeUndefined();
  expect(beside(['', ...titles])).toBeUndefined();
  // Empty cells behind the last title say nothing; values below them are refused as those of a column without a title.
  expect(beside([...titles, ''])).toBe('own');
  expect(beside([...titles, 'Mobile'])).toBeUndefined();
});
