/* The kind `recipients`, and its payee types. */

import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { say } from '../../domain/settings/message.ts';
import type { ColumnTitles, KindDefinition, PhoneReading, RecordCheck, RuleFinding } from '../definition.ts';
import { addressOf, fieldsOf } from '../definition-parts.ts';
import { isSepaIban } from '../fields/bank-numbers.ts';
import {
  echoesAtInstitution,
  institutionOfType,
  recipient,
  recipientEchoes,
  recipientKey,
  recipientRules,
  usesAtInstitution,
} from './recipient.ts';

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

/** For mobile money the phone is the account, so files often have it in the column of the account number. */
function fillInPhoneNumber(
  record: NormalisedRecord,
  titles: ColumnTitles,
  readPhone: PhoneReading,
): RecordCheck | undefined {
  const { account_number: accountNumber, phone_number: phoneNumber } = record;
  if (accountNumber === undefined) return undefined;
  const phone = readPhone(accountNumber);
  if (phoneNumber === undefined) {
    if (phone !== undefined) {
      const note = `${titles.of('account_number')} serves as phone number: ${titles.of('phone_number')} is empty`;
      return { notes: [note], fills: { phone_number: phone } };
    }
    const message = say`is empty, and ${titles.named('account_number')} does not hold a phone number that could serve instead`;
    return { findings: [{ field: 'phone_number', code: 'required', message }] };
  }
  if (phone === phoneNumber) return undefined;
  const message = say`differs from ${titles.named('phone_number')}; for mobile money both mean the phone number, so leave one empty or make them equal`;
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

/** An account at a bank in the United States. */
const bankAccountUs = recipient({
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

/** An account at a bank of the institutions directory. */
const bankAccount = recipient({
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

/** A new payee type needs one more definition above, or in a file next to this one, and one more element of this list. */
export const recipientsKind: KindDefinition = {
  name: 'recipients',
  singular: 'recipient',
  label: 'Recipients',
  whatWasDone: 'Recipients registered; nothing was paid',
  referenceField: null,
  definitions: [bankAccountUs, bankAccount, mobileMoney, sepa],
};
