import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/domain/batches/batch.ts';
import { refusedColumn } from '../../src/kinds/own-columns.ts';

const columns = [
  ['Art', 'account_owner_type'],
  ['Straße', 'address_line1'],
  ['Ort', 'city'],
  ['Kd-Nr', 'customer_external_id'],
  ['Bank', 'institution_name'],
  ['Konto', 'account_number'],
  ['IBAN-Nr', 'iban'],
] as const;

function columnOf(message: string | null, code: string | null = 'invalid_value', kind: Kind = 'recipients') {
  const mapped = columns.map(([title, field], index) => ({ title, field, index }));
  return refusedColumn({ code, message }, { kind, columns: mapped });
}

describe('the column that a refusal is about', () => {
  it.each([
    ['account_owner_type must be an identifier in lower case', 'Art'],
    ['address.city is required', 'Ort'],
    ['Field "city" is too long', 'Ort'],
    ['address.address_line1 must not be empty', 'Straße'],
    ['customer_id must be a UUID', 'Kd-Nr'],
    ['institution_id is not active', 'Bank'],
    ['The value of account.number is not valid', 'Konto'],
  ])('is the one whose field the sentence names: %s', (message, title) => {
    expect(columnOf(message)).toBe(title);
  });

  it('is the one that the code names, where the sentence names none', () => {
    expect(columnOf('not valid', 'invalid_iban')).toBe('IBAN-Nr');
    expect(columnOf(null, 'iban_required')).toBe('IBAN-Nr');
  });

  it('is none where an ordinary word of a sentence is a field, or no column of the file is that field', () => {
    expect(columnOf('the account is in another city', 'account_closed')).toBe(null);
    expect(columnOf('currency must be three capital letters', 'invalid_currency')).toBe(null);
    expect(columnOf(null, null)).toBe(null);
  });
});
