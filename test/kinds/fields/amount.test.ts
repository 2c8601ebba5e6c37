import { describe, expect, it } from 'vitest';
import { plainReadingRules, type ReadingRules } from '../../../src/domain/tables/mapping.ts';
import type { CellKind } from '../../../src/domain/tables/table.ts';
import { checkAmountInCurrency, createAmountCheck } from '../../../src/kinds/fields/amount.ts';
import { noOtherValues, type RowValues } from '../../../src/kinds/fields/value-text.ts';
import { saying } from '../../support/messages.ts';
import { summarise } from './verdicts.ts';

function rowOf(currency: string | undefined): RowValues {
  return { ...noOtherValues, valueOf: (field) => (field === 'currency' ? currency : undefined) };
}

/** The amount, or the code of what is wrong with it; its note says what it was read as. */
function check(
  text: string,
  kind?: CellKind,
  reading: Partial<ReadingRules> = {},
  currency?: string,
): string {
  return summarise(
    createAmountCheck({ ...plainReadingRules, ...reading })(text, kind, rowOf(currency)),
  ).replace(/ \(read as .*\)$/, '');
}

describe('an amount is a plain positive decimal', () => {
  it('and a refusal says where other separators are declared, in words for pages too', () => {
    expect(createAmountCheck(plainReadingRules)('1,000.50', undefined, noOtherValues)).toMatchObject({
      message: saying(
        '“1,000.50” is not a plain positive amount; write it like 1000.50 (where numbers have other separators, say how the file is read)',
      ),
    });
  });

  it.each(['1', '1500', '1500.00', '0.01', '0.10', '123456789012345678901234567890.12'])(
    'accepts %s',
    (text) => {
      expect(check(text)).toBe(text);
    },
  );

  it.each([
    '0',
    '0.00',
    '-1',
    '+1',
    '1,000',
    '1,000.00',
    '1 000',
    "1'000",
    '1.000,50',
    '$5',
    '5 USD',
    'KES 5',
    '.5',
    '5.',
    '01',
    '1e5',
    '1E+5',
    '1/2',
    '5%',
    'five',
    '١٢',
    '1.2.3',
    'Infinity',
    '0x10',
    '-',
    '.',
  ])('refuses %s', (text) => {
    expect(check(text)).toBe('invalid_amount!');
  });

  it.each<[string, CellKind, string]>([
    ['1500', 'number', '1500'],
    ['1500.5', 'number', '1500.5'],
    ['1e21', 'number', '1000000000000000000000'],
    ['1.5E+3', 'number', '1500'],
    ['1E-2', 'number', '0.01'],
    ['-5', 'number', 'invalid_amount!'],
    ['0', 'number', 'invalid_amount!'],
    ['0050', 'shown_number', '50'],
    ['000-050', 'shown_number', 'invalid_amount!'],
  ])('a numeric cell %s (%s) is its value: %s', (text, kind, expected) => {
    expect(check(text, kind)).toBe(expected);
    expect(check(text, kind, { decimal: ',', thousands: '.' })).toBe(expected);
  });
});

describe('separators hold as the mapping declares them', () => {
  it.each<[string, Partial<ReadingRules>, string]>([
    ['1,000.50', { thousands: ',' }, '1000.50'],
    ['1,234,567', { thousands: ',' }, '1234567'],
    ['1000.50', { thousands: ',' }, '1000.50'],
    ['1,00.50', { thousands: ',' }, 'invalid_amount!'],
    ['1,0000', { thousands: ',' }, 'invalid_amount!'],
    // Lakhs and crores.
    ['12,34,567.50', { thousands: ',' }, '1234567.50'],
    ['1,23,456', { thousands: ',' }, '123456'],
    ['12,34,56', { thousands: ',' }, 'invalid_amount!'],
    ['123,45,678', { thousands: ',' }, 'invalid_amount!'],
    ['1.23.456', { decimal: ',', thousands: '.' }, 'invalid_amount!'],
    [',100', { thousands: ',' }, 'invalid_amount!'],
    ['0,100', { thousands: ',' }, 'invalid_amount!'],
    ['1.000,50', { decimal: ',', thousands: '.' }, '1000.50'],
    ['1000,50', { decimal: ',' }, '1000.50'],
    ['1.5', { decimal: ',' }, 'invalid_amount!'],
    ['1.5', { decimal: ',', thousands: '.' }, 'invalid_amount!'],
    ['1 000,50', { decimal: ',', thousands: ' ' }, '1000.50'],
    ['1\u202f000,50', { decimal: ',', thousands: ' ' }, '1000.50'],
    ['1\u00a0000', { thousands: ' ' }, '1000'],
    ["1'000.50", { thousands: "'" }, '1000.50'],
    ['-1,000', { thousands: ',' }, 'invalid_amount!'],
    ['0,00', { decimal: ',' }, 'invalid_amount!'],
  ])('%s with %j: %s', (text, reading, expected) => {
    expect(check(text, undefined, reading)).toBe(expected);
  });
});

describe('three digits behind the decimal sign', () => {
  const grouped = { thousands: ' ' } as const;

  it.each([
    ['KES', '82.000'],
    ['XAF', '125.500'],
    ['XAF', '125.000'],
  ])('may be a group of thousands, where amounts in %s have groups: %s is refused', (currency, text) => {
    expect(check(text, undefined, grouped, currency)).toBe('invalid_amount!');
  });

  it('are decimals where the file has no groups, or the currency has three decimals', () => {
    expect(check('82.000', undefined, {}, 'KES')).toBe('82.000');
    expect(check('82.000', undefined, grouped, 'KWD')).toBe('82.000');
    expect(check('1082.000', undefined, grouped, 'KES')).toBe('1082.000');
  });

  it('are decimals behind a comma that a mapping states, but not in a currency without decimals', () => {
    const german = { decimal: ',', thousands: '.' } as const;
    expect(check('150,500', undefined, german, 'KES')).toBe('150.500');
    expect(check('150,000', undefined, german, 'XAF')).toBe('invalid_amount!');
  });

  it('are a group of thousands where a person has said so, and the currency has no decimals', () => {
    const any = { anyThousands: true } as const;
    expect(check('125.000', undefined, any, 'XAF')).toBe('125000');
    expect(check('1.125.500', undefined, any, 'XAF')).toBe('1125500');
    expect(check('125 500', undefined, any, 'XAF')).toBe('125500');
    expect(check('125.000', undefined, any, 'KES')).toBe('invalid_amount!');
  });
});

it('lakhs and crores are read in any currency once a person has said so, whether or not the file has a sign', () => {
  const [commas, any] = [{ thousands: ',' }, { anyThousands: true }] as const;
  expect(check('1,34,600', undefined, commas, 'KES')).toBe('invalid_amount!');
  expect(check('1,34,600', undefined, any, 'KES')).toBe('134600');
  expect(check('1,34,600.50', undefined, { ...commas, ...any }, 'KES')).toBe('134600.50');
  expect(check('1,34,60', undefined, any, 'KES')).toBe('invalid_amount!');
});

it.each([
  ['45,000:00', '45000.00'],
  ['500:50', '500.50'],
  ['1,250-50', '1250.50'],
  ['500-00', '500.00'],
  // Two numbers, or a time of day with seconds.
  ['500-50', undefined],
  ['1:250:00', undefined],
  ['45,000.50:00', undefined],
])('%s with a mark before hundredths is %s, once a person has said so', (text, plain) => {
  expect(check(text, undefined, { anyThousands: true }, 'NGN')).toBe(plain ?? 'invalid_amount!');
  expect(check(text, undefined, { thousands: ',' }, 'NGN')).toBe('invalid_amount!');
});

describe('an amount has no more fraction digits than its currency', () => {
  it.each([
    ['100', 'JPY', '100'],
    ['100.00', 'JPY', '100'],
    ['100.5', 'JPY', 'too_many_decimals!'],
    ['10.50', 'USD', '10.50'],
    ['10.5', 'USD', '10.5'],
    ['10.500', 'USD', '10.50'],
    ['10.005', 'USD', 'too_many_decimals!'],
    ['10.005', 'KWD', '10.005'],
    ['10.0050', 'KWD', '10.005'],
    ['10.0005', 'KWD', 'too_many_decimals!'],
    ['10.1234', 'CLF', '10.1234'],
    ['10.123456', 'ZZZ', '10.123456'],
  ])('%s %s: %s', (amount, currency, expected) => {
    expect(summarise(checkAmountInCurrency(amount, currency))).toBe(expected);
  });
});

describe('an amount with a sign of its currency', () => {
  const english = { decimal: '.', thousands: ',', currencySigns: 'accept' } as const;
  const german = { decimal: ',', thousands: '.', currencySigns: 'accept' } as const;

  it.each([
    ['KSh 1,500', english, 'KES', '1500'],
    ['Ksh.1,500.50', english, 'KES', '1500.50'],
    ['1,500/=', english, 'KES', '1500'],
    ['KES 1500', english, 'KES', '1500'],
    ['₦12,000.00', english, 'NGN', '12000.00'],
    ['$5', english, 'USD', '5'],
    ['US$ 1,000', english, 'USD', '1000'],
    ['1.500,00 €', german, 'EUR', '1500.00'],
    ['EUR 1.500,00', german, 'EUR', '1500.00'],
    ['1500', english, 'KES', '1500'],
    ['$5', english, 'KES', 'currency_mismatch!'],
    ['€5', english, 'USD', 'currency_mismatch!'],
    ['-5', english, 'USD', 'invalid_amount!'],
    ['$-5', english, 'USD', 'invalid_amount!'],
    ['-$5', english, 'USD', 'invalid_amount!'],
    ['(5)', english, 'USD', 'invalid_amount!'],
    ['5 apples and more', english, 'USD', 'invalid_amount!'],
    ['KSh 1.500,00', english, 'KES', 'invalid_amount!'],
    ['KSh', english, 'KES', 'invalid_amount!'],
  ])('%s with %o in %s: %s', (text, reading, currency, expected) => {
    expect(check(text, undefined, reading, currency)).toBe(expected);
  });

  it('is refused unless the mapping takes signs', () => {
    expect(check('$5', undefined, {}, 'USD')).toBe('invalid_amount!');
  });

  it('reports what it was read as', () => {
    const verdict = createAmountCheck({ ...plainReadingRules, ...english })(
      '$1,500',
      undefined,
      rowOf('USD'),
    );
    expect(summarise(verdict)).toBe('1500 (read as 1500)');
  });
});
