import { type DescribeRoutes, documentOf, READING_ERRORS, ref } from '../../core/api/description.ts';
import { array, COUNT, object, orNull, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about what the admin asks for. */
export const describeAdmin: DescribeRoutes = () => ({
  me: {
    tag: { name: 'accounts' },
    operations: {
      GET: {
        texts: ['me', 'Get your account and its permissions'],
        schema: ACCOUNT_DOCUMENT,
        errors: READING_ERRORS,
      },
    },
  },
  status: {
    tag: STATUS_TAG,
    operations: {
      GET: {
        texts: ['get-status', 'Get problems of the content, and changes that wait'],
        schema: documentOf(STATUS),
        errors: READING_ERRORS,
      },
    },
  },
});

const STATUS_TAG = { name: 'status', description: 'Problems of the content.' };
const FILE_ENTITY = {
  ...orNull(object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL })),
  description: 'The entity of the file; null for other files, and for files that could not be read.',
};
const PROBLEM = object({
  file: TEXT,
  line: COUNT,
  column: COUNT,
  severity: { enum: ['error', 'warning', 'info'] },
  code: TEXT,
  message: TEXT,
  hint: TEXT_OR_NULL,
  entity: FILE_ENTITY,
});
const UNCOMMITTED_FILE = object({
  file: TEXT,
  change: { enum: ['added', 'modified', 'deleted'] },
  entity: FILE_ENTITY,
});
const STATUS = object({
  type: { const: 'status' },
  id: { const: 'status' },
  attributes: object({
    problems: { ...orNull(array(PROBLEM)), description: 'Null for accounts that may not see all content.' },
    uncommitted: {
      ...orNull(array(UNCOMMITTED_FILE)),
      description: 'Files that differ from the last commit; null if the content is not in git.',
    },
    commits: {
      ...orNull({ type: 'object' }),
      description: 'As in the health document, with `obstacles`; null if the server does not commit changes.',
    },
  }),
  meta: object({ counts: object({ errors: COUNT, warnings: COUNT, uncommitted: COUNT }, []) }),
  links: ref('links'),
});
const EXTENT = { enum: ['all', 'some', 'none'] };
const ACCOUNT_DOCUMENT = object({
  jsonapi: ref('jsonapi'),
  data: object({
    type: { const: 'account' },
    id: { ...TEXT, description: 'The name of the account.' },
    attributes: object({
      roles: array(TEXT),
      local: { type: 'boolean', description: 'True for the local author of a dev server.' },
      csrf: { ...TEXT_OR_NULL, description: '`X-CSRF-Token` of the session. Null without a session.' },
    }),
    meta: object({
      bundles: {
        description:
          'The permissions of the account by resource type. With `some`, OPTIONS of an entity lists the allowed methods.',
        type: 'object',
        additionalProperties: object({
          create: { type: 'boolean' },
          update: EXTENT,
          delete: EXTENT,
          publish: { ...EXTENT, description: 'Setting `status`.' },
        }),
      },
      writeMdx: { type: 'boolean' },
      manageAccounts: { type: 'boolean' },
    }),
  }),
  links: ref('links'),
});
