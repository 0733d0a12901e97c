import type { ApiSettings } from '../read/settings.ts';

/** One page of a list: Astro's `Page`. */
export interface Page<T> {
  data: T[];
  /** Index of the first item on the page, from 0. */
  start: number;
  /** Index of the last item on the page, from 0. */
  end: number;
  /** Items on all pages. */
  total: number;
  /** From 1. */
  currentPage: number;
  /** Items on a full page. */
  size: number;
  /** Number of the last page; 1 for an empty list. */
  lastPage: number;
  /** URLs of pages. `first` is undefined on the first page, `last` on the last one. */
  url: {
    current: string;
    prev: string | undefined;
    next: string | undefined;
    first: string | undefined;
    last: string | undefined;
  };
}

/** A page that `getStaticPaths` can return as it is. */
export interface PaginatedPage<T, Params, Props> extends Page<T> {
  params: Params & { page: string | undefined };
  props: Props & { page: Page<T> };
}

export interface PaginateOptions<Params = unknown, Props = unknown> {
  /** Items per page. */
  readonly size: number;
  /**
   * Route of the pages, as Astro's `routePattern` has it: `/journal/[...page]` (`/journal`, `/journal/2`) or
   * `/journal/[page]` (`/journal/1`). Without a route, URLs are `?page=2`.
   */
  readonly route?: string;
  /** Other parameters of the route. */
  readonly params?: Params;
  /** Other props of the page. */
  readonly props?: Props;
}

/** Splits a list into pages; an empty list is one empty page. */
export function paginate<T, Params, Props>(
  list: readonly T[],
  options: PaginateOptions<Params, Props>,
  site: Pick<ApiSettings, 'base' | 'trailingSlash'>,
): PaginatedPage<T, Params, Props>[] {
  const { size, route } = options;
  if (!Number.isInteger(size) || size < 1) {
    throw new Error(`paginate({ size: ${size} }): the size of a page must be a whole number from 1.`);
  }
  if (route !== undefined && !/\[(?:\.\.\.)?page\]/.test(route)) {
    throw new Error(`paginate({ route: '${route}' }): the route needs [page] or [...page].`);
  }
  const total = list.length;
  const lastPage = Math.max(1, Math.ceil(total / size));
  const isFirstUnnumbered = route?.includes('[...page]') === true;
  const params = (number: number) => ({
    ...(options.params as Params),
    page: isFirstUnnumbered && number === 1 ? undefined : String(number),
  });
  const url = (number: number) =>
    route === undefined ? `?page=${number}` : routeUrl(route, params(number), site);
  return Array.from({ length: lastPage }, (_, index) => {
    const currentPage = index + 1;
    const start = index * size;
    const data = list.slice(start, start + size);
    const page: Page<T> = {
      data,
      start,
      end: start + data.length - 1,
      size,
      total,
      currentPage,
      lastPage,
      url: {
        current: url(currentPage),
        next: currentPage === lastPage ? undefined : url(currentPage + 1),
        prev: currentPage === 1 ? undefined : url(currentPage - 1),
        first: currentPage === 1 ? undefined : url(1),
        last: currentPage === lastPage ? undefined : url(lastPage),
      },
    };
    return { ...page, params: params(currentPage), props: { ...(options.props as Props), page } };
  });
}

/** Source: Astro 7, `getRouteGenerator` and `generatePaginateFunction`. */
function routeUrl(
  route: string,
  params: Readonly<Record<string, unknown>>,
  { base, trailingSlash }: Pick<ApiSettings, 'base' | 'trailingSlash'>,
): string {
  const segments = route.split('/').flatMap((segment) => {
    const text = segment.replace(/\[(\.\.\.)?([^[\]]+)\]/g, (_, spread: string | undefined, name: string) => {
      const value = params[name];
      if (value === undefined && spread === undefined) {
        throw new Error(`paginate({ route: '${route}' }): params.${name} is missing.`);
      }
      return String(value ?? '').normalize();
    });
    return text === '' ? [] : [`/${text.replaceAll('#', '%23').replaceAll('?', '%3F')}`];
  });
  const path = segments.join('') + (trailingSlash === 'always' ? '/' : '');
  return base + (path || '/');
}
