import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import type { RecordCheck, RuleFinding } from '../definition.ts';
import { isSepaIban } from '../fields/bank-numbers.ts';
import { addressOf, fieldsOf } from '../shared.ts';
import { recipient, recipientEchoes, recipientKey, recipientRules } from './recipient.ts';

function checkSepa(record: NormalisedRecord): RecordCheck | undefined {
  const { iban } = record;
  if (iban === undefined || isSepaIban(iban)) return undefined;
  const message = `the country ${iban.slice(0, 2)} is not in SEPA, so sepa recipients cannot have this IBAN`;
  const finding: RuleFinding = { field: 'iban', code: 'not_sepa_country', message };
  return { findings: [finding] };
}

/** An account in the Single Euro Payments Area. */
export const sepa = recipient({
  payeeType: 'sepa',
  onlyCurrency: 'EUR',
  rules: recipientRules({
    account_name: { presence: 'required', example: 'Lukas Schneider' },
    account_number: 'unused',
    phone_number: 'unused',
    iban: 'required',
    routing_number: 'unused',
    bank_name: 'required',
    currency: 'required',
    account_owner_type: 'required',
    account_type: 'not_sent',
    institution_id: 'unused',
    institution_name: 'unused',
    institution_country: 'not_sent',
    amount: 'not_sent',
    address_line1: { presence: 'required', example: 'Unter den Linden 5' },
    city: { presence: 'required', example: 'Berlin' },
    state: 'not_sent',
    country: { presence: 'required', example: 'DE' },
    postal_code: { presence: 'required', example: '10115' },
  }),
  institution: null,
  checkRecord: checkSepa,
  payee: { account: 'iban', institution: null, isAccountUnique: true },
  naturalKey: (record) => recipientKey(record, 'iban', 'institution_id'),
  body: (record) => ({
    ...fieldsOf(record, [
      'payee_type',
      'account_owner_type',
      'iban',
      'account_name',
      'bank_name',
      'currency',
      'customer_id',
    ]),
    ...addressOf(record, ['address_line1', 'city', 'postal_code', 'country']),
  }),
  echoes: recipientEchoes({ iban: 'account' }),
});
