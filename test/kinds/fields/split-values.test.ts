import { describe, expect, it } from 'vitest';
import type { NumberSplit, SignSplit } from '../../../src/domain/tables/mapping.ts';
import { createDividedCheck, divideAtSign, divideByNumber } from '../../../src/kinds/fields/split-values.ts';
import { type CellCheck, noOtherValues } from '../../../src/kinds/fields/value-text.ts';

describe('at a sign', () => {
  it.each<[string, string, 'first' | 'last', string | undefined]>([
    ['323803081 / 0012345678', ' / ', 'last', '323803081|0012345678'],
    ['323803081/0012345678', ' / ', 'last', undefined],
    ['S1047 – Borg – Bros Ltd', ' – ', 'last', 'S1047|Borg – Bros Ltd'],
    ['Vanila – trano – Polygon', ' – ', 'first', 'Vanila – trano|Polygon'],
    ['021000021 /', '/', 'last', '021000021|'],
    ['a\u00a0-  b', ' - ', 'last', 'a|b'],
    ['Borg (Malta) Ltd (S1047)', ' (', 'first', 'Borg (Malta) Ltd|S1047'],
    ['S1047 (Borg (Malta) Ltd)', ' (', 'last', 'S1047|Borg (Malta) Ltd'],
    ['nothing here', '/', 'last', undefined],
  ])('%j at %j, further signs to the %s', (text, at, rest, found) => {
    expect(divideAtSign(text, 2, { at, rest })?.join('|')).toBe(found);
  });

  it('divides into as many values as are wanted', () => {
    expect(divideAtSign('a;b;c;d', 3, { at: ';', rest: 'last' })).toEqual(['a', 'b', 'c;d']);
    expect(divideAtSign('a;b;c;d', 3, { at: ';', rest: 'first' })).toEqual(['a;b', 'c', 'd']);
  });
});

describe('by the number', () => {
  it.each<[string, string | undefined]>([
    ['GTBank 0123456789', 'GTBank|0123456789'],
    ['0123456789 (UBA)', 'UBA|0123456789'],
    ['First Bank: 0123456789', 'First Bank|0123456789'],
    ['0123456789/First Bank', 'First Bank|0123456789'],
    ['MTN 0772 123 456', 'MTN|0772 123 456'],
    ['+256 772-123-456 Airtel', 'Airtel|+256 772-123-456'],
    ['ana1985123@people.example, 0712345678', 'ana1985123@people.example|0712345678'],
    ['ana.198512@people.example', 'ana.198512@people.example|'],
    ['0712345678', '|0712345678'],
    ['UBA', 'UBA|'],
    ['Bank 21 Ltd', 'Bank 21 Ltd|'],
    ['0123456789 or 9876543210', undefined],
  ])('%j', (text, found) => {
    expect(divideByNumber(text, 1)?.join('|')).toBe(found);
    expect(divideByNumber(text, 0)?.toReversed().join('|')).toBe(found);
  });
});

/** The check of a field that takes everything. */
const anything = (raw: string): string => raw;
const withSign: SignSplit = {
  part: 'account_number',
  into: ['routing_number', 'account_number'],
  at: ' / ',
  rest: 'last',
};
const withNumber: NumberSplit = {
  part: 'account_number',
  into: ['institution_name', 'account_number'],
  number: 'account_number',
};

describe('the check of one value', () => {
  it('checks the value', () => {
    const check = createDividedCheck(anything, withSign, 'Routing / Account');
    expect(check('323803081 / 0012345678', undefined, undefined, noOtherValues)).toBe('0012345678');
    expect(check('', undefined, undefined, noOtherValues)).toBe('');
  });

  it('keeps the type of a numeric cell, which is one value', () => {
    const kindOf: CellCheck = (raw, kind) => `${raw} ${kind ?? 'text'}`;
    const check = createDividedCheck(kindOf, withNumber, 'Bank');
    expect(check('123456789', 'number', undefined, noOtherValues)).toBe('123456789 number');
    expect(check('UBA 0123456789', undefined, undefined, noOtherValues)).toBe('0123456789 text');
  });

  it.each<[string, SignSplit, string]>([
    ['MT84MALT011000012345MTLCAST001S', { ...withSign, part: 'iban', into: ['iban', 'ignore'] }, 'last'],
    [
      'Borg Ltd',
      { ...withSign, part: 'account_name', into: ['ignore', 'account_name'], rest: 'first' },
      'first',
    ],
  ])('reads %j, which lacks only a part that is not read', (cell, split) => {
    const result = createDividedCheck(anything, split, 'Bank')(cell, undefined, undefined, noOtherValues);
    expect(result).toBe(cell);
  });

  it.each<[string, SignSplit | NumberSplit, string]>([
    ['323803081', withSign, 'write routing_number / account_number in “Bank”'],
    ['0123456789 or 9876543210', withNumber, 'write institution_name and account_number in “Bank”'],
  ])('refuses the whole cell %j, and says what to write', (cell, split, advice) => {
    const result = createDividedCheck(anything, split, 'Bank')(cell, undefined, undefined, noOtherValues);
    expect(result).toMatchObject({ code: 'required', isOfCell: true });
    expect(JSON.stringify(result)).toContain(advice);
  });
});
