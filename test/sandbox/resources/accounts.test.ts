import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountOf, startClient } from '../harness.ts';

describe('POST /v1/accounts', () => {
  it('answers every field of an account', async () => {
    const client = await startClient({ now: () => new Date('2025-03-01T10:00:00.250Z') });
    const customerId = await client.customer();
    const { status, json } = await client.post('/v1/accounts', accountOf(customerId));
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(status).toBe(201);
    expect(json).toEqual({
      data: {
        id: uuid,
        ...accountOf(customerId),
        status: 'active',
        balance: '0.00',
        assets: [{ balance: '0.00', decimals: 6, symbol: 'USDC' }],
        capabilities: ['transfer', 'receive', 'remittance'],
        date_created: '2025-03-01T10:00:00.250Z',
        tenant_id: uuid,
        tenant_name: expect.any(String),
        tier: '',
        wallet_address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        virtual_account_id: uuid,
        virtual_account_bank_account_number: expect.stringMatching(/^\d{12}$/),
        virtual_account_bank_routing_number: '021000021',
        virtual_account_bank_name: expect.any(String),
        virtual_account_bank_address: expect.any(String),
        virtual_account_bank_beneficiary_address: expect.any(String),
      },
      error: null,
    });
  });

  it.each([
    [{ currency: undefined }, 400, 'required', 'currency'],
    [{ type: undefined }, 400, 'required', 'type'],
    [{ label: undefined }, 400, 'required', 'label'],
    [{ blockchain_network: undefined }, 400, 'required', 'blockchain_network'],
    [{ customer_id: undefined }, 400, 'required', 'customer_id'],
    [{ customer_id: 'C-1' }, 400, 'invalid_uuid', 'customer_id'],
    [{ customer_id: randomUUID() }, 404, 'customer_not_found', 'customer_id'],
    [{ currency: 'usd' }, 400, 'invalid_currency', 'currency'],
    [{ currency: 'KES' }, 422, 'currency_not_supported', 'currency'],
    [{ blockchain_network: 'dogecoin' }, 400, 'invalid_value', 'blockchain_network'],
    [{ type: 'premium' }, 400, 'invalid_value', 'type'],
    [{ balance: '1' }, 400, 'unknown_field', 'balance'],
    [{ label: 'Refused' }, 422, 'account_refused', 'label'],
  ])('refuses %j', async (change, status, code, field) => {
    const client = await startClient();
    const reply = await client.post('/v1/accounts', { ...accountOf(await client.customer()), ...change });
    expect([reply.status, reply.error.code, reply.error.field]).toEqual([status, code, field]);
  });

  it('refuses a customer of the other mode', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    const reply = await client.post('/v1/accounts', accountOf(customerId), { mode: 'live' });
    expect([reply.status, reply.error.code]).toEqual([404, 'customer_not_found']);
  });

  it('refuses a customer who has not passed identity verification, until that is done', async () => {
    const client = await startClient({ kyc: 'required' });
    const customerId = await client.customer();
    const before = await client.post('/v1/accounts', accountOf(customerId));
    expect([before.status, before.error.code]).toEqual([422, 'kyc_required']);
    await client.post(`/sandbox/customers/${customerId}/kyc`, { status: 'passed' });
    expect((await client.post('/v1/accounts', accountOf(customerId))).status).toBe(201);
  });

  it('takes a customer as verified once that has had its time', async () => {
    let now = Date.parse('2025-03-01T10:00:00Z');
    const client = await startClient({ kycAfterInMs: 60_000, now: () => new Date(now) });
    const customerId = await client.customer();
    now += 59_000;
    expect((await client.post('/v1/accounts', accountOf(customerId))).error.code).toBe('kyc_required');
    now += 1_000;
    expect((await client.post('/v1/accounts', accountOf(customerId))).status).toBe(201);
  });

  it('takes the last name Unverified for a customer who has not', async () => {
    const client = await startClient();
    const customerId = await client.customer({ last_name: 'Unverified' });
    expect((await client.post('/v1/accounts', accountOf(customerId))).error.code).toBe('kyc_required');
  });
});
