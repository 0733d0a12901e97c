import { uuidOf } from './load.ts';

/** The response that replaces Drupal's, and the reason. */
export interface Difference {
  /** The anchor of its entry in docs/differences-from-drupal.md. */
  readonly reason: string;
  /** Defaults to 200. */
  readonly status?: number;
  /** `source.parameter` of the error. */
  readonly parameter?: string;
  /** Short ids in order. */
  readonly ids?: readonly string[];
  /** Ids in addition to Drupal's, and missing ones; the order of the others is the same. */
  readonly more?: readonly string[];
  readonly less?: readonly string[];
  readonly included?: readonly string[];
  /** Omitted include targets; none by default. */
  readonly omitted?: readonly string[];
  /** Offset and limit among all published articles by id. */
  readonly page?: readonly [offset: number, limit: number];
  /** Names of the document's links; those of Drupal or of `page` by default. */
  readonly links?: readonly string[];
  /** A request with other values, for which the response is Drupal's. */
  readonly path?: string;
}

const NO_SUCH_ADDRESS: Difference = { reason: 'own-fields', status: 404 };

export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'collection/article-anon': { reason: 'full-pages', page: [0, 50] },
  'collection/person-anon': { reason: 'full-pages' },
  'editor/collection': { reason: 'full-pages', page: [0, 50] },
  'page/limit-50-anon': { reason: 'full-pages', page: [0, 50] },
  'page/limit-51-anon': { reason: 'full-pages', page: [0, 50] },
  'page/limit-100-anon': { reason: 'full-pages', page: [0, 50] },
  'page/limit-abc-anon': { reason: 'full-pages', page: [0, 50] },
  'page/limit-1e1-anon': { reason: 'full-pages', page: [0, 10] },
  'page/offset-0-anon': { reason: 'full-pages', page: [0, 10] },
  'page/offset-10-anon': { reason: 'full-pages', page: [10, 10] },
  'page/offset-49-anon': { reason: 'full-pages', page: [49, 10] },
  'page/offset-50-anon': { reason: 'full-pages', page: [50, 10] },
  'page/offset-1.5-anon': { reason: 'full-pages', page: [1, 10] },
  'page/offset-50-nolimit-anon': { reason: 'full-pages', page: [50, 50] },
  'page/misaligned-anon': { reason: 'full-pages', page: [5, 10] },
  'page/offset-lt-limit-anon': { reason: 'full-pages', page: [3, 10] },
  'include/all-authors-anon': { reason: 'full-pages', page: [0, 50], omitted: ['b5'] },
  'include/related-30..50-anon': {
    reason: 'full-pages',
    page: [29, 21],
    included: ['a31', 'a30', 'a1'],
    omitted: ['a19', 'a7'],
  },
  'entry/bad-password': { reason: 'wrong-credentials', status: 401 },
  'entry/collection-bad-password': { reason: 'wrong-credentials', status: 401 },
  'cors/preflight': { reason: 'preflight', status: 204 },
  'page/limit-0-anon': { reason: 'everything-at-once', page: [0, 60] },
  'page/limit-0-admin': {
    reason: 'everything-at-once',
    ids: Array.from(Array(60).keys(), (at) => `a${at + 1}`),
  },
  'page/size-unknown': { reason: 'numbered-pages', ids: ['a1', 'a2'] },
  'page/number-unknown': {
    reason: 'numbered-pages',
    ids: Array.from(Array(10).keys(), (at) => `a${at + 51}`),
    links: ['describedby', 'first', 'prev', 'self'],
  },
  'filter-shape/empty': {
    reason: 'empty-filter',
    status: 200,
    ids: Array.from(Array(50).keys(), (at) => `a${at + 1}`),
    links: ['describedby', 'last', 'next', 'self'],
  },
  'filter-op/title~>': { reason: 'text-order', less: ['a35'] },
  'filter-op/title~<': { reason: 'text-order', more: ['a35'] },
  'filter-op/title~<=': { reason: 'text-order', more: ['a35'] },
  'filter-op/created-timestamp~STARTS_WITH': { reason: 'date-texts', ids: [] },
  'filter-short/field_date=2024-01-07T12:00:01+00:00~admin': { reason: 'dates', ids: ['a1'] },
  'filter-short/created=2024-01-01T17:00:00+00:00~admin': { reason: 'dates', ids: ['a1'] },
  'filter-short/created=2024-01-01T17:00:00+00:00~anon': { reason: 'dates', ids: ['a1'] },
  'filter-short/status=true~anon': { reason: 'booleans', page: [0, 50] },
  'filter-short/field_related.status=0~anon': { reason: 'visible-paths', ids: [] },
  'anon-null/field_author.field_boss.id~IS~NULL': {
    reason: 'visible-paths',
    ids: 'a4 a8 a9 a12 a16 a18 a20 a24 a27 a28 a32 a36 a40 a44 a45 a52 a54 a56'.split(' '),
  },
  'combo/or-group-paged-anon': {
    reason: 'visible-paths',
    ids: ['a10', 'a6', 'a52', 'a34'],
    included: ['c1', 'c3'],
    omitted: ['c9'],
  },
  'filter-err/author.meta-tid~IN': {
    reason: 'target-ids',
    path: targetFilter('field_author', 'IN', [`[0]=${uuidOf(1)}`, `[1]=${uuidOf(6)}`]),
  },
  'filter-err/tags.meta-tid~<>': {
    reason: 'target-ids',
    path: targetFilter('field_tags', '%3C%3E', [`=${uuidOf(10)}`]),
  },
  'filter-short/sticky=1~admin': noSuchField('filter[sticky]'),
  'filter-short/uid.name=admin~anon': noSuchField('filter[uid.name]'),
  'filter-short/uid.meta.drupal_internal__target_id=1~anon': {
    reason: 'target-ids',
    path: '/jsonapi/node/article?filter[uid.meta.drupal_internal__target_id]=e0000000-0000-4000-8000-000000000001&fields[node--article]=title',
  },
  'filter-short/node_type.meta.drupal_internal__target_id=article~admin': noSuchField(
    'filter[node_type.meta.drupal_internal__target_id]',
  ),
  'filter-short/drupal_internal__vid=19~admin': noSuchField('filter[drupal_internal__vid]'),
  'filter-short/revision_timestamp=1704128400~admin': noSuchField('filter[revision_timestamp]'),
  'sort/revision_timestamp': noSuchField('sort'),
  'sort/nid': noSuchField('sort'),
  'include/uid-nested-anon': { reason: 'own-fields' },
  'include/node_type-admin': noSuchField('include'),
  'include/revision_uid-admin': noSuchField('include'),
  'include/revision_uid-anon': noSuchField('include'),
  'related/node_type-1-anon': NO_SUCH_ADDRESS,
  'related/node_type-1-admin': NO_SUCH_ADDRESS,
  'relationship/node_type-1-anon': NO_SUCH_ADDRESS,
  'relationship/of-unpublished-anon': { reason: 'unseen', status: 404 },
  'filter-short/body.format=plain_text~admin': { reason: 'body-format', ids: [] },
  'group/undefined~plus~valid': {
    reason: 'groups',
    status: 400,
    parameter: 'filter[a][condition][memberOf]',
  },
  'group/member~of~a~condition': {
    reason: 'groups',
    status: 400,
    parameter: 'filter[b][condition][memberOf]',
  },
  'include/related-30..50': { reason: 'included-once', included: ['a7', 'a19', 'a1'] },
  'include/individual-cycle': { reason: 'included-once', included: ['a41'] },
  'include/person-cycle': { reason: 'included-once', included: [] },
  'individual/unpublished-editor': { reason: 'unseen', status: 404 },
  'individual/wrong-bundle': { reason: 'wrong-bundle', status: 404 },
  'accept/404~api+json~params': { reason: 'media-types', status: 406 },
  'accept/400~api+json~params': { reason: 'media-types', status: 406 },
  'accept/collection~api+json~charset': { reason: 'media-types', status: 406 },
  'accept/404~api+json~charset': { reason: 'media-types', status: 406 },
  'accept/400~api+json~charset': { reason: 'media-types', status: 406 },
  'accept/collection~ext': { reason: 'media-types', status: 406 },
  'accept/404~ext': { reason: 'media-types', status: 406 },
};

function noSuchField(parameter: string): Difference {
  return { reason: 'own-fields', status: 400, parameter };
}

function targetFilter(field: string, operator: string, values: readonly string[]): string {
  const condition = 'filter[c][condition]';
  const parts = [
    `${condition}[path]=${field}.meta.drupal_internal__target_id`,
    `${condition}[operator]=${operator}`,
    ...values.map((value) => `${condition}[value]${value}`),
  ];
  return `/jsonapi/node/article?${parts.join('&')}`;
}
