import { fieldsOf } from '../../../../src/kinds/definition-parts.ts';
import { noAddress, recipient, recipientRules } from '../../../../src/kinds/recipients/recipient.ts';

/** A payee type that no API has: a cheque is drawn to a name. */
export const cheque = recipient({
  payeeType: 'cheque',
  rules: recipientRules({
    account_name: { presence: 'required', example: 'Amina Otieno' },
    account_number: 'unused',
    phone_number: 'unused',
    iban: 'unused',
    routing_number: 'unused',
    bank_name: 'unused',
    currency: 'required',
    account_owner_type: 'unused',
    account_type: 'unused',
    institution_id: 'unused',
    institution_name: 'unused',
    institution_country: 'unused',
    amount: 'not_sent',
    ...noAddress,
  }),
  institution: null,
  naturalKey: (record) => [
    record['customer_id'] ?? '',
    record['currency'] ?? '',
    record['account_name'] ?? '',
  ],
  body: (record) => fieldsOf(record, ['payee_type', 'account_name', 'currency', 'customer_id']),
  echoes: [],
});
