import { parse } from 'csv-parse/sync';
import type { Random } from '../../test/simulation/random.ts';
import { hiddenChange, hiddenKinds } from './hidden-changes.ts';
import type { MonthRow, Payee } from './month-row.ts';

/** Whether all payees are paid for one customer, as by an employer, or each for a customer of its own. */
export type Payroll = 'one' | 'own';

interface Months {
  readonly first: readonly Payee[];
  readonly second: readonly MonthRow[];
}

/** What says where the money goes. */
const accountFields = [
  ...['account_number', 'phone_number', 'iban', 'routing_number', 'bank_name', 'account_type'],
  ...['institution_name', 'institution_country'],
];

/** This number of the payees is only paid in the second month: their accounts are those that others change to. */
const shareOfNew = 0.4;

/**
 * Divides payees into those of a first month and new ones, and makes a second month of them.
 * @param changes how many rows of it pay a known payee elsewhere, or somebody else's account
 * @param hidden how many do so in a way that is meant to escape a comparison of names
 */
export function secondMonth(
  payees: readonly Payee[],
  random: Random,
  {
    changes,
    hidden,
    payroll,
  }: { readonly changes: number; readonly hidden: number; readonly payroll: Payroll },
): Months {
  const distinct = withOwnAccounts(payees);
  const [{ customer_external_id: customer = '' } = {}] = distinct;
  const employed =
    payroll === 'own'
      ? distinct
      : withOwnNames(distinct).map((payee) => ({ ...payee, customer_external_id: customer }));
  const order = shuffled(
    employed.map((payee, at) => ({ ...payee, reference: `P-${10_000 + at}` })),
    random,
  );
  const donors = order.splice(0, Math.floor(order.length * shareOfNew));
  const first = order;
  const second: MonthRow[] = [];
  const changed = order.slice(0, changes);
  for (const [at, payee] of changed.entries()) second.push(changeOf(payee, at, { donors, first, random }));
  const around = {
    takeDonor: (like: Payee) => takeDonor(donors, like, random),
    withAccountOf: (payee: Payee, donor: Payee) => ({ ...payee, ...accountOf(donor) }),
    random,
  };
  const people = order
    .slice(changes)
    .filter((payee) => isPerson(payee) && nameOf(payee).split(' ').length > 1);
  const hiding = new Set(people.slice(0, hidden));
  for (const [at, payee] of [...hiding].entries()) {
    const kind = hiddenKinds[at % hiddenKinds.length];
    if (kind !== undefined) second.push(...hiddenChange(payee, kind, around));
  }
  for (const payee of order.slice(changes)) {
    if (!hiding.has(payee)) second.push(honestRow(payee, { donors, first, random }));
  }
  // Payees who were not paid before.
  for (const donor of donors) second.push({ record: donor, expected: null, what: 'a new payee' });
  return { first, second: shuffled(second, random) };
}

/** One row for each account and each customer: what the files themselves share says nothing of changes. */
function withOwnAccounts(payees: readonly Payee[]): Payee[] {
  const [accounts, customers] = [new Set<string>(), new Set<string>()];
  return payees.filter((payee) => {
    const account = payee['iban'] ?? payee['phone_number'] ?? payee['account_number'] ?? '';
    const customer = payee['customer_external_id'] ?? '';
    if (accounts.has(account) || customers.has(customer)) return false;
    accounts.add(account);
    customers.add(customer);
    return true;
  });
}

/** One row for each name: two payees of one employer who have the same name cannot be distinguished. */
function withOwnNames(payees: readonly Payee[]): Payee[] {
  const names = new Set<string>();
  return payees.filter((payee) => {
    const name = nameOf(payee).toLowerCase().split(/\W+/).sort().join(' ');
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** Whether a payee has this name, in full or in some of its words. */
function isNameOfAny(name: string, payees: readonly Payee[]): boolean {
  const words = name.toLowerCase().split(/\W+/);
  return payees.some((payee) => {
    const others = nameOf(payee).toLowerCase().split(/\W+/);
    return words.every((word) => others.includes(word));
  });
}

function nameOf({ account_name: name = '' }: Payee): string {
  return name;
}

interface Around {
  /** Their accounts are taken by others, and then they are not paid themselves. */
  readonly donors: Payee[];
  readonly first: readonly Payee[];
  readonly random: Random;
}

function changeOf(payee: Payee, at: number, { donors, first, random }: Around): MonthRow {
  const name = payee['account_name'] ?? '';
  if (at % 8 === 7) {
    const other = random.pick(
      first.filter((each) => each !== payee && isPerson(each) && each['payee_type'] === payee['payee_type']),
    );
    const sibling = `${firstNameBeside(other['account_name'] ?? '', donors, random)} ${lastOf(other['account_name'] ?? '')}`;
    const record = { ...payee, ...accountOf(other), account_name: sibling };
    return {
      record,
      expected: 'account_shared',
      what: `a sibling with the account of ${other['account_name']}`,
    };
  }
  const donor = takeDonor(donors, payee, random);
  const [what, written] = random.pick(spellings(name));
  const record = { ...payee, ...accountOf(donor), account_name: written };
  return { record, expected: 'payee_details_changed', what: `another account, ${what} (before: ${name})` };
}

function honestRow(payee: Payee, { donors, first, random }: Around): MonthRow {
  const name = payee['account_name'] ?? '';
  const chance = random.fraction();
  if (chance < 0.7) return { record: payee, expected: null, what: 'the same' };
  if (chance < 0.85 || !isPerson(payee)) {
    const [what, written] = random.pick(spellings(name));
    return { record: { ...payee, account_name: written }, expected: null, what: `the same account, ${what}` };
  }
  // A brother or sister of the same customer with an account of their own.
  const sibling = `${firstNameBeside(name, donors, random)} ${lastOf(name)}`;
  // A sibling cannot be distinguished from a payee of the same name, and a name needs two words.
  if (lastOf(name).length < 3 || isNameOfAny(sibling, [...first, ...donors]))
    return { record: payee, expected: null, what: 'the same' };
  const donor = takeDonor(donors, payee, random);
  const record = {
    ...payee,
    ...accountOf(donor),
    account_name: sibling,
    reference: donor['reference'] ?? '',
  };
  return { record, expected: null, what: `a sibling with an account of their own (known: ${name})` };
}

/** A payee of the same type, who is taken out: no other payee has this account then. */
function takeDonor(donors: Payee[], payee: Payee, random: Random): Payee {
  const suitable = donors.filter((donor) => donor['payee_type'] === payee['payee_type']);
  const donor = random.pick(suitable.length === 0 ? donors : suitable);
  donors.splice(donors.indexOf(donor), 1);
  return donor;
}

function accountOf(payee: Payee): Payee {
  return Object.fromEntries(accountFields.map((field) => [field, payee[field] ?? '']));
}

/** A first name that the other one does not have. */
function firstNameBeside(name: string, payees: readonly Payee[], random: Random): string {
  const firsts = payees
    .filter(isPerson)
    .map(({ account_name: each = '' }) => each.split(' ')[0] ?? '')
    .filter((first) => !name.toLowerCase().includes(first.toLowerCase()));
  return random.pick(firsts);
}

/** Companies have no brothers and sisters. */
function isPerson({ account_owner_type: type }: Payee): boolean {
  return type !== 'business';
}

function lastOf(name: string): string {
  return name.split(' ').at(-1) ?? '';
}

/** Other spellings of the same name, each with a description. */
function spellings(name: string): readonly (readonly [string, string])[] {
  const words = name.split(' ');
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one), '');
  const isLong = longest.length >= 6 && words.length >= 2 && name.length >= 12;
  return [
    ['the same name', name],
    ['in capitals', name.toUpperCase()],
    ['without accents', name.normalize('NFKD').replace(/\p{M}/gu, '')],
    ['the last name first', `${words.at(-1)} ${words.slice(0, -1).join(' ')}`],
    ['with a comma', `${words.at(-1)}, ${words.slice(0, -1).join(' ')}`],
    ['with a title', `Mr ${name}`],
    ['with two blanks and a full stop', `${words.join('  ')}.`],
    ...(isLong ? [['with two letters exchanged', name.replace(longest, exchanged(longest))] as const] : []),
  ];
}

function exchanged(word: string): string {
  const at = Math.floor(word.length / 2);
  return `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`;
}

function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  const left = [...values];
  const mixed: Value[] = [];
  while (left.length > 0) mixed.push(...left.splice(random.whole(0, left.length - 1), 1));
  return mixed;
}

/** The findings of a changes file, by row. */
export function changesIn(text: string): ReadonlyMap<number, readonly string[]> {
  const told = new Map<number, string[]>();
  for (const { row = '', code = '' } of parse(text, { columns: true, bom: true }) as Record<
    string,
    string
  >[]) {
    told.set(Number(row), [...(told.get(Number(row)) ?? []), code]);
  }
  return told;
}
