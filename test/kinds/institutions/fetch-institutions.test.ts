import { describe, expect, it } from 'vitest';
import { RunStop } from '../../../src/domain/sending/stops.ts';
import {
  fetchInstitutions,
  type PageAnswer,
  type PageQuery,
  type Paging,
  pageLimit,
  type StatedPaging,
} from '../../../src/kinds/institutions/fetch-institutions.ts';
import { item, page } from './pages.ts';

const refusal: PageAnswer = { status: 400, body: '{"data":null,"error":{"code":"unknown_parameter"}}' };

/** Fetches from an API that chooses pages by `page`, from 1, and refuses every other parameter. */
async function fetchFrom(pages: readonly PageAnswer[] | ((number: number) => PageAnswer)) {
  const asked: string[] = [];
  const result = await fetchInstitutions(async (_country, query) => {
    const { page: number = '1', ...others } = query;
    if (Object.keys(others).length > 0) return refusal;
    asked.push(query['page'] ?? 'first');
    const answer = typeof pages === 'function' ? pages(Number(number)) : pages[Number(number) - 1];
    return answer ?? refusal;
  }, 'KE');
  return { ids: result.institutions.map(({ id }) => id), isComplete: result.isComplete, asked };
}

describe('fetchInstitutions reads all pages', () => {
  it.each<[string, readonly PageAnswer[], readonly string[], boolean]>([
    ['one', [page(1, 1, [item('a')])], ['a'], true],
    [
      'three',
      [page(1, 3, [item('a')]), page(2, 3, [item('b')]), page(3, 3, [item('c')])],
      ['a', 'b', 'c'],
      true,
    ],
    ['an empty one', [page(1, 1, [])], [], true],
    ['none at all', [page(1, 0, [])], [], true],
    ['an only one that counts from 0', [page(0, 1, [item('a')])], ['a'], true],
    [
      'a list that grew meanwhile',
      [page(1, 2, [item('a')]), page(2, 3, [item('b')]), page(3, 3, [item('c')])],
      ['a', 'b', 'c'],
      true,
    ],
  ])('%s', async (_, pages, ids, isComplete) => {
    const fetched = await fetchFrom(pages);
    expect(fetched).toMatchObject({ ids, isComplete });
    expect(fetched.asked).toEqual(pages.map((_page, index) => (index === 0 ? 'first' : String(index + 1))));
  });

  it.each<[string, readonly PageAnswer[], readonly string[]]>([
    [
      'the first page repeats under its own number',
      [page(1, 3, [item('a')]), page(1, 3, [item('a')])],
      ['a'],
    ],
    [
      'the first page repeats under another number',
      [page(1, 3, [item('a')]), page(2, 3, [item('a')])],
      ['a'],
    ],
    ['a page is another than asked for', [page(1, 3, [item('a')]), page(3, 3, [item('c')])], ['a']],
    ['the first page is another one', [page(2, 3, [item('b')])], []],
    ['a page is empty before the last', [page(1, 3, [item('a')]), page(2, 3, [])], ['a']],
    ['the first page is empty and others follow', [page(1, 2, [])], []],
    ['the total shrinks', [page(1, 3, [item('a')]), page(2, 2, [item('b')])], ['a', 'b']],
    [
      'an institution comes twice',
      [page(1, 2, [item('a'), item('b')]), page(2, 2, [item('b'), item('c')])],
      ['a', 'b', 'c'],
    ],
    ['an item cannot be read', [page(1, 1, [item('a'), {}])], ['a']],
    ['an answer is no page', [page(1, 2, [item('a')]), { status: 200, body: '<html>' }], ['a']],
    ['an answer is cut', [{ status: 200, body: '{"data":{"items":[' }], []],
    ['an answer is a refusal', [{ status: 404, body: '{"data":null,"error":{}}' }], []],
    ['a refusal looks like a page', [{ ...page(1, 1, [item('a')]), status: 400 }], []],
  ])('is incomplete when %s', async (_, pages, ids) => {
    expect(await fetchFrom(pages)).toMatchObject({ ids, isComplete: false });
  });

  it('does not ask for more than the likely ways of choosing a page', async () => {
    const { asked } = await fetchFrom([page(1, 2, [item('a')]), page(1, 2, [item('a')])]);
    expect(asked).toEqual(['first', '2', '1']);
  });

  it('gives up after 500 pages', async () => {
    const fetched = await fetchFrom((number) => page(number, 1_000_000, [item(`i${number}`)]));
    expect(fetched.asked).toHaveLength(pageLimit);
    expect(fetched.isComplete).toBe(false);
    expect(fetched.ids).toHaveLength(500);
  });

  it('reads exactly 500 pages', async () => {
    const fetched = await fetchFrom((number) => page(number, 500, [item(`i${number}`)]));
    expect(fetched.isComplete).toBe(true);
  });

  it('lets failures of the port pass', async () => {
    const failure = new Error('credentials');
    await expect(fetchInstitutions(() => Promise.reject(failure), 'KE')).rejects.toBe(failure);
  });
});

const all = Array.from({ length: 7 }, (_, index) => `i${index}`);
const size = 3;

/** A page as an API gives it that has `skipped` institutions before it. */
function slice(skipped: number, itemsPerPage = size, firstNumber = 1): PageAnswer {
  const items = all.slice(skipped, skipped + itemsPerPage).map((id) => item(id));
  const number = firstNumber + Math.floor(skipped / itemsPerPage);
  return page(number, Math.ceil(all.length / itemsPerPage), items);
}

type Api = (query: PageQuery) => PageAnswer;

/** An API whose further pages are chosen by these parameters; it ignores others, or refuses them. */
function apiBy(names: readonly string[], answer: (values: readonly number[]) => PageAnswer): [Api, Api] {
  const valuesOf = (query: PageQuery) => names.map((name) => Number(query[name] ?? Number.NaN));
  return [
    (query) => answer(valuesOf(query)),
    (query) => (Object.keys(query).some((name) => !names.includes(name)) ? refusal : answer(valuesOf(query))),
  ];
}

const orFirst = (value: number | undefined, first: number): number =>
  Number.isNaN(value) ? first : (value ?? first);

const apis: Readonly<Record<string, readonly [Api, Api]>> = {
  'pages from 1': apiBy(['page'], ([number]) => slice((orFirst(number, 1) - 1) * size)),
  'pages from 0': apiBy(['page'], ([number]) => slice(orFirst(number, 0) * size, size, 0)),
  'pages from 0 that are counted from 1 in answers': apiBy(['page'], ([number]) =>
    slice(orFirst(number, 0) * size),
  ),
  offsets: apiBy(['offset'], ([skipped]) => slice(orFirst(skipped, 0))),
  'offsets from 0 in answers': apiBy(['offset'], ([skipped]) => slice(orFirst(skipped, 0), size, 0)),
  'offsets that need a limit': apiBy(['offset', 'limit'], ([skipped, limit]) =>
    slice(Number.isNaN(limit) ? 0 : orFirst(skipped, 0), orFirst(limit, size)),
  ),
  'pages that need a limit': apiBy(['page', 'limit'], ([number, limit]) =>
    slice(Number.isNaN(limit) ? 0 : (orFirst(number, 1) - 1) * size, orFirst(limit, size)),
  ),
  'a limit': apiBy(['limit'], ([limit]) => slice(0, orFirst(limit, size))),
};

describe('how an API chooses pages is found out', () => {
  const read = async (api: Api, paging?: Paging) => {
    const asked: PageQuery[] = [];
    const result = await fetchInstitutions(
      async (_, query) => {
        asked.push(query);
        return api(query);
      },
      'KE',
      paging,
    );
    return { ids: result.institutions.map(({ id }) => id), isComplete: result.isComplete, asked };
  };

  it.each(Object.entries(apis))('%s', async (_, [tolerant, strict]) => {
    expect(await read(tolerant)).toMatchObject({ ids: all, isComplete: true });
    expect(await read(strict)).toMatchObject({ ids: all, isComplete: true });
  });

  it('once: the next country is asked in the same way', async () => {
    const paging: Paging = { stated: {} };
    const [api] = apis['offsets'] ?? [];
    if (api === undefined) throw new Error('no API');
    await read(api, paging);
    expect((await read(api, paging)).asked).toEqual([{}, { offset: '3' }, { offset: '6' }]);
  });

  it('and an API that has no way to is hardly asked for the next country', async () => {
    const paging: Paging = { stated: {} };
    const first = await read(() => slice(0), paging);
    expect(first).toMatchObject({ ids: all.slice(0, 3), isComplete: false });
    expect(first.asked).toHaveLength(7);
    expect((await read(() => slice(0), paging)).asked).toEqual([{}, { page: '2' }]);
  });

  it.each<[string, StatedPaging, PageQuery[]]>([
    ['pages from 5', { firstPage: 5 }, [{ page: '5' }, { page: '6' }, { page: '7' }]],
    ['a parameter', { parameter: 'p' }, [{}, { p: '2' }, { p: '3' }]],
    ['both', { parameter: 'p', firstPage: 0 }, [{ p: '0' }, { p: '1' }, { p: '2' }]],
    ['an offset', { parameter: 'skip' }, [{}, { skip: '3' }, { skip: '6' }]],
    ['a size', { parameter: 'page_size' }, [{}, { page_size: '9' }]],
  ])('unless a setting states it: %s', async (_, stated, asked) => {
    const [name = 'page'] = [stated.parameter];
    const first = stated.firstPage ?? 1;
    const [api] = apiBy([name], ([value]) => {
      if (name === 'page_size') return slice(0, orFirst(value, size));
      if (name === 'skip') return slice(orFirst(value, 0));
      return slice((orFirst(value, first) - first) * size, size, first);
    });
    expect(await read(api, { stated })).toEqual({ ids: all, isComplete: true, asked });
  });

  it.each(['pages from 0', 'pages from 1'])(
    'from an API that wants a number with each request: %s',
    async (name) => {
      const [, api = () => refusal] = apis[name] ?? [];
      const first = name === 'pages from 0' ? 0 : 1;
      const wanting: Api = (query) => (Number(query['page'] ?? -1) < first ? refusal : api(query));
      expect(await read(wanting)).toMatchObject({ ids: all, isComplete: true });
    },
  );

  it('and a parameter that the API cannot bear does not stop the run', async () => {
    const away = new RunStop('unavailable', 'the API answered 500');
    const [api = () => refusal] = apis['offsets that need a limit'] ?? [];
    const result = await read((query) => {
      if (query['offset'] !== undefined && query['limit'] === undefined) throw away;
      return api(query);
    });
    expect(result).toMatchObject({ ids: all, isComplete: true });
    await expect(
      read(() => {
        throw away;
      }),
    ).rejects.toBe(away);
  });
});
