import { describe, expect, it } from 'vitest';
import { SandboxDirectory } from '../../src/sandbox/institutions.ts';
import { startClient } from './harness.ts';

const directory = new SandboxDirectory();
const listed = (country: string) =>
  directory.page({ country, skipped: 0, itemsPerPage: 1000, firstNumber: 1 }).items;
const everyone = directory.countries().flatMap((country) => listed(country));

describe('the seeded institutions', () => {
  it('have ids that never change, because files name them', () => {
    const ids = new Map(everyone.map((one) => [`${one.country_iso_code} ${one.name}`, one.id]));
    expect(ids.get('KE KCB Bank Kenya')).toBe('f9aeb346-b7b3-5efe-8f3f-4973ed715565');
    expect(ids.get('UG MTN Mobile Money')).toBe('4e1aff23-cef1-5ddf-9548-718ff58e8897');
  });

  it('have an id each', () => {
    expect(new Set(everyone.map(({ id }) => id)).size).toBe(everyone.length);
  });

  it('cover enough countries, pages and hard names to try an importer on', () => {
    expect(directory.countries().length).toBeGreaterThanOrEqual(14);
    const long = directory.countries().filter((country) => listed(country).length > 20);
    expect(long).toEqual(expect.arrayContaining(['KE', 'NG', 'GH', 'IN']));
    expect(everyone.filter(({ name }) => name === 'First Microfinance Bank')).toHaveLength(2);
    expect(everyone.some(({ name }) => /é/.test(name))).toBe(true);
    expect(everyone.some(({ name }) => name.includes("'"))).toBe(true);
    expect(everyone.some(({ min_amount }) => !Number.isInteger(min_amount))).toBe(true);
    expect(everyone.every(({ min_amount, max_amount }) => min_amount < max_amount)).toBe(true);
  });
});

describe('GET /v1/external-accounts/institutions', () => {
  const path = '/v1/external-accounts/institutions';

  it('answers a page in an envelope', async () => {
    const client = await startClient();
    const { status, json, data } = await client.get(`${path}?country_iso_code=KE`);
    expect(status).toBe(200);
    expect(json['error']).toBeNull();
    expect(data).toMatchObject({ items_per_page: 20, page: 1, total_pages: 2 });
    expect((data['items'] as unknown[])[0]).toEqual({
      id: 'f9aeb346-b7b3-5efe-8f3f-4973ed715565',
      name: 'KCB Bank Kenya',
      country_iso_code: 'KE',
      currency: 'KES',
      account_number_type: 'bank_account_number',
      min_amount: 50,
      max_amount: 999999,
    });
  });

  it('gives every institution once over its pages, and nothing behind them', async () => {
    const client = await startClient({ pageSize: 10 });
    const names: unknown[] = [];
    for (let page = 1; page <= 5; page += 1) {
      const { data } = await client.get(`${path}?country_iso_code=NG&page=${page}`);
      expect(data).toMatchObject({ page, total_pages: 4, items_per_page: 10 });
      names.push(...(data['items'] as { id: string }[]).map(({ id }) => id));
    }
    expect(names).toEqual(listed('NG').map(({ id }) => id));
  });

  it('can be set up as an API whose further pages cannot be reached', async () => {
    const client = await startClient({ pageParameter: 'ignored' });
    const first = await client.get(`${path}?country_iso_code=KE`);
    expect((await client.get(`${path}?country_iso_code=KE&page=2`)).text).toBe(first.text);
  });

  it.each([
    ['from_0', 'page=0', 'page=1', 0],
    ['offset', 'offset=0', 'offset=20&limit=20', 1],
    ['limit', 'limit=20', 'limit=27', 1],
  ] as const)('can be set up as an API that chooses pages in another way: %s', async (...args) => {
    const [pageParameter, first, second, firstNumber] = args;
    const client = await startClient({ pageParameter });
    const ask = async (query: string) => (await client.get(`${path}?country_iso_code=KE&${query}`)).data;
    const ids = ({ items }: Record<string, unknown>) => (items as { id: string }[]).map(({ id }) => id);
    const all = listed('KE').map(({ id }) => id);
    expect(await ask(first)).toMatchObject({ page: firstNumber, total_pages: 2 });
    expect(ids(await ask(first))).toEqual(all.slice(0, 20));
    expect(ids(await ask(second))).toEqual(pageParameter === 'limit' ? all : all.slice(20));
    expect((await client.get(`${path}?country_iso_code=KE&size=1`)).status).toBe(400);
  });

  it('answers an unknown country with an empty list', async () => {
    const client = await startClient();
    const { status, data } = await client.get(`${path}?country_iso_code=AQ`);
    expect(status).toBe(200);
    expect(data).toEqual({ items: [], items_per_page: 20, page: 1, total_pages: 0 });
  });

  it.each([
    ['', 'invalid_country'],
    ['?country_iso_code=ke', 'invalid_country'],
    ['?country_iso_code=KE&country_iso_code=UG', 'invalid_country'],
    ['?country_iso_code=KE&page=0', 'invalid_page'],
    ['?country_iso_code=KE&page=x', 'invalid_page'],
    ['?country_iso_code=KE&page_size=100', 'unknown_parameter'],
  ])('refuses the query "%s"', async (query, code) => {
    const client = await startClient();
    const reply = await client.get(path + query);
    expect([reply.status, reply.error.code]).toEqual([400, code]);
  });
});
