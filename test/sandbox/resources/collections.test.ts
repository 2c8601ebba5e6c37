import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collectionOf, startClient } from '../harness.ts';

const path = '/v1/collections';

async function payIn() {
  const client = await startClient();
  const customerId = await client.customer();
  return { client, customerId, accountId: await client.account(customerId) };
}

describe('POST /v1/collections', () => {
  it('answers a bare object', async () => {
    const { client, customerId, accountId } = await payIn();
    const { status, json } = await client.post(path, collectionOf(customerId, accountId));
    expect(status).toBe(201);
    expect(json).toEqual({
      instruction: expect.stringContaining('*334#'),
      client_reference: 'INV-1001',
      transaction_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      transaction_status: 'pending',
      onramp_status: 'initialized',
      amount: '1500.50',
      currency: 'KES',
      country: 'KE',
    });
  });

  it('shows a reference in its HTML as text', async () => {
    const { client, customerId, accountId } = await payIn();
    const client_reference = `<b onclick="x('y')">&`;
    const { json } = await client.post(path, collectionOf(customerId, accountId, { client_reference }));
    expect(json['client_reference']).toBe(client_reference);
    expect(json['instruction']).not.toContain('<b ');
    expect(json['instruction']).toContain('&#60;b onclick=&#34;x(&#39;y&#39;)&#34;&#62;&#38;');
  });

  it('does without a client_customer_id', async () => {
    const { client, customerId, accountId } = await payIn();
    const body = collectionOf(customerId, accountId, { client_customer_id: undefined });
    expect((await client.post(path, body)).status).toBe(201);
  });

  it.each([
    [{ amount: '0' }, 400, 'invalid_amount', 'amount'],
    [{ amount: '1.005' }, 400, 'invalid_amount', 'amount'],
    [{ amount: 100 }, 400, 'invalid_type', 'amount'],
    [{ amount: undefined }, 400, 'required', 'amount'],
    [{ currency: 'UGX' }, 422, 'currency_mismatch', 'currency'],
    [{ country: 'US', currency: 'USD' }, 422, 'country_not_supported', 'country'],
    [{ country: 'ke' }, 400, 'invalid_country', 'country'],
    [{ client_reference: undefined }, 400, 'required', 'client_reference'],
    [{ client_reference: 'REFUSE-1' }, 422, 'collection_refused', 'client_reference'],
    [{ customer_id: randomUUID() }, 404, 'customer_not_found', 'customer_id'],
    [
      { source: { source_type: 'internal', methods: ['mobile_money'] } },
      400,
      'invalid_value',
      'source.source_type',
    ],
    [{ source: { source_type: 'external', methods: [] } }, 400, 'invalid_value', 'source.methods'],
    [{ source: { source_type: 'external', methods: ['card'] } }, 400, 'invalid_value', 'source.methods'],
    [{ source: { source_type: 'external', methods: 'mobile_money' } }, 400, 'invalid_type', 'source.methods'],
    [{ destination: { destination_type: 'internal_account' } }, 400, 'required', 'destination.id'],
    [
      { destination: { id: randomUUID(), destination_type: 'card' } },
      400,
      'invalid_value',
      'destination.destination_type',
    ],
    [
      { destination: { id: randomUUID(), destination_type: 'internal_account' } },
      404,
      'account_not_found',
      'destination.id',
    ],
    [{ fee: '1' }, 400, 'unknown_field', 'fee'],
  ])('refuses %j', async (change, status, code, field) => {
    const { client, customerId, accountId } = await payIn();
    const reply = await client.post(path, { ...collectionOf(customerId, accountId), ...change });
    expect([reply.status, reply.error.code, reply.error.field]).toEqual([status, code, field]);
  });

  it('refuses another customer’s account', async () => {
    const { client, accountId } = await payIn();
    const other = await client.customer();
    const reply = await client.post(path, collectionOf(other, accountId));
    expect([reply.status, reply.error.code]).toEqual([422, 'account_of_other_customer']);
  });
});
