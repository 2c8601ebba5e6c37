import { describe, expect, it } from 'vitest';
import { startClient } from '../harness.ts';

const full = {
  first_name: 'Amina',
  middle_name: 'Wairimu',
  last_name: 'Odhiambo',
  email: 'amina@example.org',
  phone: '+254712345678',
  type: 'individual',
  gender: 'female',
  date_of_birth: '1990-04-12',
  external_id: 'C-1',
  address: {
    address_line1: 'Moi Avenue 12',
    address_line2: null,
    city: 'Nairobi',
    state: 'KE-30',
    country: 'KE',
    postal_code: '00100',
  },
};

describe('POST /v1/customers', () => {
  it('takes every field of the specification and answers them', async () => {
    const client = await startClient();
    const { status, json, data } = await client.post('/v1/customers', full);
    expect([status, json['error']]).toEqual([201, null]);
    expect(data).toMatchObject({ ...full, kyc_status: 'passed' });
  });

  it('takes a customer who has only a name, and an address that has only a country', async () => {
    const client = await startClient();
    const minimal = { first_name: 'Ayo', last_name: 'Bello', address: { country: 'NG' } };
    expect((await client.post('/v1/customers', minimal)).status).toBe(201);
  });

  it.each([
    ['bare', (json: Record<string, unknown>) => json['id']],
    ['nested', (json: Record<string, unknown>) => (json['customer'] as { id?: string }).id],
    ['enveloped', (json: Record<string, unknown>) => (json['data'] as { id?: string }).id],
  ] as const)('can answer in the form "%s"', async (customerAnswer, idOf) => {
    const client = await startClient({ customerAnswer });
    const { json } = await client.post('/v1/customers', full);
    expect(idOf(json)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('counts characters, not units of UTF-16: 255 beyond the basic plane are not too long', async () => {
    const client = await startClient();
    const reply = await client.post('/v1/customers', { ...full, first_name: '𐐷'.repeat(255) });
    expect(reply.status).toBe(201);
  });

  it.each([
    [{ first_name: undefined }, 400, 'required', 'first_name'],
    [{ last_name: undefined }, 400, 'required', 'last_name'],
    [{ nickname: 'A' }, 400, 'unknown_field', 'nickname'],
    [{ first_name: 7 }, 400, 'invalid_type', 'first_name'],
    [{ first_name: null }, 400, 'invalid_type', 'first_name'],
    [{ first_name: '' }, 400, 'empty', 'first_name'],
    [{ first_name: ' Amina' }, 400, 'padded', 'first_name'],
    [{ first_name: 'A\nB' }, 400, 'invalid_characters', 'first_name'],
    [{ first_name: 'A\ufffe' }, 400, 'invalid_characters', 'first_name'],
    [{ first_name: 'A\ud800' }, 400, 'invalid_characters', 'first_name'],
    [{ first_name: 'x'.repeat(256) }, 400, 'too_long', 'first_name'],
    [{ first_name: '𐐷'.repeat(256) }, 400, 'too_long', 'first_name'],
    [{ email: 'amina' }, 400, 'invalid_email', 'email'],
    [{ phone: '0712345678' }, 400, 'invalid_phone', 'phone'],
    [{ type: 'business' }, 400, 'invalid_value', 'type'],
    [{ gender: 'Female' }, 400, 'invalid_value', 'gender'],
    [{ date_of_birth: '1990-02-30' }, 400, 'invalid_date', 'date_of_birth'],
    [{ date_of_birth: '2999-01-01' }, 422, 'date_in_future', 'date_of_birth'],
    [{ address: 'Nairobi' }, 400, 'invalid_type', 'address'],
    [{ address: { city: 'Nairobi' } }, 400, 'required', 'address.country'],
    [{ address: { country: 'Kenya' } }, 400, 'invalid_country', 'address.country'],
    [{ address: { country: 'KE', state: 'Nairobi' } }, 400, 'invalid_state', 'address.state'],
    [{ address: { country: 'KE', state: 'UG-C' } }, 422, 'state_mismatch', 'address.state'],
    [{ address: { country: 'KE', street: 'x' } }, 400, 'unknown_field', 'address.street'],
    [{ last_name: 'Refused' }, 422, 'customer_refused', 'last_name'],
  ])('refuses %j', async (change, status, code, field) => {
    const client = await startClient();
    const reply = await client.post('/v1/customers', { ...full, ...change });
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ data: null, error: { code, message: expect.any(String), field } });
    expect(client.sandbox.counts().sandbox.created.customers).toBe(0);
  });

  it('refuses a body that is no object', async () => {
    const client = await startClient();
    for (const body of ['[]', '"x"', 'null', '1']) {
      expect((await client.post('/v1/customers', body)).error.code).toBe('invalid_type');
    }
  });
});
