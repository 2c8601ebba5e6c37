import { expect, it } from 'vitest';
import type { NameOrder } from '../../../src/domain/tables/mapping.ts';
import { splitName } from '../../../src/kinds/fields/split-names.ts';

it.each<[string, NameOrder, boolean, readonly string[] | undefined]>([
  ['Amina Otieno', 'first_last', false, ['Amina', '', 'Otieno']],
  ['Otieno  Amina', 'last_first', false, ['Amina', '', 'Otieno']],
  ['Otieno, Amina Wanjiru', 'first_last', false, ['Amina Wanjiru', '', 'Otieno']],
  ['Otieno, Amina Wanjiru', 'first_last', true, ['Amina', 'Wanjiru', 'Otieno']],
  ['Maria da Silva', 'first_last', false, ['Maria', '', 'da Silva']],
  ['Gustavo Clara Brandão', 'first_last', false, ['Gustavo', '', 'Clara Brandão']],
  ['João Pedro dos Santos', 'first_last', true, ['João', 'Pedro', 'dos Santos']],
  ['van der Berg Jan', 'last_first', false, ['Jan', '', 'van der Berg']],
  ['Ben Otieno', 'first_last', false, ['Ben', '', 'Otieno']],
  ['Otieno Amina Wanjiru Atieno', 'last_first', true, ['Amina', 'Wanjiru Atieno', 'Otieno']],
  ['Ali bin Abu Talib', 'first_last', false, ['Ali', '', 'bin Abu Talib']],
  ['Ronaldo', 'first_last', false, ['Ronaldo', '', '']],
  ['Ronaldo', 'last_first', false, ['', '', 'Ronaldo']],
  ['Otieno,', 'first_last', false, ['', '', 'Otieno']],
  ['DUPONT Jean', 'first_last', false, ['Jean', '', 'DUPONT']],
  ['Jean DUPONT', 'last_first', false, ['Jean', '', 'DUPONT']],
  ['van der BERG Jan', 'first_last', false, ['Jan', '', 'van der BERG']],
  ['DUPONT Jean Marc', 'first_last', true, ['Jean', 'Marc', 'DUPONT']],
  // All of it, a title, a number, initials and two words in capitals show nothing.
  ['DUPONT JEAN', 'first_last', false, ['DUPONT', '', 'JEAN']],
  ['MISS Amina Otieno', 'first_last', false, ['MISS', '', 'Amina Otieno']],
  ['Smith John VIII', 'last_first', false, ['John VIII', '', 'Smith']],
  ['J.R. Otieno', 'first_last', false, ['J.R.', '', 'Otieno']],
  ['AMINA Otieno ATIENO', 'first_last', false, ['AMINA', '', 'Otieno ATIENO']],
  ['Otieno, Amina, Dr.', 'first_last', false, undefined],
])('%s, %s, with a middle name: %s', (text, order, hasMiddle, parts) => {
  const split = splitName(text, order, hasMiddle);
  const found = split && [split.first_name, split.middle_name, split.last_name];
  expect(found).toEqual(parts);
  if (found === undefined) return;
  const words = (name: string): string =>
    name.replaceAll(',', ' ').split(/\s+/).filter(Boolean).sort().join(' ');
  expect(words(found.join(' '))).toBe(words(text));
});
