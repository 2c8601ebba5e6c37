import { describe, expect, it } from 'vitest';
import { templateOf } from '../../src/kinds/template.ts';

function column(
  name: string,
  payeeType: string | null = null,
): ReturnType<typeof templateOf>['columns'][number] {
  const found = templateOf('recipients', payeeType).columns.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return found;
}

describe('templateOf', () => {
  it('distinguishes what every row needs from what some payee types need', () => {
    expect(column('account_name')).toMatchObject({ need: 'required', needInWords: 'required' });
    expect(column('iban')).toMatchObject({
      need: 'sometimes',
      needInWords: 'required (sepa); leave empty (bank_account_us, bank_account, mobile_money)',
    });
    expect(column('iban', 'sepa')).toMatchObject({ need: 'required', needInWords: 'required' });
    expect(column('customer_external_id')).toMatchObject({
      need: 'sometimes',
      needInWords: 'required, or customer_id',
    });
    expect(column('amount')).toMatchObject({ need: 'optional', content: 'amount' });
  });

  it('offers the payee types as a closed set, and seen values as suggestions', () => {
    expect(column('payee_type').choices).toEqual({
      values: ['bank_account_us', 'bank_account', 'mobile_money', 'sepa'],
      isClosed: true,
    });
    expect(column('payee_type', 'sepa').choices?.values).toEqual(['sepa']);
    expect(column('account_owner_type').choices).toEqual({ values: ['individual'], isClosed: false });
    expect(column('iban').choices).toBeNull();
  });
});
