import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  bankPayee,
  type Client,
  collectionOf,
  controlHeaders,
  KENYAN_BANK,
  startClient,
} from './harness.ts';

async function objects(client: Client, query = ''): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${client.sandbox.url}/sandbox/objects${query}`, {
    headers: controlHeaders(client.sandbox),
  });
  const text = await response.text();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('GET /sandbox/summary', () => {
  it('counts without an API key', async () => {
    const client = await startClient();
    await client.post('/v1/customers', { last_name: 'X' });
    await client.customer({ external_id: 'C-1' });
    await client.customer({ external_id: 'C-1' });
    const response = await fetch(`${client.sandbox.url}/sandbox/summary`, {
      headers: controlHeaders(client.sandbox),
    });
    expect(await response.json()).toEqual({
      store_id: client.sandbox.storeId,
      sandbox: {
        created: { customers: 2, accounts: 0, collections: 0, external_accounts: 0 },
        duplicates: { customers: 1, accounts: 0, collections: 0, external_accounts: 0 },
        refused: 1,
        replayed: 0,
      },
      live: {
        created: { customers: 0, accounts: 0, collections: 0, external_accounts: 0 },
        duplicates: { customers: 0, accounts: 0, collections: 0, external_accounts: 0 },
        refused: 0,
        replayed: 0,
      },
      faults: {},
    });
  });
});

describe('GET /sandbox/objects', () => {
  it('lists every object once with its key, and can be narrowed', async () => {
    const client = await startClient();
    const customer = { first_name: 'Amina', last_name: 'Odhiambo', external_id: 'C-1' };
    const { data } = await client.post('/v1/customers', customer, { key: 'c' });
    const customerId = String(data['id']);
    const accountId = await client.account(customerId);
    await client.post('/v1/external-accounts', bankPayee(customerId), { key: 'p' });
    await client.post('/v1/external-accounts', bankPayee(customerId), { key: 'p' });
    const collection = collectionOf(customerId, accountId);
    const collected = await client.post('/v1/collections', collection, { key: 'i' });
    await client.post('/v1/customers', { last_name: 'refused' });
    await client.post('/v1/customers', customer, { mode: 'live' });

    const all = await objects(client);
    expect(all.map(({ kind, mode }) => [kind, mode])).toEqual([
      ['customers', 'sandbox'],
      ['accounts', 'sandbox'],
      ['external_accounts', 'sandbox'],
      ['collections', 'sandbox'],
      ['customers', 'live'],
    ]);
    expect(all[0]).toMatchObject({ idempotency_key: 'c', id: customerId, object: data });
    expect(all[1]).toMatchObject({ id: accountId, object: accountOf(customerId) });
    expect(all[2]).toMatchObject({ idempotency_key: 'p', object: bankPayee(customerId) });
    expect(all[3]).toMatchObject({ idempotency_key: 'i', object: { ...collection, ...collected.json } });
    expect(await objects(client, '?kind=customers')).toHaveLength(2);
    expect(await objects(client, '?kind=customers&mode=live')).toHaveLength(1);
  });

  it('shows which objects are duplicates of each other', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    for (const account_number of ['1111', '2222', '1111']) {
      await client.post('/v1/external-accounts', bankPayee(customerId, { account_number }));
    }
    const [first, second, third] = await objects(client, '?kind=external_accounts');
    expect(third?.['natural']).toBe(first?.['natural']);
    expect(second?.['natural']).not.toBe(first?.['natural']);
  });

  it('refuses an unknown kind or mode', async () => {
    const client = await startClient();
    expect((await client.get('/sandbox/objects?kind=x')).error.code).toBe('invalid_kind');
    expect((await client.get('/sandbox/objects?mode=x')).error.code).toBe('invalid_mode');
  });
});

describe('the control of customers and institutions', () => {
  it('can fail a customer’s verification', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    const reply = await client.post(`/sandbox/customers/${customerId}/kyc`, { status: 'failed' });
    expect(reply.json).toEqual({ data: { id: customerId, kyc_status: 'failed' }, error: null });
    expect((await client.post('/v1/accounts', accountOf(customerId))).error.code).toBe('kyc_required');
  });

  it('can end the verification of all customers of both modes', async () => {
    const client = await startClient({ kyc: 'required' });
    const ids = [await client.customer(), await client.customer()];
    const reply = await client.post('/sandbox/kyc', { status: 'passed' });
    expect(reply.json).toEqual({ data: { changed: 2 }, error: null });
    for (const id of ids) expect((await client.post('/v1/accounts', accountOf(id))).status).toBe(201);
    expect((await client.post('/sandbox/kyc', { status: 'passed' })).json['data']).toEqual({ changed: 0 });
    expect((await client.post('/sandbox/kyc', { status: 'x' })).status).toBe(400);
  });

  it('refuses an unknown customer, status or body', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    expect((await client.post(`/sandbox/customers/${randomUUID()}/kyc`, { status: 'passed' })).status).toBe(
      404,
    );
    expect((await client.post(`/sandbox/customers/${customerId}/kyc`, { status: 'ok' })).status).toBe(400);
    expect((await client.post(`/sandbox/customers/${customerId}/kyc`, '{')).error.code).toBe('invalid_json');
  });

  it('replaces limits', async () => {
    const client = await startClient();
    const limits = { id: KENYAN_BANK, min_amount: 0.5, max_amount: 1 };
    expect((await client.post('/sandbox/institutions', { institutions: [limits] })).data).toEqual({
      changed: 1,
    });
    expect((await client.post('/sandbox/institutions', { institutions: [] })).data).toEqual({ changed: 0 });
    const { data } = await client.get('/v1/external-accounts/institutions?country_iso_code=KE');
    expect((data['items'] as unknown[])[0]).toMatchObject(limits);
  });

  it.each([
    [{ institutions: [{ id: randomUUID(), min_amount: 1, max_amount: 2 }] }, 404],
    [{ institutions: [{ id: KENYAN_BANK, min_amount: '1', max_amount: 2 }] }, 400],
    [{ institutions: {} }, 400],
  ])('refuses %j', async (body, status) => {
    const client = await startClient();
    expect((await client.post('/sandbox/institutions', body)).status).toBe(status);
  });
});
