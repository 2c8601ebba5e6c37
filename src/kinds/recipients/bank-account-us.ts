import { addressOf, fieldsOf } from '../shared.ts';
import { recipient, recipientEchoes, recipientKey, recipientRules } from './recipient.ts';

/** An account at a bank in the United States. */
export const bankAccountUs = recipient({
  payeeType: 'bank_account_us',
  onlyCurrency: 'USD',
  onlyCountry: 'US',
  rules: recipientRules({
    account_name: { presence: 'required', example: 'Emily Carter' },
    account_number: { presence: 'required', type: 'us_account_number', example: '000123456789' },
    phone_number: 'unused',
    iban: 'unused',
    routing_number: 'required',
    bank_name: 'required',
    currency: { presence: 'required', example: 'USD' },
    account_owner_type: 'required',
    account_type: 'required',
    institution_id: 'unused',
    institution_name: 'unused',
    institution_country: 'not_sent',
    amount: 'not_sent',
    address_line1: { presence: 'required', example: '1 Market Street' },
    city: { presence: 'required', example: 'San Francisco' },
    state: 'required',
    country: 'required',
    postal_code: 'required',
  }),
  institution: null,
  payee: { account: 'account_number', institution: 'routing_number', isAccountUnique: false },
  naturalKey: (record) => recipientKey(record, 'account_number', 'routing_number'),
  body: (record) => ({
    ...fieldsOf(record, [
      'payee_type',
      'account_number',
      'account_name',
      'bank_name',
      'currency',
      'customer_id',
      'routing_number',
      'account_owner_type',
      'account_type',
    ]),
    ...addressOf(record, ['address_line1', 'state', 'country', 'postal_code', 'city']),
  }),
  echoes: recipientEchoes({ account_number: 'account', routing_number: 'account' }),
});
