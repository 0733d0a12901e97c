import {
  type DescribeRoutes,
  documentOf,
  listOf,
  OTHER_ERROR,
  pathParameter,
  type RawOperation,
  READING_ERRORS,
  ref,
  STORED,
} from '../../core/api/description.ts';
import {
  anyOf,
  array,
  COUNT,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
} from '../../core/api/json-schema.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

/** What OpenAPI says about conflicts, and about calls of the git host. */
export const describeGit: DescribeRoutes = () => ({
  conflicts: {
    tag: CONFLICTS_TAG,
    operations: {
      GET: {
        texts: ['list-conflicts', 'List the changes that others have overtaken'],
        schema: listOf(CONFLICT, { count: COUNT }),
        errors: READING_ERRORS,
      },
    },
  },
  conflict: {
    tag: CONFLICTS_TAG,
    operations: {
      GET: {
        texts: ['get-conflict', 'Get one conflict with both values of each field'],
        parameters: [CONFLICT_ID],
        schema: documentOf(CONFLICT),
        errors: READING_ERRORS,
      },
      PATCH: {
        texts: ['resolve-conflict', 'Decide which values of one conflict stay'],
        parameters: [CONFLICT_ID, 'if-match'],
        body: object({
          data: object({
            type: { const: 'conflict' },
            id: TEXT,
            attributes: object({ resolution: RESOLUTION }),
          }),
        }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
  'git-hook': {
    tag: { name: 'webhooks', description: 'Calls of the git host.' },
    operations: {
      POST: { texts: ['git-hook', 'Report a push to the branch of the content'], ...GIT_HOOK },
    },
  },
});

const CONFLICTS_TAG = {
  name: 'conflicts',
  description: 'Changes of this server that others have overtaken.',
};
const CONFLICT_ID = pathParameter('id', 'The id of the conflict.', TEXT);
const SIDE: JsonSchema = { enum: ['mine', 'theirs'] };
const RESOLUTION = {
  ...anyOf(SIDE, { type: 'object', additionalProperties: SIDE }),
  description:
    'One side for everything, or for each field. `mine` makes the lost change again. A conflict whose fields are all decided is removed on all servers.',
};
const CONFLICT = object({
  type: { const: 'conflict' },
  id: TEXT,
  attributes: object({
    kind: {
      enum: ['fields', 'removed-here', 'removed-by-others', 'file'],
      description:
        '`fields`: both sides have changed them. `removed-here`: the lost change removed the entity. `removed-by-others`: it changed an entity that others have removed. `file`: the file is not an entity.',
    },
    title: TEXT_OR_NULL,
    entity: orNull(object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL })),
    file: { ...TEXT_OR_NULL, description: 'The path of a file that is not an entity.' },
    author: { ...TEXT, description: 'Who made the lost change.' },
    created: { ...TEXT_OR_NULL, format: 'date-time' },
    message: TEXT_OR_NULL,
    commit: { ...TEXT, description: 'A commit beside the branch that has the lost change.' },
    fields: array(
      object({
        name: TEXT,
        mine: { description: 'The value of the lost change.' },
        theirs: { description: 'The value that was on the branch before.' },
        present: { description: 'The value of today.' },
      }),
    ),
  }),
  links: ref('links'),
});
const GIT_HOOK: RawOperation = {
  security: [],
  parameters: [
    ...['X-Hub-Signature-256', 'X-Forgejo-Signature', 'X-Gitea-Signature', 'X-Gitlab-Token'].map((name) => ({
      ...{ name, in: 'header', required: false, schema: TEXT },
      description: 'One of these headers is required.',
    })),
  ],
  requestBody: {
    required: true,
    content: { [JSON_MEDIA_TYPE]: { schema: { description: 'The event, as the git host sends it.' } } },
  },
  responses: {
    202: { description: 'The server looks at the branch.' },
    204: { description: 'The event is about another branch.' },
    401: { description: 'The signature is missing or wrong.' },
    default: { description: OTHER_ERROR },
  },
};
