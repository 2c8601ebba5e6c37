import { describe, expect, it } from 'vitest';
import {
  fieldGroups,
  fieldsWord,
  fieldWord,
  kindWord,
  namedField,
  payeeTypeWord,
  valueName,
  valueWord,
} from '../../../src/account/words/mapping-words.ts';
import { allDefinitions, columnsOf, kinds } from '../../../src/kinds/registry.ts';

describe.each(kinds)('fields of %s', (kind) => {
  it('are all in a group with a question, each once', () => {
    const groups = fieldGroups(kind, columnsOf(kind));
    expect(groups.map(({ title }) => title)).not.toContain(null);
    expect(groups.flatMap(({ fields }) => fields).sort()).toEqual([...columnsOf(kind)].sort());
  });

  it('have words that tell them apart', () => {
    const words = columnsOf(kind).map((field) => fieldWord(kind, field));
    expect(new Set(words).size).toBe(words.length);
  });
});

it('has a word for each payee type', () => {
  const types = allDefinitions.flatMap(({ payeeType }) => payeeType ?? []);
  expect(types.filter((type) => payeeTypeWord(type) === undefined)).toEqual([]);
  expect(valueWord('payee_type', 'bank_account_us')).toBe('US bank account');
  expect(valueWord('type', 'toString')).toBe('toString');
});

it('has words for kinds, and puts the name of the API behind a field', () => {
  expect(kinds.filter((kind) => kindWord(kind) === '')).toEqual([]);
  expect(kindWord('collections')).toBe('amounts that customers pay');
  expect(kindWord('toString')).toBe('toString');
  expect(namedField('recipients', 'institution_name')).toBe(
    'bank or mobile money provider (institution_name)',
  );
  expect(namedField('recipients', 'currency')).toBe('currency');
});

it('names what it does not know by its name', () => {
  expect(fieldWord('no_kind', 'some_field')).toBe('some field');
  expect(fieldsWord('customers', 'first_name+last_name')).toBe('First name + last name');
  expect(fieldGroups('customers', ['shoe_size', 'city'])).toEqual([
    { title: 'Where do they live?', fields: ['city'] },
    { title: null, fields: ['shoe_size'] },
  ]);
});

it.each([
  ['mobile_money', 'mobile money'],
  ['sepa', 'sepa'],
  ['KCB_Bank', 'KCB_Bank'],
  ['first_last ', 'first_last '],
  ['C_100', 'C_100'],
  ['', ''],
])('calls the value %j of a mapping %j: only names of programs are put in words', (value, name) => {
  expect(valueName(value)).toBe(name);
});
