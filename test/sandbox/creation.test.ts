import { describe, expect, it } from 'vitest';
import { bankPayee, startClient } from './harness.ts';

const path = '/v1/customers';
const body = { first_name: 'Amina', last_name: 'Odhiambo' };

describe('an idempotency key', () => {
  it('gets the very same answer again, and no second object', async () => {
    const client = await startClient();
    const first = await client.post(path, body, { key: 'k' });
    const second = await client.post(path, body, { key: 'k' });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(client.sandbox.counts().sandbox).toMatchObject({ created: { customers: 1 }, replayed: 1 });
  });

  it('gets a refusal again, even when the request would succeed by now', async () => {
    const client = await startClient({ kyc: 'required' });
    const account = { currency: 'USD', type: 'regular', blockchain_network: 'polygon', label: 'Main' };
    const customer_id = await client.customer();
    const first = await client.post('/v1/accounts', { ...account, customer_id }, { key: 'k' });
    await client.post(`/sandbox/customers/${customer_id}/kyc`, { status: 'passed' });
    const second = await client.post('/v1/accounts', { ...account, customer_id }, { key: 'k' });
    expect(first.status).toBe(422);
    expect([second.status, second.text]).toEqual([422, first.text]);
  });

  it('is refused for another body, even if only its bytes differ, and for another endpoint', async () => {
    const client = await startClient();
    const text = JSON.stringify(body);
    await client.post(path, text, { key: 'k' });
    for (const [otherPath, other] of [
      [path, text.replace('Amina', 'Ayo')],
      [path, `${text} `],
      ['/v1/accounts', text],
    ] as const) {
      const reply = await client.post(otherPath, other, { key: 'k' });
      expect([reply.status, reply.error.code]).toEqual([422, 'idempotency_key_reused']);
    }
    expect((await client.post(path, text, { key: 'k' })).status).toBe(201);
  });

  it('is refused with 409 while its first request is under way, and with 422 for another body', async () => {
    const client = await startClient({ latencyInMs: 100 });
    const first = client.post(path, body, { key: 'k' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const second = await client.post(path, body, { key: 'k' });
    const other = await client.post(path, { ...body, first_name: 'Ayo' }, { key: 'k2' });
    expect([second.status, second.error.code]).toEqual([409, 'request_under_way']);
    expect(other.status).toBe(201);
    expect((await first).status).toBe(201);
    expect((await client.post(path, body, { key: 'k' })).headers.get('idempotent-replayed')).toBe('true');
  });

  it('means a new request when its lifetime is over: a second object', async () => {
    let time = Date.parse('2025-03-01T00:00:00Z');
    const client = await startClient({ keyLifetimeInMs: 60_000, now: () => new Date(time) });
    const first = await client.post(path, body, { key: 'k' });
    time += 59_999;
    expect((await client.post(path, body, { key: 'k' })).text).toBe(first.text);
    time += 1;
    const late = await client.post(path, body, { key: 'k' });
    expect(late.data['id']).not.toBe(first.data['id']);
    expect(client.sandbox.counts().sandbox).toMatchObject({
      created: { customers: 2 },
      duplicates: { customers: 1 },
    });
  });

  it('belongs to its mode', async () => {
    const client = await startClient();
    const test = await client.post(path, body, { key: 'k' });
    const live = await client.post(path, body, { key: 'k', mode: 'live' });
    expect(live.data['id']).not.toBe(test.data['id']);
    expect(client.sandbox.counts()).toMatchObject({
      sandbox: { created: { customers: 1 }, duplicates: { customers: 0 } },
      live: { created: { customers: 1 } },
    });
  });

  it('alone distinguishes requests: the same content under another key is a duplicate', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    await client.post('/v1/external-accounts', bankPayee(customerId));
    await client.post('/v1/external-accounts', bankPayee(customerId, { account_name: 'A. Odhiambo' }));
    await client.post('/v1/external-accounts', bankPayee(customerId, { account_number: '9900' }));
    expect(client.sandbox.counts().sandbox).toMatchObject({
      created: { external_accounts: 3 },
      duplicates: { external_accounts: 1 },
    });
  });

  it.each([
    ['', 'invalid_idempotency_key'],
    ['x'.repeat(256), 'invalid_idempotency_key'],
    ['a b', 'invalid_idempotency_key'],
  ])('of an unusable form is refused', async (key, code) => {
    const client = await startClient();
    const reply = await client.post(path, body, { key });
    expect([reply.status, reply.error.code]).toEqual([400, code]);
  });

  it('may have 255 characters, and must be there', async () => {
    const client = await startClient();
    expect((await client.post(path, body, { key: 'x'.repeat(255) })).status).toBe(201);
    const response = await fetch(client.sandbox.url + path, {
      method: 'POST',
      headers: { 'api-key': client.sandbox.apiKeys.sandbox, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'idempotency_key_required' } });
  });
});
