import { describe, expect, it } from 'vitest';
import { ContentMark, sentFieldsOf } from '../../src/kinds/natural-key-index.ts';
import { allDefinitions, definitionNamed } from '../../src/kinds/registry.ts';
import { writeBody } from '../../src/kinds/request.ts';
import { type DefinitionName, validRows } from '../kinds/rows.ts';

const mark = new ContentMark();

function markOf(name: string, record: Readonly<Record<string, string>>): string {
  mark.take(definitionNamed(name), record);
  return `${mark.first} ${mark.second}`;
}

const columns = allDefinitions.flatMap((definition) =>
  definition.rules.map(({ field }) => ({ name: definition.name as DefinitionName, field })),
);

describe('the mark of a content', () => {
  it.each(columns)('of $name changes with $field if and only if the request does', ({ name, field }) => {
    const definition = definitionNamed(name);
    const before: Readonly<Record<string, string>> = validRows[name];
    const after = { ...before, [field]: `${before[field] ?? ''}x` };
    const isSent = !writeBody(definition, before).equals(writeBody(definition, after));
    expect(markOf(name, before) !== markOf(name, after)).toBe(isSent);
    expect(sentFieldsOf(definition).includes(field)).toBe(isSent);
  });

  it('is the same for the same values, whatever the order in which they came', () => {
    const record = validRows['recipients/sepa'];
    const reversed = Object.fromEntries(Object.entries(record).reverse());
    expect(markOf('recipients/sepa', reversed)).toBe(markOf('recipients/sepa', record));
  });

  it('is the same for one amount, with and without zeros at its end', () => {
    const markFor = (amount: string): string => markOf('collections', { ...validRows.collections, amount });
    expect(markFor('5555.00')).toBe(markFor('5555'));
    expect(markFor('5555.50')).not.toBe(markFor('5555'));
  });

  it.each([
    [
      'a value moved to the next field',
      { first_name: 'Amina', last_name: '' },
      { first_name: '', last_name: 'Amina' },
    ],
    ['another split', { first_name: 'ab', last_name: 'c' }, { first_name: 'a', last_name: 'bc' }],
    ['characters exchanged', { first_name: 'abcd' }, { first_name: 'cdab' }],
    ['a character of two units', { first_name: '\ud83d\ude00' }, { first_name: '\ude00\ud83d' }],
    ['a zero character at the end', { first_name: 'abc' }, { first_name: 'abc\0' }],
  ])('tells apart: %s', (_, left, right) => {
    expect(markOf('customers', left)).not.toBe(markOf('customers', right));
  });

  it('tells a hundred thousand values apart that differ in a few digits', () => {
    const seen = new Set<string>();
    for (let index = 0; index < 100_000; index += 1) {
      seen.add(
        markOf('customers', { first_name: 'Amina', last_name: `Otieno ${index}`, phone: '+254712345678' }),
      );
    }
    expect(seen.size).toBe(100_000);
  });
});
