import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bankPayee, KENYAN_BANK, M_PESA, mobilePayee, sepaPayee, startClient, usPayee } from './harness.ts';

const path = '/v1/external-accounts';
const payees = {
  bank_account: bankPayee,
  mobile_money: mobilePayee,
  bank_account_us: usPayee,
  sepa: sepaPayee,
};
const nothing = {
  account_number: null,
  account_owner_type: null,
  address: null,
  iban: null,
  routing_number: null,
  institution_id: null,
  institution_country_iso_code: null,
  institution_type: null,
};
const kenyan = { institution_country_iso_code: 'KE' };
const derived = {
  bank_account: { ...kenyan, institution_name: 'KCB Bank Kenya', institution_type: 'bank' },
  mobile_money: { ...kenyan, institution_name: 'M-PESA', institution_type: 'mobile_money' },
  bank_account_us: { institution_name: 'First Example Bank' },
  sepa: { institution_name: 'Beispielbank' },
};

const withoutAddressField = (address: unknown, field: string) => {
  const { [field]: _left, ...rest } = address as Record<string, unknown>;
  return rest;
};

const without = (payee: object, ...fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(payee).filter(([field]) => !fields.includes(field)));

describe('POST /v1/external-accounts', () => {
  it.each(Object.keys(payees) as (keyof typeof payees)[])('answers every field of a %s', async (type) => {
    const client = await startClient({ now: () => new Date('2025-03-01T10:00:00.250Z') });
    const payee = payees[type](await client.customer());
    const { status, json } = await client.post(path, payee);
    expect(status).toBe(201);
    expect(json).toEqual({
      data: {
        ...nothing,
        // What the specification calls a field of the request only is not answered.
        ...without(payee, 'bank_name', 'account_type'),
        ...derived[type],
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        date_created: '2025-03-01T10:00:00.250Z',
      },
      error: null,
    });
  });

  it.each(Object.keys(payees) as (keyof typeof payees)[])(
    'requires every field of a %s, and no other',
    async (type) => {
      const client = await startClient();
      const payee = payees[type](await client.customer());
      for (const field of Object.keys(payee)) {
        const reply = await client.post(path, { ...payee, [field]: undefined });
        const code = field === 'payee_type' ? 'invalid_payee_type' : 'required';
        expect([reply.status, reply.error.code, reply.error.field]).toEqual([400, code, field]);
      }
      const others = Object.values(payees).flatMap((make) => Object.entries(make(randomUUID())));
      for (const [field, value] of others.filter(([name]) => !(name in payee))) {
        const reply = await client.post(path, { ...payee, [field]: value });
        expect([reply.status, reply.error.code, reply.error.field]).toEqual([400, 'unknown_field', field]);
      }
      const { address = {} } = payee;
      for (const field of Object.keys(address as object).filter((name) => name !== 'state')) {
        const reply = await client.post(path, { ...payee, address: withoutAddressField(address, field) });
        expect([reply.status, reply.error.field]).toEqual([400, `address.${field}`]);
      }
    },
  );

  it('takes a US address without a state, and none with one for SEPA', async () => {
    const client = await startClient();
    const customerId = await client.customer();
    const us = usPayee(customerId);
    const address = withoutAddressField(us['address'], 'state');
    expect((await client.post(path, { ...us, address })).status).toBe(201);
    expect((await client.post(path, { ...us, address: { ...address, state: null } })).status).toBe(201);
    const sepa = sepaPayee(customerId);
    const german = { ...(sepa['address'] as object), state: 'DE-SN' };
    expect((await client.post(path, { ...sepa, address: german })).error.field).toBe('address.state');
  });

  it.each([
    ['bank_account', { payee_type: 'cash' }, 400, 'invalid_payee_type', 'payee_type'],
    ['bank_account', { payee_type: 'toString' }, 400, 'invalid_payee_type', 'payee_type'],
    ['bank_account', { customer_id: randomUUID() }, 404, 'customer_not_found', 'customer_id'],
    ['bank_account', { institution_id: randomUUID() }, 404, 'institution_not_found', 'institution_id'],
    ['bank_account', { institution_id: M_PESA }, 422, 'institution_type_mismatch', 'institution_id'],
    ['bank_account', { currency: 'UGX' }, 422, 'currency_mismatch', 'currency'],
    ['bank_account', { account_number: '12 34' }, 400, 'invalid_account_number', 'account_number'],
    ['bank_account', { account_number: 1100223344 }, 400, 'invalid_type', 'account_number'],
    ['bank_account', { account_number: '5500404404' }, 422, 'recipient_not_found', 'account_number'],
    ['bank_account', { account_name: 'Closed Account' }, 422, 'account_closed', 'account_name'],
    ['mobile_money', { institution_id: KENYAN_BANK }, 422, 'institution_type_mismatch', 'institution_id'],
    ['mobile_money', { phone_number: '+256712345678' }, 422, 'phone_country_mismatch', 'phone_number'],
    ['mobile_money', { phone_number: '0712345678' }, 400, 'invalid_phone', 'phone_number'],
    ['mobile_money', { phone_number: '+254712404404' }, 422, 'recipient_not_found', 'phone_number'],
    ['bank_account_us', { currency: 'EUR' }, 422, 'currency_mismatch', 'currency'],
    ['bank_account_us', { routing_number: '021000022' }, 400, 'invalid_routing_number', 'routing_number'],
    ['bank_account_us', { account_number: '123' }, 400, 'invalid_account_number', 'account_number'],
    ['bank_account_us', { account_type: 'Savings' }, 400, 'invalid_value', 'account_type'],
    ['sepa', { currency: 'USD' }, 422, 'currency_mismatch', 'currency'],
    ['sepa', { iban: 'DE88370400440532013000' }, 400, 'invalid_iban', 'iban'],
  ] as const)('refuses a %s with %j', async (type, change, status, code, field) => {
    const client = await startClient();
    const reply = await client.post(path, { ...payees[type](await client.customer()), ...change });
    expect([reply.status, reply.error.code, reply.error.field]).toEqual([status, code, field]);
  });
});
