import { entities, runtimePath } from './magazine.ts';

// Compiled, not run: each `@ts-expect-error` must find an error in the line below it, and nothing else may.

const articles = entities('article');

export const rightBundles = [
  entities('tag'),
  entities('taxonomy_term--topics'),
  entities('person', { as: 'everyone' }),
  entities('person', { as: { name: 'ada', roles: ['administrator'] } }),
  entities('person', { as: undefined }),
];
export const wrongActors = [
  // @ts-expect-error not an access level
  entities('person', { as: 'all' }),
  // @ts-expect-error the option is called `as`
  entities('person', { actor: { name: 'ada', roles: [] } }),
  // @ts-expect-error roles are an array
  entities('person', { as: { name: 'ada', roles: 'administrator' } }),
  // @ts-expect-error no roles
  entities('person', { as: { name: 'ada' } }),
];
export const wrongSearches = [
  // @ts-expect-error an empty search
  articles.search(5),
  // @ts-expect-error a search without words
  articles.search(),
];

export const wrongBundles = [
  // @ts-expect-error no such bundle
  entities('artcle'),
  // @ts-expect-error no such option
  entities('article', { access: 'all' }),
];

export const rightPaths = [
  articles.where('id', '=', 'a'),
  articles.where('title', 'CONTAINS', 'sea'),
  articles.search('sea tide').where('title', '<>', 'sea'),
  articles.where(({ search, where, or }) => or(search('sea'), where('id', '=', 'a'))),
  articles.where('status', '=', true),
  articles.where('path.alias', 'STARTS_WITH', '/shore'),
  articles.where('body.value', 'CONTAINS', 'sea'),
  articles.where('body.summary', 'IS NULL'),
  articles.where('field_author.title', '=', 'Ada'),
  articles.where('field_author.id', '=', 'ada'),
  articles.where('field_author.field_boss.field_boss.field_boss.field_email', 'ENDS_WITH', '.org'),
  articles.where('field_tags.title', '=', 'news'),
  articles.where('field_tags.0.title', '=', 'news'),
  articles.where('field_tags.0', 'IS NOT NULL'),
  articles.where('field_species.1', '=', 'Patella vulgata'),
  // A list that may be written without brackets.
  articles.where('field_series.0.field_weight', '>', 1).include('field_series'),
  articles.where('field_place.name', '=', 'Brest'),
  articles.where('field_kit.grams', '>', 100),
  articles.where('field_cover.alt', 'IS NULL'),
  articles.where('field_cover.width', '>', 640).sort('field_cover.filesize'),
  articles.where('field_cover.uri.url', 'STARTS_WITH', '/images/'),
  articles.where('field_reading_time', '<', 5).where('field_type', '=', 'essay'),
  articles.where('field_when', '>', '2024-01-01'),
  articles.where('field_kit.0.item', '=', 'boots'),
  // A field of one of the targets.
  articles.where('field_about.field_weight', '>', 1),
  articles.where('field_about.field_boss.title', '=', 'Ada'),
  // A bundle that is not in the schema.
  articles.where('field_sponsor.anything.at.all', '=', 1),
  articles.where('field_topic.title', '=', 'tides'),
];

export const wrongPaths = [
  // @ts-expect-error a misspelt reference
  articles.where('field_autor.title', '=', 'Ada'),
  // @ts-expect-error a misspelt field behind a reference
  articles.where('field_author.titel', '=', 'Ada'),
  // @ts-expect-error a misspelt field after three references
  articles.where('field_author.field_boss.field_boss.field_mail', '=', 'ada@example.org'),
  // @ts-expect-error a string has no fields
  articles.where('title.length', '=', 1),
  // @ts-expect-error no such property
  articles.where('path.pid', '=', 1),
  // @ts-expect-error rendered bodies cannot be queried
  articles.where('body.processed', 'CONTAINS', 'sea'),
  // @ts-expect-error a body is queried by its properties
  articles.where('body', 'IS NULL'),
  // @ts-expect-error a field that no target has
  articles.where('field_about.field_rating', '=', 1),
  // @ts-expect-error a delta on a single field
  articles.where('field_author.0.title', '=', 'Ada'),
  // @ts-expect-error keys that JSON:API forbids are queried by their public name
  articles.where('reading time', '<', 5),
  // @ts-expect-error JSON of mixed shape has no fields
  articles.where('field_extra.key', '=', 'x'),
  // @ts-expect-error an empty member
  articles.where('field_author.', '=', 'Ada'),
];

const unwritten: string = ['title', 'path.alias'].join();
export const unwrittenPaths = [
  // @ts-expect-error cannot be checked
  articles.where(unwritten, '=', 'Ada'),
  // @ts-expect-error cannot be checked
  articles.sort(unwritten),
  // @ts-expect-error cannot be checked
  articles.include(unwritten),
  // @ts-expect-error cannot be checked
  articles.fields(runtimePath(unwritten)),
  // @ts-expect-error null is not a path
  articles.sort(runtimePath(new URL('a:b').searchParams.get('sort'))),
];
const order = (['title', '-created'] as const).find((each) => each === unwritten) ?? '-field_rating';
export const runtimePaths = [
  articles
    .sort(runtimePath(unwritten))
    .sort('title')
    .sort(runtimePath(`-${unwritten}`)),
  articles.where(runtimePath(unwritten), '=', 'Ada').where(runtimePath(unwritten), 'IN', [1, true, 'a']),
  articles.where(({ or, where }) => or(where(runtimePath(unwritten), '>', 1), where('id', '=', 'a'))),
  articles.include(runtimePath(unwritten)).include('field_author'),
  articles.sort(order),
];
export const limits = [
  articles.limit(2),
  // @ts-expect-error not a number
  articles.limit('2'),
];

export const rightValues = [
  articles.where('field_rating', '=', 3),
  articles.where('field_rating', '<>', 3).where('field_rating', '>=', 1),
  articles.where('field_rating', 'IN', [1, 2]),
  articles.where('field_rating', 'NOT BETWEEN', [1, 3]),
  articles.where('field_rating', 'IS NOT NULL'),
  articles.where('field_rating', 'STARTS_WITH', '1'),
  articles.where('field_price', '<', '9.26').where('field_price', '<', 9.26),
  articles.where('created', '>', '2024-01-01').where('changed', '>', 1704067200),
  articles.where('field_zone', 'IN', ['upper', 'lower']),
  articles.where('field_zone', 'STARTS_WITH', 'up'),
  articles.where('field_day', 'BETWEEN', ['2024-01-01', '2024-12-31']),
  articles
    .where('field_author', 'IS NULL')
    .where('field_place', 'IS NOT NULL')
    .where('field_data', 'IS NULL'),
];

export const wrongValues = [
  // @ts-expect-error a string for a number
  articles.where('field_rating', '=', '3'),
  // @ts-expect-error a number for a string
  articles.where('title', '=', 3),
  // @ts-expect-error a string for a boolean
  articles.where('status', '=', 'yes'),
  // @ts-expect-error a value the field cannot have
  articles.where('field_zone', '=', 'middle'),
  // @ts-expect-error one of them is not a number
  articles.where('field_rating', 'IN', [1, '2']),
  // @ts-expect-error IN takes an array
  articles.where('field_rating', 'IN', 1),
  // @ts-expect-error an array under =
  articles.where('field_rating', '=', [1]),
  // @ts-expect-error BETWEEN takes two
  articles.where('field_rating', 'BETWEEN', [1]),
  // @ts-expect-error BETWEEN takes two
  articles.where('field_rating', 'BETWEEN', [1, 2, 3]),
  // @ts-expect-error text operators take a string
  articles.where('title', 'CONTAINS', 3),
  // @ts-expect-error IS NULL takes nothing
  articles.where('field_rating', 'IS NULL', 1),
  // @ts-expect-error a value is missing
  articles.where('field_rating', '='),
  // @ts-expect-error null never equals
  articles.where('field_rating', '=', null),
];

export const rightFacets = [
  articles.facets({ field_tags: { limit: 20 }, 'field_author.title': {}, field_rating: { ranges: [1, 3] } }),
  articles.facets({
    created: { interval: 'year' },
    'field_tags.0': { sort: 'value', operator: 'or', min: 2 },
  }),
  articles.facets({ 'field_kit.item': {}, 'field_about.field_weight': {}, 'field_sponsor.anything': {} }),
  articles.explain({ field_tags: { limit: 20 } }),
];
export const wrongFacets = [
  // @ts-expect-error a misspelt field
  articles.facets({ field_tag: {} }),
  // @ts-expect-error a misspelt field behind a reference
  articles.facets({ 'field_author.titel': { limit: 1 } }),
  // @ts-expect-error an object has no values to count
  articles.facets({ field_place: {} }),
  // @ts-expect-error no such option
  articles.facets({ title: { limits: 5 } }),
  // @ts-expect-error a misspelt field of a plan
  articles.explain({ field_tag: {} }),
  // @ts-expect-error no such interval
  articles.facets({ created: { interval: 'week' } }),
];

export const wrongOperators = [
  // @ts-expect-error no such operator
  articles.where('title', 'LIKE', 'sea'),
  // @ts-expect-error operators are upper case
  articles.where('title', 'contains', 'sea'),
  // @ts-expect-error a whole reference can only be compared with null
  articles.where('field_author', '=', 'ada'),
  // @ts-expect-error a whole object can only be compared with null
  articles.where('field_place', '=', 'Brest'),
];

export const groups = [
  articles.where(({ or, and, where }) =>
    or(
      where('field_rating', '>', 3),
      and(where('status', '=', true), where('field_tags.title', 'IN', ['news', 'tech'])),
    ),
  ),
  // @ts-expect-error a misspelt path inside a group
  articles.where(({ or, where }) => or(where('title', '=', 'a'), where('titel', '=', 'b'))),
  // @ts-expect-error a wrong value inside a group
  articles.where(({ or, where }) => or(where('title', '=', 'a'), where('title', '=', 1))),
  // @ts-expect-error an empty group
  articles.where(({ or }) => or()),
  // @ts-expect-error nothing returned
  articles.where(({ where }) => void where('title', '=', 'a')),
];

export const sorts = [
  articles.sort('title').sort('-created', 'field_author.title', '-path.alias'),
  articles.sort('-field_tags.title', 'field_kit.0.grams'),
  // @ts-expect-error a misspelt path
  articles.sort('-titel'),
  // @ts-expect-error a misspelt path after a correct one
  articles.sort('title', 'field_author.nam'),
  // @ts-expect-error a reference has no order of its own
  articles.sort('field_author'),
  // @ts-expect-error an object has no order of its own
  articles.sort('-field_place'),
];

export const includes = [
  articles.include('field_author', 'field_tags', 'field_author.field_boss.field_boss'),
  articles.include('field_about.field_boss'),
  articles.include('field_sponsor.field_owner'),
  // @ts-expect-error not a reference
  articles.include('title'),
  // @ts-expect-error a misspelt reference after a correct one
  articles.include('field_author', 'field_tag'),
  // @ts-expect-error not a reference behind a reference
  articles.include('field_author.field_email'),
  // @ts-expect-error deltas cannot be included
  articles.include('field_tags.0'),
];

export const fields = [
  articles.fields('title', 'path', 'field_author'),
  // @ts-expect-error a misspelt field
  articles.fields('title', 'field_autor'),
  // @ts-expect-error fields are not paths
  articles.fields('field_author.title'),
];

export const pages = [
  articles.page({ limit: 10, offset: 20 }),
  // @ts-expect-error no such member
  articles.page({ size: 10 }),
  // @ts-expect-error pages need a size
  articles.paginate({}),
];
