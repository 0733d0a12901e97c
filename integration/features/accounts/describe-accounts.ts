import {
  ANY_CHANGE,
  type DescribeRoutes,
  documentOf,
  listOf,
  pathParameter,
  queryParameter,
  READING_ERRORS,
  ref,
} from '../../core/api/description.ts';
import {
  array,
  COUNT,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
} from '../../core/api/json-schema.ts';
import { SCOPES } from './account.ts';

/** What OpenAPI says about accounts, their tokens and sessions. */
export const describeAccounts: DescribeRoutes = () => ({
  accounts: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-accounts', 'List all accounts'],
        schema: listOf(ACCOUNT, { count: COUNT, roles: array(TEXT) }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-account', 'Add an account'],
        body: sent('account', NEW_ACCOUNT, ['id']),
        status: 201,
        schema: documentOf(ACCOUNT),
        refusals: ANY_CHANGE,
      },
    },
  },
  account: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-account', 'Get one account'],
        parameters: [ACCOUNT_NAME],
        schema: documentOf(ACCOUNT),
        errors: READING_ERRORS,
      },
      PATCH: {
        texts: ['change-account', 'Change one account, or your password'],
        parameters: [ACCOUNT_NAME],
        body: sent('account', ACCOUNT_CHANGES, ['id']),
        schema: documentOf(ACCOUNT),
        refusals: ANY_CHANGE,
      },
      DELETE: {
        texts: ['remove-account', 'Remove one account'],
        parameters: [ACCOUNT_NAME],
        status: 204,
        schema: null,
        refusals: [401, 403, 409, 503],
      },
    },
  },
  'account-tokens': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-tokens', 'List the tokens of one account'],
        parameters: [ACCOUNT_NAME],
        schema: listOf(TOKEN, { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-token', 'Create a token of one account'],
        parameters: [ACCOUNT_NAME],
        body: sent('token', NEW_TOKEN),
        status: 201,
        schema: documentOf(TOKEN),
        refusals: ANY_CHANGE,
      },
    },
  },
  'account-token': {
    tag: TAG,
    operations: {
      DELETE: {
        texts: ['remove-token', 'Revoke one token'],
        parameters: [ACCOUNT_NAME, TOKEN_ID],
        status: 204,
        schema: null,
        refusals: [401, 403, 503],
      },
    },
  },
  'account-links': {
    tag: TAG,
    operations: {
      POST: {
        texts: ['add-link', 'Make a link with which the person chooses a password'],
        parameters: [ACCOUNT_NAME],
        body: sent('link', { send: SEND }),
        status: 201,
        schema: documentOf(LINK),
        refusals: ANY_CHANGE,
      },
      DELETE: {
        texts: ['remove-links', 'Revoke the links of one account'],
        parameters: [ACCOUNT_NAME],
        status: 204,
        schema: null,
        refusals: [401, 403, 503],
      },
    },
  },
  'account-sessions': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-sessions', 'List the sessions of one account'],
        parameters: [ACCOUNT_NAME],
        schema: listOf(SESSION, { count: COUNT }),
        errors: READING_ERRORS,
      },
      DELETE: {
        texts: ['end-sessions', 'End the sessions of one account but that of the request'],
        parameters: [ACCOUNT_NAME],
        status: 204,
        schema: null,
        refusals: [401, 403, 503],
      },
    },
  },
  audit: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-audit', 'List what happened to accounts, the newest first'],
        parameters: AUDIT_FILTERS,
        schema: listOf(AUDIT_ENTRY, { count: COUNT, extent: AUDIT_EXTENT }),
        errors: READING_ERRORS,
      },
    },
  },
  presence: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['show-presence', 'List who else has one entity open'],
        parameters: ENTRY_PATH,
        schema: listOf(PRESENCE, { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['report-presence', 'Report that you have one entity open, and list who else has'],
        parameters: ENTRY_PATH,
        body: object({ idle: { ...orNull(COUNT), description: IDLE } }),
        schema: listOf(PRESENCE, { count: COUNT }),
        refusals: ANY_CHANGE,
      },
    },
  },
});

const TAG = { name: 'accounts', description: 'Who may sign in.' };
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
/** The body of a request. Its attributes are optional. */
function sent(type: string, attributes: JsonSchema, required: readonly string[] = []): JsonSchema {
  const resource = { type: { const: type }, id: TEXT, attributes: object(attributes, []) };
  return object({ data: object(resource, ['type', ...required]) });
}
