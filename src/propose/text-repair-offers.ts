/* The values of a column that are read in another form once a person has agreed, before and after. */

import { eachInTurn, mapInTurns } from '../domain/machine/map-in-turns.ts';
import type { FieldType } from '../kinds/definition.ts';
import { PhonesOfColumn } from '../kinds/fields/phone.ts';
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
export async function textRepairsIn(
  column: Column,
  type: FieldType,
  { ofPhones, ofRow }: Countries,
): Promise<readonly FoundTexts[]> {
  const names = [...certain, ...asked].filter((name) => typesOfTextRepair[name].includes(type));
  const found = await eachInTurn(names, async (name): Promise<FoundTexts[]> => {
    if (name === 'phones_of_country' && !(await isOfOneCountry(column, type, ofPhones))) return [];
    const samples = await mapInTurns(column.cells, ({ row, text }): RepairSample[] => {
      const country = (): string | undefined =>
        byAddress.includes(name) ? ofRow(row) : (ofPhones ?? undefined);
      const after = rewrittenText(name, text, country);
      return after === undefined ? [] : [{ row, before: text, after }];
    });
    return [{ name, isHarmless: certain.includes(name), found: samples.flat() }];
  });
  return found.flat();
}

/** Whether a number of the column that could also be of another country is of this one too. */
async function isOfOneCountry({ cells }: Column, type: FieldType, country: string | null): Promise<boolean> {
  if (country === null) return false;
  const phones = new PhonesOfColumn(country, type === 'phone');
  await mapInTurns(cells, ({ text }) => phones.add(text));
  return phones.isOfCountry;
}
