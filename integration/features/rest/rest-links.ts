import type { Target } from '../../core/api/match-route.ts';
import type { ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { LANGUAGE_PARAMETER } from '../../core/engine/parse/parse-query.ts';
import { translatedBase } from '../../core/read/language-paths.ts';
import {
  createRequestPager,
  encode,
  encodeId,
  entityFileEnd,
  entityPath,
  staticPage,
} from '../../core/read/links.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import type { BundleNames } from './names.ts';
import { REST_PATH } from './routes.ts';

/** The addresses of documents of `/api/content`. */
export interface RestLinks {
  /** The list of bundles. */
  entry(): string;
  /** `at` is the same list on another page, counted from 1. */
  list(type: ResourceType): { readonly self: string; at(page: number): string };
  /** An entity. `langcode` is the language that it is in. */
  entity(type: ResourceType, id: string, langcode?: string): string;
  /** The list in a field of an entity, which only a server has. */
  field(type: ResourceType, id: string, name: string): string;
  /** An entity in a language. */
  translation(type: ResourceType, id: string, langcode: string): string;
}

/** On a server: `${origin}${base}${prefix}/articles?page=2`, with the parameters of the request. */
export function createRestServerLinks(
  settings: ApiSettings,
  names: BundleNames,
  { origin, route, query }: Pick<Target, 'origin' | 'route' | 'query'>,
  access: Pick<QueryAccess, 'fieldVisible'>,
): RestLinks {
  const root = origin + settings.base + route.path;
  const below = (type: ResourceType, id: string): string =>
    `/${encode(names.plural(type))}/${entityPath(access, type, id)}`;
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const href = (type: ResourceType, below: string, parameters = query): string =>
    createRequestPager(`${root}/${encode(names.plural(type))}${below}${end}`, parameters).self;
  return {
    entry: () => createRequestPager(root + end, query).self,
    list: (type) => ({
      self: href(type, ''),
      at: (page) => href(type, '', withParameter(query, 'page', page)),
    }),
    translation: (type, id, langcode) =>
      settings.siteBase === undefined
        ? `${root}${below(type, id)}${end}?${LANGUAGE_PARAMETER}=${encode(langcode)}`
        : `${origin}${translatedBase(settings, langcode)}${route.path}${below(type, id)}${end}`,
    entity: (type, id) => href(type, `/${entityPath(access, type, id)}`),
    field: (type, id, name) => href(type, `/${entityPath(access, type, id)}/${encode(name)}`),
  };
}

/** As files: `${base}/api/content/articles.json`, `articles.2.json`, `articles/<id>.json`. */
export function createRestStaticLinks(settings: ApiSettings, names: BundleNames, page = 1): RestLinks {
  const rootOf = (base: string): string => `${base}${settings.prefix ?? ''}${REST_PATH}`;
  const end = entityFileEnd(settings);
  const stemOf = (type: ResourceType, base = settings.base): string =>
    `${rootOf(base)}/${encode(names.plural(type))}`;
  return {
    entry: () => `${rootOf(settings.base)}.json`,
    list(type) {
      const stem = stemOf(type);
      return { self: staticPage(stem, page), at: (number) => staticPage(stem, number) };
    },
    entity(type, id, langcode) {
      const base = settings.siteBase === undefined ? settings.base : translatedBase(settings, langcode);
      return `${stemOf(type, base)}/${encodeId(id)}${end}`;
    },
    field() {
      throw new Error('The lists in fields have no files.');
    },
    translation: (type, id, langcode) =>
      `${stemOf(type, translatedBase(settings, langcode))}/${encodeId(id)}${end}`,
  };
}

function withParameter(query: string, name: string, value: number): string {
  const others = query.split('&').filter((pair) => pair !== '' && pair.split('=', 1)[0] !== name);
  return [...others, `${name}=${value}`].join('&');
}
