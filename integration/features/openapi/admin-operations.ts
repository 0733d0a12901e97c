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
import type { Method } from '../../core/api/routes.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { SCOPES } from '../accounts/account.ts';
import { FILE_KINDS, FILE_SORTS, FILE_SOURCES } from '../uploads/files-query.ts';
import { ref } from './components.ts';
import { ANY_CHANGE, header, MATCH_HEADERS, type Operation, REMOVAL, STORED } from './operation.ts';
import { pageParameters, pathParameter, queryParameter } from './parameters.ts';

type AdminOperations = Readonly<Record<string, { readonly [method in Method]?: Operation }>>;

/** The operations on files, accounts and the status of the content. */
export function adminOperations(settings: ApiSettings): AdminOperations {
  return {
    files: {
      GET: {
        parameters: [...FILE_FILTERS, BESIDE, ...pageParameters(settings)],
        schema: listOf(FILE, { count: COUNT, folders: array(FOLDER) }),
        errors: READING_ERRORS,
      },
      POST: {
        parameters: [{ ...BESIDE, required: true }, FILE_NAME],
        file: 'only',
        status: 201,
        schema: documentOf(FILE),
        refusals: ANY_CHANGE,
      },
    },
    file: {
      GET: { parameters: [FILE_PATH], schema: documentOf(FILE), errors: READING_ERRORS },
      PUT: {
        parameters: [FILE_PATH, ...MATCH_HEADERS],
        file: 'only',
        schema: documentOf(FILE),
        refusals: STORED,
      },
      PATCH: {
        parameters: [FILE_PATH, ...MATCH_HEADERS],
        body: object({
          data: object({
            type: { enum: ['file--file', 'file--folder'] },
            id: { ...TEXT, description: 'The URI of the file or the folder.' },
            attributes: object({
              uri: object({ value: { ...TEXT, description: 'The new URI. Its folder need not exist.' } }),
            }),
          }),
        }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
      DELETE: { parameters: [FILE_PATH, ...MATCH_HEADERS], status: 204, schema: null, refusals: REMOVAL },
    },
    bin: {
      GET: {
        parameters: [...BIN_FILTERS, ...pageParameters(settings)],
        schema: listOf(object(BIN_ENTRY), { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        body: object({ data: array(object({ type: BIN_ENTRY.type, id: TEXT })) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
    'bin-entry': {
      GET: { parameters: [BIN_ID], schema: documentOf(SHOWN_BIN_ENTRY), errors: READING_ERRORS },
      POST: { parameters: [BIN_ID], status: 204, schema: null, refusals: STORED },
      DELETE: { parameters: [BIN_ID], status: 204, schema: null, refusals: STORED },
    },
    redirects: {
      GET: {
        schema: listOf(REDIRECT, { count: COUNT, readable: { type: 'boolean' } }),
        errors: READING_ERRORS,
      },
      POST: {
        body: object({ data: object({ type: REDIRECT_TYPE, attributes: object(REDIRECT_ADDRESSES) }) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
    'redirect-entry': {
      DELETE: {
        parameters: [pathParameter('id', 'The id of the redirect.', TEXT)],
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
    drafts: {
      GET: {
        parameters: [TYPE_FILTER, ...pageParameters(settings)],
        schema: listOf(object(DRAFT), { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: { body: object({ data: RESOURCE }), status: 201, schema: documentOf(RESOURCE), refusals: STORED },
    },
    draft: {
      GET: { parameters: ONE_DRAFT, schema: documentOf(RESOURCE), errors: READING_ERRORS },
      POST: {
        parameters: ONE_DRAFT,
        body: object({ data: RESOURCE }),
        status: 201,
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
      PATCH: {
        parameters: [...ONE_DRAFT, ...MATCH_HEADERS],
        body: object({ data: RESOURCE }),
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
      DELETE: { parameters: [...ONE_DRAFT, ...MATCH_HEADERS], status: 204, schema: null, refusals: REMOVAL },
    },
    sources: {
      GET: {
        parameters: [TYPE_FILTER, ...pageParameters(settings)],
        schema: listOf(object(SOURCE), { count: COUNT }),
        errors: READING_ERRORS,
      },
    },
    source: {
      GET: { parameters: [SOURCE_PATH], schema: documentOf(SHOWN_SOURCE), errors: READING_ERRORS },
      PATCH: {
        parameters: [SOURCE_PATH, ...MATCH_HEADERS],
        body: object({
          data: object({ type: { const: 'source' }, id: TEXT, attributes: object({ source: TEXT }) }),
        }),
        schema: documentOf(SHOWN_SOURCE),
        refusals: STORED,
      },
    },
    faulty: {
      GET: { parameters: [SOURCE_PATH], schema: documentOf(RESOURCE), errors: READING_ERRORS },
      PATCH: {
        parameters: [SOURCE_PATH, ...MATCH_HEADERS],
        body: object({ data: RESOURCE }),
        schema: documentOf(RESOURCE),
        refusals: STORED,
      },
    },
    conflicts: { GET: { schema: listOf(CONFLICT, { count: COUNT }), errors: READING_ERRORS } },
    conflict: {
      GET: { parameters: [CONFLICT_ID], schema: documentOf(CONFLICT), errors: READING_ERRORS },
      PATCH: {
        parameters: [CONFLICT_ID, ...MATCH_HEADERS],
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
    templates: {
      GET: { schema: listOf(TEMPLATE, { count: COUNT }), errors: READING_ERRORS },
      POST: { body: object({ data: NEW_TEMPLATE }), status: 204, schema: null, refusals: STORED },
    },
    template: {
      GET: { parameters: [TEMPLATE_ID], schema: documentOf(TEMPLATE), errors: READING_ERRORS },
      DELETE: { parameters: [TEMPLATE_ID], status: 204, schema: null, refusals: REMOVAL },
    },
    status: { GET: { schema: documentOf(STATUS), errors: READING_ERRORS } },
    accounts: {
      GET: { schema: listOf(ACCOUNT, { count: COUNT, roles: array(TEXT) }), errors: READING_ERRORS },
      POST: {
        body: sent('account', NEW_ACCOUNT, ['id']),
        status: 201,
        schema: documentOf(ACCOUNT),
        refusals: ANY_CHANGE,
      },
    },
    account: {
      GET: { parameters: [ACCOUNT_NAME], schema: documentOf(ACCOUNT), errors: READING_ERRORS },
      PATCH: {
        parameters: [ACCOUNT_NAME],
        body: sent('account', ACCOUNT_CHANGES, ['id']),
        schema: documentOf(ACCOUNT),
        refusals: ANY_CHANGE,
      },
      DELETE: { parameters: [ACCOUNT_NAME], status: 204, schema: null, refusals: [401, 403, 409, 503] },
    },
    'account-tokens': {
      GET: { parameters: [ACCOUNT_NAME], schema: listOf(TOKEN, { count: COUNT }), errors: READING_ERRORS },
      POST: {
        parameters: [ACCOUNT_NAME],
        body: sent('token', NEW_TOKEN),
        status: 201,
        schema: documentOf(TOKEN),
        refusals: ANY_CHANGE,
      },
    },
    'account-token': {
      DELETE: { parameters: [ACCOUNT_NAME, TOKEN_ID], status: 204, schema: null, refusals: [401, 403, 503] },
    },
    'account-links': {
      POST: {
        parameters: [ACCOUNT_NAME],
        body: sent('link', { send: SEND }),
        status: 201,
        schema: documentOf(LINK),
        refusals: ANY_CHANGE,
      },
      DELETE: { parameters: [ACCOUNT_NAME], status: 204, schema: null, refusals: [401, 403, 503] },
    },
    'account-sessions': {
      GET: { parameters: [ACCOUNT_NAME], schema: listOf(SESSION, { count: COUNT }), errors: READING_ERRORS },
      DELETE: { parameters: [ACCOUNT_NAME], status: 204, schema: null, refusals: [401, 403, 503] },
    },
    audit: {
      GET: {
        parameters: AUDIT_FILTERS,
        schema: listOf(AUDIT_ENTRY, { count: COUNT, extent: AUDIT_EXTENT }),
        errors: READING_ERRORS,
      },
    },
    presence: {
      GET: { parameters: ENTRY_PATH, schema: listOf(PRESENCE, { count: COUNT }), errors: READING_ERRORS },
      POST: {
        parameters: ENTRY_PATH,
        body: object({ idle: { ...orNull(COUNT), description: IDLE } }),
        schema: listOf(PRESENCE, { count: COUNT }),
        refusals: ANY_CHANGE,
      },
    },
  };
}

export const READING_ERRORS = { 401: 'Sign in.', 403: 'The account does not have permission.' };

function documentOf(data: JsonSchema): JsonSchema {
  return object({ jsonapi: ref('jsonapi'), data, links: ref('links') });
}

function listOf(item: JsonSchema, meta: JsonSchema): JsonSchema {
  return object({ jsonapi: ref('jsonapi'), data: array(item), meta: object(meta), links: ref('links') });
}

/** The body of a request. Its attributes are optional. */
function sent(type: string, attributes: JsonSchema, required: readonly string[] = []): JsonSchema {
  const resource = { type: { const: type }, id: TEXT, attributes: object(attributes, []) };
  return object({ data: object(resource, ['type', ...required]) });
}

const FILE_NAME = {
  ...header('Content-Disposition', 'The name: `file; filename="harbour.png"`.'),
  required: true,
};
const FILE_PATH = pathParameter(
  'path',
  '`content/` or `public/`, and the path in that folder. Slashes in it are not encoded.',
  { ...TEXT, minLength: 1 },
);
const BESIDE = queryParameter(
  'beside',
  'A resource type for the folder of its bundle, or `<type>/<id>` for the folder of an entity. `meta.src` is the path of a file from there.',
  TEXT,
);
const SORTS = FILE_SORTS.flatMap((name) => [name, `-${name}`]);
const FILE_FILTERS: readonly JsonSchema[] = [
  queryParameter('search', 'Words in the path, or in an alternative text of a use that you can see.', TEXT),
  queryParameter('filter[source]', 'The folder.', { enum: FILE_SOURCES }),
  queryParameter('filter[kind]', 'The kind of file.', { enum: FILE_KINDS }),
  queryParameter('filter[used]', 'Files that content uses, or does not use.', { enum: ['true', 'false'] }),
  queryParameter(
    'filter[folder]',
    'The URI of a folder, such as `content://article`: the files in it and below it.',
    TEXT,
  ),
  queryParameter('sort', 'By name by default. `used`: by the last change of content that uses the file.', {
    enum: SORTS,
  }),
];

/** Schemas as in fields of files. */
const FILE = object({
  type: { const: 'file--file' },
  id: { ...TEXT, description: 'The URI, such as `content://article/harbour.png`.' },
  attributes: object({
    uri: object({ value: TEXT, url: TEXT }),
    filename: TEXT,
    filemime: TEXT,
    filesize: COUNT,
    width: orNull(COUNT),
    height: orNull(COUNT),
    changed: { ...TEXT_OR_NULL, format: 'date-time' },
  }),
  relationships: object({
    usedBy: object({
      data: array(object({ type: TEXT, id: TEXT, meta: object({ title: TEXT, fields: array(TEXT) }) })),
      meta: object({ count: COUNT }),
    }),
  }),
  meta: object(
    {
      alt: { ...TEXT_OR_NULL, description: 'The alternative text of the last use that you can see.' },
      src: { ...TEXT, description: 'With `beside`: the path as its author writes it.' },
      revision: { ...TEXT, description: 'A digest of the bytes, for `If-Match`. Not in lists.' },
    },
    [],
  ),
  links: ref('links'),
});

/** A folder in the folder of the list, with the number of files below it that match. */
const FOLDER = object({
  id: { ...TEXT, description: 'The URI, such as `content://article`.' },
  name: TEXT,
  count: COUNT,
});

const FILE_ENTITY = {
  ...orNull(object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL })),
  description: 'The entity of the file; null for other files, and for files that could not be read.',
};

const PROBLEM = object({
  file: TEXT,
  line: COUNT,
  column: COUNT,
  severity: { enum: ['error', 'warning'] },
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

const CONFLICT_ID = pathParameter('id', 'The id of the conflict.', TEXT);
const SIDE: JsonSchema = { enum: ['mine', 'theirs'] };
const RESOLUTION = {
  ...anyOf(SIDE, { type: 'object', additionalProperties: SIDE }),
  description:
    'One side for everything, or for each field. `mine` makes the lost change again. A conflict whose fields are all decided is removed on all servers.',
};

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
      description: '`loop`, `missing` if the entry does not exist, `hidden` if a page has the old address.',
    },
  }),
  links: ref('links'),
});

const BIN_ID = pathParameter('id', 'The id of the deleted entry.', TEXT);

const BIN_FILTERS = [
  queryParameter('filter[type]', 'The resource type that the entry had.', TEXT),
  queryParameter('filter[id]', 'The id that the entry had.', TEXT),
];

const BIN_ATTRIBUTES = {
  title: { ...TEXT_OR_NULL, description: 'Null if you may not see titles.' },
  resource: object({ type: TEXT, id: TEXT }),
  langcode: TEXT,
  translation: { ...TEXT_OR_NULL, description: 'The language, if a translation was deleted.' },
  translations: { ...array(TEXT), description: 'Languages of the translations that were deleted with it.' },
  deleted: TEXT,
  deleted_by: TEXT_OR_NULL,
  references: { ...COUNT, description: 'The references to it when it was deleted.' },
};

const BIN_ENTRY = {
  type: { const: 'bin-entry' },
  id: TEXT,
  attributes: object(BIN_ATTRIBUTES),
  links: ref('links'),
};

const SHOWN_BIN_ENTRY = object({
  ...BIN_ENTRY,
  attributes: object({
    ...BIN_ATTRIBUTES,
    source: { ...TEXT_OR_NULL, description: 'The text of the file. Null if you may not see all fields.' },
    problem: { ...TEXT_OR_NULL, description: 'Why the entry cannot be restored.' },
  }),
});

const TYPE_FILTER = queryParameter('filter[type]', 'A resource type.', TEXT);
const DRAFT_PATH = [
  pathParameter('type', 'The resource type that the entry will have.', TEXT),
  pathParameter('id', 'The id of the draft. Of a translation, the id of its entry.', TEXT),
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
        'Other errors. The code `draft/source-missing` says that the source of a translation was deleted.',
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

const ACCOUNT_NAME = pathParameter('name', 'The name of the account.', TEXT);
const TOKEN_ID = pathParameter('id', 'The id of the token.', TEXT);

const ACCOUNT = object({
  type: { const: 'account' },
  id: { ...TEXT, description: 'The name.' },
  attributes: object({
    displayName: TEXT_OR_NULL,
    mail: TEXT_OR_NULL,
    roles: array(TEXT),
    blocked: { type: 'boolean' },
    hasPassword: { type: 'boolean' },
  }),
  meta: object({ tokens: COUNT, clients: COUNT }),
  links: ref('links'),
});

const NEW_ACCOUNT: JsonSchema = {
  roles: array(TEXT),
  password: { ...TEXT, description: 'Without it, the account has tokens only.' },
  displayName: TEXT,
  mail: TEXT,
};

const ACCOUNT_CHANGES: JsonSchema = {
  roles: array(TEXT),
  blocked: { type: 'boolean' },
  password: TEXT_OR_NULL,
  currentPassword: { ...TEXT, description: 'Required to change your own password.' },
  displayName: TEXT_OR_NULL,
  mail: TEXT_OR_NULL,
};

const TOKEN = object({
  type: { const: 'token' },
  id: TEXT,
  attributes: object(
    {
      label: TEXT,
      scope: { enum: SCOPES },
      created: { ...TEXT, format: 'date-time' },
      expires: { ...TEXT_OR_NULL, format: 'date-time' },
      token: { ...TEXT, description: 'The secret, only in the response that creates it.' },
    },
    ['label', 'scope', 'created', 'expires'],
  ),
  links: ref('links'),
});

const NEW_TOKEN: JsonSchema = {
  label: TEXT,
  scope: { enum: SCOPES, description: 'By default `read`.' },
  expires: { ...TEXT_OR_NULL, format: 'date-time', description: 'In 90 days by default; null for never.' },
};

const SEND: JsonSchema = {
  type: 'boolean',
  description: 'Sends the link by mail. The response then has no link.',
};

const LINK = object({
  type: { const: 'link' },
  id: { enum: ['invitation', 'administrator'] },
  attributes: object({
    purpose: { enum: ['invitation', 'administrator'] },
    expires: { ...TEXT, format: 'date-time' },
    url: { ...TEXT_OR_NULL, description: 'It is not shown again. Null if it was sent to the person.' },
    sent: { type: 'boolean' },
  }),
});

const SESSION = object({
  type: { const: 'session' },
  id: TEXT,
  attributes: object(
    {
      began: { ...TEXT, format: 'date-time' },
      agent: { ...TEXT, description: 'The browser, as its header `User-Agent` says.' },
      address: TEXT,
      isOwn: { type: 'boolean', description: 'True for the session of the request.' },
    },
    ['began', 'agent', 'isOwn'],
  ),
});

const AUDIT_FILTERS: readonly JsonSchema[] = [
  queryParameter('filter[account]', 'The name of an account.', TEXT),
  queryParameter('filter[event]', 'Names of events, separated by commas.', TEXT),
  queryParameter('filter[failed]', 'What failed, or what did not.', { enum: ['true', 'false'] }),
  queryParameter('filter[from]', 'The first time.', { ...TEXT, format: 'date-time' }),
  queryParameter('filter[until]', 'The time after the last one.', { ...TEXT, format: 'date-time' }),
  queryParameter('page[before]', 'As in the link `next`.', TEXT),
  queryParameter('page[limit]', 'Entries of a page.', { type: 'integer', minimum: 1, maximum: 100 }),
];
const AUDIT_EXTENT = {
  enum: ['site', 'server'],
  description: 'Whose entries these are: those of all servers, or of this one since its start.',
};
const AUDIT_ENTRY = object({
  type: { const: 'audit-entry' },
  id: TEXT,
  attributes: object(
    {
      time: { ...TEXT, format: 'date-time' },
      event: TEXT,
      result: TEXT,
      account: TEXT,
      address: TEXT,
      actor: { ...TEXT, description: 'The account that made the change.' },
      by: { ...TEXT, description: 'How the client identified itself.' },
      detail: TEXT,
    },
    ['time', 'event', 'result', 'account', 'by'],
  ),
});

const ENTRY_PATH = [
  pathParameter('entityType', 'Such as `node`.', TEXT),
  pathParameter('bundle', 'Such as `article`.', TEXT),
  pathParameter('id', 'The id of the entity. Slashes in it are not encoded.', TEXT),
];
const IDLE = 'Seconds since the person last did something. Null if the form is closed.';
const PRESENCE = object({
  type: { const: 'presence' },
  id: { ...TEXT, description: 'The name of an account that has the entity open.' },
  attributes: object({ displayName: TEXT_OR_NULL, idle: COUNT }),
});

const TEMPLATE_ID = pathParameter('id', 'The id of the template.', TEXT);
const TEMPLATE_ATTRIBUTES = {
  name: TEXT,
  resource_type: { ...TEXT, description: 'The type of the entities that begin with these values.' },
  attributes: { type: 'object' },
  relationships: { type: 'object' },
};
const NEW_TEMPLATE = object({
  type: { const: 'template' },
  attributes: object(TEMPLATE_ATTRIBUTES, ['name', 'resource_type']),
});
const TEMPLATE = object({
  type: { const: 'template' },
  id: TEXT,
  attributes: object(TEMPLATE_ATTRIBUTES),
  meta: object({ removable: { type: 'boolean' } }),
  links: ref('links'),
});
