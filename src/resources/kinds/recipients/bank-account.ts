import { readEnvelope } from '../../answer.ts';
import { customerReference } from '../../customer-reference.ts';
import type { ResourceDefinition } from '../../definition.ts';
import { echoesOf } from '../../echo.ts';
import { fieldsOf } from '../../request-body.ts';
import { institutionNameEcho, recipientAnswerFields } from './answer-fields.ts';
import { recipientKey, recipientRules, recipientsPath } from './columns.ts';

/** An account at a bank of the institutions directory. */
export const bankAccount: ResourceDefinition = {
  name: 'recipients/bank_account',
  kind: 'recipients',
  payeeType: 'bank_account',
  path: recipientsPath,
  rules: recipientRules({
    account_name: 'required',
    account_number: 'required',
    phone_number: 'unused',
    iban: 'unused',
    routing_number: 'unused',
    bank_name: { presence: 'optional', example: 'Equity Bank Kenya' },
    currency: { presence: 'required', example: 'KES' },
    account_owner_type: 'not_sent',
    account_type: 'not_sent',
    institution_id: 'required',
    institution_name: { presence: 'checked', example: 'Equity Bank Kenya' },
    institution_country: 'checked',
    amount: 'checked',
    address_line1: 'not_sent',
    city: 'not_sent',
    state: 'not_sent',
    country: 'not_sent',
    postal_code: 'not_sent',
  }),
  references: [customerReference],
  institution: {
    suits: () => 'bank',
    countryFields: ['institution_country'],
    orCustomersCountry: true,
    phoneField: null,
    fills: { id: 'institution_id', name: 'bank_name' },
  },
  naturalKey: (record) => recipientKey(record, 'account_number', 'institution_id'),
  handle: () => undefined,
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
  readAnswer: readEnvelope,
  echoes: [
    ...echoesOf({
      customer_id: 'uuid',
      payee_type: 'code',
      currency: 'code',
      account_number: 'account',
      institution_id: 'uuid',
    }),
    institutionNameEcho,
  ],
  answerFields: recipientAnswerFields,
  ownReference: 'account_name',
};
