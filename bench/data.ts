import type {
  Entity,
  FieldDefinition,
  FieldKind,
  FieldValue,
  ResourceType,
} from '../integration/core/content/model.ts';

/** Generated plain content that is loaded into every peer. Ids are in code-unit order by index. */
export interface Content {
  readonly persons: readonly Person[];
  readonly tags: readonly Tag[];
  readonly articles: readonly Article[];
}

export interface Person {
  readonly id: string;
  readonly title: string;
  readonly status: boolean;
  /** Index of a person. */
  readonly boss: number | null;
}

export interface Tag {
  readonly id: string;
  readonly title: string;
  readonly status: boolean;
  readonly weight: number;
}

export interface Article {
  readonly id: string;
  readonly title: string;
  readonly status: boolean;
  readonly state: string;
  readonly section: string;
  readonly rating: number | null;
  readonly featured: boolean;
  /** Milliseconds since the Unix epoch; different for every article. */
  readonly changed: number;
  /** Milliseconds since the Unix epoch. */
  readonly date: number | null;
  /** Index of a person. */
  readonly author: number | null;
  /** Indexes of tags, without duplicates. */
  readonly tags: readonly number[];
}

const PERSONS = 1000;
const TAGS = 500;
const WORDS = [
  'amber',
  'basin',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'haven',
  'inlet',
  'jetty',
  'knoll',
  'lagoon',
  'marsh',
  'nova',
  'orchard',
  'prairie',
  'quarry',
  'river',
  'summit',
  'tundra',
  'upland',
  'valley',
  'willow',
  'xenon',
  'yonder',
  'zephyr',
  'acorn',
  'birch',
  'clover',
  'dune',
  'estuary',
  'fern',
  'glacier',
  'heath',
  'island',
  'juniper',
  'kelp',
  'lichen',
  'meadow',
  'nectar',
  'oasis',
  'pebble',
  'quartz',
  'ridge',
  'savanna',
];
const STATES = [
  'published',
  'published',
  'published',
  'published',
  'published',
  'draft',
  'review',
  'archived',
];
const SECTIONS = ['news', 'news', 'news', 'culture', 'culture', 'science', 'travel', 'opinion'];
const DAY = 86_400_000;
const EPOCH = Date.UTC(2015, 0, 1);

/**
 * The same content for the same size. Texts are lower-case ASCII letters, digits and inner spaces, on which
 * SQLite's NOCASE, code units and a collator agree, so that every peer returns the same result.
 */
export function generate(articles: number): Content {
  const random = xorshift(0x9e3779b9);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = (list: readonly string[]) => list[below(list.length)] ?? '';
  // The square favours small indexes: a few authors and tags have most of the articles.
  const popular = (limit: number) => Math.floor(random() ** 2 * limit);

  const persons = Array.from({ length: PERSONS }, (_, index): Person => {
    const boss = index === 0 || random() < 0.05 ? null : Math.floor(index / 12);
    return {
      id: numbered('p', index),
      title: `person ${numbered('', index)}`,
      status: random() > 0.03,
      boss,
    };
  });
  const tags = Array.from({ length: TAGS }, (_, index): Tag => {
    return {
      id: numbered('t', index),
      title: `tag ${numbered('', index)}`,
      status: random() > 0.03,
      weight: below(10),
    };
  });
  const made = Array.from({ length: articles }, (_, index): Article => {
    const chosen = new Set(Array.from({ length: below(6) }, () => popular(TAGS)));
    return {
      id: numbered('a', index),
      title: `${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)} ${numbered('', (index * 7919) % 1_000_003)}`,
      status: random() > 0.08,
      state: pick(STATES),
      section: pick(SECTIONS),
      rating: random() < 0.1 ? null : 1 + below(10),
      featured: random() < 0.1,
      // 7919 and the size have no common factor, so no two articles change in the same minute.
      changed: EPOCH + ((index * 7919) % 1_000_003) * 60_000,
      date: random() < 0.3 ? null : EPOCH + below(3650) * DAY + below(1440) * 60_000,
      author: random() < 0.02 ? null : popular(PERSONS),
      tags: [...chosen],
    };
  });
  return { persons, tags, articles: made };
}

export const PERSON_TYPE = type('person', {
  title: 'string',
  status: 'boolean',
  field_boss: ['reference', 'node--person'],
});
export const TAG_TYPE = type('tag', { title: 'string', status: 'boolean', field_weight: 'integer' });
export const ARTICLE_TYPE = type('article', {
  title: 'string',
  status: 'boolean',
  changed: 'datetime',
  field_author: ['reference', 'node--person'],
  field_date: 'datetime',
  field_featured: 'boolean',
  field_rating: 'integer',
  field_section: 'string',
  field_state: 'string',
  field_tags: ['references', 'node--tag'],
});

/** The content as the product's entities. */
export function* entitiesOf({ persons, tags, articles }: Content): Generator<Entity> {
  const person = (index: number | null) =>
    reference('node--person', index === null ? undefined : persons[index]);
  for (const { id, title, status, boss } of persons) {
    yield entity(PERSON_TYPE, id, { title, status, field_boss: person(boss) });
  }
  for (const { id, title, status, weight } of tags) {
    yield entity(TAG_TYPE, id, { title, status, field_weight: weight });
  }
  for (const article of articles) {
    yield entity(ARTICLE_TYPE, article.id, {
      title: article.title,
      status: article.status,
      changed: dateTime(article.changed),
      field_author: person(article.author),
      field_date: article.date === null ? null : dateTime(article.date),
      field_featured: article.featured,
      field_rating: article.rating,
      field_section: article.section,
      field_state: article.state,
      field_tags: article.tags.map((index) => reference('node--tag', tags[index])),
    });
  }
}

/** An RFC 3339 date-time in UTC. */
export function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', '+00:00');
}

function numbered(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(7, '0')}`;
}

function reference(typeName: string, target: { readonly id: string } | undefined): FieldValue {
  return target ? { type: typeName, id: target.id } : null;
}

function entity(of: ResourceType, id: string, values: Readonly<Record<string, FieldValue>>): Entity {
  return {
    type: of.name,
    id,
    key: `${of.bundle}/${id}.md`,
    revision: id,
    published: values.status === true,
    values: Object.assign(Object.create(null) as Record<string, FieldValue>, values),
    body: null,
  };
}

type Shape = Readonly<Record<string, FieldKind | readonly ['reference' | 'references', string]>>;

function type(bundle: string, shape: Shape): ResourceType {
  const fields = Object.entries(shape).map(([name, spec]): readonly [string, FieldDefinition] => {
    const [kind, targets] = typeof spec === 'string' ? [spec, []] : ['reference' as const, [spec[1]]];
    const list = spec[0] === 'references';
    return [name, { name, key: name, kind, list, required: false, base: false, targets, properties: {} }];
  });
  return { name: `node--${bundle}`, entityType: 'node', bundle, fields: new Map(fields), origin: 'schema' };
}

/** Numbers from 0 to 1, the same for the same seed. Marsaglia's xorshift of 32 bits. */
export function xorshift(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}
