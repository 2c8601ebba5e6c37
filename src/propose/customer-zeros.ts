/* Customers' own numbers whose zeros a spreadsheet has taken from their beginning: the ledger's customers prove them. */

import type { Use } from './assignment.ts';
import type { Facts } from './decisions.ts';
import type { Grid } from './grid.ts';

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
    if ((await knownCustomers(withZeros(short, digits))) < nearlyAll) continue;
    if (await areKnownInAnotherLength(knownCustomers, short, digits, most)) return null;
    const values = numbers
      .filter(({ length }) => length < digits)
      .map((text) => [text, text.padStart(digits, '0')] as const);
    return { title: use.column.title, digits, values: new Map(values) };
  }
  return null;
}

function withZeros(numbers: readonly string[], digits: number): readonly string[] {
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
    if (shorter.length > 0 && (await knownCustomers(withZeros(shorter, other))) > 0) return true;
  }
  return false;
}
