import { describe, expect, it } from 'vitest';
import { createInstitutionList } from '../../src/directory/institution-list.ts';
import type { Institution } from '../../src/domain/institution.ts';

function institution(id: string, name: string): Institution {
  return {
    id,
    name,
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: '1',
    maxAmount: '2',
  };
}

const list = createInstitutionList(
  'KE',
  [
    institution('5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47', 'Société Générale'),
    institution('b', 'Equity Bank'),
    institution('c', 'National Bank'),
    institution('d', 'NATIONAL  BANK'),
    institution('e', 'KCB Bank'),
  ],
  true,
);

function idsByName(name: string): readonly string[] {
  return list.byName(name).map(({ id }) => id);
}

describe('createInstitutionList', () => {
  it('finds by id in any case', () => {
    expect(list.byId('5d0c8e3b-71f4-4a92-b6de-0f3a9c218e47')?.name).toBe('Société Générale');
    expect(list.byId('B')?.name).toBe('Equity Bank');
    expect(list.byId('z')).toBeUndefined();
  });

  it.each([
    ['equity bank', ['b']],
    ['EquityBank', ['b']],
    ['EQUITY\u00a0BANK', ['b']],
    ['societe generale', ['5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47']],
    ['Socie\u0301te\u0301 Ge\u0301ne\u0301rale', ['5D0C8E3B-71F4-4A92-B6DE-0F3A9C218E47']],
    ['National Bank', ['c', 'd']],
    ['Equity', ['b']],
    ['Equity-Bank Ltd.', ['b']],
    ['EQUITY PLC', ['b']],
    ['K.C.B. Bank Limited', ['e']],
    ['National', ['c', 'd']],
    ['Nat. Bank', []],
    ['Bank', []],
    ['Bank Ltd', []],
    ['', []],
  ])('finds %s by name', (name, ids) => {
    expect(idsByName(name)).toEqual(ids);
    expect(idsByName(name)).toEqual(ids);
  });

  it('names up to three nearest institutions, best first', () => {
    expect(list.nearestNames('Equty Bank', 'any')[0]).toBe('Equity Bank');
    expect(list.nearestNames('bank', 'any').length).toBe(3);
    expect(list.nearestNames('%%%', 'any')).toEqual([]);
  });

  it('names the nearest of the right type only', () => {
    const wallet = { ...institution('m', 'Equitel'), accountNumberType: 'phone_number' };
    const both = createInstitutionList('KE', [institution('b', 'Equity Bank'), wallet], true);
    expect(both.nearestNames('Equite', 'bank')).toEqual(['Equity Bank']);
    expect(both.nearestNames('Equite', 'mobile_money')).toEqual(['Equitel']);
  });
});
