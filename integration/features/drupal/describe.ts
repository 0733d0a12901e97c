import {
  ANY_FILTER,
  type DescribeRoutes,
  FACETS_DESCRIPTION,
  listParameter,
  queryParameter,
  TOO_MANY_CLIENTS,
} from '../../core/api/description.ts';
import { array, COUNT, type JsonSchema, object, TEXT, URI } from '../../core/api/json-schema.ts';
import { FACETS_PARAMETER } from '../../core/engine/ast.ts';
import { MENU_ITEM_TYPE, menuTypes } from './menu.ts';
import { ALL_CONTENT } from './search-index.ts';
import { viewNames } from './view.ts';

/** What OpenAPI says about the routes that clients of Drupal use. */
export const describeDrupal: DescribeRoutes = ({ limits }) => ({
  menu: {
    operations: {
      GET: {
        texts: ['menu-{menu}', 'Get the menu {menu}'],
        parameters: [MENU_FIELDS, 'language'],
        schema: 'menu-document',
      },
    },
    paths: ({ store }, links) =>
      menuTypes(store).map(({ name: type, bundle: name }) => ({ path: links.menu(name), name, type })),
    files: ({ store }, links) =>
      menuTypes(store).map(({ name: type, bundle: name }) => ({ path: links.menu(name), name, type })),
  },
  index: {
    tag: { name: 'search indexes', description: 'Lists of several types, with facets.' },
    operations: {
      GET: {
        texts: ['index-{index}', 'Search the index {index}'],
        parameters: ['filter', 'sort', INDEX_FACETS, 'page', 'include', 'language'],
        schema: 'list-document',
      },
    },
    paths: ({ settings }, links) =>
      [...Object.keys(settings.indexes), ALL_CONTENT].map((name) => ({ path: links.index(name), name })),
  },
  view: {
    tag: { name: 'views', description: 'Prepared queries, at the addresses of Drupal views.' },
    operations: {
      GET: {
        texts: ['view-{view}', 'Get the results of the view {view}'],
        parameters: [...VIEW_PARAMETERS, 'include', 'language'],
        schema: 'list-document',
      },
    },
    paths: ({ settings }, links) =>
      viewNames(settings.staticQueries).map(({ name, display }) => ({
        path: links.view(name, display),
        name: `${name}-${display}`,
      })),
  },
  'translate-path': {
    tag: FRONT_ENDS,
    operations: {
      GET: {
        texts: ['translate-path', 'Find the entity at a path of the site'],
        parameters: [{ ...queryParameter('path', PATH, REQUIRED_TEXT), required: true }],
        schema: TRANSLATED_PATH,
      },
    },
  },
  subrequests: {
    tag: FRONT_ENDS,
    operations: {
      POST: {
        texts: ['subrequests', 'Send several requests in one'],
        status: 207,
        body: { ...SUBREQUESTS, maxItems: limits.subrequests },
        schema: SUBRESPONSES,
        errors: {
          413: `The body has more than ${limits.subrequestsBytes} bytes, or the responses together have more than ${limits.subrequestsAnswerBytes}.`,
          503: TOO_MANY_CLIENTS,
        },
      },
    },
  },
});

const FRONT_ENDS = {
  name: 'decoupled front ends',
  description: 'Paths and requests as front ends of Drupal send them.',
};
const MENU_FIELDS = listParameter(`fields[${MENU_ITEM_TYPE}]`, 'Attributes of menu items to return.');
const INDEX_FACETS = listParameter(
  FACETS_PARAMETER,
  `In the index \`${ALL_CONTENT}\` only. ${FACETS_DESCRIPTION}`,
);
const VIEW_PARAMETERS: readonly JsonSchema[] = [
  queryParameter('page', 'The page, from 0.', { ...COUNT, default: 0 }),
  {
    ...queryParameter('views-filter', 'Further conditions, in the forms of `filter`.', ANY_FILTER),
    ...{ style: 'deepObject', explode: true },
  },
  queryParameter('views-sort[sort_by]', 'The path to sort by instead.', TEXT),
  queryParameter('views-sort[sort_order]', 'The direction.', { ...TEXT, enum: ['ASC', 'DESC'] }),
];
const REQUIRED_TEXT = { ...TEXT, minLength: 1 };
const PATH = 'An alias, or a path such as `/node/article/<id>`.';
/** Source: Drupal's module decoupled_router. */
const TRANSLATED_PATH = object({
  resolved: URI,
  isHomePath: { type: 'boolean' },
  entity: object({
    canonical: URI,
    ...{ type: TEXT, bundle: TEXT, id: TEXT, uuid: TEXT, langcode: TEXT, path: TEXT },
  }),
  label: TEXT,
  jsonapi: object({
    individual: URI,
    ...{ resourceName: TEXT, pathPrefix: TEXT, basePath: TEXT, entryPoint: URI },
  }),
});
const SUBREQUESTS = array(
  object(
    {
      requestId: REQUIRED_TEXT,
      action: { const: 'view' },
      uri: {
        ...REQUIRED_TEXT,
        description: 'May contain parts of an earlier response: `{{router.body@$.jsonapi.individual}}`.',
      },
      headers: { type: 'object', additionalProperties: TEXT },
    },
    ['requestId', 'action', 'uri'],
  ),
);
const SUBRESPONSES: JsonSchema = {
  description:
    'By `requestId`, or `<requestId>#uri{0}` if parts of an earlier response were filled in. For a file the status is 406.',
  type: 'object',
  additionalProperties: object({
    body: TEXT,
    headers: { type: 'object', additionalProperties: array({ type: ['string', 'integer'] }) },
  }),
};
