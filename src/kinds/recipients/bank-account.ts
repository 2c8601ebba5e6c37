import { fieldsOf } from '../shared.ts';
import {
  echoesAtInstitution,
  institutionOfType,
  recipient,
  recipientKey,
  recipientRules,
  usesAtInstitution,
} from './recipient.ts';

/** An account at a bank of the institutions directory. */
export const bankAccount = recipient({
  payeeType: 'bank_account',
  rules: recipientRules({
    ...usesAtInstitution,
    account_number: 'required',
    phone_number: 'unused',
    bank_name: { presence: 'optional', example: 'Equity Bank Kenya' },
    institution_name: { presence: 'checked', example: 'Equity Bank Kenya' },
  }),
  institution: institutionOfType('bank', null),
  payee: { account: 'account_number', institution: 'institution_id', isAccountUnique: false },
  naturalKey: (record) => recipientKey(record, 'account_number', 'institution_id'),
  body: (record) =>
    fieldsOf(record, [
      'payee_type',
      'currency',
      'account_number',
      'account_name',
      'bank_name',
      'institution_id',
      'customer_id',
    ]),
  echoes: echoesAtInstitution({ account_number: 'account' }),
});
