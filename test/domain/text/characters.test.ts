import { expect, it } from 'vitest';
import {
  hasLetters,
  mask,
  showBreaks,
  withBreaks,
  withoutTextMark,
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

it('a sign that keeps digits a text is no part of it; other apostrophes are', () => {
  expect(["'0123", '="0123"', '’+254 7', "O'Neill", "'t Hof", '="Ann Lee"'].map(withoutTextMark)).toEqual([
    '0123',
    '0123',
    '+254 7',
    "O'Neill",
    "'t Hof",
    'Ann Lee',
  ]);
  const codes = ["'K1A 0B1", "'EH1 1YZ", "'D08 X7Y2", "'GB29 NWBK"];
  expect(codes.map(withoutTextMark)).toEqual(['K1A 0B1', 'EH1 1YZ', 'D08 X7Y2', 'GB29 NWBK']);
  const names = ["'s-Gravendijkwal 12", "'t Zand 5", "'Utopia', unit 5"];
  expect(names.map(withoutTextMark)).toEqual(names);
});

it('takes marks that are not seen from both ends of a text, and from everywhere in a number', () => {
  const texts = ['\u202a052-414-4324\u202c', '\u200e+972\u200e 54\ufeff', '\u200fדוד\u200f', 'می\u200cخواهم'];
  expect(texts.map(withoutTextMark)).toEqual(['052-414-4324', '+972 54', 'דוד', 'می\u200cخواهم']);
});

it('takes midnight from behind a day, and no other time', () => {
  const days = ['1957-12-24 00:00:00.0', '1957-12-24T00:00:00Z', '24/12/1957 0:00', '12/24/1957 12:00:00 AM'];
  expect(days.map(withoutTextMark)).toEqual(['1957-12-24', '1957-12-24', '24/12/1957', '12/24/1957']);
  const others = ['1957-12-24 21:00', '1957-12-24T00:00:00+03:00', '12/24/1957 12:00:00 PM', '00:00'];
  expect(others.map(withoutTextMark)).toEqual(others);
});

it('shows a line break or a tab as one sign, which stands for it where the text is typed again', () => {
  expect(['a\r\nb', 'a\nb', 'a\rb', 'a\u2028b'].map(showBreaks)).toEqual(Array(4).fill('a⏎b'));
  expect(withBreaks('a⏎b')).toBe('a\nb');
  expect(showBreaks('a\tb')).toBe('a⇥b');
  expect(withBreaks('a⇥b')).toBe('a\tb');
});
