import { describe, expect, it } from 'vitest';
import { checkEchoes } from '../../../src/reconcile/accounting/echo-check.ts';
import { definitionNamed } from '../../../src/resources/registry.ts';

const { echoes } = definitionNamed('collections');
const sent = { client_reference: 'R-1', amount: '100', currency: 'KES', country: 'KE' };

function check(answer: object | string | null): ReturnType<typeof checkEchoes> {
  const text = answer === null || typeof answer === 'string' ? answer : JSON.stringify(answer);
  const reading = { echoes, objectIn: (json: unknown) => json };
  return checkEchoes({ body: Buffer.from(JSON.stringify(sent)), answer: text }, reading);
}

describe('the echo check', () => {
  it('takes amounts by their value, and what is merely written differently for the same', () => {
    expect(check({ ...sent, amount: '100.00' })).toEqual({ differing: [], missing: [] });
    expect(check({ ...sent, amount: 100 })).toEqual({ differing: [], missing: [] });
    expect(
      check({ ...sent, amount: '100.01', currency: 'kes', country: 'UG' })?.differing.map(
        ({ field }) => field,
      ),
    ).toEqual(['amount', 'country']);
  });

  it('tells fields that the answer leaves out from fields that differ', () => {
    expect(check({ ...sent, country: undefined })).toEqual({ differing: [], missing: ['country'] });
  });

  it('says nothing without an answer', () => {
    expect(check(null)).toBeNull();
    expect(check('{"amount"')).toBeNull();
  });
});
