import { describe, expect, it } from 'vitest';
import { mask } from '../../../src/domain/text/characters.ts';
import { shownAs } from '../../../src/kinds/fields/field-types.ts';
import { eitherOf, readText, shorten } from '../../../src/kinds/fields/value-text.ts';
import { summarise } from './verdicts.ts';

describe('readText takes white space off and composes letters', () => {
  it.each([
    ['', ''],
    ['plain text', 'plain text'],
    ['  both ends\t', 'both ends'],
    ['\u00a0no-break\u00a0', 'no-break'],
    ['\u202f narrow \u2007', 'narrow'],
    ['\ufeffmark', 'mark'],
    ['\r\nlines\n', 'lines'],
    [' \u00a0\t ', ''],
    ['Zoe\u0308', 'Zoë'],
    ['inner  spaces stay', 'inner  spaces stay'],
    ["'apostrophe", "'apostrophe"],
    ['日本語', '日本語'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('%j becomes %j', (raw, text) => {
    expect(readText(raw, 'invalid')).toBe(text);
  });
});

describe('readText refuses characters that do not belong into text', () => {
  it.each([
    ['a\nb', 'a line break'],
    ['a\rb', 'a line break'],
    ['a\tb', 'a tab'],
    ['a\u2028b', 'a line break'],
    ['a\u0000b', 'U+0000'],
    ['a\u0007b', 'U+0007'],
    ['a\u007fb', 'U+007F'],
    ['a\u0085b', 'a line break'],
    ['a\u009cb', 'U+009C'],
    ['M\ufffdller', 'U+FFFD'],
    ['a␛[31mb', '␛, which stands for a control character (U+001B)'],
    ['a␡b', '␡, which stands for a control character (U+007F)'],
    ['a\ud800b', 'U+D800'],
    ['a\udc00', 'U+DC00'],
    ['a\ufffe', 'U+FFFE'],
    ['a\uffffb', 'U+FFFF'],
    ['a\ufdd0b', 'U+FDD0'],
    ['a\u{1fffe}b', 'U+1FFFE'],
    ['a\u{10ffff}b', 'U+10FFFF'],
  ])('%j', (raw, named) => {
    const verdict = readText(raw, 'invalid');
    expect(verdict).toMatchObject({ code: 'invalid_characters', message: expect.stringContaining(named) });
    expect(typeof verdict === 'string' ? '' : verdict.message).toContain('character 2');
  });
});

describe('readText with line breaks as spaces', () => {
  it.each([
    ['a\r\nb', 'a b'],
    ['a\nb\tc', 'a b c'],
    ['\na\n', 'a'],
    ['a\u2028b', 'a b'],
  ])('%j becomes %j', (raw, text) => {
    expect(readText(raw, 'space')).toBe(text);
  });

  it('still refuses other control characters', () => {
    expect(summarise(readText('a\u0007b', 'space'))).toBe('invalid_characters!');
  });
});

describe('readText counts characters as people do', () => {
  it.each([
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    [` ${'x'.repeat(255)} `, true],
    ['😀'.repeat(255), true],
    ['😀'.repeat(256), false],
    ['e\u0301'.repeat(255), true],
    ['x'.repeat(100_000), false],
    ['𐐷'.repeat(255), true],
    ['😀'.repeat(100_000), false],
  ])('case %#', (raw, passes) => {
    expect(summarise(readText(raw, 'invalid')) !== 'too_long!').toBe(passes);
  });

  it('says how long the value is', () => {
    expect(readText('x'.repeat(256), 'invalid')).toMatchObject({ message: expect.stringContaining('256') });
    expect(readText('😀'.repeat(2_000), 'invalid')).toMatchObject({
      message: expect.stringContaining('has 2000 characters'),
    });
  });
});

describe('values in messages', () => {
  it.each([
    ['DE89370400440532013000', '“…3000”'],
    ['1234567', '“…67”'],
    ['1234', '“…4”'],
    ['12', '“…”'],
  ])('mask(%s) is %s', (value, shown) => {
    expect(mask(value)).toBe(shown);
  });

  it('shortens to 40 characters', () => {
    expect(shorten('x'.repeat(40))).toBe(`“${'x'.repeat(40)}”`);
    expect(shorten('x'.repeat(41))).toBe(`“${'x'.repeat(39)}…”`);
    expect(shorten('😀'.repeat(41))).toBe(`“${'😀'.repeat(39)}…”`);
  });

  it('shows no control characters', () => {
    expect(shorten('a\u001b[31mb\n')).toBe('“a\ufffd[31mb⏎”');
  });

  it.each(['account_number', 'us_account_number', 'phone', 'iban', 'email', 'routing_number'] as const)(
    'masks what is in a column of type %s',
    (type) => {
      expect(shownAs(type, '0123456789')).toEqual({ value: '“…789”', isMasked: true });
    },
  );

  it('lists alternatives', () => {
    expect(eitherOf([])).toBe('');
    expect(eitherOf(['a'])).toBe('a');
    expect(eitherOf(['a', 'b', 'c'])).toBe('a, b or c');
  });
});
