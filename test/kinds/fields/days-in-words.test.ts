import { expect, it } from 'vitest';
import { dayInWords } from '../../../src/kinds/fields/days-in-words.ts';

it.each([
  ['07JAN1979', '1979-1-07'],
  ['12 de febrero de 1990', '1990-2-12'],
  ['9th of March 1985', '1985-3-9'],
  ['Enero 5, 1990', '1990-1-5'],
  ['14 Şubat 1990', '1990-2-14'],
  ['10 Μαΐου 1980', '1980-5-10'],
  ['6 Agustus 1988', '1988-8-6'],
  ['7 set 1999', '1999-9-7'],
  ['5-dic-77', '77-12-5'],
  ['dimarts, 2 d’abril de 1963', '1963-4-2'],
  ['Mittwoch, 9. März 1985', '1985-3-9'],
  ['Maria, 9 març 1985', null],
  ['٧ يناير 1979', null],
  ['7.VI.1984', '1984-6-7'],
  ['17 xii 1990', '1990-12-17'],
  ['17 iiii 1990', null],
  ['7.VI.84', null],
  // June and July begin alike.
  ['10 jui 1980', null],
  ['Smith 12 1990', null],
  ['12 ABC 1990', null],
  ['4/5/1990', null],
  ['79 March 4', null],
])('%s is %s', (text, expected) => {
  const day = dayInWords(text);
  expect(day === undefined ? null : [day.year, day.month, day.day].join('-')).toBe(expected);
});
