import { OPERATORS } from '../../integration/core/engine/ast.ts';
import { createRandom } from '../support/random.ts';

/** One request to send. */
export interface FuzzRequest {
  /** Path and query; begins with `/`. */
  readonly target: string;
  readonly method: string;
  readonly accept?: string;
  readonly body?: string;
}

/** Names from the content, which make requests more likely to be valid. */
export interface FuzzVocabulary {
  /** Paths of every kind of resource. */
  readonly addresses: readonly string[];
  readonly collections: readonly FuzzCollection[];
  readonly types: readonly string[];
  readonly values: readonly string[];
}

/** A path that returns a list, and the members of its entities. */
export interface FuzzCollection {
  readonly address: string;
  /** Field names and longer paths. */
  readonly paths: readonly string[];
  /** Include paths. */
  readonly includes: readonly string[];
  readonly ids: readonly string[];
}

/** An endless sequence of requests, the same for the same seed: valid ones and mutations of them. */
export function createFuzzer(vocabulary: FuzzVocabulary, seed: number): () => FuzzRequest {
  const random = createChoices(seed);
  const asked = createAsker(vocabulary, random);
  return () => {
    const { chance, pick, below } = random;
    if (chance(0.02)) return subrequests(asked, random);
    let target = asked();
    if (chance(0.5)) {
      for (let left = 1 + below(4); left > 0; left--) target = `/${pick(DAMAGES)(target.slice(1), random)}`;
    }
    const method = chance(0.85) ? 'GET' : pick(METHODS);
    const accept = chance(0.1) ? { accept: acceptHeader(random) } : {};
    return { target, method, ...accept };
  };
}

function createAsker(vocabulary: FuzzVocabulary, random: Choices): () => string {
  const { chance, pick, below } = random;
  const { addresses, collections, types, values } = vocabulary;
  let collection = pick(collections);
  const path = () => {
    const { paths } = chance(0.98) ? collection : pick(collections);
    return chance(0.98) ? pick(paths) : pick(ODD);
  };
  const value = () => (chance(0.9) ? encodeURIComponent(pick(values)) : pick(ODD));
  const label = () => (chance(0.9) ? pick(LABELS) : pick(ODD));
  const operator = () => encodeURIComponent(chance(0.95) ? pick(OPERATORS) : pick(['LIKE', '', 'in', '==']));
  const list = (most: number, make: () => string) => Array.from(Array(below(most + 1)), make);
  const condition = (name: string): string => {
    const key = `filter[${name}][condition]`;
    const given = operator();
    const valued = /IN$|BETWEEN/.test(given)
      ? list(chance(0.02) ? 510 : 4, () => `${key}[value][]=${value()}`)
      : [`${key}[value]=${value()}`];
    const parts = [
      `${key}[path]=${path()}`,
      `${key}[operator]=${given}`,
      ...(/NULL/.test(given) ? [] : valued),
    ];
    return [...parts, ...(chance(0.1) ? [`${key}[memberOf]=${label()}`] : [])].join('&');
  };
  const parameters: readonly (() => string)[] = [
    () => `filter[${path()}]=${value()}`,
    () => `filter[${path()}]=${value()}`,
    () => `filter[${path()}][value]=${value()}&filter[${path()}][operator]=${operator()}`,
    () => {
      const name = path();
      return `filter[${name}][operator]=${operator()}&filter[${name}][value]=${value()}`;
    },
    () => condition(label()),
    () => condition(label()),
    () => `filter[fulltext]=${value()}`,
    () => `filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${value()}`,
    () =>
      `filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=${chance(0.95) && collection.ids.length > 0 ? encodeURIComponent(pick(collection.ids)) : value()}`,
    () => list(chance(0.03) ? 110 : 6, () => condition(`c${below(200)}`)).join('&'),
    () =>
      `filter[g][group][conjunction]=${pick(['AND', 'OR', 'OR', 'or', ''])}&${condition('x')}&filter[x][condition][memberOf]=g`,
    () => deepGroups(below(12), path()),
    () => `sort=${list(3, () => pick(['', '-']) + path()).join(',')}`,
    () => `sort[${label()}][path]=${path()}&sort[${label()}][direction]=${pick(['DESC', 'asc', '', 'x'])}`,
    () => `page[offset]=${pick(['0', '2', '7', '50', '1.5', '-1', 'abc', '99999999999999999999', ''])}`,
    () => `page[limit]=${pick(['0', '1', '3', '50', '51', '-1', 'abc', '1e9', '99999999999999999999', ''])}`,
    () => `page[${label()}]=${value()}`,
    () =>
      `page[number]=${pick(['1', '2', '7', '0', 'x', ''])}&page[size]=${pick(['1', '50', '0', '-1', ''])}`,
    () => `facetBy=${list(3, path).join(',')}`,
    () =>
      `facetBy[${path()}][${pick(FACET_OPTIONS)}]=${pick(['1', '5', '1000', '1001', 'or', 'value', 'year', '0,1,2.5', value()])}`,
    () =>
      `include=${list(3, () => (chance(0.95) && collection.includes.length > 0 ? pick(collection.includes) : path())).join(',')}`,
    () => `fields[${chance(0.9) ? pick(types) : label()}]=${list(4, path).join(',')}`,
    () => `${pick(NAMES)}=${value()}`,
    () => `${pick(NAMES)}[${label()}][${label()}]=${value()}`,
  ];
  const query = () => list(chance(0.05) ? 20 : 4, () => pick(parameters)()).join('&');
  return () => {
    collection = pick(collections);
    const kind = below(20);
    if (kind === 0) return `/router/translate-path?path=${encodeURIComponent(pick(addresses))}&${query()}`;
    if (kind === 1) {
      const url = `${collection.address}?${query()}`;
      return `/jsonapi-explorer/explain.json?url=${encodeURIComponent(url)}`;
    }
    const address = kind < 15 ? collection.address : pick(addresses);
    const asked = query();
    return asked === '' && chance(0.7) ? address : `${address}?${asked}`;
  };
}

/** Nested groups with one condition at the bottom. */
function deepGroups(depth: number, path: string): string {
  const groups = Array.from(Array(depth), (_, level) => {
    const outer = level === 0 ? '' : `&filter[g${level}][group][memberOf]=g${level - 1}`;
    return `filter[g${level}][group][conjunction]=${level % 2 === 0 ? 'AND' : 'OR'}${outer}`;
  });
  const inside = depth === 0 ? '' : `&filter[x][condition][memberOf]=g${depth - 1}`;
  return [...groups, `filter[x][condition][path]=${path}&filter[x][condition][value]=1${inside}`].join('&');
}

function subrequests(asked: () => string, { below, chance, pick }: Choices): FuzzRequest {
  const list = Array.from(Array(below(chance(0.1) ? 24 : 4)), (_, index) => ({
    requestId: chance(0.9) ? `r${index}` : pick(ODD),
    action: chance(0.95) ? 'view' : 'create',
    uri: chance(0.8)
      ? asked()
      : `${asked()}{{r0.body@$.${pick(['data.id', 'links.self.href', '__proto__'])}}}`,
    headers: { Accept: 'application/vnd.api+json' },
  }));
  const body = JSON.stringify(list);
  return {
    target: '/subrequests?_format=json',
    method: chance(0.95) ? 'POST' : 'GET',
    ...(chance(0.9) ? { body } : { body: body.slice(below(body.length)) }),
  };
}

function acceptHeader({ below, pick }: Choices): string {
  return Array.from(Array(below(8)), () => pick(ACCEPT))
    .join('')
    .trim();
}

/** Mutations of a text. */
const DAMAGES: readonly ((text: string, random: Choices) => string)[] = [
  (text, { below, pick }) => splice(text, below(text.length + 1), 0, pick(ODD)),
  (text, { below }) => splice(text, below(text.length + 1), 1 + below(8), ''),
  (text, { below }) => {
    const at = below(text.length);
    return splice(text, at, 0, text.slice(at, at + below(40)));
  },
  (text, { below, pick }) => splice(text, below(text.length + 1), 1, pick(SIGNS)),
  (text, random) => swapParameters(text, random),
  (text, random) => onParameter(text, random, (part) => `${part}&${part}`),
  (text, random) => onParameter(text, random, () => ''),
  (text, random) => onParameter(text, random, (part) => part.replace(/\[[^\]]*\]/, '')),
  (text, random) => onParameter(text, random, (part) => part.replace(/(\[[^\]]*\])/, '$1$1')),
  (text, random) => onParameter(text, random, (part) => part.replace(/(\[[^\]]*\])(\[[^\]]*\])/, '$2$1')),
  (text, random) => onParameter(text, random, (part) => part.replace(/=.*$/, '')),
  (text, random) => onParameter(text, random, (part) => part.replace(/=.*$/, () => `=${random.pick(ODD)}`)),
  (text, random) => onParameter(text, random, (part) => part.replace('=', '[]=')),
  (text, random) => onParameter(text, random, (part) => `${part}${'9'.repeat(random.below(400))}`),
  (text, random) => onParameter(text, random, (part) => (part.length > 300 ? part : `${part}&`.repeat(200))),
  (text) => text.replaceAll('[', '%5B').replaceAll(']', '%5D'),
  (text, { below }) =>
    splice(text, below(text.length + 1), 1, `%${(256 + below(256)).toString(16).slice(1)}`),
  (text) => text.toUpperCase(),
  (text) => text.replace('?', '/?'),
  (text) => text.replace(/\/([^/?]+)/, '/$1/$1'),
  (text, { pick }) => text.replace('?', `${pick(TAILS)}?`),
  (text, { pick }) => `${text.split('?')[0]}${pick(TAILS)}`,
  (text) => `${text}${'&filter[x]=y'.repeat(800)}`,
];

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}

function onParameter(text: string, { below }: Choices, change: (part: string) => string): string {
  const [path = '', ...query] = text.split('?');
  const parts = query.join('?').split('&');
  const at = below(parts.length);
  return `${path}?${parts.with(at, change(parts[at] ?? '')).join('&')}`;
}

function swapParameters(text: string, { below }: Choices): string {
  const [path = '', ...query] = text.split('?');
  const parts = query.join('?').split('&');
  const [one, other] = [below(parts.length), below(parts.length)];
  return `${path}?${parts
    .with(one, parts[other] ?? '')
    .with(other, parts[one] ?? '')
    .join('&')}`;
}

const METHODS = ['HEAD', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const;
const LABELS = ['a', 'b', 'c', '0', '7', 'title', 'and', '', 'g1'] as const;
const NAMES = [
  ...['filter', 'sort', 'page', 'include', 'fields', 'limit', 'offset', 'q', 'fulltext', 'resourceVersion'],
  ...['_format', 'url', 'path', 'fooBar', 'order', 'lang_code', 'utm_source', '', '__proto__'],
];
const TAILS = [
  '/',
  '//',
  '/relationships',
  '/relationships/x',
  '/resource/schema',
  '/..',
  '/.json',
  '/%2F',
  '/%00',
];
const SIGNS = [
  '[',
  ']',
  '&',
  '=',
  '?',
  '/',
  '%',
  '+',
  '.',
  ',',
  '#',
  ';',
  ':',
  '@',
  '-',
  ' ',
  '"',
  '\\',
] as const;
const ODD = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'undefined', 'null', 'NaN'],
  ...['-0', '-1', '1e999', '999999999999999999999', '0x10', '.5', '1.', '١', '½'],
  ...['%00', '%0A', '%C3', '%ED%A0%80', '%F0%9F%92%A9', 'e%CC%81', '%EF%BF%BF', '%25', '%', '%2', '+', '%zz'],
  ...['%2F..%2F', '../', '\\', '"', '%5B', ']]', '[[', '[]', '&&', '==', '#', ';', '💩', 'İ', 'ß', '\u202e'],
  ...[
    'a'.repeat(300),
    'x.'.repeat(20),
    '['.repeat(60),
    '%5B'.repeat(60),
    '(((((((((',
    '.*.*.*.*',
    "' OR 1=1 --",
  ],
  ...['9'.repeat(400), '2024-13-45', '275761-01-01', '0000-00-00T99:99:99Z', 'field_tags.'.repeat(12)],
] as const;
const ACCEPT = [
  ...['application/vnd.api+json', 'application/json', '*/*', 'text/html', ';', ',', '=', '"', 'q=0', 'q=1.5'],
  ...['ext', 'profile', ' ', '\\', 'é', 'charset=utf-8'],
] as const;

interface Choices {
  /** A whole number from 0, less than `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

function createChoices(seed: number): Choices {
  const next = createRandom(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('The array is empty.');
      return item;
    },
  };
}

const FACET_OPTIONS = ['limit', 'min', 'sort', 'operator', 'interval', 'ranges', 'x'];
