import {
  ANY_CHANGE,
  type DescribeRoutes,
  documentOf,
  listOf,
  pathParameter,
  READING_ERRORS,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { COUNT, object, orNull, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about links to share. Pages of links are not part of the API. */
export const describeShares: DescribeRoutes = () => ({
  shares: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-shares', 'List the links that you have made'],
        schema: listOf(SHARE, { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-share', 'Make a link to an entry that is not published'],
        body: object({ data: NEW_SHARE }),
        status: 201,
        schema: documentOf(SHARE),
        refusals: [...ANY_CHANGE, 404],
      },
    },
  },
  share: {
    tag: TAG,
    operations: {
      DELETE: {
        texts: ['remove-share', 'Revoke a link'],
        parameters: [pathParameter('id', 'The id of the link.', TEXT)],
        status: 204,
        schema: null,
        refusals: STORED.filter((status) => [401, 403, 404, 503].includes(status)),
      },
    },
  },
});

const TAG = {
  name: 'shares',
  description: 'Links that show an unpublished entry on the pages of the site, without signing in.',
};
const TIME = { type: 'string', format: 'date-time' };
const RESOURCE = object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL }, ['type', 'id']);
const VERSION = {
  enum: ['draft', 'entry'],
  description: 'The draft of the entry, or the entry as it is stored. Default: `entry`.',
};
const PATH = { ...TEXT, description: 'The page at which the link begins. Default: the page of the entry.' };
const EXPIRES = { ...TIME, description: 'At most 30 days from now. Default: in one day.' };
const DAYS = { type: 'integer', minimum: 1, maximum: 30, description: 'Instead of `expires`.' };
const NEW_SHARE = object({
  type: { const: 'share' },
  attributes: object({ resource: RESOURCE, version: VERSION, path: PATH, days: DAYS, expires: EXPIRES }, [
    'resource',
  ]),
});
const SHARE = object({
  type: { const: 'share' },
  id: TEXT,
  attributes: object({
    ...{ resource: RESOURCE, version: VERSION, path: PATH },
    maker: { ...TEXT, description: 'The name of the account that made the link.' },
    ...{ created: TIME, expires: EXPIRES },
    url: orNull({ ...TEXT, description: 'The link. Null for the link of another account.' }),
  }),
  links: ref('links'),
});
