import { expect, it } from 'vitest';
import {
  hasLetters,
  mask,
  showBreaks,
  withBreaks,
  withPlainDigits,
} from '../../../src/domain/text/characters.ts';

it('masks characters, not units of UTF-16', () => {
  expect(mask('😀😁😂')).toBe('“…😂”');
});

it('digits of every script become 0 to 9, and only digits change', () => {
  expect(withPlainDigits('٠١٠٤٩٦٩٢١٤٤')).toBe('01049692144');
  expect(withPlainDigits('۱۲۳ / १२३ / ๑๒๓ / １２３')).toBe('123 / 123 / 123 / 123');
  expect(withPlainDigits('١٬٢٥٠٫٥٠')).toBe('1,250.50');
  expect(withPlainDigits('Ama 12')).toBe('Ama 12');
  expect(withPlainDigits('（０９０）３２７０－６６２７')).toBe('(090)3270-6627');
  expect(withPlainDigits('０９０ー３２７０‐６６２７')).toBe('090-3270-6627');
  expect(withPlainDigits('＋８１　９０３２７０６６２７')).toBe('+81 9032706627');
  expect(withPlainDigits('１，２５０．５０')).toBe('1,250.50');
  expect(withPlainDigits('コーポ ２０３')).toBe('コーポ 203');
  expect(withPlainDigits('080－1234－5678')).toBe('080-1234-5678');
  expect(withPlainDigits('080ー1234ー5678')).toBe('080-1234-5678');
  expect(withPlainDigits('￥1，250．50')).toBe('¥1,250.50');
  expect(withPlainDigits('ＧＢ82　ＷＥＳＴ')).toBe('GB82 WEST');
  expect(withPlainDigits('メール－アドレス')).toBe('メール－アドレス');
  expect(withPlainDigits('コーポ－')).toBe('コーポ－');
});

it('counts letters with their vowel signs as letters', () => {
  expect(['डॉलर', 'bob', 'रुपया', 'ab', 'a1b2', '१२३'].map((text) => hasLetters(text, 3))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
});

it('shows a line break or a tab as one sign, which means the same when the text is typed again', () => {
  expect(['a\r\nb', 'a\nb', 'a\rb', 'a\u2028b'].map(showBreaks)).toEqual(Array(4).fill('a⏎b'));
  expect(withBreaks('a⏎b')).toBe('a\nb');
  expect(showBreaks('a\tb')).toBe('a⇥b');
  expect(withBreaks('a⇥b')).toBe('a\tb');
});
