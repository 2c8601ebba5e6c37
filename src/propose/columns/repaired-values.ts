/* Values in another form: with the zeros that a spreadsheet has taken from their beginning, and rewritten texts. */

import { eachInTurn, mapInTurns } from '../../domain/machine/map-in-turns.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { accountNumberLength, checkRoutingNumber } from '../../kinds/fields/bank-numbers.ts';
import { PhonesOfColumn, phoneWithZero } from '../../kinds/fields/phone.ts';
import { countryWritten, subdivisionNamed } from '../../kinds/fields/places.ts';
import { withLostZeros } from '../../kinds/fields/postal-codes.ts';
import {
  byAddress,
  rewrittenText,
  type TextRepair,
  typesOfTextRepair,
} from '../../kinds/fields/text-repairs.ts';
import { type Decisions, decidedValues, type Facts } from '../decisions.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import type { Grid } from '../sheet/grid.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField, type Use } from './column-use.ts';
import type { Places } from './places.ts';

/* Values of a proposal with the zeros that a spreadsheet has taken from their beginning, and the country of a row. */

/** The value with its lost zeros restored, where its required length shows them; validation confirms each. */
export function withZeros(
  text: string,
  field: string,
  row: number,
  assignment: Assignment,
  places: Places,
  decisions: Decisions,
): string | undefined {
  if (field === 'routing_number') {
    const whole = text.padStart(9, '0');
    return text.length < 9 && text.length >= 7 && checkRoutingNumber(whole) === whole ? whole : undefined;
  }
  if (field === 'postal_code') {
    const country = countryOfRow(row, assignment, places, decisions);
    const state = columnOfField(assignment.uses, 'state');
    const named = country === undefined ? undefined : state?.cells.find((cell) => cell.row === row)?.text;
    const code = named === undefined ? undefined : subdivisionNamed(named, country ?? '');
    return country === undefined ? undefined : withLostZeros(text, country, code);
  }
  if ((field === 'phone_number' || field === 'phone') && typeof places.phoneCountry === 'string')
    return phoneWithZero(text, places.phoneCountry);
  if (field === 'account_number' && accountNumberLength(places.country ?? '') === text.length + 1)
    return `0${text}`;
  return undefined;
}

/** The country of a row, if its value can be read or a person has decided its meaning. */
export function countryOfRow(
  row: number,
  { uses }: Assignment,
  places: Places,
  decisions: Decisions,
): string | undefined {
  const column = columnOfField(uses, 'country');
  if (column === undefined) return places.constants['country'];
  const text = column.cells.find((cell) => cell.row === row)?.text;
  if (text === undefined) return undefined;
  return decidedValues(decisions, column.title).get(text) ?? countryWritten(text);
}

/* Customers' own numbers whose zeros a spreadsheet has taken from their beginning: the ledger's customers prove them. */

/** The customers' numbers of a column, with the zeros that they have in the ledger. */
export interface CustomerZeros {
  readonly title: string;
  /** How many digits all numbers have. */
  readonly digits: number;
  /** The number with its zeros, by the number without. */
  readonly values: ReadonlyMap<string, string>;
}

const field = 'customer_external_id';

/** A customer is found by chance among few numbers. */
const fewestNumbers = 2;
/** Nearly all have to be known with zeros: the others may be customers who are not there yet. */
const nearlyAll = 0.9;
const mostZerosBeforeAll = 3;
const numbersLookedUp = 300;

/**
 * The zeros of customers' numbers, where the ledger proves them: none of the shorter numbers is a customer, nearly all are one
 * with zeros up to a length, and none is one with zeros up to another. Null where it does not, and for a sample of a long file, which lacks
 * some numbers.
 */
export async function customerZerosIn(
  { knownCustomers }: Facts,
  uses: readonly Use[],
  { isCut }: Grid,
): Promise<CustomerZeros | null> {
  const [use, another] = uses.filter(({ fields }) => fields.includes(field));
  if (use === undefined || another !== undefined || use.fields.length > 1 || isCut) return null;
  const texts = use.column.values.map(({ text }) => text);
  const numbers = texts.filter((text) => /^[1-9]\d{0,14}$/.test(text));
  if (numbers.length < fewestNumbers) return null;
  const longest = Math.max(...texts.filter((text) => /^\d+$/.test(text)).map(({ length }) => length));
  const most = longest + mostZerosBeforeAll;
  for (let digits = longest; digits <= most; digits += 1) {
    const short = numbers.filter(({ length }) => length < digits).slice(0, numbersLookedUp);
    if (short.length < fewestNumbers) continue;
    // A shorter number that is a customer by itself would become another one.
    if ((await knownCustomers(short)) > 0) return null;
    if ((await knownCustomers(paddedTo(short, digits))) < nearlyAll) continue;
    if (await areKnownInAnotherLength(knownCustomers, short, digits, most)) return null;
    const values = numbers
      .filter(({ length }) => length < digits)
      .map((text) => [text, text.padStart(digits, '0')] as const);
    return { title: use.column.title, digits, values: new Map(values) };
  }
  return null;
}

function paddedTo(numbers: readonly string[], digits: number): readonly string[] {
  return numbers.map((text) => text.padStart(digits, '0'));
}

/** Whether some of the numbers are customers with zeros up to another length: then nothing tells which are meant. */
async function areKnownInAnotherLength(
  knownCustomers: Facts['knownCustomers'],
  numbers: readonly string[],
  digits: number,
  most: number,
): Promise<boolean> {
  for (let other = 2; other <= most; other += 1) {
    const shorter = other === digits ? [] : numbers.filter(({ length }) => length < other);
    if (shorter.length > 0 && (await knownCustomers(paddedTo(shorter, other))) > 0) return true;
  }
  return false;
}

/* The values of a column that are read in another form once a person has agreed, before and after. */

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
