import type { ResourceType } from '../content/model.ts';
import type { Page } from '../engine/ast.ts';
import type { Link } from './document-types.ts';
import type { ApiSettings } from './settings.ts';

/** Where a relationship is told: the resources it leads to, and its identifiers. */
export interface RelationshipLinks {
  readonly related: string;
  readonly self: string;
}

/** Where documents live: on a server or as files. Everything else of a document is the same in both. */
export interface LinkBuilder {
  /** The same for builders that make the same links. */
  readonly form: string;
  entry(): string;
  /** The first page of a collection, without a query. */
  collection(type: ResourceType): string;
  individual(type: ResourceType, id: string): string;
  /** Undefined where relationships have no documents of their own. */
  relationship(type: ResourceType, id: string, field: string): RelationshipLinks | undefined;
  menu(name: string): string;
  /** A resource that this actor cannot get; undefined where such a link would lead nowhere. */
  omitted(type: ResourceType, id: string): string | undefined;
  /** The JSON Schema of a resource type. */
  schema(type: ResourceType): string;
  /** Where the links are those of a past version. */
  readonly version?: ShownVersion;
}

/** On a server every relationship has documents of its own. */
export interface ServerLinks extends LinkBuilder {
  relationship(type: ResourceType, id: string, field: string): RelationshipLinks;
}

/** The addresses of one answer. */
export interface Pager {
  readonly self: string;
  /** The same answer on another page; undefined where there is no such document. */
  at(page: Page): string | undefined;
}

/**
 * `${origin}${base}/jsonapi/node/article`; an origin of `''` makes the links site-relative. What would have the
 * address of the schema, by an id `resource/schema` or a field `schema` of the id `resource`, is spelled otherwise.
 */
export function createServerLinks(settings: ApiSettings, origin: string): ServerLinks {
  const root = `${origin}${settings.base}/jsonapi`;
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const collection = (type: ResourceType): string => `${root}/${type.entityType}/${type.bundle}`;
  const resource = (type: ResourceType, id: string): string => `${collection(type)}/${encodeId(id)}`;
  const individual = (type: ResourceType, id: string): string =>
    (id === SCHEMA_PLACE ? `${collection(type)}/${encode(id)}` : resource(type, id)) + end;
  return {
    form: `server ${root} ${end}`,
    entry: () => root + end,
    collection: (type) => collection(type) + end,
    individual,
    relationship: (type, id, field) => {
      const stem = resource(type, id);
      const name = encode(field) + end;
      const shadowed = `${id}/${field}` === SCHEMA_PLACE;
      return {
        related: `${stem}/${shadowed ? `%73chema${end}` : name}`,
        self: `${stem}/relationships/${name}`,
      };
    },
    menu: (name) => `${root}/menu_items/${encode(name)}${end}`,
    omitted: individual,
    schema: (type) => `${collection(type)}/${SCHEMA_PLACE}${end}`,
  };
}

/** `${base}/jsonapi/node/article.json`: files below the site's root. */
export function createStaticLinks(settings: ApiSettings): LinkBuilder {
  const root = `${settings.base}/jsonapi`;
  return {
    form: `static ${root}`,
    entry: () => `${root}/index.json`,
    collection: (type) => `${root}/${type.entityType}/${type.bundle}.json`,
    individual: (type, id) => `${root}/${type.entityType}/${type.bundle}/${encodeId(id)}.json`,
    relationship: () => undefined,
    menu: (name) => `${root}/menu_items/${encode(name)}.json`,
    omitted: () => undefined,
    schema: (type) => `${settings.base}/${schemaFile(type)}`,
  };
}

/** Where the schema of a resource type is, below its collection on a server. */
export const SCHEMA_PLACE = 'resource/schema';

/** The file of it, below the site's root: no entity type has a dot in its name. */
export function schemaFile({ name }: ResourceType): string {
  return `jsonapi/${name}.schema.json`;
}

/** Pages of one request: its parameters sorted by name, as Drupal does, with `page[offset]` and `page[limit]`. */
export function createRequestPager(href: string, query: string): Pager {
  const parameters = readParameters(query);
  const others = parameters.filter(({ family }) => family !== 'page');
  return {
    self: href + writeParameters(parameters),
    at: ({ offset, limit }) =>
      href +
      writeParameters([
        ...others,
        { family: 'page', name: 'page[offset]', value: String(offset) },
        { family: 'page', name: 'page[limit]', value: Number.isFinite(limit) ? String(limit) : '0' },
      ]),
  };
}

/** Pages as files: `stem.json`, `stem.2.json`. `first` is the page the first file holds. */
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

/** An id in a URL path: its slashes stay. */
export function encodeId(id: string): string {
  return PLAIN.test(id) ? id : id.split('/').map(encode).join('/');
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encode(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function readParameters(query: string): Parameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const [family = ''] = name.split('[', 1);
      return { family, name, value: equals < 0 ? '' : decode(pair.slice(equals + 1)) };
    });
}

// Sorting is stable, so values of one family keep their order.
function writeParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const sorted = parameters.toSorted((a, b) => (a.family < b.family ? -1 : a.family > b.family ? 1 : 0));
  return `?${sorted.map(({ name, value }) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Unreserved characters only, as most names and ids are: there is nothing to encode. */
const PLAIN = /^[\w.~-]*$/;

interface Parameter {
  /** The name before its first bracket. */
  readonly family: string;
  readonly name: string;
  readonly value: string;
}

/** What resources say of the version that they are. */
export interface ShownVersion {
  /** Whole hash of the commit. */
  readonly commit: string;
  /** Other versions, by Drupal's names. Source: RFC 5829. */
  links(type: ResourceType, id: string): Readonly<Record<string, Link>>;
}
