import { describe, expect, it } from 'vitest';
import { parseJsonWithNumberTexts } from '../../src/directory/exact-json.ts';

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
