import type { NormalisedRecord } from '../../../domain/record.ts';
import { readEnvelope } from '../../answer.ts';
import { customerReference } from '../../customer-reference.ts';
import type { ColumnTitle, PhoneReading, RecordCheck, ResourceDefinition } from '../../definition.ts';
import { echoesOf } from '../../echo.ts';
import { fieldsOf } from '../../request-body.ts';
import { institutionNameEcho, recipientAnswerFields } from './answer-fields.ts';
import { recipientKey, recipientRules, recipientsPath } from './columns.ts';

/** Files often carry the phone in the account number's column, since for mobile money it is the account. */
function fillInPhoneNumber(
  record: NormalisedRecord,
  title: ColumnTitle,
  readPhone: PhoneReading,
): RecordCheck | undefined {
  const { account_number: accountNumber, phone_number: phoneNumber } = record;
  if (accountNumber === undefined) return undefined;
  const phone = readPhone(accountNumber);
  if (phoneNumber === undefined) {
    if (phone !== undefined) {
      const note = `${title('account_number')} serves as phone number: ${title('phone_number')} is empty`;
      return { notes: [note], fills: { phone_number: phone } };
    }
    const message = `is empty, and ${title('account_number')} does not hold a phone number that could serve instead`;
    return { findings: [{ field: 'phone_number', code: 'required', message }] };
  }
  if (phone === phoneNumber) return undefined;
  const message = `differs from ${title('phone_number')}; for mobile money both mean the phone number, so leave one empty or make them equal`;
  return { findings: [{ field: 'account_number', code: 'conflicting_values', message }] };
}

/** An account at a mobile money provider of the institutions directory. */
export const mobileMoney: ResourceDefinition = {
  name: 'recipients/mobile_money',
  kind: 'recipients',
  payeeType: 'mobile_money',
  path: recipientsPath,
  rules: recipientRules({
    account_name: 'required',
    account_number: {
      presence: 'checked',
      description: 'May hold the phone number when phone_number is empty',
    },
    phone_number: { presence: 'required', orElse: 'account_number' },
    iban: 'unused',
    routing_number: 'unused',
    bank_name: { presence: 'optional', example: 'M-Pesa' },
    currency: { presence: 'required', example: 'KES' },
    account_owner_type: 'not_sent',
    account_type: 'not_sent',
    institution_id: 'required',
    institution_name: 'checked',
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
    suits: () => 'mobile_money',
    countryFields: ['institution_country', 'phone_number'],
    orCustomersCountry: true,
    phoneField: 'phone_number',
    fills: { id: 'institution_id', name: 'bank_name' },
  },
  checkRecord: fillInPhoneNumber,
  naturalKey: (record) => recipientKey(record, 'phone_number', 'institution_id'),
  handle: () => undefined,
  body: (record) =>
    fieldsOf(record, [
      'payee_type',
      'phone_number',
      'account_name',
      'bank_name',
      'currency',
      'customer_id',
      'institution_id',
    ]),
  readAnswer: readEnvelope,
  echoes: [
    ...echoesOf({
      customer_id: 'uuid',
      payee_type: 'code',
      currency: 'code',
      phone_number: 'phone',
      institution_id: 'uuid',
    }),
    institutionNameEcho,
  ],
  answerFields: recipientAnswerFields,
  ownReference: 'account_name',
};
