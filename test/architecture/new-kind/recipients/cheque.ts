import { readEnvelope } from '../../../../src/resources/answer.ts';
import { customerReference } from '../../../../src/resources/customer-reference.ts';
import type { ResourceDefinition } from '../../../../src/resources/definition.ts';
import { recipientAnswerFields } from '../../../../src/resources/kinds/recipients/answer-fields.ts';
import { recipientRules, recipientsPath } from '../../../../src/resources/kinds/recipients/columns.ts';
import { fieldsOf } from '../../../../src/resources/request-body.ts';

/** A payee type that no API has: a cheque is drawn to a name. */
export const cheque: ResourceDefinition = {
  name: 'recipients/cheque',
  kind: 'recipients',
  payeeType: 'cheque',
  path: recipientsPath,
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
    address_line1: 'not_sent',
    city: 'not_sent',
    state: 'not_sent',
    country: 'not_sent',
    postal_code: 'not_sent',
  }),
  references: [customerReference],
  institution: null,
  naturalKey: (record) => [
    record['customer_id'] ?? '',
    record['currency'] ?? '',
    record['account_name'] ?? '',
  ],
  handle: () => undefined,
  body: (record) => fieldsOf(record, ['payee_type', 'account_name', 'currency', 'customer_id']),
  readAnswer: readEnvelope,
  echoes: [],
  answerFields: recipientAnswerFields,
  ownReference: 'account_name',
};
