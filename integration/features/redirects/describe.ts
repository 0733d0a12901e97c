import {
  type DescribeRoutes,
  listOf,
  pathParameter,
  READING_ERRORS,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { COUNT, object, orNull, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about the list of redirects. */
export const describeRedirects: DescribeRoutes = () => ({
  redirects: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-redirects', 'List the redirects of the site'],
        schema: listOf(REDIRECT, { count: COUNT, readable: { type: 'boolean' } }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-redirect', 'Add a redirect'],
        body: object({ data: object({ type: REDIRECT_TYPE, attributes: object(REDIRECT_ADDRESSES) }) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
  'redirect-entry': {
    tag: TAG,
    operations: {
      DELETE: {
        texts: ['remove-redirect', 'Remove a redirect'],
        parameters: [pathParameter('id', 'The id of the redirect.', TEXT)],
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
});

const TAG = { name: 'redirects', description: 'Old addresses, with the ones that they lead to.' };
const REDIRECT_TYPE = { const: 'redirect' };
const REDIRECT_ADDRESSES = {
  from: { ...TEXT, description: 'The old address: a path without the base of the site.' },
  to: { ...TEXT, description: 'An entry such as `node--article/moon`, a path, or an https address.' },
};
const REDIRECT = object({
  type: REDIRECT_TYPE,
  id: TEXT,
  attributes: object({
    ...REDIRECT_ADDRESSES,
    resource: orNull(object({ type: TEXT, id: TEXT })),
    title: { ...TEXT_OR_NULL, description: 'The title of the entry.' },
    address: { ...TEXT_OR_NULL, description: 'The present path of the entry.' },
    problem: {
      ...TEXT_OR_NULL,
      description:
        '`loop`, `missing` if the entry does not exist, `unpublished` if visitors do not see it, `hidden` if a page has the old address.',
    },
  }),
  links: ref('links'),
});
