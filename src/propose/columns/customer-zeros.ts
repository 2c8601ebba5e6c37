/* Customers' own numbers whose leading zeros a spreadsheet has removed. The customers in the ledger prove the zeros. */

import type { Facts } from '../decisions.ts';
import type { Grid } from '../sheet/grid.ts';
import type { Use } from './column-use.ts';

/** The customers' numbers of a column, with the zeros that they have in the ledger. */
export interface CustomerZeros {
  readonly title: string;
  /** The number of digits that all numbers have with their zeros. */
  readonly digits: number;
  /** The numbers with their zeros, by the number without them. */
  readonly values: ReadonlyMap<string, string>;
}

const field = 'customer_external_id';

/** A single number may be a customer by chance, so more numbers are needed. */
const fewestNumbers = 2;
/** The share of numbers that must be known with zeros. The others may belong to customers that do not exist yet. */
const nearlyAll = 0.9;
const mostZerosBeforeAll = 3;
const numbersLookedUp = 300;

/**
 * The zeros of customers' numbers, if the ledger proves them. No shorter number may be a customer, nearly all must be
 * customers with zeros up to one length, and none with zeros up to another length. The result is null without this
 * proof, and for a sample of a long file, because the sample lacks numbers.
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
    // A shorter number that is a customer itself would become the number of another customer.
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

/**
 * Whether some of the numbers are customers with zeros up to another length. Then it is unknown which customers are
 * meant.
 */
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
