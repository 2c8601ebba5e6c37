import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parsePolicy, policyFileSchema } from '../../src/controls/policy-file.ts';
import { policyDifference, policySentences } from '../../src/domain/controls/policy.ts';
import { expectSchemaDocument } from '../support/written-document.ts';

it('docs/policy.schema.json is the form of a policy file', () => {
  expectSchemaDocument('policy.schema.json', policyFileSchema);
});

it('docs/controls.md has a policy, and explains every field', () => {
  const page = readFileSync(new URL('../../docs/controls.md', import.meta.url), 'utf8');
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(() => parsePolicy(example, 'example')).not.toThrow();
  for (const field of Object.keys(policyFileSchema.shape.rules.element.shape))
    expect(page).toContain(`\`${field}\``);
});

const parse = (rules: readonly object[]) => ({
  approvers: [],
  rules: parsePolicy(JSON.stringify({ rules }), 'policy.json').rules,
});

it('a policy is described in sentences', () => {
  const policy = parse([
    {
      mode: 'live',
      kinds: ['recipients'],
      approvers: 2,
      fromRows: 100,
      fromSum: { USD: '1.50', KES: '200' },
    },
    {
      mode: 'live',
      kinds: ['customers', 'accounts'],
      approvers: 1,
      findings: ['account_shared'],
      validFor: '36h',
    },
    {
      mode: 'live',
      kinds: ['collections'],
      approvers: 1,
      fromRows: 1,
      perDay: { fromRows: 300, fromSum: { USD: '20000.00' } },
      otherSums: 'free',
    },
    { mode: 'sandbox', approvers: 0, makerMayApprove: true },
  ]);
  expect(policySentences(policy)).toEqual([
    'recipients in live mode need 2 approvals of different approvers from 100 rows, 1.5 USD or 200 KES on, in any other currency, and for recipients without an amount, and when a known payee has other account details; an approval counts for 7d',
    'customers and accounts in live mode need 1 approval when a known payee has other account details or payees share an account; an approval counts for 36h',
    'collections in live mode need 1 approval from 1 row on or once 300 rows or 20000 USD of one UTC day would be sent without, not in any other currency, and for collections without an amount, and when a known payee has other account details; an approval counts for 7d',
    'customers, accounts, recipients and collections in sandbox mode need no approval',
  ]);
});

it('the difference of two policies is what holds no longer, and what is new', () => {
  const rule = { mode: 'live', kinds: ['recipients'], approvers: 1 };
  const [before, after] = [
    parse([rule]),
    parse([{ ...rule, approvers: 2, makerMayApprove: true, console: true }]),
  ];
  expect(policyDifference(before, before)).toEqual({ dropped: [], added: [] });
  expect(policyDifference(before, after)).toEqual({
    dropped: ['recipients in live mode need 1 approval; an approval counts for 7d'],
    added: [
      'recipients in live mode need 2 approvals of different approvers; an approval counts for 7d; the person who prepared the batch may be one of them; the console may take them',
    ],
  });
});
