import type { AnswerField } from '../../definition.ts';
import { textFields } from '../../facts.ts';

const nullableText = (path: string): AnswerField => ({ path, type: 'text', isNullable: true });
const addressField = (name: string): AnswerField => ({
  ...nullableText(`address.${name}`),
  isOptional: true,
});

/** What the specification shows of an external account, whatever its payee type, without mere request fields. */
export const recipientAnswerFields: readonly AnswerField[] = [
  ...textFields('id', 'customer_id', 'payee_type', 'account_name'),
  nullableText('account_number'),
  // Present in mobile money records.
  { ...nullableText('phone_number'), isOptional: true },
  nullableText('account_owner_type'),
  ...textFields('currency'),
  ...['address_line1', 'address_line2', 'city', 'state', 'country', 'postal_code'].map(addressField),
  ...['iban', 'routing_number', 'institution_id'].map(nullableText),
  ...textFields('institution_name'),
  ...['institution_country_iso_code', 'institution_type'].map(nullableText),
  ...textFields('date_created'),
];
