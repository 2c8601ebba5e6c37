import { describe, expect, it } from 'vitest';
import {
  parseJsonWithNumberTexts,
  readInstitutionPage,
} from '../../../src/kinds/institutions/institution-page.ts';
import { item, page } from './pages.ts';

function read(body: string) {
  return readInstitutionPage(body, 'KE');
}

describe('readInstitutionPage', () => {
  it('keeps every digit of the limits', () => {
    const body = page(1, 1, [item('a')])
      .body.replace('"min_amount":10', '"min_amount":0.10')
      .replace('"max_amount":1000', '"max_amount":12345678901234567.89');
    expect(read(body)?.institutions).toEqual([
      {
        id: 'a',
        name: 'Bank a',
        country: 'KE',
        currency: 'KES',
        accountNumberType: 'bank_account_number',
        minAmount: '0.10',
        maxAmount: '12345678901234567.89',
      },
    ]);
  });

  it('reads numbers and totals', () => {
    expect(read(page(2, 7, [item('a')]).body)).toMatchObject({ number: 2, totalPages: 7, isWhole: true });
  });

  it.each([
    [
      'limits that are absent',
      item('a', { min_amount: null, max_amount: undefined }),
      { minAmount: null, maxAmount: null },
    ],
    [
      'limits in exponential form',
      item('a', { min_amount: 1e-7, max_amount: 1e21 }),
      { minAmount: '1e-7', maxAmount: '1e+21' },
    ],
    [
      'codes in small letters',
      item('a', { country_iso_code: 'ke', currency: 'kes' }),
      { country: 'KE', currency: 'KES' },
    ],
    ['a name of 255 characters beyond the basic plane', item('a', { name: '𐐷'.repeat(255) }), {}],
    ['a number as id', item('a', { id: 17 }), { id: '17' }],
  ])('takes %s', (_, one, expected) => {
    const read1 = read(page(1, 1, [one]).body);
    expect(read1?.institutions[0]).toMatchObject(expected);
    expect(read1?.isWhole).toBe(true);
  });

  it.each([
    ['without an id', item('a', { id: undefined })],
    ['with a name that is too long', item('a', { name: '𐐷'.repeat(256) })],
    ['with an empty name', item('a', { name: ' ' })],
    ['of another country', item('a', { country_iso_code: 'UG' })],
    ['with a limit that is no number', item('a', { min_amount: 'low' })],
    ['without a type', item('a', { account_number_type: null })],
    ['that is no object', 'a'],
  ])('leaves an item out %s, and says that it is not whole', (_, one) => {
    expect(read(page(1, 1, [one, item('b')]).body)).toMatchObject({
      isWhole: false,
      institutions: [{ id: 'b' }],
    });
  });

  it.each([
    ['', 'nothing'],
    ['<html></html>', 'a page for people'],
    ['[]', 'a list'],
    ['{"data":[],"error":null}', 'no items'],
    ['{"data":{"items":{},"page":1,"total_pages":1},"error":null}', 'items that are no list'],
    ['{"data":{"items":[],"page":-1,"total_pages":1},"error":null}', 'a negative page'],
    ['{"data":{"items":[],"page":1.5,"total_pages":1},"error":null}', 'a broken page'],
    ['{"data":{"items":[],"total_pages":1},"error":null}', 'no page'],
    ['{"data":{"items":[],"page":1,"total_pages":1},"error":{"code":"x"}}', 'an error'],
    ['{"data":{"items":[],"page":1,"total_pages":1e9},"error":null}', 'a total in exponential form'],
  ])('is undefined for %s (%s)', (body) => {
    expect(read(body)).toBeUndefined();
  });
});

describe('parseJsonWithNumberTexts keeps numbers as they were written', () => {
  it.each<[string, unknown]>([
    ['0.10', '0.10'],
    ['-2.50e+3', '-2.50e+3'],
    ['12345678901234567890.123', '12345678901234567890.123'],
    ['[1,2 ,\t3]', ['1', '2', '3']],
    ['{"a":1e21,"b":{"c":-0}}', { a: '1e21', b: { c: '-0' } }],
    ['{"1":"2"}', { 1: '2' }],
    ['"a 1, -2"', 'a 1, -2'],
    ['"quote \\" 3"', 'quote " 3'],
    ['["\\\\",4]', ['\\', '4']],
    ['["\\\\\\"",5,"6\\\\"]', ['\\"', '5', '6\\']],
    ['[true,false,null]', [true, false, null]],
    ['""', ''],
  ])('%s', (json, value) => {
    expect(parseJsonWithNumberTexts(json)).toEqual(value);
  });

  it.each(['', '{', '[1,]', '01', '1.', '{"a":1', '<html>', '{a:1}', '1 2', '[1-2]', '"a'])(
    '%s is not JSON',
    (text) => {
      expect(() => parseJsonWithNumberTexts(text)).toThrow(SyntaxError);
    },
  );

  it('takes long strings', () => {
    const text = '\\"'.repeat(2_000_000);
    expect(parseJsonWithNumberTexts(`["${text}",7]`)).toEqual(['"'.repeat(2_000_000), '7']);
  });
});
