import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/domain/batches/batch.ts';
import { canonicalValue, naturalTextOf } from '../../../src/reconcile/export/values.ts';

describe('a value in the form in which both sides are compared', () => {
  it.each<[Kind | null, string, string, string]>([
    ['recipients', 'iban', 'de89 3704-0044 0532 0130 00', 'DE89370400440532013000'],
    ['recipients', 'phone_number', '+254 712-345 678', '+254712345678'],
    ['recipients', 'account_number', '0110-1234 56789', '0110123456789'],
    [
      'recipients',
      'customer_id',
      '3F2B6C1E-8A57-4D0B-9C36-5B1F0E7A2D94',
      '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94',
    ],
    ['customers', 'country', 'ke', 'KE'],
    ['recipients', 'account_name', 'De-Witt  Ann', 'De-Witt  Ann'],
    [null, 'iban', 'DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    [null, 'anything', ' 1-2', ' 1-2'],
  ])('%s %s %s is %s', (kind, field, text, canonical) => {
    expect(canonicalValue(kind, field, text)).toBe(canonical);
  });
});

describe('the natural key of a record', () => {
  const recipient = { customer_id: 'c', currency: 'EUR', account_name: 'x' };

  it('is that of its own payee type, whether the export names that or not', () => {
    const sepa = { ...recipient, iban: 'DE1' };
    expect(naturalTextOf({ ...sepa, payee_type: 'sepa' }, 'recipients', undefined)).not.toBeNull();
    expect(naturalTextOf(sepa, 'recipients', undefined)).toBe(
      naturalTextOf({ ...sepa, payee_type: 'SEPA' }, 'recipients', undefined),
    );
    const account = { ...recipient, account_number: '1' };
    expect(naturalTextOf({ ...account, payee_type: 'bank_account' }, 'recipients', undefined)).toBeNull();
    expect(naturalTextOf({ ...account, institution_id: 'i' }, 'recipients', undefined)).toContain(
      'bank_account',
    );
    // With a routing number and an institution it could be either of two.
    const either = { ...account, institution_id: 'i', routing_number: 'r' };
    expect(naturalTextOf(either, 'recipients', undefined)).toBeNull();
  });

  it('has amounts by their value, and the names that a mapping uses', () => {
    const key = ['amount', 'date', 'reference'];
    const text = (amount: string) =>
      naturalTextOf({ amount, date: '2026-11-01', reference: 'R' }, 'collections', key);
    expect(text('10.50')).toBe(text('10.5'));
    expect(text('10')).toBe(text('10.00'));
    expect(text('10.05')).not.toBe(text('10.5'));
    expect(naturalTextOf({ amount: '1' }, 'collections', key)).toBeNull();
  });
});
