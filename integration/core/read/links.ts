import type { ResourceType } from '../content/model.ts';
import type { Page } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { LANGUAGE_PARAMETER } from '../engine/parse/parse-query.ts';
import { compareText, decodeUri } from '../util/text.ts';
import type { Link } from './document-types.ts';
import { translatedBase } from './language-paths.ts';
import type { ApiSettings } from './settings.ts';

/** The URLs of a relationship. */
export interface RelationshipLinks {
  /** Its target resources. */
  readonly related: string;
  /** Its identifiers. */
  readonly self: string;
}

/** Makes the links in documents, on a server or for static files. The rest of a document is the same. */
export interface LinkBuilder {
  /** Identifies the links: equal for builders that make the same ones. */
  readonly form: string;
  entry(): string;
  /** The first page of a collection, without a query. */
  collection(type: ResourceType): string;
  /** `langcode` is the language that the document is in. */
  individual(type: ResourceType, id: string, langcode?: string): string;
  /** The resource in a language. */
  translation(type: ResourceType, id: string, langcode: string): string;
  /** Undefined if relationships have no documents. */
  relationship(
    type: ResourceType,
    id: string,
    field: string,
    langcode?: string,
  ): RelationshipLinks | undefined;
  menu(name: string): string;
  /** A hidden resource; undefined if it has no document. */
  omitted(type: ResourceType, id: string): string | undefined;
  /** A path of the site, which belongs to no language. */
  site(path: string): string;
  /** The JSON Schema of a resource type. */
  schema(type: ResourceType): string;
  /** Present in the links of a version that is not the current file. */
  readonly version?: VersionLinks;
}

/** The path of JSON:API: `/docs/cms/jsonapi` for the base `/docs` and the prefix `/cms`. */
export function apiRoot({ base, prefix = '' }: Pick<ApiSettings, 'base' | 'prefix'>): string {
  return `${base}${prefix}/jsonapi`;
}

/** On a server, relationships have documents. */
export interface ServerLinks extends LinkBuilder {
  relationship(type: ResourceType, id: string, field: string, langcode?: string): RelationshipLinks;
  /** The account of the request. */
  me(): string;
  /** A search index, without a query. */
  index(name: string): string;
  /** A view, without a query. */
  view(name: string, display: string): string;
}

/** The URLs of the pages of a response. */
export interface Pager {
  readonly self: string;
  /** Another page; undefined if there is no such document. */
  at(page: Page): string | undefined;
}

/**
 * `${origin}${base}/jsonapi/node/article`; with the origin `''`, links are relative to the site. The entity `resource/schema`
 * and the field `schema` of the entity `resource` get other spellings, because the URL is that of the schema.
 */
export function createServerLinks(
  settings: ApiSettings,
  origin: string,
  access: Pick<QueryAccess, 'fieldVisible'>,
): ServerLinks {
  const root = origin + apiRoot(settings);
  const { base, siteBase = base } = settings;
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const collection = (type: ResourceType): string => `${root}/${type.entityType}/${type.bundle}`;
  const individual = (type: ResourceType, id: string): string =>
    `${collection(type)}/${id === SCHEMA_PATH ? encode(id) : entityPath(access, type, id)}${end}`;
  return {
    form: `server ${root} ${end}`,
    entry: () => root + end,
    collection: (type) => collection(type) + end,
    individual,
    translation: (type, id, langcode) =>
      settings.siteBase === undefined
        ? withLanguage(individual(type, id), langcode)
        : origin + translatedRoot(settings, langcode) + individual(type, id).slice(root.length),
    relationship: (type, id, field) => {
      const stem = `${collection(type)}/${entityPath(access, type, id)}`;
      const name = encode(field) + end;
      const isSchema = `${id}/${field}` === SCHEMA_PATH;
      return {
        related: `${stem}/${isSchema ? `%73chema${end}` : name}`,
        self: `${stem}/relationships/${name}`,
      };
    },
    menu: (name) => `${root}/menu_items/${encode(name)}${end}`,
    me: () => `${root}/_me${end}`,
    index: (name) => `${root}/index/${encode(name)}${end}`,
    view: (name, display) => `${root}/views/${encode(name)}/${encode(display)}${end}`,
    omitted: individual,
    site: (path) => origin + siteBase + path,
    schema: (type) => `${collection(type)}/${SCHEMA_PATH}${end}`,
  };
}

/**
 * `${base}/jsonapi/node/article.json`: static files. A resource in the documents of a language has the address in its own
 * language, because a document is written once.
 */
export function createStaticLinks(settings: ApiSettings): LinkBuilder {
  const root = apiRoot(settings);
  const end = entityFileEnd(settings);
  const below = ({ entityType, bundle }: ResourceType, id: string): string =>
    `/${entityType}/${bundle}/${encodeId(id)}${end}`;
  return {
    form: `static ${root}`,
    entry: () => `${root}/index.json`,
    collection: (type) => `${root}/${type.entityType}/${type.bundle}.json`,
    individual: (type, id, langcode) =>
      (settings.siteBase === undefined ? root : translatedRoot(settings, langcode)) + below(type, id),
    translation: (type, id, langcode) => translatedRoot(settings, langcode) + below(type, id),
    relationship: () => undefined,
    menu: (name) => `${root}/menu_items/${encode(name)}.json`,
    omitted: () => undefined,
    site: (path) => (settings.siteBase ?? settings.base) + path,
    schema: (type) => `${settings.base}${settings.prefix ?? ''}/${schemaFile(type)}`,
  };
}

/** Entities without files have the address of a server. In the browser, the snapshot answers there. */
export function entityFileEnd({ static: files }: ApiSettings): '.json' | '' {
  return files && files.documents === false ? '' : '.json';
}

function translatedRoot(settings: ApiSettings, langcode: string | undefined): string {
  return apiRoot({ ...settings, base: translatedBase(settings, langcode) });
}

/** The path of a schema below its collection. */
export const SCHEMA_PATH = 'resource/schema';

/** The static file of a schema. Names of entity types have no dots. */
export function schemaFile({ name }: ResourceType): string {
  return `jsonapi/${name}.schema.json`;
}

/**
 * The URLs of pages on a server: parameters sorted by name, as in Drupal. Pages have cursors and `page[size]`, or `page[number]`
 * and `page[size]` if the request has one of them, else `page[offset]` and `page[limit]`.
 */
export function createRequestPager(href: string, query: string): Pager {
  const parameters = readParameters(query);
  const others = parameters.filter(({ family }) => family !== 'page');
  const isNumbered = isNumberedPage(parameters);
  return {
    self: href + writeParameters(parameters),
    at({ offset, limit, cursors }) {
      const size = Number.isFinite(limit) ? limit : 0;
      const page = cursors
        ? { ...cursors, size }
        : isNumbered
          ? { number: size === 0 ? 1 : offset / size + 1, size }
          : { offset, limit: size };
      const members = Object.entries(page).map(([name, value]) => {
        return { family: 'page', name: `page[${name}]`, value: String(value) };
      });
      return href + writeParameters([...others, ...members]);
    },
  };
}

/** The parameter that sets the size of a page, in the form of the request. */
export function sizeParameter(query: string): string {
  return isNumberedPage(readParameters(query)) ? 'page[size]' : 'page[limit]';
}

function isNumberedPage(parameters: readonly QueryParameter[]): boolean {
  return parameters.some(({ name }) => name === 'page[number]' || name === 'page[size]');
}

/** The URLs of pages as files: `stem.json`, `stem.2.json`. `first` is the page in the first file. */
export function createStaticPager(stem: string, first: Page, page: Page): Pager {
  const at = ({ offset, limit }: Page): string | undefined => {
    const number = limit === Number.POSITIVE_INFINITY ? 1 : (offset - first.offset) / limit + 1;
    return number >= 1 ? staticPage(stem, number) : undefined;
  };
  return { self: at(page) ?? staticPage(stem, 1), at };
}

export function staticPage(stem: string, number: number): string {
  return number === 1 ? `${stem}.json` : `${stem}.${number}.json`;
}

/**
 * The id of an entity in a URL path. Its slashes are encoded if the path would otherwise look like the address of a field
 * that the actor can see: `hello/field_author`.
 */
export function entityPath(
  access: Pick<QueryAccess, 'fieldVisible'>,
  type: ResourceType,
  id: string,
): string {
  const last = id.slice(id.lastIndexOf('/') + 1);
  const looksLikeField =
    last === 'relationships' || (type.fields.has(last) && access.fieldVisible(type, last));
  return looksLikeField ? encode(id) : encodeId(id);
}

/** Encodes an id for a URL path, with its slashes. */
export function encodeId(id: string): string {
  return id.split('/').map(encode).join('/');
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encode(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The parameters of a query string, decoded, in order. */
export function readParameters(query: string): QueryParameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [start = '', ...rest] = pair.split('=');
      const name = decode(start);
      const [family = ''] = name.split('[', 1);
      return { family, name, value: decode(rest.join('=')) };
    });
}

/** `?a=b&…`, by family, or an empty string. The sort is stable, so parameters of a family keep their order. */
export function writeParameters(parameters: readonly QueryParameter[]): string {
  if (parameters.length === 0) return '';
  const sorted = parameters.toSorted((a, b) => compareText(a.family, b.family));
  return `?${sorted.map(({ name, value }) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

function decode(text: string): string {
  // The parser of queries refuses malformed text.
  return decodeUri(text.replaceAll('+', ' '));
}

/** Unreserved characters only. */
const PLAIN = /^[\w.~-]*$/;

export interface QueryParameter {
  /** The part of the name before the first bracket. */
  readonly family: string;
  readonly name: string;
  readonly value: string;
}

/** Links of a request with `langCode`: the URL of each resource has the language that the resource is in. */
export function createLanguageLinks(links: ServerLinks, requested: string): ServerLinks {
  return {
    ...links,
    form: `${links.form} ${LANGUAGE_PARAMETER}`,
    collection: (type) => withLanguage(links.collection(type), requested),
    individual: (type, id, langcode) => withLanguage(links.individual(type, id), langcode),
    relationship(type, id, field, langcode) {
      const { related, self } = links.relationship(type, id, field);
      return { related: withLanguage(related, langcode), self: withLanguage(self, langcode) };
    },
  };
}

function withLanguage(href: string, langcode: string | undefined): string {
  return langcode ? withParameter(href, LANGUAGE_PARAMETER, langcode) : href;
}

export function withParameter(href: string, name: string, value: string): string {
  return `${href}${href.includes('?') ? '&' : '?'}${name}=${encode(value)}`;
}

/** The links of a version that is not the current file. */
export interface VersionLinks {
  /** Of a past version. */
  readonly commit?: string;
  /** Other versions by relation type. Source: Drupal; RFC 5829. */
  links(type: ResourceType, id: string): Readonly<Record<string, Link>>;
}
