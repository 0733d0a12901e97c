import { array, COUNT, type JsonSchema, object, orNull, TEXT } from '../../core/api/json-schema.ts';
import type { Method } from '../../core/api/routes.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import {
  ACCOUNT,
  ACCOUNT_CHANGES,
  ACCOUNT_NAME,
  AUDIT_ENTRY,
  AUDIT_EXTENT,
  AUDIT_FILTERS,
  ENTRY_PATH,
  IDLE,
  LINK,
  NEW_ACCOUNT,
  NEW_TEMPLATE,
  NEW_TOKEN,
  PRESENCE,
  SEND,
  SESSION,
  TEMPLATE,
  TEMPLATE_ID,
  TOKEN,
  TOKEN_ID,
} from './account-schemas.ts';
import { ref } from './components.ts';
import {
  BESIDE,
  BIN_ENTRY,
  BIN_FILTERS,
  BIN_ID,
  CONFLICT,
  CONFLICT_ID,
  CROP,
  CROP_CHANGE,
  DRAFT,
  FILE,
  FILE_FILTERS,
  FILE_NAME,
  FILE_PATH,
  FOLDER,
  ONE_DRAFT,
  REDIRECT,
  REDIRECT_ADDRESSES,
  REDIRECT_TYPE,
  RESOLUTION,
  RESOURCE,
  SHOWN_BIN_ENTRY,
  SHOWN_SOURCE,
  SOURCE,
  SOURCE_PATH,
  STATUS,
  TYPE_FILTER,
} from './content-schemas.ts';
import { ANY_CHANGE, MATCH_HEADERS, type Operation, REMOVAL, STORED } from './operation.ts';
import { pageParameters, pathParameter } from './parameters.ts';

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
    crop: {
      GET: { parameters: [FILE_PATH], schema: documentOf(CROP), errors: READING_ERRORS },
      PATCH: {
        parameters: [FILE_PATH],
        body: object({ data: object(CROP_CHANGE) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
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
