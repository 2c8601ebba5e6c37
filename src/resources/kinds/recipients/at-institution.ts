import type { Echo, EchoKind, InstitutionUse } from '../../definition.ts';
import { type ColumnUses, noAddress, recipientEchoes } from './recipient.ts';

/*
 * Recipients whose account is at an institution of the directory, a bank or a mobile money provider: they name it,
 * and give neither address nor kind of account.
 */

/** What these payee types say alike of the columns. */
export const usesAtInstitution = {
  account_name: 'required',
  iban: 'unused',
  routing_number: 'unused',
  currency: { presence: 'required', example: 'KES' },
  account_owner_type: 'not_sent',
  account_type: 'not_sent',
  institution_id: 'required',
  institution_country: 'checked',
  amount: 'checked',
  ...noAddress,
} as const satisfies Partial<ColumnUses>;

/**
 * @param type the account number type that the institution has to have
 * @param phoneField the column of a phone number, which is of the institution's country; null where there is none
 */
export function institutionOfType(type: 'bank' | 'mobile_money', phoneField: string | null): InstitutionUse {
  return {
    suits: () => type,
    countryFields: ['institution_country', ...(phoneField === null ? [] : [phoneField])],
    orCustomersCountry: true,
    phoneField,
    fills: { id: 'institution_id', name: 'bank_name' },
  };
}

/** The request names the institution by its id, and the answer by its name too. */
export function echoesAtInstitution(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return [
    ...recipientEchoes({ ...own, institution_id: 'uuid' }),
    { field: 'institution_name', as: 'name', institutionIn: 'institution_id' },
  ];
}
