import { describe, expect, it } from 'vitest';
import {
  createNameSearch,
  foldName,
  isPlaceholder,
  isPlaceholderNumber,
} from '../../../src/domain/text/characters.ts';

describe('foldName leaves case, accents and spaces aside', () => {
  it.each([
    ['M-Pesa', 'm-pesa'],
    ['Société  Générale', 'societegenerale'],
    ['BANK\u00a0of Africa', 'bankofafrica'],
    ['Cafe\u0301', 'café'],
  ])('%s is %s', (left, right) => {
    expect(foldName(left)).toBe(foldName(right));
  });

  it('keeps different names apart', () => {
    expect(foldName('KCB Bank')).not.toBe(foldName('NCB Bank'));
  });
});

describe('createNameSearch', () => {
  const search = createNameSearch(['Equity Bank', 'KCB Bank', 'Cooperative Bank', 'M-Pesa', 'Airtel Money']);

  it.each([
    ['Equty Bank', 'Equity Bank'],
    ['kcb', 'KCB Bank'],
    ['mpesa', 'M-Pesa'],
    ['airtel', 'Airtel Money'],
  ])('finds %s nearest to %s', (name, nearest) => {
    expect(search(name, 1)).toEqual([nearest]);
  });

  it('gives no more names than asked for, and none that has nothing in common', () => {
    expect(search('bank', 2)).toHaveLength(2);
    expect(search('zzz', 3)).toEqual([]);
  });
});

it('recognises words that mean “no reference” or “no number”', () => {
  for (const text of ['NONREF', 'non-ref', 'NOTPROVIDED', 'N/A', '-', '']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, true, true]);
  }
  for (const text of ['0', '000000', '00-00']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, false, true]);
  }
  for (const text of ['NONREF1', '1', '0x1', 'NANCY', '請求書', 'Ä']) {
    expect([text, isPlaceholder(text), isPlaceholderNumber(text)]).toEqual([text, false, false]);
  }
});
