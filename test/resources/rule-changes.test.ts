import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { customers } from '../../src/resources/kinds/customers/customers.ts';
import { requiredColumns } from '../../src/resources/registry.ts';
import {
  parseRules,
  RuleChangesError,
  ruleChangesSchema,
  rulesWith,
} from '../../src/resources/rule-changes.ts';

const schemaPath = new URL('../../docs/rules.schema.json', import.meta.url);

describe('docs/rules.schema.json', () => {
  it('is the schema that rules files are read with (UPDATE_DOCS=1 writes it anew)', () => {
    const schema = `${JSON.stringify(z.toJSONSchema(ruleChangesSchema), null, 2)}\n`;
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(schemaPath, schema);
    expect(readFileSync(schemaPath, 'utf8')).toBe(schema);
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
