import { array, COUNT, type JsonSchema, object, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';
import { SCOPES } from '../accounts/account.ts';
import { ref } from './components.ts';
import { pathParameter, queryParameter } from './parameters.ts';

export const ACCOUNT_NAME = pathParameter('name', 'The name of the account.', TEXT);
export const TOKEN_ID = pathParameter('id', 'The id of the token.', TEXT);

export const ACCOUNT = object({
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

export const NEW_ACCOUNT: JsonSchema = {
  roles: array(TEXT),
  password: { ...TEXT, description: 'Without it, the account has tokens only.' },
  displayName: TEXT,
  mail: TEXT,
};

export const ACCOUNT_CHANGES: JsonSchema = {
  roles: array(TEXT),
  blocked: { type: 'boolean' },
  password: TEXT_OR_NULL,
  currentPassword: { ...TEXT, description: 'Required to change your own password.' },
  displayName: TEXT_OR_NULL,
  mail: TEXT_OR_NULL,
};

export const TOKEN = object({
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

export const NEW_TOKEN: JsonSchema = {
  label: TEXT,
  scope: { enum: SCOPES, description: 'By default `read`.' },
  expires: { ...TEXT_OR_NULL, format: 'date-time', description: 'In 90 days by default; null for never.' },
};

export const SEND: JsonSchema = {
  type: 'boolean',
  description: 'Sends the link by mail. The response then has no link.',
};

export const LINK = object({
  type: { const: 'link' },
  id: { enum: ['invitation', 'administrator'] },
  attributes: object({
    purpose: { enum: ['invitation', 'administrator'] },
    expires: { ...TEXT, format: 'date-time' },
    url: { ...TEXT_OR_NULL, description: 'It is not shown again. Null if it was sent to the person.' },
    sent: { type: 'boolean' },
  }),
});

export const SESSION = object({
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

export const AUDIT_FILTERS: readonly JsonSchema[] = [
  queryParameter('filter[account]', 'The name of an account.', TEXT),
  queryParameter('filter[event]', 'Names of events, separated by commas.', TEXT),
  queryParameter('filter[failed]', 'What failed, or what did not.', { enum: ['true', 'false'] }),
  queryParameter('filter[from]', 'The first time.', { ...TEXT, format: 'date-time' }),
  queryParameter('filter[until]', 'The time after the last one.', { ...TEXT, format: 'date-time' }),
  queryParameter('page[before]', 'As in the link `next`.', TEXT),
  queryParameter('page[limit]', 'Entries of a page.', { type: 'integer', minimum: 1, maximum: 100 }),
];
export const AUDIT_EXTENT = {
  enum: ['site', 'server'],
  description: 'Whose entries these are: those of all servers, or of this one since its start.',
};
export const AUDIT_ENTRY = object({
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

export const ENTRY_PATH = [
  pathParameter('entityType', 'Such as `node`.', TEXT),
  pathParameter('bundle', 'Such as `article`.', TEXT),
  pathParameter('id', 'The id of the entity. Slashes in it are not encoded.', TEXT),
];
export const IDLE = 'Seconds since the person last did something. Null if the form is closed.';
export const PRESENCE = object({
  type: { const: 'presence' },
  id: { ...TEXT, description: 'The name of an account that has the entity open.' },
  attributes: object({ displayName: TEXT_OR_NULL, idle: COUNT }),
});

export const TEMPLATE_ID = pathParameter('id', 'The id of the template.', TEXT);
export const TEMPLATE_ATTRIBUTES = {
  name: TEXT,
  resource_type: { ...TEXT, description: 'The type of the entities that begin with these values.' },
  attributes: { type: 'object' },
  relationships: { type: 'object' },
};
export const NEW_TEMPLATE = object({
  type: { const: 'template' },
  attributes: object(TEMPLATE_ATTRIBUTES, ['name', 'resource_type']),
});
export const TEMPLATE = object({
  type: { const: 'template' },
  id: TEXT,
  attributes: object(TEMPLATE_ATTRIBUTES),
  meta: object({ removable: { type: 'boolean' } }),
  links: ref('links'),
});
