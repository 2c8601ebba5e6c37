/* How an API lets its pages be chosen, and the queries to try while that is not known. */

/** The query parameters of a request, beside the country. */
export type PageQuery = Readonly<Record<string, string>>;

/**
 * How an API lets its pages be chosen, which its specification does not say: by a `page` number, by the `offset` of
 * a page's first institution, each with or without the page's size; or not at all, but by a size that holds all.
 */
export type PageStyle =
  | {
      readonly by: 'page';
      readonly parameter: string;
      /** The number of the first page in the query. */
      readonly first: number;
      readonly sizeParameter?: string;
    }
  | { readonly by: 'offset'; readonly parameter: string; readonly sizeParameter?: string }
  | { readonly by: 'size'; readonly parameter: string };

/** What a person has said about the pages. */
export interface StatedPaging {
  /** The query parameter that chooses a page. */
  readonly parameter?: string | undefined;
  /** The number of the first page. */
  readonly firstPage?: number | undefined;
}

const usualParameter = 'page';

const offsetName = /offset|skip|start/i;

const sizeName = /limit|size|count|per_?page/i;

/**
 * The requests that may give the first page, until one does: as it comes, or by its number. 0 comes before 1, which
 * may be the second page.
 */
export function firstPageQueries({ parameter = usualParameter, firstPage }: StatedPaging): PageQuery[] {
  if (firstPage !== undefined) return [{ [parameter]: String(firstPage) }];
  return [{}, { [parameter]: '0' }, { [parameter]: '1' }];
}

/**
 * The styles to try for the second page, the likeliest first.
 * @param firstNumber the number that the first page has in its answer
 */
export function pageStyles({ parameter, firstPage }: StatedPaging, firstNumber: number): PageStyle[] {
  const name = parameter ?? usualParameter;
  const firsts = firstPage === undefined ? (firstNumber === 0 ? [0, 1] : [1, 0]) : [firstPage];
  const byPage = firsts.map((first) => ({ by: 'page', parameter: name, first }) as const);
  if (parameter !== undefined) {
    const byOffset: PageStyle = { by: 'offset', parameter };
    if (sizeName.test(parameter)) return [{ by: 'size', parameter }];
    return offsetName.test(parameter) ? [byOffset, ...byPage] : [...byPage, byOffset];
  }
  const sized = byPage.slice(0, 1).map((style): PageStyle => ({ ...style, sizeParameter: 'limit' }));
  if (firstPage !== undefined) return [...byPage, ...sized];
  return [
    ...byPage,
    { by: 'offset', parameter: 'offset' },
    { by: 'offset', parameter: 'offset', sizeParameter: 'limit' },
    ...sized,
    { by: 'size', parameter: 'limit' },
  ];
}

/**
 * @param index of the page, from 0; 1 for a style that has one page only
 * @param first the first page: so many institutions are on each but the last
 */
export function pageQuery(
  style: PageStyle,
  index: number,
  first: { readonly itemCount: number; readonly totalPages: number },
): PageQuery {
  if (style.by === 'size') return { [style.parameter]: String(first.itemCount * first.totalPages) };
  const { parameter, sizeParameter } = style;
  const value = style.by === 'page' ? style.first + index : index * first.itemCount;
  const size = sizeParameter === undefined ? {} : { [sizeParameter]: String(first.itemCount) };
  return { [parameter]: String(value), ...size };
}
