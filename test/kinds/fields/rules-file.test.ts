import { describe, expect, it } from 'vitest';
import { noteText } from '../../../src/domain/rows/finding.ts';
import { parseRules } from '../../../src/kinds/rule-changes.ts';
import { checkRow, type DefinitionName, findingsOf, kindOf, type Values, validRows } from '../rows.ts';

describe('the changes of a rules file', () => {
  function withRules(name: DefinitionName, change: Values, rules: unknown): readonly string[] {
    const row = checkRow(kindOf(name), { ...validRows[name], ...change }, { rules: parseRules(rules) });
    return [...findingsOf(row), ...row.notes.map(noteText)];
  }

  it.each<[DefinitionName, Values, unknown, readonly string[]]>([
    ['customers', {}, { customers: { phone: { required: true } } }, ['phone: required']],
    ['customers', { last_name: '' }, { customers: { last_name: { required: false } } }, []],
    ['customers', { city: 'X' }, { customers: { country: { required: false } } }, []],
    ['customers', {}, { customers: { country: { required: true } } }, ['country: required']],
    ['customers', { gender: 'female' }, { customers: { gender: { allowed: ['female'] } } }, []],
    ['customers', { gender: 'male' }, { customers: { gender: { allowed: ['female'] } } }, []],
    [
      'customers',
      { gender: 'femail' },
      { customers: { gender: { allowed: ['female'], closed: true } } },
      ['gender: unknown_value'],
    ],
    ['customers', { gender: 'male' }, { customers: { gender: { allowed: ['female'], closed: true } } }, []],
    ['customers', { country: 'XK' }, { customers: { country: { allowed: ['XK'] } } }, []],
    ['customers', { external_id: 'AB-12' }, { customers: { external_id: { pattern: '[A-Z]{2}-\\d+' } } }, []],
    [
      'customers',
      { external_id: 'xAB-12' },
      { customers: { external_id: { pattern: '[A-Z]{2}-\\d+' } } },
      ['external_id: pattern_mismatch'],
    ],
    [
      'customers',
      { external_id: 'AB' },
      { customers: { external_id: { minLength: 3 } } },
      ['external_id: too_short'],
    ],
    [
      'customers',
      { external_id: 'ABCD' },
      { customers: { external_id: { maxLength: 3 } } },
      ['external_id: too_long'],
    ],
    ['customers', { external_id: 'ABC' }, { customers: { external_id: { minLength: 3, maxLength: 3 } } }, []],
    ['recipients/sepa', { bank_name: '' }, { 'recipients/sepa': { bank_name: { required: false } } }, []],
    [
      'recipients/bank_account_us',
      { bank_name: '' },
      { 'recipients/sepa': { bank_name: { required: false } } },
      ['bank_name: required'],
    ],
    [
      'collections',
      { methods: 'mobile_money;card' },
      { collections: { methods: { allowed: ['card'] } } },
      [],
    ],
    [
      'recipients/bank_account',
      { institution_id: '' },
      { 'recipients/bank_account': { institution_id: { required: false } } },
      [],
    ],
  ])('%s %j with %j: %j', (name, change, rules, expected) => {
    expect(withRules(name, change, rules)).toEqual(expected);
  });
});
