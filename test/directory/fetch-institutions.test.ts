import { describe, expect, it } from 'vitest';
import { fetchInstitutions, type PageAnswer, pageLimit } from '../../src/directory/fetch-institutions.ts';
import { item, page } from './pages.ts';

async function fetchFrom(pages: readonly PageAnswer[] | ((number: number) => PageAnswer)) {
  const asked: number[] = [];
  const result = await fetchInstitutions(async (_country, number) => {
    asked.push(number);
    const answer = typeof pages === 'function' ? pages(number) : pages[number - 1];
    if (answer === undefined) throw new Error(`page ${number} was not expected`);
    return answer;
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
    expect(fetched.asked).toEqual(pages.map((_page, index) => index + 1));
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
    ['pages count from 0', [page(0, 2, [item('a')])], []],
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
