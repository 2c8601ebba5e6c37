import { describe, expect, it } from 'vitest';
import type { FieldType } from '../../../src/kinds/definition.ts';
import { valueBesideLabel } from '../../../src/kinds/fields/value-beside-label.ts';

const read = (type: FieldType, text: string): string | undefined => valueBesideLabel(type, text, () => 'KE');

describe('the only value of a cell that also has a label', () => {
  it.each([
    ['iban', 'IBAN: DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['iban', 'Konto-Nr. DE89370400440532013000 BIC: COBADEFFXXX', 'DE89370400440532013000'],
    ['iban', 'TRR: si56 1910 0000 0123 438', 'SI56191000000123438'],
    ['account_number', 'A/C NO: 0123456789', '0123456789'],
    ['account_number', '012-345.6789 (savings)', '012-345.6789'],
    ['routing_number', 'ABA 021000021', '021000021'],
    ['phone', '0712 345 678 (WhatsApp)', '0712 345 678'],
    ['phone', 'home: +254 712 345 678', '+254 712 345 678'],
    ['email', 'mailto:ann@people.example', 'ann@people.example'],
    ['email', 'Ann Lee <ann@people.example>', 'ann@people.example'],
  ] as const)('is a %s: %s', (type, text, value) => {
    expect(read(type, text)).toBe(value);
  });

  it.each([
    ['it has no label', 'iban', 'DE89 3704 0044 0532 0130 00'],
    ['its check digits are wrong', 'iban', 'IBAN: DE88 3704 0044 0532 0130 00'],
    ['it goes on behind the last character', 'iban', 'old DE89 3704 0044 0532 0130 001'],
    ['there are two', 'iban', 'DE89 3704 0044 0532 0130 00 or FR14 2004 1010 0505 0001 3M02 606'],
    ['the bank beside it is in another country', 'iban', 'DE89 3704 0044 0532 0130 00 BIC GIBAATWW'],
    ['it may not be used', 'iban', 'IBAN (closed): DE89 3704 0044 0532 0130 00'],
    ['a no behind it may be an answer', 'phone', '0712 345 678 - no'],
    ['a no behind an account may be an answer', 'account_number', '0123456789 (no)'],
    ['it is of another person', 'phone', "0712 345 678 (wife's)"],
    ['another bank is named', 'account_number', 'UBA 0123456789'],
    ['its checksum is wrong', 'routing_number', 'ABA 021000022'],
    ['another account is beside it', 'iban', 'DE89 3704 0044 0532 0130 00, old: 532013000'],
    ['it is no number of the country', 'phone', '0712 345 67 (WhatsApp)'],
    ['there are two numbers', 'phone', '0712 345 678 or 0722 345 678'],
    ['it has an extension', 'phone', '0712 345 678 ext. 12'],
    ['the country is another one', 'phone', 'home: 030 901820'],
    ['there are two addresses', 'email', 'ann@people.example or lee@people.example'],
    ['it is no address', 'email', 'Ann Lee <ann@people>'],
    ['only a sign is beside it', 'email', 'ann@people.example.'],
  ] as const)('is not taken where %s', (_, type, text) => {
    expect(read(type, text)).toBe(undefined);
  });
});
