import { fieldTypes } from '../../resources/check/field-types.ts';
import { shorten } from '../../resources/check/wording.ts';
import type { MappingFile } from './mapping-file.ts';
import { numberIn } from './place-guess.ts';
import {
  exceptions,
  type FieldColumn,
  fieldColumns,
  type Guess,
  nothingToSay,
  propose,
  question,
  type Sampled,
  together,
} from './proposed-reading.ts';
import { areMost, mostOf } from './value-look.ts';

/** How many digits identifiers have where the country says so: Nigeria's uniform account numbers (NUBAN) have ten. */
const accountDigits: Readonly<Record<string, number>> = { NGN: 10 };

/** Columns of identifiers that stand in number cells: taken only with the number of digits that most of them have. */
export function numberCells(
  table: Sampled,
  phoneCountry: MappingFile['phoneCountry'],
  currencies: readonly string[],
): Guess {
  const columns = fieldColumns(table).filter(
    ({ type, numbers }) => type !== undefined && fieldTypes[type].isIdentifier && numbers.length > 0,
  );
  return together(columns.map((column) => guessOf(column, phoneCountry, currencies)));
}

function guessOf(
  column: FieldColumn,
  phoneCountry: MappingFile['phoneCountry'],
  currencies: readonly string[],
): Guess {
  const { field, type, title, numbers } = column;
  const place = shorten(title);
  const isWhole = (text: string): boolean => /^\d{1,15}$/.test(text);
  if (!areMost(numbers, isWhole)) return nothingToSay;
  const whole = numbers.filter(isWhole);
  if (type === 'phone') {
    const isReadable = (text: string): boolean =>
      typeof phoneCountry !== 'string' || numberIn(text, [phoneCountry]) !== undefined;
    if (phoneCountry === undefined || !areMost(numbers, (text) => isWhole(text) && isReadable(text)))
      return question(
        `${place} has number cells, whose zeros or plus signs may be lost: format the column as text.`,
      );
    return propose(
      `${place} has number cells: those that the numbering plan knows are taken as phone numbers.`,
      { numericIdentifiers: { [field]: 'accept' } },
    );
  }
  const digits = digitsOf(column, whole, currencies);
  if (digits === undefined)
    return question(
      `${place} has number cells of different lengths, so zeros may be lost before some: format the column as text, or state the number of digits under "numericIdentifiers".`,
    );
  const fitting = whole.filter((text) => text.length === digits).length;
  const text = `${place} has number cells: those of ${digits} digits are taken as they are.${exceptions(numbers.length, fitting)}`;
  return propose(text, { numericIdentifiers: { [field]: digits } });
}

/** The length that most of the numbers have, unless the texts of the column have another. */
function digitsOf(
  { field, type, values, numbers }: FieldColumn,
  whole: readonly string[],
  currencies: readonly string[],
): number | undefined {
  if (type === 'routing_number') return 9;
  const known = currencies.length === 1 ? accountDigits[currencies[0] ?? ''] : undefined;
  if (field === 'account_number' && known !== undefined) return known;
  const counts = new Map<number, number>();
  for (const { length } of whole) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [most] = [...counts].sort(([, left], [, right]) => right - left);
  if (most === undefined || most[1] < whole.length * mostOf) return undefined;
  const texts = values.filter((value) => !numbers.includes(value) && /^\d+$/.test(value));
  const longer = texts.filter(({ length }) => length !== most[0]);
  return longer.length > texts.length * (1 - mostOf) ? undefined : most[0];
}
