import { expect, it } from 'vitest';
import { withoutTextMark } from '../../../src/domain/text/text-marks.ts';

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

it('reads codes of HTML, and no other words behind an ampersand', () => {
  const texts = [
    'D&#039;Amico',
    'Smith &amp; Sons',
    'Jos&eacute; &#x41;',
    'R&D; lab',
    'AT&T',
    'Rock &amp roll',
  ];
  const read = ["D'Amico", 'Smith & Sons', 'José A', 'R&D; lab', 'AT&T', 'Rock &amp roll'];
  expect(texts.map(withoutTextMark)).toEqual(read);
});

it('takes midnight from behind a day, and no other time', () => {
  const days = ['1957-12-24 00:00:00.0', '1957-12-24T00:00:00Z', '24/12/1957 0:00', '12/24/1957 12:00:00 AM'];
  expect(days.map(withoutTextMark)).toEqual(['1957-12-24', '1957-12-24', '24/12/1957', '12/24/1957']);
  const others = ['1957-12-24 21:00', '1957-12-24T00:00:00+03:00', '12/24/1957 12:00:00 PM', '00:00'];
  expect(others.map(withoutTextMark)).toEqual(others);
});
