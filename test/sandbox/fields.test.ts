import { describe, expect, it } from 'vitest';
import {
  isDate,
  isEmail,
  isIban,
  isPhone,
  isPositiveAmount,
  isRoutingNumber,
  isUuid,
} from '../../src/sandbox/fields.ts';

const cases: [name: string, check: (text: string) => boolean, right: string[], wrong: string[]][] = [
  [
    'an IBAN',
    isIban,
    ['DE89370400440532013000', 'NO9386011117947'],
    [
      ...['DE88370400440532013000', 'de89370400440532013000', 'DE89 3704 0044 0532 0130 00', ''],
      ...['DE00370400440532010043', 'DE01370400440532010025', 'DE99370400440532010007'],
    ],
  ],
  [
    'a routing number',
    isRoutingNumber,
    ['021000021', '011401533'],
    ['021000022', '000000000', '21000021', '0210000210'],
  ],
  [
    'a phone',
    isPhone,
    ['+254712345678', '+3725551234'],
    ['254712345678', '+0712345678', '+254 712', '+12345', '+1234567890123456'],
  ],
  [
    'an e-mail address',
    isEmail,
    ['a.b@example.org'],
    ['a@b', 'a b@example.org', 'A <a@example.org>', 'a@example.org.'],
  ],
  ['a day', isDate, ['2024-02-29', '1990-12-31'], ['2023-02-29', '2024-13-01', '24-01-01', '2024-1-1']],
  [
    'an amount',
    isPositiveAmount,
    ['1', '0.01', '1500.50', '100.0'],
    ['0', '0.00', '-1', '1.005', '01', '1,000', '1e3', '.5', ''],
  ],
  [
    'a UUID',
    isUuid,
    ['f9aeb346-b7b3-5efe-8f3f-4973ed715565', 'F9AEB346-B7B3-5EFE-8F3F-4973ED715565'],
    ['f9aeb346b7b35efe8f3f4973ed715565', 'x'],
  ],
];

describe('formats', () => {
  it.each(cases)('distinguish %s from other values', (_name, check, right, wrong) => {
    expect(right.filter((text) => !check(text))).toEqual([]);
    expect(wrong.filter(check)).toEqual([]);
  });
});
