import type { ResourceType } from '../../content/model.ts';
import { createRequestPager, encode, encodeId, type Pager, staticPage } from '../../read/links.ts';
import type { ApiSettings } from '../../read/settings.ts';
import { REST_PATH, type Target } from '../routes.ts';
import type { BundleNames } from './names.ts';

/** The addresses of documents of `/api/content`. */
export interface RestLinks {
  list(type: ResourceType): RestPager;
  entity(type: ResourceType, id: string): string;
}

/** A server also serves the lists in fields. */
export interface RestServerLinks extends RestLinks {
  field(type: ResourceType, id: string, name: string): string;
}

interface RestPager {
  readonly self: string;
  /** The same list on another page, counted from 1. */
  at(page: number): string;
}

/** On a server: `${origin}${base}${prefix}/articles?page=2`, with the parameters of the request. */
export function createRestServerLinks(
  settings: ApiSettings,
  names: BundleNames,
  { origin, route, query }: Pick<Target, 'origin' | 'route' | 'query'>,
): RestServerLinks {
  const root = origin + settings.base + route.path;
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const below = (type: ResourceType, path: string): string =>
    createRequestPager(`${root}/${encode(names.plural(type))}/${path}${end}`, query).self;
  return {
    list(type) {
      const href = `${root}/${encode(names.plural(type))}${end}`;
      const withPage = (page: number): Pager => createRequestPager(href, withParameter(query, 'page', page));
      return { self: createRequestPager(href, query).self, at: (page) => withPage(page).self };
    },
    entity: (type, id) => below(type, encodeId(id)),
    field: (type, id, name) => below(type, `${encodeId(id)}/${encode(name)}`),
  };
}

/** As files: `${base}/api/content/articles.json`, `articles.2.json`, `articles/<id>.json`. */
export function createRestStaticLinks(settings: ApiSettings, names: BundleNames, page = 1): RestLinks {
  const stemOf = (type: ResourceType): string => `${settings.base}${REST_PATH}/${encode(names.plural(type))}`;
  return {
    list(type) {
      const stem = stemOf(type);
      return { self: staticPage(stem, page), at: (number) => staticPage(stem, number) };
    },
    entity: (type, id) => `${stemOf(type)}/${encodeId(id)}.json`,
  };
}

function withParameter(query: string, name: string, value: number): string {
  const others = query.split('&').filter((pair) => pair !== '' && pair.split('=', 1)[0] !== name);
  return [...others, `${name}=${value}`].join('&');
}
