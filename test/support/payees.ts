import type { PayeeKeys } from '../../src/domain/rows/finding.ts';
import { definitionsOf } from '../../src/kinds/registry.ts';
import { payeeKeysOf } from '../../src/watch/payee.ts';

/** The record of a recipient, as it is staged. */
export function payeeRecord(
  name: string,
  iban: string,
  customer = 'customer-1',
): Readonly<Record<string, string>> {
  return {
    customer_id: customer,
    account_name: name,
    iban,
    bank_name: 'Bank',
    currency: 'EUR',
    amount: '1.10',
  };
}

/** The keys of such a recipient. */
export function keysOfPayee(...given: Parameters<typeof payeeRecord>): PayeeKeys {
  const definition = definitionsOf('recipients').find(({ payeeType }) => payeeType === 'sepa');
  const keys = definition === undefined ? null : payeeKeysOf(definition, payeeRecord(...given));
  if (keys === null) throw new Error('the record pays nobody');
  return keys;
}
