/** The response that replaces Drupal's to a write, and the reason. */
export interface WriteDifference {
  /** The anchor of its entry in docs/differences-from-drupal.md. */
  readonly reason: string;
  /** Drupal's by default. */
  readonly status?: number;
  /** Pointers of errors, compared if given. */
  readonly pointers?: readonly string[];
  /** A request with other values. */
  readonly body?: (recorded: string) => string;
  /** False if the data of the response differs. */
  readonly data?: false;
}

/** Our errors point to members of the request; Drupal's point to internal properties of its fields. */
const pointing = (pointer: string): WriteDifference => ({ reason: 'pointers', pointers: [pointer] });
const AS_MARKDOWN: WriteDifference = {
  reason: 'body-format',
  // A decimal keeps its trailing zeros.
  body: (recorded) => recorded.replaceAll('"plain_text"', '"markdown"').replaceAll('12.50', '12.5'),
};
const NO_SUCH_FIELD: WriteDifference = { reason: 'own-fields', status: 422 };

export const WRITE_DIFFERENCES: Readonly<Record<string, WriteDifference>> = {
  'post/full': AS_MARKDOWN,
  'post/full-client-id': AS_MARKDOWN,
  'seq-create/1~post': AS_MARKDOWN,
  'post/client-id-malformed': { reason: 'ids', status: 201 },
  'post/duplicate-id-other-bundle': { reason: 'ids', status: 201 },
  'post/wrong-type': { reason: 'wrong-type', status: 409, pointers: ['/data/type'] },
  'post/unknown-type': { reason: 'wrong-type', status: 409, pointers: ['/data/type'] },
  'patch/id-mismatch': { reason: 'wrong-type', status: 409, pointers: ['/data/id'] },
  'post/readonly-nid': { reason: 'own-fields', status: 201 },
  'patch/nid-diff': { reason: 'own-fields', status: 200 },
  'post/internal-nid': { ...NO_SUCH_FIELD, pointers: ['/data/attributes/nid'] },
  'post/uuid-attribute': { ...NO_SUCH_FIELD, pointers: ['/data/attributes/uuid'] },
  'post/type-attribute': { ...NO_SUCH_FIELD, pointers: ['/data/attributes/type'] },
  'post/rel~node_type': { ...NO_SUCH_FIELD, pointers: ['/data/relationships/node_type'] },
  'post/attr~rating-bad': pointing('/data/attributes/field_rating'),
  'post/attr~rating-float': pointing('/data/attributes/field_rating'),
  'post/attr~score-bad': pointing('/data/attributes/field_score'),
  'post/attr~featured-string': pointing('/data/attributes/field_featured'),
  'post/attr~state-bad': pointing('/data/attributes/field_publish_state'),
  'post/attr~two-errors-list': {
    reason: 'pointers',
    pointers: ['/data/attributes/field_list/0', '/data/attributes/field_publish_state'],
  },
  'post/attr~missing-title-and-bad-state': {
    reason: 'pointers',
    pointers: ['/data/attributes/title', '/data/attributes/field_publish_state'],
  },
  'post/rel~author-wrong-bundle': pointing('/data/relationships/field_author/data'),
  'post/attr~date-offset': { reason: 'offsets', data: false },
  'post/attr~body-processed': {
    reason: 'body-format',
    status: 422,
    pointers: ['/data/attributes/body/processed'],
  },
  'post/rel~author-wrong-type': {
    reason: 'lost-relationships',
    status: 422,
    pointers: ['/data/relationships/field_author/data'],
  },
  'post/rel~author-scalar': {
    reason: 'lost-relationships',
    status: 422,
    pointers: ['/data/relationships/field_author'],
  },
  'post/rel~virtual': { reason: 'lost-relationships', status: 404 },
  'post/rel~author-unpublished-editor': { reason: 'unseen', status: 404 },
  'delete/unpublished-anon': { reason: 'unseen', status: 404 },
  'seq-unpub/2~get~anon': { reason: 'unseen', status: 404 },
  'post/body~string': { reason: 'bad-request', status: 400 },
  'post/body~relationships-string': { reason: 'bad-request', status: 400, pointers: ['/data/relationships'] },
  'post/content-type~api+json~params': { reason: 'media-types', status: 415 },
  'post/content-type~ext': { reason: 'media-types', status: 415 },
  'post/content-type~uppercase': { reason: 'media-types', status: 201 },
  'seq-create/4~page2': { reason: 'full-pages', data: false },
  'seq-delete/2~get': { reason: 'gone', status: 410 },
  'seq-delete/3~delete~again': { reason: 'gone', status: 410 },
};
