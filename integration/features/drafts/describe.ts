import {
  type DescribeRoutes,
  documentOf,
  listOf,
  pathParameter,
  queryParameter,
  READING_ERRORS,
  REMOVAL,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { array, COUNT, object, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about drafts and files with errors. */
export const describeDrafts: DescribeRoutes = () => ({
  drafts: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-drafts', 'List the drafts that you can see, with their missing fields'],
        parameters: [TYPE_FILTER, 'page'],
        schema: listOf(object(DRAFT), { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['create-draft', 'Store a draft, or create the entity if it is complete'],
        body: object({ data: RESOURCE }),
        status: 201,
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
    },
  },
  draft: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-draft', 'Get the fields of one draft'],
        parameters: ONE_DRAFT,
        schema: documentOf(RESOURCE),
        errors: READING_ERRORS,
      },
      POST: {
        texts: [
          'create-translation-draft',
          'Store the draft of a translation, or create the translation if it is complete',
        ],
        parameters: ONE_DRAFT,
        body: object({ data: RESOURCE }),
        status: 201,
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
      PATCH: {
        texts: ['update-draft', 'Change one draft, which becomes an entity once it is complete'],
        parameters: [...ONE_DRAFT, 'if-match'],
        body: object({ data: RESOURCE }),
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
      DELETE: {
        texts: ['delete-draft', 'Delete one draft'],
        parameters: [...ONE_DRAFT, 'if-match'],
        status: 204,
        schema: null,
        refusals: REMOVAL,
      },
    },
  },
  sources: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-sources', 'List the files with errors that you can correct'],
        parameters: [TYPE_FILTER, 'page'],
        schema: listOf(object(SOURCE), { count: COUNT }),
        errors: READING_ERRORS,
      },
    },
  },
  source: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-source', 'Get the text of one file with errors'],
        parameters: [SOURCE_PATH],
        schema: documentOf(SHOWN_SOURCE),
        errors: READING_ERRORS,
      },
      PATCH: {
        texts: ['update-source', 'Replace the text of one file with errors'],
        parameters: [SOURCE_PATH, 'if-match'],
        body: object({
          data: object({ type: { const: 'source' }, id: TEXT, attributes: object({ source: TEXT }) }),
        }),
        schema: documentOf(SHOWN_SOURCE),
        refusals: STORED,
      },
    },
  },
  faulty: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-faulty', 'Get the fields that can be read in one file with errors'],
        parameters: [SOURCE_PATH],
        schema: documentOf(RESOURCE),
        errors: READING_ERRORS,
      },
      PATCH: {
        texts: ['update-faulty', 'Change fields of one file with errors'],
        parameters: [SOURCE_PATH, 'if-match'],
        body: object({ data: RESOURCE }),
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
    },
  },
});

const TAG = { name: 'drafts', description: 'Entries that do not pass the schema.' };
const TYPE_FILTER = queryParameter('filter[type]', 'A resource type.', TEXT);
const DRAFT_PATH = [
  pathParameter('type', 'The resource type that the entry will have.', TEXT),
  pathParameter('id', 'The id of the draft. For a translation, the id of its entry.', TEXT),
];
const DRAFT_LANGUAGE = queryParameter('langCode', 'The language, for the draft of a translation.', TEXT);
const ONE_DRAFT = [...DRAFT_PATH, DRAFT_LANGUAGE];
const SOURCE_PATH = pathParameter('file', 'The path of the file in the content folder.', TEXT);
/** A resource of any type. Required fields can be missing. */
const RESOURCE = object(
  {
    type: TEXT,
    id: TEXT,
    attributes: { type: 'object' },
    relationships: { type: 'object' },
    links: ref('links'),
    meta: { type: 'object' },
  },
  ['type'],
);
const DRAFT = {
  type: { const: 'draft' },
  id: TEXT,
  attributes: object({
    title: { ...TEXT_OR_NULL, description: 'Null if you may not see titles.' },
    resource: object({
      type: TEXT,
      id: TEXT,
      translation: { ...TEXT_OR_NULL, description: 'The language of a translation.' },
    }),
    author: TEXT_OR_NULL,
    changed: { ...TEXT, format: 'date-time' },
    missing: { ...array(TEXT), description: 'Required fields without a value.' },
    problems: {
      ...array(object({ field: TEXT_OR_NULL, detail: TEXT, code: TEXT }, ['field', 'detail'])),
      description:
        'Other errors. The code `draft/source-missing` says that the source of a translation was deleted, and `draft/entry-deleted` that the entry of unfinished changes was.',
    },
  }),
  links: ref('links'),
};
const SOURCE_ATTRIBUTES = {
  title: TEXT_OR_NULL,
  resource: object({ type: TEXT, id: TEXT_OR_NULL, translation: TEXT_OR_NULL }),
  has_fields: { type: 'boolean', description: 'True if the fields can be read.' },
  problems: array(
    object({
      line: COUNT,
      column: COUNT,
      code: TEXT,
      message: TEXT,
      hint: TEXT_OR_NULL,
      field: { ...TEXT_OR_NULL, description: 'The field that has the error.' },
    }),
  ),
};
const SOURCE = {
  type: { const: 'source' },
  id: { ...TEXT, description: 'The path of the file in the content folder.' },
  attributes: object(SOURCE_ATTRIBUTES),
  meta: object({ revision: TEXT }),
  links: ref('links'),
};
const SHOWN_SOURCE = object({
  ...SOURCE,
  attributes: object({ ...SOURCE_ATTRIBUTES, source: { ...TEXT, description: 'The text of the file.' } }),
});
