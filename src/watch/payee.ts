/* Who is paid: the payee of a record as keys, and the known payees that it has to be compared with. */

import { hash } from 'node:crypto';
import type { PayeeKeys, PayeeSigns, ShownPayee } from '../domain/rows/finding.ts';
import type { NormalisedRecord, RowOfBatch, StagedRow } from '../domain/rows/ledger-row.ts';
import { canBeAlike, markBytes, nameMarks, nameWords, payeeName } from '../domain/text/payee-names.ts';
import type { PayeeFields, ResourceDefinition } from '../kinds/definition.ts';
import { accountKey, customerKey } from '../kinds/definition-parts.ts';
import { definitionNamed } from '../kinds/registry.ts';
import type { KnownNames } from '../ledger/before-sending/payees.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { keyBytes, type PayeesOfFile } from './payees-of-file.ts';

/** The keys for looking up a record's payee; null for a record without a payee, or one that lacks one of the fields. */
export function payeeSignsOf(
  { payee }: Pick<ResourceDefinition, 'payee'>,
  record: NormalisedRecord,
): PayeeSigns | null {
  if (payee === undefined) return null;
  const [customer, named, account] = [customerKey(record), record[payee.name], record[payee.account]];
  if (customer === undefined || named === undefined || account === undefined) return null;
  const name = payeeName(named);
  const institution = payee.isAccountUnique ? '' : institutionOf(payee, record);
  return {
    customer: customerKeyFor(customer),
    name: keyFor('name', ...nameWords(name)),
    marks: nameMarks(name),
    account: keyFor(payee.account, accountKey(account), institution),
  };
}

/** All keys of a record's payee; null under the same conditions. */
export function payeeKeysOf(
  definition: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): PayeeKeys | null {
  const signs = payeeSignsOf(definition, record);
  return signs === null ? null : withDetails(signs, definition, record);
}

/** The keys of a payee whose signs are known. */
function withDetails(
  { marks, ...keys }: PayeeSigns,
  { payee, payeeType }: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): PayeeKeys {
  if (payee === undefined) throw new Error('nobody is paid, and has signs');
  const account = accountKey(record[payee.account] ?? '');
  return {
    ...keys,
    nameMarks: markBytes(marks),
    details: keyFor('details', payeeType ?? '', account, institutionOf(payee, record)),
  };
}

function institutionOf({ institution }: PayeeFields, record: NormalisedRecord): string {
  return institution === null ? '' : (record[institution] ?? '');
}

/**
 * The payee of a record, for comparing files of one series: its customer as the file names it, and the name. It has
 * eight bytes, one in each character. The hash of the name exists already, and that of the customer mostly too, since
 * many payees of one customer follow each other. The two hashes are combined, because hashing both texts again would
 * take a large part of the time for a row.
 */
function payeeInFile(record: NormalisedRecord, { name }: Pick<PayeeSigns, 'name'>): string {
  const { customer_id: id, customer_external_id: externalId = id ?? '' } = record;
  const customer = customerInFile(externalId);
  const byte = (at: number): number => name.charCodeAt(at) ^ customer.charCodeAt(at);
  return String.fromCharCode(byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7));
}

/** The payee of a row that is being prepared, as a property with its keys; empty where the row has no payee. */
export function paid(
  definition: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): { readonly payee?: PayeeKeys } {
  const payee = payeeKeysOf(definition, record);
  return payee === null ? {} : { payee };
}

const customerKeyFor = customerKeys('customer');
const customerInFile = customerKeys('customer in a file');

/** Makes keys of customers. The last one is cached, since payees of one customer often follow each other. */
function customerKeys(what: string): (customer: string) => string {
  let last = { customer: '', key: keyFor(what, '') };
  return (customer) => {
    if (last.customer !== customer) last = { customer, key: keyFor(what, customer) };
    return last.key;
  };
}

function keyFor(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'binary').slice(0, keyBytes);
}

/** A record's payee for people; missing fields are empty. */
export function shownPayeeOf(
  { payee }: Pick<ResourceDefinition, 'payee'>,
  record: NormalisedRecord,
): ShownPayee {
  const field = (name: string | null | undefined): string => (name == null ? '' : (record[name] ?? ''));
  return {
    name: field(payee?.name),
    account: field(payee?.account),
    institution: field('bank_name') || field('institution_name') || field(payee?.institution),
    customer: field('customer_external_id') || field('customer_id'),
  };
}

/* Which known payees have to be compared with the payees of a group: none for most of them. */

/** A row whose payee is new to the ledger, judging by its own natural key. */
export interface Candidate {
  /** Its place in the group. */
  readonly at: number;
  readonly row: Pick<StagedRow, 'row' | 'resource' | 'record'>;
  readonly signs: PayeeSigns;
  readonly name: string;
  /** A row of its family; undefined where it is known to have none. */
  readonly relative?: RowOfBatch | undefined;
}

/**
 * Writes the payee of each row into the rows of a group.
 * @param paid notes those that are not compared
 * @returns the rows whose payees are compared: an object that exists already is a known payee's, and a repeated row
 *   pays no payee a second time
 */
export function notePayeesIn(rows: readonly StagedRow[], paid?: PayeesOfFile): readonly Candidate[] {
  const candidates: Candidate[] = [];
  rows.forEach((row, at) => {
    const { state, resource, record } = row;
    if (resource === null || state === 'invalid' || state === 'duplicate') return;
    const signs = payeeSignsOf(definitionNamed(resource), record);
    if (signs === null) return;
    row.payee = payeeInFile(record, signs);
    if (state === 'staged') candidates.push(candidateOf(at, row, signs, row.corrects));
    else paid?.note(signs, state === 'existing');
  });
  return candidates;
}

/** A candidate with its name as it is written. */
export function candidateOf(
  at: number,
  row: Candidate['row'],
  signs: PayeeSigns,
  relative: Candidate['relative'],
): Candidate {
  const field = definitionNamed(row.resource ?? '').payee?.name ?? '';
  return { at, row, signs, name: row.record[field] ?? '', relative };
}

/** All keys of a candidate: only a few candidates need them. */
export function keysOf({ signs, row: { resource, record } }: Candidate): PayeeKeys {
  return withDetails(signs, definitionNamed(resource ?? ''), record);
}

/** A name of a customer that may be a candidate's in another spelling; `n` numbers it among all of them. */
interface NameToCompare {
  readonly n: number;
  readonly customer: string;
  /** As a key. */
  readonly name: string;
}

/** The candidates of a group, and the names, that need a full query of the ledger. */
export interface PayeesAtHand {
  /** Candidates whose customer and name, or whose account, are known. */
  readonly known: readonly Candidate[];
  /** Candidates of customers that have known payees, whether their own payee is known or not. */
  readonly ofKnownCustomers: readonly Candidate[];
  readonly names: readonly NameToCompare[];
  /** By candidate: the names that may be another spelling of its own. */
  readonly namesOf: ReadonlyMap<Candidate, readonly number[]>;
}

/** Queries the customers and the accounts of a group, each at once, and nothing row by row. */
export async function findPayeesAtHand(
  port: Pick<PayeePort, 'findKnownNames' | 'findKnownAccounts'>,
  candidates: readonly Candidate[],
): Promise<PayeesAtHand> {
  // Once for each customer: a file may pay many payees of one.
  const customers = [...new Set(candidates.map(({ signs }) => signs.customer))];
  const [ofCustomers, accounts] = await Promise.all([
    port.findKnownNames(customers),
    port.findKnownAccounts(candidates.map(({ signs }) => signs.account)),
  ]);
  const namesOfCustomer = new Map(ofCustomers.map(({ n, names }) => [customers[n] ?? '', names]));
  const known: Candidate[] = [];
  const ofKnownCustomers: Candidate[] = [];
  const names = new Map<string, NameToCompare>();
  const namesOf = new Map<Candidate, readonly number[]>();
  candidates.forEach((candidate, index) => {
    const { customer, name } = candidate.signs;
    const ofCustomer = namesOfCustomer.get(customer);
    if (ofCustomer !== undefined) ofKnownCustomers.push(candidate);
    // The ledger returns no names of a customer with very many payees: those are looked up by their own names.
    const isKnown = ofCustomer === null || ofCustomer?.some((each) => each.name === name) === true;
    if (isKnown || accounts.has(index)) known.push(candidate);
    const alike = namesLike(candidate, ofCustomer ?? []);
    if (alike.length === 0) return;
    const numbers = alike.map((each) => {
      const key = `${customer}${each}`;
      const asked = names.get(key) ?? { n: names.size, customer, name: each };
      names.set(key, asked);
      return asked.n;
    });
    namesOf.set(candidate, numbers);
  });
  return { known, ofKnownCustomers, names: [...names.values()], namesOf };
}

const none: readonly string[] = [];

/** The keys of other names that may be a candidate's. Most candidates have none: a list for each would take time. */
function namesLike(
  { signs: { name, marks } }: Candidate,
  known: NonNullable<KnownNames['names']>,
): readonly string[] {
  let alike: Set<string> | null = null;
  for (const other of known) {
    if (other.name === name || !canBeAlike(other.marks, marks)) continue;
    alike ??= new Set();
    alike.add(other.name);
  }
  return alike === null ? none : [...alike];
}

/**
 * The queries about the payees that a file's payees are compared with, within one environment; `n` numbers a row of a group,
 * or a queried item.
 */
export function payeesIn(verbs: LedgerVerbs, environmentId: number) {
  return ({ contentHash }: { readonly contentHash: string }) => {
    let readings: Promise<readonly string[]> | null = null;
    const inEnvironment =
      <Asked extends readonly unknown[], Result>(verb: (environment: number, ...asked: Asked) => Result) =>
      (...asked: Asked): Result =>
        verb(environmentId, ...asked);
    return {
      /** The batches of the file's own content: their payees do not count. */
      readings: (): Promise<readonly string[]> => {
        readings ??= verbs.listReadings(environmentId, contentHash);
        return readings;
      },
      findFamilyRows: verbs.findFamilyRows,
      /** Which of these customers have known payees. The look-ups below are only for known customers and accounts. */
      findKnownNames: inEnvironment(verbs.findKnownNames),
      findKnownAccounts: inEnvironment(verbs.findKnownAccounts),
      findPayees: inEnvironment(verbs.findPayees),
      readKnownNames: inEnvironment(verbs.readKnownNames),
      findNamedPayees: inEnvironment(verbs.findNamedPayees),
      findDecisions: inEnvironment(verbs.findPayeeDecisions),
    };
  };
}

/** The payees that a file's payees are compared with. */
export type PayeesOf = ReturnType<typeof payeesIn>;

export type PayeePort = ReturnType<PayeesOf>;
