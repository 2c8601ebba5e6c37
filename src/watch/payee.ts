/* The payee of a record, as keys that can be compared without the values. */

import { hash } from 'node:crypto';
import type { PayeeKeys, PayeeSigns, ShownPayee } from '../domain/rows/finding.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import { markBytes, nameMarks, nameWords, payeeName } from '../domain/text/payee-names.ts';
import type { PayeeFields, ResourceDefinition } from '../kinds/definition.ts';
import { customerKey } from '../kinds/shared.ts';

const keyBytes = 16;

/** The keys for looking up a record's payee; null for a record that pays nobody, or that lacks one of the fields. */
export function payeeSignsOf(
  { payee }: Pick<ResourceDefinition, 'payee'>,
  record: NormalisedRecord,
): PayeeSigns | null {
  if (payee === undefined) return null;
  const [customer, named, account] = [customerKey(record), record[payee.name], record[payee.account]];
  if (customer === undefined || named === undefined || account === undefined) return null;
  const name = payeeName(named);
  return {
    customer: customerKeyFor(customer),
    name: keyFor('name', ...nameWords(name)),
    marks: nameMarks(name),
    account: keyFor(payee.account, account, payee.isAccountUnique ? '' : institutionOf(payee, record)),
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
export function withDetails(
  { marks, ...keys }: PayeeSigns,
  { payee, payeeType }: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): PayeeKeys {
  if (payee === undefined) throw new Error('nobody is paid, and has signs');
  const account = record[payee.account] ?? '';
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
 * The payee of a record, for comparing files of one series: its customer as the file names it, and the name. In eight bytes,
 * a byte in each character. The name's hash exists already, and many payees of one customer follow each other: one hash is
 * made from the two existing ones, since hashing both again takes a large part of the time for a row.
 */
export function payeeInFile(record: NormalisedRecord, { name }: Pick<PayeeSigns, 'name'>): string {
  const { customer_id: id, customer_external_id: externalId = id ?? '' } = record;
  const customer = customerInFile(externalId);
  const byte = (at: number): number => name.charCodeAt(at) ^ customer.charCodeAt(at);
  return String.fromCharCode(byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7));
}

/** The same for a row that is being prepared; nothing where it pays nobody. */
export function paid(
  definition: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): { readonly payee?: PayeeKeys } {
  const payee = payeeKeysOf(definition, record);
  return payee === null ? {} : { payee };
}

const customerKeyFor = keysOf('customer');
const customerInFile = keysOf('customer in a file');

/** Keys of customers, of which the last one is cached: payees of one customer often follow each other. */
function keysOf(what: string): (customer: string) => string {
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
