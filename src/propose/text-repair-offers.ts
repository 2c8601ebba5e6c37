/* The values of a column that are read in another form once a person has agreed, before and after. */

import type { FieldType } from '../kinds/definition.ts';
import { PhonesOfColumn } from '../kinds/fields/phones-of-column.ts';
import {
  byAddress,
  rewrittenText,
  type TextRepair,
  typesOfTextRepair,
} from '../kinds/fields/text-repairs.ts';
import type { RepairSample } from './decisions.ts';
import type { Column } from './evidence.ts';

interface FoundTexts {
  readonly name: TextRepair;
  readonly found: readonly RepairSample[];
  /** Whether the rest of the file leaves no doubt about the form; else a person is asked. */
  readonly isHarmless: boolean;
}

/** What the values are read by. */
interface Countries {
  /** That of the column's phones; null where it is not one for all rows. */
  readonly ofPhones: string | null;
  readonly ofRow: (row: number) => string | undefined;
}

/** Repairs whose new form follows from the rest of the file. */
const certain: readonly TextRepair[] = ['phones_of_country', 'country_prefix'];
const asked: readonly TextRepair[] = ['old_phone_form', 'latin_letters', 'iban_country'];

/** The values of a column that each repair of its type would read in another form. */
export function textRepairsIn(column: Column, type: FieldType, countries: Countries): readonly FoundTexts[] {
  const { ofPhones, ofRow } = countries;
  return [...certain, ...asked]
    .filter((name) => typesOfTextRepair[name].includes(type))
    .filter((name) => name !== 'phones_of_country' || isOfOneCountry(column, type, ofPhones))
    .map((name) => ({
      name,
      isHarmless: certain.includes(name),
      found: column.cells.flatMap(({ row, text }): RepairSample[] => {
        const country = (): string | undefined =>
          byAddress.includes(name) ? ofRow(row) : (ofPhones ?? undefined);
        const after = rewrittenText(name, text, country);
        return after === undefined ? [] : [{ row, before: text, after }];
      }),
    }));
}

/** Whether a number of the column that could also be of another country is of this one too. */
function isOfOneCountry({ cells }: Column, type: FieldType, country: string | null): boolean {
  if (country === null) return false;
  const phones = new PhonesOfColumn(country, type === 'phone');
  for (const { text } of cells) phones.add(text);
  return phones.isOfCountry;
}
