import { describe, expect, it } from 'vitest';
import { FAULTS, type FaultName, MAGIC_PHRASES, parseFaults } from '../../src/sandbox/faults.ts';
import { accountOf, bankPayee, type Client, collectionOf, startClient } from './harness.ts';

const path = '/v1/customers';
const body = { first_name: 'Amina', last_name: 'Odhiambo', external_id: 'C-1' };

/** Only an answer that never comes is waited for in vain; every other one may take its time on a busy machine. */
function limitFor(fault: string): number {
  return fault.startsWith('timeout') ? 300 : 10_000;
}

/** Sends one request whose first try meets the fault; gives what came of it, and of the second try. */
async function meet(fault: FaultName) {
  const client = await startClient({
    onRequest: ({ attempt }) => (attempt === 1 ? fault : undefined),
    slowAnswerInMs: 20,
    faults: parseFaults('retry_after=3'),
    now: () => new Date('2025-03-01T00:00:00Z'),
  });
  const timeoutInMs = limitFor(fault);
  const first = await client.post(path, body, { key: 'k', timeoutInMs }).catch((error: Error) => error);
  const created = client.sandbox.counts().sandbox.created.customers;
  const second = await client.post(path, body, { key: 'k' });
  return { client, first, created, second };
}

describe('a fault', () => {
  it.each(Object.keys(FAULTS) as FaultName[])(
    '%s leaves an object exactly if it comes after, and the next try gets it right',
    async (fault) => {
      const { client, created, second } = await meet(fault);
      const { takesEffect } = FAULTS[fault];
      expect(created).toBe(takesEffect ? 1 : 0);
      expect(second.status).toBe(201);
      expect(second.data['external_id']).toBe('C-1');
      expect(second.headers.has('idempotent-replayed')).toBe(takesEffect);
      expect(client.sandbox.counts().sandbox.created.customers).toBe(1);
      expect(client.sandbox.counts().faults).toEqual({ [fault]: 1 });
    },
  );

  it.each([
    ['reset_before', 'fetch failed'],
    ['reset_after', 'fetch failed'],
    ['timeout_before', 'timeout'],
    ['timeout_after', 'timeout'],
    ['cut_answer', 'terminated'],
  ] as const)('%s ends without a whole answer', async (fault, message) => {
    const { first } = await meet(fault);
    expect(first).toBeInstanceOf(Error);
    expect((first as Error).message).toContain(message);
  });

  it.each([
    ['500_before', 500, {}],
    ['500_after', 500, {}],
    ['502_before', 502, { 'content-type': 'text/html; charset=utf-8' }],
    ['502_after', 502, { 'content-type': 'text/html; charset=utf-8' }],
    ['503', 503, { 'retry-after': '3' }],
    ['504_before', 504, {}],
    ['504_after', 504, {}],
    ['408', 408, {}],
    ['425', 425, {}],
    ['429', 429, { 'retry-after': '3' }],
    ['429_date', 429, { 'retry-after': 'Sat, 01 Mar 2025 00:00:03 GMT' }],
    ['401', 401, {}],
    ['403', 403, {}],
    ['404', 404, {}],
    ['409', 409, {}],
    ['422', 422, {}],
    ['redirect', 307, { location: 'https://moved.example/v1/' }],
    ['html', 200, { 'content-type': 'text/html; charset=utf-8' }],
    ['cut_json', 201, {}],
    ['empty_answer', 201, { 'content-length': '0' }],
    ['no_id', 201, {}],
    ['slow', 201, {}],
  ] as const)('%s answers %i', async (fault, status, headers) => {
    const { first } = await meet(fault);
    if (first instanceof Error) throw first;
    expect(first.status).toBe(status);
    expect(Object.fromEntries(first.headers)).toMatchObject(headers);
  });

  it('cut_json is a whole answer of half a text', async () => {
    const { first, second } = await meet('cut_json');
    if (first instanceof Error) throw first;
    expect(first.text).toBe(second.text.slice(0, Math.floor(second.text.length / 2)));
    expect(first.json).toEqual({});
  });

  it('wrong_echo answers with an id, and with fields that were not asked for', async () => {
    const { first } = await meet('wrong_echo');
    if (first instanceof Error) throw first;
    expect(first.data['id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.data['external_id']).not.toBe('C-1');
  });

  it('meets the list of institutions too', async () => {
    const client = await startClient({ faults: parseFaults('502_before=1,first=1') });
    const address = '/v1/external-accounts/institutions?country_iso_code=KE';
    expect((await client.get(address)).status).toBe(502);
    expect((await client.get(address)).status).toBe(200);
  });

  it('spoils a repeated answer as well as a first one', async () => {
    const client = await startClient({ faults: parseFaults('500_after=1,first=3') });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      statuses.push((await client.post(path, body, { key: 'k' })).status);
    }
    expect(statuses).toEqual([500, 500, 500, 201]);
    expect(client.sandbox.counts().sandbox.created.customers).toBe(1);
  });
});

describe('the same seed', () => {
  const statuses = async (client: Client, keys: string[]) => {
    const replies = await Promise.all(
      keys.map(async (key) => [key, (await client.post(path, body, { key })).status]),
    );
    return Object.fromEntries(replies) as Record<string, number>;
  };

  it('gives the same faults to the same keys, whatever their order', async () => {
    const faults = parseFaults('seed=5,500_before=0.3,503=0.3');
    const keys = Array.from({ length: 40 }, (_, number) => `key-${number}`);
    const first = await statuses(await startClient({ faults }), keys);
    const second = await statuses(await startClient({ faults }), [...keys].reverse());
    expect(second).toEqual(first);
    expect(new Set(Object.values(first))).toEqual(new Set([201, 500, 503]));
  });
});

describe('magic phrases', () => {
  const expected = {
    '500_before': 500,
    '429': 429,
    timeout_after: 'none',
    reset_after: 'none',
    slow: 201,
  } as const;

  it.each(MAGIC_PHRASES)('$phrase and $prefix do what they say in every kind', async (magic) => {
    const client = await startClient({ slowAnswerInMs: 5 });
    const customerId = await client.customer();
    const accountId = await client.account(customerId);
    const requests: [string, object][] = [
      [path, { ...body, last_name: magic.phrase }],
      ['/v1/accounts', accountOf(customerId, { label: magic.phrase })],
      ['/v1/external-accounts', bankPayee(customerId, { account_name: magic.phrase })],
      ['/v1/collections', collectionOf(customerId, accountId, { client_reference: `${magic.prefix}1` })],
    ];
    const outcome = expected[magic.fault as keyof typeof expected];
    const second = magic.attempts === 1 ? 201 : outcome;
    for (const [address, content] of requests) {
      const send = (end: number | 'none') =>
        client
          .post(address, content, {
            key: address,
            timeoutInMs: end === 'none' ? limitFor(magic.fault) : 10_000,
          })
          .then(
            ({ status }) => status,
            () => 'none',
          );
      expect([address, await send(outcome), await send(second)]).toEqual([address, outcome, second]);
    }
  });
});
