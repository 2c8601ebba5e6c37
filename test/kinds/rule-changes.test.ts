import { describe, expect, it } from 'vitest';
import { customers } from '../../src/kinds/customers/kind.ts';
import { requiredColumns } from '../../src/kinds/registry.ts';
import {
  compilePattern,
  parseRules,
  RuleChangesError,
  ruleChangesSchema,
  rulesWith,
} from '../../src/kinds/rule-changes.ts';
import { expectSchemaDocument } from '../support/written-document.ts';

describe('docs/rules.schema.json', () => {
  it('is the schema that rules files are read with (UPDATE_DOCS=1 writes it anew)', () => {
    expectSchemaDocument('rules.schema.json', ruleChangesSchema);
  });
});

describe('parseRules', () => {
  it('takes a file that changes nothing, and one that names its schema', () => {
    expect(parseRules({})).toEqual({});
    expect(parseRules({ $schema: 'https://example.com/rules.schema.json', customers: {} })).toEqual({
      customers: {},
    });
  });

  it('counts the characters of allowed values as those of values', () => {
    const changes = { customers: { gender: { allowed: ['𐐷'.repeat(255)] } } };
    expect(parseRules(changes)).toEqual(changes);
  });

  it.each<[unknown, string]>([
    [null, 'the file'],
    [[], 'the file'],
    ['customers', 'the file'],
    [{ clients: {} }, 'clients'],
    [{ 'recipients/cheque': {} }, 'recipients/cheque'],
    [{ customers: { nickname: { required: true } } }, 'customers > nickname: no such column'],
    [{ customers: { phone: { require: true } } }, 'require'],
    [{ customers: { phone: { required: 'yes' } } }, 'customers > phone > required'],
    [{ customers: { phone: { minLength: 0 } } }, 'minLength'],
    [{ customers: { phone: { maxLength: 256 } } }, 'maxLength'],
    [{ customers: { phone: { minLength: 5, maxLength: 4 } } }, 'minLength 5 is greater'],
    [{ customers: { gender: { allowed: 'female' } } }, 'allowed'],
    [{ customers: { gender: { allowed: [''] } } }, 'allowed'],
    [{ customers: { gender: { allowed: ['𐐷'.repeat(256)] } } }, 'more than 255 characters'],
    [{ customers: { phone: { closed: true } } }, 'needs values'],
    [
      { customers: { external_id: { pattern: '(a)\\1' } } },
      'customers > external_id: pattern: referring back',
    ],
    [{ customers: { external_id: { pattern: '[' } } }, 'not a regular expression'],
    [{ customers: { external_id: { pattern: 'x'.repeat(201) } } }, 'pattern'],
    [{ 'recipients/sepa': { payee_type: { allowed: ['x'] } } }, 'payee_type'],
    [{ 'recipients/sepa': { phone_number: { required: true } } }, 'is not used'],
    [{ 'recipients/sepa': { account_type: { required: true } } }, 'is not used'],
    [{ accounts: { customer_id: { required: false } } }, 'customer_id'],
    [{ collections: { destination_id: { required: false } } }, 'destination_id'],
  ])('refuses %j, and says where: %s', (json, where) => {
    expect(() => parseRules(json)).toThrow(RuleChangesError);
    expect(() => parseRules(json)).toThrow(where);
  });

  it('names all mistakes at once', () => {
    const json = { customers: { nickname: { required: true } }, accounts: { colour: { required: true } } };
    expect(() => parseRules(json)).toThrow(/nickname.*colour/s);
  });
});

describe('changed rules', () => {
  it('change which columns a file has to have', () => {
    const rules = parseRules({ customers: { phone: { required: true }, last_name: { required: false } } });
    expect(requiredColumns('customers', (definition) => rulesWith(rules, definition))).toEqual([
      ['first_name'],
      ['phone'],
    ]);
  });

  it('leave other definitions as they are', () => {
    expect(rulesWith(parseRules({ accounts: { label: { maxLength: 5 } } }), customers)).toBe(customers.rules);
  });
});

describe('compilePattern', () => {
  it.each([
    ['[A-Z]{2}-\\d+', 'AB-123', 'xAB-123'],
    ['INV-\\d{4}-\\d{1,6}', 'INV-2026-17', 'INV-2026-17x'],
    ['\\d{3}|\\d{5}', '12345', '1234'],
    ['(?:\\d{4} )*\\d+', '1234 12', '1234-12'],
    ['(?<year>\\d{4})', '2026', '26'],
    ['\\p{Lu}\\p{Ll}+', 'Ädil', 'ädil'],
    ['[^\\]]+', 'abc', 'a]c'],
    ['(?:\\d{3}){3}', '123456789', '12345678'],
    ['a{2,}?', 'aaa', 'a'],
    ['(a+)+', 'aaa', 'ab'],
    ['(?:a|ab?)+c', 'ababac', 'abb'],
    ['\\u00e4[\\u0041-\\u005a]\\u{1F600}', 'äB😀', 'äb😀'],
    ['\\p{Script=Greek}+', 'αβ', 'ab'],
    ['a\\sb', 'a\u00a0b', 'ab'],
    ['[\\s-]+', '\u202f-', 'a'],
    ['\\S+', 'ab', 'a\u00a0b'],
    ['a|b', 'b', 'ab'],
  ])('%s matches the whole of %s, and not %s', (pattern, good, bad) => {
    const compiled = compilePattern(pattern);
    expect(typeof compiled !== 'string' && compiled.test(good)).toBe(true);
    expect(typeof compiled !== 'string' && compiled.test(bad)).toBe(false);
  });

  it.each([
    ['(?:a{100}){100}', 'too long'],
    ['a{2000}', 'too long'],
    ['[\\S]', 'set of characters'],
    ['a)(b', 'not a regular expression'],
    ['(?=a)b', 'ahead'],
    ['(?!a)b', 'ahead'],
    ['(?<=a)b', 'behind'],
    ['(a)\\1', 'referring back'],
    ['(?<x>a)\\k<x>', 'referring back'],
    ['[', 'not a regular expression'],
    ['a)', 'not a regular expression'],
    ['x'.repeat(201), 'longer than 200'],
  ])('does not take %s: %s', (pattern, why) => {
    expect(compilePattern(pattern)).toEqual(expect.stringContaining(why));
  });
});

describe('a pattern is tried in a time that grows with the value only', () => {
  // An engine that goes back and tries again would not come to an end within the life of the machine.
  it.each([
    '(a*)*b',
    '(?:a|a)*b',
    'a*a*a*a*a*a*b',
    '(?:a?){200}a{200}b',
    `${'a?'.repeat(60)}b`,
    '[a-z]*[a-z]*b',
  ])('%s', (pattern) => {
    const compiled = compilePattern(pattern);
    expect(typeof compiled).not.toBe('string');
    const tried = Array.from({ length: 200 }, (_, index) =>
      typeof compiled === 'string' ? compiled : compiled.test(`${'a'.repeat(250)}${index}`),
    );
    expect(new Set(tried)).toEqual(new Set([false]));
  });
});
