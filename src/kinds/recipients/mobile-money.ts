import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import type { ColumnTitle, PhoneReading, RecordCheck } from '../definition.ts';
import { fieldsOf } from '../shared.ts';
import {
  echoesAtInstitution,
  institutionOfType,
  recipient,
  recipientKey,
  recipientRules,
  usesAtInstitution,
} from './recipient.ts';

/** Files often have the phone in the account number's column, since for mobile money it is the account. */
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
export const mobileMoney = recipient({
  payeeType: 'mobile_money',
  rules: recipientRules({
    ...usesAtInstitution,
    account_number: {
      presence: 'checked',
      description: 'May hold the phone number when phone_number is empty',
    },
    phone_number: { presence: 'required', orElse: 'account_number' },
    bank_name: { presence: 'optional', example: 'M-Pesa' },
    institution_name: 'checked',
  }),
  institution: institutionOfType('mobile_money', 'phone_number'),
  checkRecord: fillInPhoneNumber,
  payee: { account: 'phone_number', institution: 'institution_id', isAccountUnique: true },
  naturalKey: (record) => recipientKey(record, 'phone_number', 'institution_id'),
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
  echoes: echoesAtInstitution({ phone_number: 'phone' }),
});
