import { describe, expect, it } from 'vitest';
import { definitionFor } from '../../src/kinds/registry.ts';

const settings = { customerIdPaths: ['data.id', 'id', 'customer.id', 'data.customer.id'] };

function idIn(
  kind: 'customers' | 'accounts' | 'collections' | 'recipients',
  json: unknown,
): string | undefined {
  return definitionFor(kind, kind === 'recipients' ? 'sepa' : null)?.readAnswer(json, settings).id;
}

describe('the id of a created account or recipient', () => {
  it.each<[unknown, string | undefined]>([
    [{ data: { id: 'a-1' }, error: null }, 'a-1'],
    [{ data: { id: 'a-1' } }, 'a-1'],
    [{ data: { id: 17 }, error: null }, '17'],
    [{ data: { id: 2 ** 53 }, error: null }, undefined],
    [{ data: { id: 1.5 }, error: null }, undefined],
    [{ data: { id: '' }, error: null }, undefined],
    [{ data: { id: ' ' }, error: null }, undefined],
    [{ data: { id: 'x'.repeat(255) } }, 'x'.repeat(255)],
    [{ data: { id: 'x'.repeat(256) } }, undefined],
    [{ data: { id: '𐐷'.repeat(255) } }, '𐐷'.repeat(255)],
    [{ data: { id: '𐐷'.repeat(256) } }, undefined],
    [{ data: { id: 'a\ufffe' } }, undefined],
    [{ data: { id: 'a\0b' } }, undefined],
    [{ data: { id: 'a\ud800b' } }, undefined],
    [{ data: { id: 'a\nb' } }, undefined],
    [{ data: { id: null } }, undefined],
    [{ data: { id: { id: 'a-1' } } }, undefined],
    [{ data: { id: true } }, undefined],
    [{ data: null, error: null }, undefined],
    [{ data: [{ id: 'a-1' }] }, undefined],
    [{ id: 'a-1' }, undefined],
    [{}, undefined],
    [[], undefined],
    [null, undefined],
    ['a-1', undefined],
  ])('in %j is %s', (json, id) => {
    expect(idIn('accounts', json)).toBe(id);
    expect(idIn('recipients', json)).toBe(id);
  });

  it('is never taken from a prototype', () => {
    expect(idIn('accounts', { data: Object.create({ id: 'a-1' }) })).toBeUndefined();
  });
});

describe('the id of a created collection', () => {
  it.each<[unknown, string | undefined]>([
    [{ transaction_id: 't-1', transaction_status: 'pending' }, 't-1'],
    [{ id: 't-1' }, undefined],
    [{ data: { transaction_id: 't-1' } }, undefined],
    [{ transaction_id: 't-1', error: null }, 't-1'],
  ])('in %j is %s', (json, id) => {
    expect(idIn('collections', json)).toBe(id);
  });
});

describe('the id of a created customer is at the first of the paths in the settings', () => {
  it.each<[unknown, string | undefined]>([
    [{ data: { id: 'c-1' }, id: 'c-2' }, 'c-1'],
    [{ id: 'c-2', customer: { id: 'c-3' } }, 'c-2'],
    [{ customer: { id: 'c-3' } }, 'c-3'],
    [{ data: { customer: { id: 'c-4' } } }, 'c-4'],
    [{ data: { id: '' }, id: 'c-2' }, 'c-2'],
    [{ customer_id: 'c-5' }, undefined],
  ])('in %j is %s', (json, id) => {
    expect(idIn('customers', json)).toBe(id);
  });

  it('whatever they are', () => {
    const reading = definitionFor('customers', null)?.readAnswer(
      { result: { uuid: 'c-6' } },
      { customerIdPaths: ['result.uuid'] },
    );
    expect(reading?.id).toBe('c-6');
  });

  it('and the object around it is the customer', () => {
    const settingsOf = (path: string) => ({ customerIdPaths: [path] });
    const read = definitionFor('customers', null)?.readAnswer;
    expect(read?.({ id: 'c-1', email: 'a' }, settingsOf('id')).object).toEqual({ id: 'c-1', email: 'a' });
    expect(
      read?.({ data: { customer: { id: 'c-1', email: 'b' } } }, settingsOf('data.customer.id')).object,
    ).toEqual({ id: 'c-1', email: 'b' });
  });
});
