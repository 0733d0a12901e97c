import type { Page as AstroPage } from 'astro';
import type { EntityOf, ReferenceStub } from '../../integration/core/builder/entity-types.ts';
import type { ContentApi } from '../../integration/core/builder/index.ts';
import type { PaginatedPage } from '../../integration/core/builder/paginate.ts';
import type { JsonValue } from '../../integration/core/util/json.ts';
import type { CountedRange, CountedTarget, CountedValue, Heading, Page } from '../../integration/types.ts';
import type { Equal, Expect } from './equal.ts';
import { entities, type Magazine } from './magazine.ts';

// Compiled, not run.

const article = await entities('article').get('a');
const included = await entities('article')
  .include('field_author.field_boss', 'field_tags')
  .include('field_about', 'field_sponsor')
  .first();
const [restricted] = await entities('article').fields('title', 'field_author').fields('field_tags').all();
const narrowed = await entities('article').include('field_author').fields('field_author').first();
const [page] = await entities('tag').paginate({ size: 10, params: { topic: 'a' }, props: { depth: 2 } });
const [plainPage] = await entities('tag').paginate({ size: 10 });
const firstTag = await entities('tag').fields('title').firstOrThrow();
const plan = await entities('tag').explain();
const url = entities('tag').toUrl();
const topic = await entities('taxonomy_term--topics').first();
const count = await entities('tag').count();

interface StoredFile {
  readonly uri: { readonly value: string; readonly url: string };
  readonly filename: string;
  readonly filemime: string;
  readonly filesize: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string | null;
}
type Article = NonNullable<typeof article>;
type Included = NonNullable<typeof included>;
type Person = EntityOf<Magazine, 'person'>;
type PersonWithBoss = EntityOf<Magazine, 'person', 'field_boss'>;
type Tag = EntityOf<Magazine, 'tag'>;

const cards = entities('article').include('field_author').fields('title', 'field_author');
const { previous, next } = await cards.surroundings('a');
type Card = EntityOf<typeof cards>;

export type OfQueries = [
  Expect<Equal<Card, Awaited<ReturnType<typeof cards.all>>[number]>>,
  Expect<Equal<keyof Card, 'id' | 'type' | 'title' | 'field_author'>>,
  Expect<Equal<typeof previous, Card | undefined>>,
  Expect<Equal<typeof next, Card | undefined>>,
  Expect<Equal<EntityOf<'article'>, never>>,
  Expect<Equal<NonNullable<Article['body']>['headings'], readonly Heading[]>>,
];

export type Base = [
  Expect<Equal<Article['id'], string>>,
  Expect<Equal<Article['type'], 'article'>>,
  Expect<Equal<Article['title'], string>>,
  Expect<Equal<Article['status'], boolean>>,
  Expect<Equal<Article['created'], string>>,
  Expect<Equal<Article['path']['alias'], string | null>>,
  Expect<Equal<Article['uid'], string | null | undefined>>,
  Expect<Equal<NonNullable<Article['body']>['processed'], string>>,
];

const facets = await entities('article').facets({
  field_tags: {},
  'field_author.title': {},
  field_rating: { ranges: [1, 3] },
  field_zone: {},
  created: { interval: 'month' },
  field_sponsor: {},
});
type TermOf<P extends keyof typeof facets> = (typeof facets)[P]['terms'][number];
export type Facets = [
  Expect<Equal<TermOf<'field_tags'>, CountedTarget>>,
  Expect<Equal<TermOf<'field_author.title'>, CountedValue<string>>>,
  Expect<Equal<TermOf<'field_rating'>, CountedRange<number>>>,
  Expect<Equal<TermOf<'field_zone'>, CountedValue<'upper' | 'lower'>>>,
  Expect<Equal<TermOf<'created'>, CountedValue<string>>>,
  Expect<Equal<TermOf<'field_sponsor'>, CountedTarget>>,
  Expect<Equal<(typeof facets)['created']['missing'], number>>,
];

export type Values = [
  Expect<Equal<Article['field_rating'], number | null>>,
  Expect<Equal<Article['field_price'], string | null>>,
  Expect<Equal<Article['field_day'], string | null>>,
  Expect<Equal<Article['field_lead'], boolean>>,
  Expect<Equal<Article['field_zone'], 'upper' | 'lower'>>,
  Expect<Equal<Article['field_species'], readonly string[]>>,
  Expect<Equal<NonNullable<Article['field_place']>['name'], string>>,
  Expect<Equal<NonNullable<Article['field_place']>['lat'], number | null | undefined>>,
  Expect<Equal<Article['field_cover'], StoredFile | null>>,
  Expect<Equal<Article['field_reading_time'], number | null>>,
  Expect<Equal<Article['field_type'], string | null>>,
  Expect<Equal<Article['field_extra'], Record<string, string> | null>>,
  Expect<Equal<Article['field_when'], string | null>>,
  Expect<Equal<Article['field_kit'][number]['grams'], number>>,
  Expect<Equal<Article['field_data'], JsonValue>>,
];

export type Stubs = [
  Expect<Equal<Article['field_author'], ReferenceStub<'person'> | null>>,
  Expect<Equal<Article['field_editor'], ReferenceStub<'person'>>>,
  Expect<Equal<Article['field_tags'], readonly ReferenceStub<'tag'>[]>>,
  Expect<Equal<Article['field_about'], ReferenceStub<'person' | 'tag'> | null>>,
  Expect<Equal<Article['field_topic'], ReferenceStub<'topics'> | null>>,
];

export type IncludedEntities = [
  Expect<Equal<Included['field_author'], PersonWithBoss | null>>,
  Expect<Equal<NonNullable<Included['field_author']>['field_boss'], Person | null>>,
  Expect<Equal<Person['field_boss'], ReferenceStub<'person'> | null>>,
  Expect<Equal<Included['field_tags'], readonly Tag[]>>,
  Expect<Equal<Included['field_about'], Person | Tag | null>>,
  Expect<Equal<Included['field_editor'], ReferenceStub<'person'>>>,
  Expect<Equal<NonNullable<Included['field_sponsor']>['anything'], JsonValue>>,
];

export type Restricted = [
  Expect<
    Equal<keyof NonNullable<typeof restricted>, 'id' | 'type' | 'title' | 'field_author' | 'field_tags'>
  >,
  Expect<Equal<NonNullable<typeof narrowed>['field_author'], Person | null>>,
];

export type Others = [
  Expect<Equal<typeof count, number>>,
  Expect<Equal<NonNullable<typeof page>['data'], Tag[]>>,
  Expect<Equal<Page<Tag>, AstroPage<Tag>>>,
  Expect<Equal<typeof plainPage, PaginatedPage<Tag, unknown, unknown> | undefined>>,
  Expect<Equal<NonNullable<typeof plainPage>['params']['page'], string | undefined>>,
  Expect<Equal<NonNullable<typeof page>['params']['topic'], string>>,
  Expect<Equal<NonNullable<typeof page>['props']['depth'], number>>,
  Expect<Equal<NonNullable<typeof page>['props']['page']['data'], Tag[]>>,
  Expect<Equal<keyof typeof firstTag, 'id' | 'type' | 'title'>>,
  Expect<Equal<[(typeof plan)['plan'], (typeof plan)['count'], typeof url], [string, number, string]>>,
  Expect<Equal<NonNullable<typeof topic>['type'], 'topics'>>,
  // A schema's own field of a base field's name wins.
  Expect<Equal<EntityOf<Magazine, 'report'>['status'], 'Draft' | 'Final'>>,
];

/** A project with a bundle that is not in its schema. */
declare const partial: ContentApi<Magazine, 'notice'>;
const notice = await partial.entities('notice').where('field_until', '>', '2024-01-01').first();
export type Partial = [
  Expect<Equal<NonNullable<typeof notice>['type'], 'notice'>>,
  Expect<Equal<NonNullable<typeof notice>['field_until'], JsonValue>>,
];
// @ts-expect-error neither in the schema nor inferred
partial.entities('notices');

/** A project without schema. */
declare const loose: ContentApi<Record<never, never>>;
const anything = await loose
  .entities('whatever')
  .where('field_a.field_b.0.title', '=', 3)
  .where(({ or, where }) => or(where('x', 'IN', ['a', 1, true]), where('y', 'IS NULL')))
  .sort('-field_a.field_c', String(Math.random()))
  .include('field_a.field_b')
  .first();
const looseTitle = await loose.entities('whatever').fields('title').first();
export type Loose = [
  Expect<Equal<NonNullable<typeof anything>['type'], 'whatever'>>,
  Expect<Equal<NonNullable<typeof anything>['field_a'], JsonValue>>,
  Expect<Equal<NonNullable<typeof anything>['status'], JsonValue>>,
  Expect<Equal<NonNullable<typeof anything>['title'], string>>,
  Expect<Equal<NonNullable<typeof anything>['created'], string>>,
  Expect<Equal<NonNullable<NonNullable<typeof anything>['body']>['processed'], string>>,
  Expect<Equal<NonNullable<typeof looseTitle>['title'], string>>,
  Expect<Equal<NonNullable<typeof looseTitle>['body'], JsonValue>>,
];
// @ts-expect-error operators are known without a schema
loose.entities('whatever').where('x', 'LIKE', 'y');
