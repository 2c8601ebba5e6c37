/* Whom a record pays, as keys that can be compared without the values. */

import { hash } from 'node:crypto';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import type { PayeeKeys, ShownPayee } from '../../domain/rows/payee-change.ts';
import { nameWords } from '../../domain/text/payee-names.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import { customerKey } from '../../resources/kinds/shared.ts';

const keyBytes = 16;

/** The keys of a record's payee; null for one that pays nobody, or that lacks one of the fields. */
export function payeeKeysOf(
  { payee, payeeType }: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): PayeeKeys | null {
  if (payee === undefined) return null;
  const [customer, name, account] = [customerKey(record), record[payee.name], record[payee.account]];
  if (customer === undefined || name === undefined || account === undefined) return null;
  const institution = payee.institution === null ? '' : (record[payee.institution] ?? '');
  return {
    customer: keyFor('customer', customer),
    name: keyFor('name', ...nameWords(name)),
    details: keyFor('details', payeeType ?? '', account, institution),
    account: keyFor(payee.account, account, payee.isAccountUnique ? '' : institution),
  };
}

/** The same for a row that is made ready; nothing where it pays nobody. */
export function paid(
  definition: Pick<ResourceDefinition, 'payee' | 'payeeType'>,
  record: NormalisedRecord,
): { readonly payee?: PayeeKeys } {
  const payee = payeeKeysOf(definition, record);
  return payee === null ? {} : { payee };
}

function keyFor(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'binary').slice(0, keyBytes);
}

/** A record's payee for people; fields that it does not have are empty. */
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
