import fc from 'fast-check';
import { type Actor, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Roles } from '../../integration/core/access/role.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import type { Entity, FieldValue, ResourceType } from '../../integration/core/content/model.ts';
import { OPERATORS } from '../../integration/core/engine/ast.ts';
import { bundle, entity, field } from '../unit/api/jsonapi/magazine.ts';

export const NOW = Date.parse('2030-01-01T00:00:00Z');
const STORY = 'node--story';
const PERSON = 'node--person';

/** The part of the content that an actor does not see: entities and fields. */
export interface Onlooker {
  readonly actor: Actor;
  readonly roles: Roles;
  /** In addition to published content. */
  readonly ownUnpublished: boolean;
  /** The type with only visible entities. */
  readonly whole?: string;
  readonly hidden: readonly string[];
}

/** Parts of a tolerant search, about fields of which some are hidden. */
const PARTS = ['"alpha beta"', '-"beta"', 'title:alpha', '-title:beta', 'words:"gamma"', 'body:bet'];
export const HIDDEN = ['author', 'kit', 'path', 'rating', 'title', 'uid', 'words'];
export const VIEW = { actions: ['view'], bundles: '*', where: 'published' } as const;

export const ONLOOKERS: readonly (readonly [string, Onlooker])[] = [
  ['anonymous', { actor: ANONYMOUS, roles: {}, ownUnpublished: false, hidden: ['uid'] }],
  [
    'an actor who sees their own unpublished content',
    { actor: { name: 'ed', roles: [] }, roles: {}, ownUnpublished: true, hidden: [] },
  ],
  [
    'an actor who sees every story',
    {
      actor: { name: 'ed', roles: ['desk'] },
      roles: {
        authenticated: { permissions: [VIEW] },
        desk: { permissions: [{ actions: ['view'], bundles: ['story'] }] },
      },
      ownUnpublished: false,
      whole: STORY,
      hidden: [],
    },
  ],
  [
    'an actor with hidden fields',
    {
      actor: { name: 'ed', roles: ['guest', 'friend'] },
      roles: {
        authenticated: {},
        guest: { permissions: [{ ...VIEW, fields: { view: { except: [...HIDDEN, 'body'] } } }] },
        friend: { permissions: [{ ...VIEW, fields: { view: { except: HIDDEN } } }] },
      },
      ownUnpublished: false,
      hidden: HIDDEN,
    },
  ],
];

export const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });

/** Worlds with translations: visible ones are the same on both sides, hidden ones are missing or have other values. */
export function translatedWorlds(onlooker: Onlooker): fc.Arbitrary<Pair> {
  const hidden = fc.option(values(), { nil: undefined });
  const translation = fc.record({
    type: fc.constantFrom(STORY, PERSON),
    id: fc.constantFrom(...IDS),
    language: fc.constantFrom('de', 'fr'),
    seen: fc.option(values(), { nil: undefined }),
    hidden: fc.tuple(hidden, hidden),
  });
  const translations = fc.uniqueArray(translation, {
    maxLength: 20,
    selector: ({ type, id, language }) => `${type} ${id} ${language}`,
  });
  return fc.tuple(worlds(onlooker), translations).map(([pair, some]) => {
    const world = (side: 0 | 1): readonly Entity[] => [
      ...pair[side],
      ...some.flatMap(({ type, id, language, seen, hidden: unseenValues }, i): Entity[] => {
        const mine = seen ?? (type === onlooker.whole ? undefined : unseenValues[side]);
        if (mine === undefined) return [];
        const uid = OTHERS[i % OTHERS.length] ?? '';
        return [{ ...make(type, id, { ...mine, uid }, seen !== undefined), translation: language }];
      }),
    ];
    return [world(0), world(1)] as const;
  });
}

/** Some requests for another language than the default one. */
export function inLanguage(requests: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parameters = fc.constantFrom('', '', 'langCode=de', 'langCode=fr', 'langCode=fr&includeFallback=1');
  return fc
    .tuple(fc.constantFrom('', '/de', '/fr'), requests, parameters)
    .map(([prefix, path, parameter]) => {
      const isLocalized = /^\/(?:jsonapi|api|router)(?:$|[/?])/.test(path) && !path.endsWith('openapi.json');
      if (!isLocalized) return path;
      return prefix + withParameter(path, parameter);
    });
}

function withParameter(path: string, parameter: string): string {
  return parameter === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${parameter}`;
}

export const TYPES: readonly ResourceType[] = [
  bundle(STORY, [
    field('author', 'reference', { targets: [PERSON] }),
    field('day', 'date'),
    field('kit', 'object', {
      list: true,
      properties: { item: field('item', 'string'), weight: field('weight', 'integer') },
    }),
    field('price', 'decimal'),
    field('publish_on', 'datetime'),
    field('rating', 'integer'),
    field('subjects', 'reference', { targets: [PERSON, STORY], list: true }),
    field('words', 'string', { list: true }),
  ]),
  bundle(PERSON, [field('boss', 'reference', { targets: [PERSON] }), field('rating', 'integer')]),
];

/** Ids that any entity may refer to; each world decides which are published. */
export const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
/** Accounts similar to the actor's. */
const OTHERS = ['Ed', 'ED', 'ｅｄ', 'ed ', ''] as const;
const TEXTS = ['alpha', 'Alpha', 'beta', 'béta', 'gamma', 'z'] as const;

/** Two worlds. */
export type Pair = readonly [readonly Entity[], readonly Entity[]];
export type Values = Readonly<Record<string, FieldValue>>;

export function worlds({ ownUnpublished, whole, hidden: fields }: Onlooker): fc.Arbitrary<Pair> {
  const seen = fc.record({
    id: fc.constantFrom(...IDS),
    type: fc.constantFrom(STORY, PERSON),
    seen: fc.constantFrom<How>('published', 'published', 'unpublished', 'own'),
  });
  const others = fc.constantFrom(...[STORY, PERSON].filter((type) => type !== whole));
  const extras = fc.array(fc.tuple(others, values()), { maxLength: 40 });
  return fc
    .record({
      entities: fc.uniqueArray(seen, {
        minLength: 4,
        maxLength: 16,
        selector: ({ id, type }) => `${type} ${id}`,
      }),
      visible: fc.array(values(), { minLength: 16, maxLength: 16 }),
      hidden: fc.tuple(
        fc.array(values(), { minLength: 16, maxLength: 16 }),
        fc.array(values(), { minLength: 16, maxLength: 16 }),
      ),
      secrets: fc.tuple(
        fc.array(values(), { minLength: 16, maxLength: 16 }),
        fc.array(values(), { minLength: 16, maxLength: 16 }),
      ),
      extras: fc.tuple(extras, extras),
    })
    .map(({ entities, visible, hidden, secrets, extras }) => {
      const world = (side: 0 | 1): readonly Entity[] => [
        ...entities.map(({ id, type, seen: how }, i) => {
          const owned = how === 'own' && ownUnpublished;
          if (how !== 'published' && !owned && type !== whole)
            return unseen(type, id, hidden[side][i] ?? {}, i);
          const secret = Object.entries(secrets[side][i] ?? {}).filter(([name]) => fields.includes(name));
          const uid = how === 'own' ? 'ed' : 'Ed';
          return make(type, id, { ...visible[i], uid, ...Object.fromEntries(secret) }, how === 'published');
        }),
        ...extras[side].map(([type, values], i) => unseen(type, `${IDS[i % IDS.length]}-${i}`, values, i)),
      ];
      return [world(0), world(1)] as const;
    });
}

function make(type: string, id: string, { body, ...values }: Values, published = true): Entity {
  return entity(
    type,
    id,
    { publish_on: null, ...values },
    { published, body: typeof body === 'string' ? body : null },
  );
}

/** The reason an entity is visible, if it is. */
type How = 'published' | 'unpublished' | 'own';

/** Hidden because it is unpublished or, if the type supports it, scheduled. */
function unseen(type: string, id: string, values: Values, i: number): Entity {
  const later = type === STORY && i % 2 === 0;
  const uid = OTHERS[i % OTHERS.length] ?? '';
  return make(type, id, { ...values, uid, ...(later && { publish_on: '2031-01-01T00:00:00+00:00' }) }, later);
}

export function values(): fc.Arbitrary<Values> {
  const reference = fc.record({ type: fc.constantFrom(STORY, PERSON), id: fc.constantFrom(...IDS) });
  const person = reference.map(({ id }) => ({ type: PERSON, id }));
  const text = fc.constantFrom(...TEXTS);
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 });
  return fc.record({
    title: text,
    uid: text,
    path: maybe(fc.constantFrom('/a', '/b')).map((alias) => ({ alias })),
    author: maybe(person),
    boss: maybe(person),
    body: maybe(text),
    day: maybe(fc.constantFrom('2024-01-01', '2024-02-02', '2025-03-03')),
    kit: fc.array(fc.record({ item: maybe(text), weight: maybe(fc.integer({ min: 0, max: 3 })) }), {
      maxLength: 2,
    }),
    price: maybe(fc.constantFrom('1', '1.50', '2')),
    rating: maybe(fc.integer({ min: 0, max: 3 })),
    subjects: fc.array(reference, { maxLength: 3 }),
    words: fc.array(text, { maxLength: 3 }),
  });
}

const SORTABLE = [
  'id',
  'title',
  'rating',
  'author.title',
  'author.id',
  'author.boss.title',
  'author.rating',
  'subjects.title',
  'subjects.rating',
  'subjects.boss.title',
  'subjects.0.title',
  'subjects.author.title',
  'kit.item',
  'kit.weight',
  'words',
  'words.1',
  'price',
];
const TEXTUAL = [...SORTABLE, 'subjects.id', 'subjects.body.value', 'body.value', 'status'];
/** Mostly returned as an error. */
const WRONG = ['uid', 'author.uid', 'author', 'subjects', 'nope'];
const DAYS = ['day', 'publish_on', 'subjects.day'];
const INCLUDES = ['author', 'subjects', 'author.boss', 'subjects.author', 'subjects.subjects'];

export function query(): fc.Arbitrary<string> {
  const value = fc.constantFrom(...TEXTS, ...IDS, '0', '1', '2', '1.5', '');
  const day = fc.constantFrom('2024-01-01', '2024-02-02', '2030-06-01');
  const asked = fc.oneof(
    { weight: 30, arbitrary: fc.tuple(fc.constantFrom(...TEXTUAL), value, value) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...DAYS), day, day) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...WRONG), value, value) },
  );
  const path = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...SORTABLE) },
    { weight: 1, arbitrary: fc.constantFrom(...WRONG) },
  );
  const condition = fc
    .tuple(asked, fc.constantFrom(...OPERATORS), fc.constantFrom('', '', 'one', 'any'))
    .map(([[at, first, last], operator, group]) => ({ at, operator, values: [first, last], group }));
  return fc
    .record({
      conditions: fc.array(condition, { maxLength: 4 }),
      sort: fc.array(fc.tuple(fc.constantFrom('', '-'), path), { maxLength: 2 }),
      page: fc.option(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 }))),
      include: fc.subarray(INCLUDES, { maxLength: 2 }),
      sparse: fc.boolean(),
      facet: fc.option(
        fc.tuple(path, fc.constantFrom('', '[operator]=or', '[sort]=value', '[interval]=month')),
      ),
      search: fc.option(
        fc.subarray([...TEXTS, '-gamma', '-z', 'gam', 'synonym', 'the', 'alhpa', 'lph', 'bet', ...PARTS], {
          minLength: 1,
          maxLength: 2,
        }),
      ),
      isTolerant: fc.boolean(),
      related: fc.option(fc.constantFrom(...IDS), { freq: 2 }),
    })
    .map(({ conditions, sort, page, include, sparse, search, isTolerant, related, facet }) => {
      const parts = conditions.flatMap(({ at, operator, values, group }, i) => {
        const keys = `filter[c${i}][condition]`;
        const given = operator.startsWith('IS')
          ? []
          : /IN$|BETWEEN/.test(operator)
            ? values
            : values.slice(0, 1);
        return [
          `${keys}[path]=${at}`,
          `${keys}[operator]=${encodeURIComponent(operator)}`,
          ...given.map((each) => `${keys}[value]${given.length > 1 ? '[]' : ''}=${encodeURIComponent(each)}`),
          ...(group === '' ? [] : [`${keys}[memberOf]=${group}`]),
        ];
      });
      for (const [name, conjunction] of [
        ['one', 'AND'],
        ['any', 'OR'],
      ] as const) {
        if (conditions.some(({ group }) => group === name))
          parts.push(`filter[${name}][group][conjunction]=${conjunction}`);
      }
      if (search !== null)
        parts.push(
          `filter[fulltext]${isTolerant ? '[operator]=SEARCH&filter[fulltext][value]' : ''}=${encodeURIComponent(search.join(' '))}${isTolerant ? '&filter[fulltext][highlight]=true' : ''}`,
        );
      if (related !== null)
        parts.push(`filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=${related}`);
      if (sort.length > 0) parts.push(`sort=${sort.map(([sign, at]) => sign + at).join(',')}`);
      if (page !== null) parts.push(`page[offset]=${page[0]}`, `page[limit]=${page[1]}`);
      if (facet !== null) parts.push(`facetBy[${facet[0]}]${facet[1]}`);
      if (include.length > 0) parts.push(`include=${include.join(',')}`);
      if (sparse) parts.push('fields[node--story]=title,uid,subjects');
      return parts.length === 0 ? '' : `?${parts.join('&')}`;
    });
}

const COUNTABLE = [
  ...SORTABLE,
  'author',
  'author.boss',
  'subjects',
  'subjects.0',
  'subjects.author',
  'status',
];
const FACETS = [
  ...facetsOf(COUNTABLE, ['', '[operator]=or', '[sort]=value', '[min]=2', '[limit]=1']),
  ...facetsOf(DAYS, ['[interval]=year', '[interval]=month', '[ranges]=2024-02-02']),
  ...facetsOf(['rating', 'price', 'author.rating', 'kit.weight'], ['[ranges]=1,2']),
];

function facetsOf(paths: readonly string[], options: readonly string[]): readonly string[] {
  return paths.flatMap((path) => options.map((option) => `facetBy[${path}]${option}`));
}

/** Collections with facets, their plans, search indexes and views. */
export function facetRequest(): fc.Arbitrary<string> {
  const plain = query().map((asked) => asked.replace(/&?facetBy[^&]*/, ''));
  const facets = fc.uniqueArray(fc.constantFrom(...FACETS), { minLength: 1, maxLength: 3 });
  const list = fc
    .tuple(fc.constantFrom('story', 'story', 'person'), plain, facets)
    .map(([name, asked, counted]) => [`/jsonapi/node/${name}${asked}`, ...counted].reduce(withParameter));
  const selected = fc.constantFrom(
    '',
    'filter[words]=alpha',
    'filter[author]=a',
    'filter[subjects]=b&page[limit]=1',
    'filter[words-facet][condition][path]=words&filter[words-facet][condition][operator]=IN&filter[words-facet][condition][value][]=alpha&filter[words-facet][condition][value][]=z',
  );
  const exposed = fc.constantFrom(
    '',
    'page=1',
    'views-filter[title]=alpha',
    'views-filter[author.title]=Alpha&views-sort[sort_by]=rating',
  );
  return fc.oneof(
    { weight: 4, arbitrary: list },
    {
      weight: 1,
      arbitrary: list.map((path) =>
        path.replace('/jsonapi/node', '/api/content').replace(/&?(?:page|include|fields)[^&]*/g, ''),
      ),
    },
    {
      weight: 1,
      arbitrary: list.map((path) => `/jsonapi-explorer/explain.json?url=${encodeURIComponent(path)}`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('all', 'stories'), plain, selected)
        .map(([name, asked, parameters]) => withParameter(`/jsonapi/index/${name}${asked}`, parameters)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('recent/default', 'people/rated'), exposed)
        .map(([name, parameters]) => withParameter(`/jsonapi/views/${name}`, parameters)),
    },
  );
}

/** Related resources and relationships, including those of unseen resources and hidden fields. */
function belowResource(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom('story', 'story', 'person'),
      fc.constantFrom(...IDS, 'a-0'),
      fc.constantFrom('', '', 'relationships/'),
      fc.constantFrom('author', 'subjects', 'boss', 'uid', 'nope'),
      fc.constantFrom('', '?include=author', '?include=boss', '?include=subjects.author'),
    )
    .map(([type, id, middle, name, asked]) => `/jsonapi/node/${type}/${id}/${middle}${name}${asked}`);
}

export function request(): fc.Arbitrary<string> {
  const type = fc.constantFrom('story', 'story', 'story', 'person');
  const list = fc.tuple(type, query()).map(([name, asked]) => `/jsonapi/node/${name}${asked}`);
  return fc.oneof(
    { weight: 6, arbitrary: list },
    {
      weight: 3,
      arbitrary: list.map((url) => `/jsonapi-explorer/explain.json?url=${encodeURIComponent(url)}`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(type, query())
        .map(([name, asked]) => `/api/content/${name}${asked.replace(/&?(page|include|fields)[^&]*/g, '')}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('/jsonapi/node', '/api/content'), type, fc.constantFrom(...IDS, 'a-0'))
        .map(([prefix, name, id]) => `${prefix}/${name}/${id}`),
    },
    { weight: 4, arbitrary: belowResource() },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('', 'alpha ', 'z '), fc.constantFrom('al', 'gam', 'bet', 'béta', 'alhpa', 'z'))
        .map((words) => `/jsonapi/_suggest?searchWords=${encodeURIComponent(words.join(''))}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('/a', '/b', '/node/story/a', '/node/person/b', '/nope')
        .map((path) => `/router/translate-path?path=${path}`),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '/jsonapi',
        '/jsonapi/openapi.json',
        '/jsonapi/node/story/resource/schema',
        '/jsonapi-explorer/schema.json',
      ),
    },
  );
}
