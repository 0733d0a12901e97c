import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { ref } from './component-schemas.ts';

export const SIGN_IN_TAG = 'signing in';

/**
 * Path items of what people and programs sign in and out with, as OpenAPI has them: their bodies and answers are of several
 * media types. Source: Drupal's modules user and simple_oauth; RFC 6749.
 */
export function signInPaths(end: string): Readonly<Record<string, JsonSchema>> {
  const format: JsonSchema = {
    name: '_format',
    in: 'query',
    description: 'Programs send `json`; without it the answer is for people.',
    schema: { enum: ['json'] },
  };
  const page = (
    id: string,
    summary: string,
    others: Readonly<Record<string, JsonSchema>> = {},
  ): JsonSchema => ({
    ...operation(id, summary),
    responses: { 200: { description: 'A page.', content: { 'text/html': {} } }, ...others },
  });
  return {
    [`/user/login${end}`]: {
      get: page('show-sign-in', 'The form to sign in with', {
        501: {
          description: 'This server keeps no sessions: a page that says so.',
          content: { 'text/html': {} },
        },
      }),
      post: {
        ...operation('sign-in', 'Begin a session'),
        parameters: [format],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: CREDENTIALS }, [FORM]: { schema: CREDENTIALS } },
        },
        responses: {
          200: json('You are signed in: the cookie that is set says so.', SIGNED_IN),
          303: { description: 'You are signed in, by the form.' },
          401: json('Name or password is wrong.', ref(ERROR)),
          403: json('A page of another site sent this.', ref(ERROR)),
          429: json('Too many failures: try again after the seconds in `Retry-After`.', ref(ERROR)),
          default: json(OTHER, ref(ERROR)),
        },
      },
    },
    [`/user/logout${end}`]: {
      get: page('show-sign-out', 'The form to sign out with'),
      post: {
        ...operation('sign-out', 'End the session'),
        parameters: [
          format,
          {
            name: 'token',
            in: 'query',
            description: 'The `logout_token` of the session; or its `X-CSRF-Token` in that header.',
            schema: TEXT,
          },
        ],
        responses: {
          204: { description: 'You are signed out.' },
          303: { description: 'You are signed out, by the form.' },
          403: json('The token is missing or wrong.', ref(ERROR)),
          default: json(OTHER, ref(ERROR)),
        },
      },
    },
    [`/user/login_status${end}`]: {
      get: {
        ...operation('sign-in-status', 'Whether somebody is signed in'),
        responses: {
          200: json('1 for somebody, 0 for nobody.', { enum: [0, 1] }),
          401: json('The credentials that were sent are wrong.', ref(ERROR)),
          default: json(OTHER, ref(ERROR)),
        },
      },
    },
    [`/session/token${end}`]: {
      get: {
        ...operation('csrf-token', 'What the header `X-CSRF-Token` of this session has to say'),
        responses: {
          200: { description: 'The token.', content: { 'text/plain': { schema: TEXT } } },
          401: json('The credentials that were sent are wrong.', ref(ERROR)),
          default: json(OTHER, ref(ERROR)),
        },
      },
    },
    [`/oauth/token${end}`]: {
      post: {
        ...operation('access-token', 'A token for a client: OAuth 2, client credentials'),
        security: [{}, { basic: [] }],
        requestBody: { required: true, content: { [FORM]: { schema: GRANT_REQUEST } } },
        responses: {
          200: json('The token.', GRANT),
          400: json('The request is not of the form that is read here.', REFUSAL),
          401: json('The client or its secret is wrong.', REFUSAL),
          default: json(OTHER, { anyOf: [REFUSAL, ref(ERROR)] }),
        },
      },
    },
  };
}

/** The component schemas that these refer to. */
export const SIGN_IN_SCHEMAS: JsonSchema = {
  'account-error-document': {
    type: 'object',
    required: ['message'],
    properties: { id: { type: 'string' }, message: { type: 'string' } },
  },
};

function operation(id: string, summary: string): JsonSchema {
  return { operationId: id, summary, tags: [SIGN_IN_TAG] };
}

function json(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}

const ERROR = 'account-error-document';
const FORM = 'application/x-www-form-urlencoded';
const OTHER = 'Any other error.';
const TEXT: JsonSchema = { type: 'string' };

const CREDENTIALS: JsonSchema = {
  type: 'object',
  required: ['name', 'pass'],
  properties: { name: TEXT, pass: { type: 'string', format: 'password' } },
};

const SIGNED_IN: JsonSchema = {
  type: 'object',
  required: ['current_user', 'csrf_token', 'logout_token'],
  properties: {
    current_user: {
      type: 'object',
      required: ['uid', 'name', 'roles'],
      properties: { uid: TEXT, name: TEXT, roles: { type: 'array', items: TEXT } },
    },
    csrf_token: TEXT,
    logout_token: TEXT,
  },
};

const GRANT_REQUEST: JsonSchema = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { const: 'client_credentials' },
    client_id: { ...TEXT, description: 'With `client_secret`; or both by HTTP Basic.' },
    client_secret: TEXT,
    scope: { ...TEXT, description: '`read` without `write` narrows what the token may do.' },
  },
};

const GRANT: JsonSchema = {
  type: 'object',
  required: ['token_type', 'expires_in', 'access_token', 'scope'],
  properties: {
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Seconds.' },
    access_token: TEXT,
    scope: { enum: ['read', 'write'] },
  },
};

const REFUSAL: JsonSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { enum: ['invalid_request', 'invalid_client', 'unsupported_grant_type'] },
    error_description: TEXT,
    message: TEXT,
  },
};
