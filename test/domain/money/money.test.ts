import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  comparePlainDecimals,
  currencyCodes,
  type Decimal,
  formatDecimal,
  fractionDigits,
  fractionDigitsOf,
  inCurrency,
  parseDecimal,
  parseNumberText,
  withoutTrailingZeros,
} from '../../../src/domain/money/money.ts';

function decimal(text: string): Decimal {
  const value = parseNumberText(text);
  if (value === undefined) throw new Error(`not a number: ${text}`);
  return value;
}

describe('parseDecimal keeps every digit of a plain decimal', () => {
  it.each([
    ['0', 0n, 0],
    ['7', 7n, 0],
    ['-3', -3n, 0],
    ['0.10', 10n, 2],
    ['-0.05', -5n, 2],
    ['1234.50', 123450n, 2],
    ['9007199254740993', 9007199254740993n, 0],
    ['0.1000000000000000055', 1000000000000000055n, 19],
  ])('%s', (text, units, scale) => {
    expect(parseDecimal(text)).toEqual({ units, scale });
  });

  it.each([
    '',
    '-',
    '.5',
    '5.',
    '+1',
    '01',
    '00',
    '1e5',
    '1,5',
    ' 1',
    '1 ',
    '1.2.3',
    '--1',
    '0x10',
    'NaN',
    '١',
    '1\n',
  ])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('refuses more than 400 digits', () => {
    expect(parseDecimal('9'.repeat(400))).toBeDefined();
    expect(parseDecimal('9'.repeat(401))).toBeUndefined();
  });
});

describe('parseNumberText reads what JSON and spreadsheets write', () => {
  it.each([
    ['1e21', '1000000000000000000000'],
    ['1E+3', '1000'],
    ['5E-7', '0.0000005'],
    ['0.10', '0.10'],
    ['1.25e1', '12.5'],
    ['1.5e0', '1.5'],
    ['-2.50e+3', '-2500'],
    ['0e5', '0'],
    ['123456789012345678.12', '123456789012345678.12'],
  ])('%s is %s', (text, written) => {
    expect(formatDecimal(decimal(text))).toBe(written);
  });

  it.each([
    '',
    'e5',
    '1e',
    '1e+',
    '1.e5',
    '.1e5',
    '01',
    '+1',
    '1e5.5',
    '1e401',
    '1e-401',
    '1e99999999999',
    'Infinity',
  ])('refuses %j', (text) => {
    expect(parseNumberText(text)).toBeUndefined();
  });
});

describe('compareDecimals compares values, not texts', () => {
  it.each([
    ['1', '1.00', 0],
    ['0', '-0', 0],
    ['0.1', '0.10', 0],
    ['1e2', '100.0', 0],
    ['0.3', '0.30000000000000004', -1],
    ['9007199254740992', '9007199254740993', -1],
    ['2', '10', -1],
    ['-1', '1', -1],
    ['-1', '-2', 1],
    ['100.01', '100', 1],
  ] as const)('%s and %s: %d', (left, right, order) => {
    expect(compareDecimals(decimal(left), decimal(right))).toBe(order);
    expect(compareDecimals(decimal(right), decimal(left))).toBe(order === 0 ? 0 : -order);
  });
});

describe('addDecimals is exact', () => {
  it.each([
    ['0.1', '0.2', '0.3'],
    ['1', '0.05', '1.05'],
    ['-1.5', '1.50', '0.00'],
    ['9007199254740992', '1.1', '9007199254740993.1'],
  ])('%s + %s = %s', (left, right, sum) => {
    expect(formatDecimal(addDecimals(decimal(left), decimal(right)))).toBe(sum);
  });
});

describe('fractionDigits leaves zeros at the end aside', () => {
  it.each([
    ['100.00', 0],
    ['1.50', 1],
    ['0.005', 3],
    ['0', 0],
    ['0.00', 0],
    ['1e-4', 4],
  ])('%s has %d', (text, digits) => {
    expect(fractionDigits(decimal(text))).toBe(digits);
  });
});

describe('formatDecimal writes in full', () => {
  it.each([
    ['-0.5', '-0.5'],
    ['0.05', '0.05'],
    ['-12', '-12'],
    ['0.00', '0.00'],
  ])('%s', (text, written) => {
    expect(formatDecimal(decimal(text))).toBe(written);
  });

  it('takes zeros at the end off when asked', () => {
    expect(formatDecimal(withoutTrailingZeros(decimal('100.00')))).toBe('100');
    expect(formatDecimal(withoutTrailingZeros(decimal('1.50')))).toBe('1.5');
    expect(formatDecimal(withoutTrailingZeros(decimal('100')))).toBe('100');
  });
});

describe('comparePlainDecimals says what compareDecimals says', () => {
  const texts = [
    ...[
      '0',
      '0.0',
      '0.1',
      '0.10',
      '0.100000000000000000001',
      '1',
      '1.0',
      '1.5',
      '9',
      '9.99',
      '10',
      '10.5',
      '10.49',
    ],
    ...['99', '99.999', '100', '100.00', '100.01', '150000', '150000.01', '999999.99', '1000000'],
    ...['9007199254740993', '9007199254740992', '9007199254740992.5', '1'.repeat(60), `${'1'.repeat(59)}2`],
  ];

  it.each(texts)('of %s and every other', (left) => {
    for (const right of texts) {
      expect([left, right, comparePlainDecimals(left, right)]).toEqual([
        left,
        right,
        compareDecimals(decimal(left), decimal(right)),
      ]);
    }
  });
});

it.each([
  ['1500', 'KES', '1500.00'],
  ['1500.5', 'KES', '1500.50'],
  ['0.10', 'EUR', '0.10'],
  ['-40', 'EUR', '-40.00'],
  ['1500.00', 'UGX', '1500'],
  ['7', 'KWD', '7.000'],
  // More digits than the currency has are shown unchanged.
  ['0.125', 'EUR', '0.125'],
  ['100.50', 'JPY', '100.5'],
  // The number of its digits is unknown.
  ['1500.5', 'KSh', '1500.5'],
  ['1500.5', '', '1500.5'],
  ['1500.5', null, '1500.5'],
  ['1,500', 'KES', '1,500'],
])('%s %s is written as %s', (amount, currency, written) => {
  expect(inCurrency(amount, currency)).toBe(written);
});

describe('the table of currencies', () => {
  it.each([
    ['USD', 2],
    ['EUR', 2],
    ['KES', 2],
    ['NGN', 2],
    ['XCG', 2],
    ['ZWG', 2],
    ['SLE', 2],
    ['IQD', 3],
    ['BHD', 3],
    ['KWD', 3],
    ['TND', 3],
    ['JPY', 0],
    ['UGX', 0],
    ['RWF', 0],
    ['XOF', 0],
    ['ISK', 0],
    ['CLP', 0],
    ['CLF', 4],
    ['UYW', 4],
    ['MGA', 2],
    ['MRU', 2],
    ['HUF', 2],
  ])('%s has %d fraction digits', (code, digits) => {
    expect(fractionDigitsOf(code)).toBe(digits);
  });

  it.each(['ANG', 'HRK', 'BGN', 'SLL', 'ZWL', 'CUC', 'VEF', 'DEM', 'XXX', 'XTS', 'XAU'])(
    '%s is not in use',
    (code) => {
      expect(fractionDigitsOf(code)).toBeUndefined();
    },
  );

  it('lists each code once, in three capitals', () => {
    expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
    expect(currencyCodes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });
});
