/* Which country the other columns of a file say for the rows with a value of its column of countries. */

import { checkIban } from '../kinds/fields/bank-numbers.ts';
import { readPhone } from '../kinds/fields/phone.ts';
import { passedValue } from '../kinds/fields/value-text.ts';
import { bicCountry } from './bank-codes.ts';
import { type Column, share } from './evidence.ts';

/** The country of a value that has one in its own form. */
type CountryOf = (text: string) => string | undefined;

const forms: readonly CountryOf[] = [
  (text) => passedValue(checkIban(text))?.slice(0, 2),
  bicCountry,
  (text) => {
    if (!/^(?:\+|00)/.test(text)) return undefined;
    const phone = readPhone(text.replace(/^00/, '+'));
    return phone?.isValid === true ? (phone.country ?? undefined) : undefined;
  },
];

/** Words in capitals look like BICs, so a column has to be of one form. */
const leastOfForm = 0.5;
/** A single row may well be an account abroad. */
const fewestRows = 2;

/** What the other columns say about the values of a column of countries. */
export interface CountriesTold {
  /** The one country of all rows with a value, as far as they say one; undefined for few or different ones. */
  readonly of: (value: string) => string | undefined;
  /** Whether any row of the file says this country. */
  readonly isSaid: (code: string) => boolean;
}

export function countriesTold(columns: readonly Column[], countries: Column): CountriesTold {
  const byRow = new Map<number, string | null>();
  for (const column of columns) {
    const form = column === countries ? undefined : formOf(column);
    if (form === undefined) continue;
    const known = new Map(column.values.map(({ text }) => [text, form(text)]));
    for (const { row, text } of column.cells) {
      const code = known.get(text);
      if (code === undefined) continue;
      // A row whose account and phone are of two countries says neither.
      byRow.set(row, (byRow.get(row) ?? code) === code ? code : null);
    }
  }
  const said = new Set(byRow.values());
  const byValue = new Map<string, string[]>();
  for (const { row, text } of countries.cells) {
    const code = byRow.get(row);
    if (code === undefined || code === null) continue;
    const codes = byValue.get(text) ?? [];
    codes.push(code);
    byValue.set(text, codes);
  }
  return {
    of: (value) => {
      const [first, ...others] = byValue.get(value) ?? [];
      return others.length + 1 >= fewestRows && others.every((code) => code === first) ? first : undefined;
    },
    isSaid: (code) => said.has(code),
  };
}

function formOf(column: Column): CountryOf | undefined {
  if (column.cells.length < fewestRows) return undefined;
  return forms.find((form) => share(column, (text) => form(text) !== undefined) >= leastOfForm);
}
