import { describe, expect, it } from 'vitest';
import { mask } from '../../../src/domain/text/characters.ts';
import { show } from '../../../src/resources/check/field-types.ts';
import { eitherOf, shorten } from '../../../src/resources/check/wording.ts';

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
    expect(shorten('a\u001b[31mb\n')).toBe('“a\ufffd[31mb\ufffd”');
  });

  it.each(['account_number', 'us_account_number', 'phone', 'iban', 'email', 'routing_number'] as const)(
    'masks what is in a column of type %s',
    (type) => {
      expect(show(type, '0123456789')).toBe('“…789”');
    },
  );

  it('lists alternatives', () => {
    expect(eitherOf([])).toBe('');
    expect(eitherOf(['a'])).toBe('a');
    expect(eitherOf(['a', 'b', 'c'])).toBe('a, b or c');
  });
});
