import { type DescribeRoutes, OTHER_ERROR, queryParameter, ref } from '../../core/api/description.ts';
import { anyOf, array, type JsonSchema, object, TEXT } from '../../core/api/json-schema.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

/** What OpenAPI says about signing in. Source: Drupal's modules user and simple_oauth; RFC 6749. */
export const describeSignIn: DescribeRoutes = () => ({
  login: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['show-sign-in', 'Show the sign-in form'],
        security: [],
        responses: { ...PAGE, 501: html('The server has no sessions: a page that says so.') },
      },
      POST: {
        texts: ['sign-in', 'Start a session'],
        security: [],
        parameters: [FORMAT],
        requestBody: body({ [JSON_MEDIA_TYPE]: CREDENTIALS, [FORM]: CREDENTIALS }),
        responses: signInResponses(
          {
            200: json('Signed in. The response sets the session cookie.', SIGNED_IN),
            303: { description: 'Signed in with the form.' },
          },
          {
            401: 'The name or the password is wrong.',
            403: 'A page of another site sent the request.',
            429: 'Too many failures. Try again after the seconds in `Retry-After`.',
          },
        ),
      },
    },
  },
  logout: {
    tag: TAG,
    operations: {
      GET: { texts: ['show-sign-out', 'Show the sign-out form'], responses: PAGE },
      POST: {
        texts: ['sign-out', 'End the session'],
        security: [{ session: [], csrf: [] }, { session: [] }],
        parameters: [FORMAT, queryParameter('token', LOGOUT_TOKEN, TEXT)],
        responses: signInResponses(
          { 204: { description: 'Signed out.' }, 303: { description: 'Signed out with the form.' } },
          { 403: 'The token is missing or wrong.' },
        ),
      },
    },
  },
  password: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['show-password-form', 'Show the form for a forgotten password, or that of a link'],
        security: [],
        responses: PAGE,
      },
      POST: {
        texts: ['send-password-link', 'Send a link to choose a password, or use it'],
        security: [],
        requestBody: body({ [FORM]: object({ name: TEXT, token: TEXT, pass: TEXT }, []) }),
        responses: { ...PAGE, 303: { description: 'The password is set, and a session has begun.' } },
      },
    },
  },
  'login-status': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['sign-in-status', 'Check if the client is signed in'],
        responses: signInResponses(
          { 200: json('1 if the client is signed in, else 0.', { enum: [0, 1] }) },
          WRONG_CREDENTIALS,
        ),
      },
    },
  },
  'csrf-token': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['csrf-token', 'Get the `X-CSRF-Token` of the session'],
        responses: signInResponses(
          { 200: { description: 'The token.', content: { 'text/plain': { schema: TEXT } } } },
          WRONG_CREDENTIALS,
        ),
      },
    },
  },
  'access-token': {
    tag: TAG,
    operations: {
      POST: {
        texts: ['access-token', 'Get an OAuth 2 access token with client credentials'],
        security: [{}, { basic: [] }],
        requestBody: body({ [FORM]: GRANT_REQUEST }),
        responses: {
          200: json('The token.', GRANT),
          400: json('The request is not valid.', OAUTH_ERROR),
          401: json('The client or its secret is wrong.', OAUTH_ERROR),
          default: json(OTHER_ERROR, anyOf(OAUTH_ERROR, ACCOUNT_ERROR)),
        },
      },
    },
  },
});

const TAG = { name: 'signing in', description: 'Sessions and access tokens.' };
const ACCOUNT_ERROR = ref('account-error-document');
function html(description: string): JsonSchema {
  return { description, content: { 'text/html': {} } };
}
function json(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { [JSON_MEDIA_TYPE]: { schema } } };
}
function body(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const content = Object.entries(schemas).map(([mediaType, schema]) => [mediaType, { schema }]);
  return { required: true, content: Object.fromEntries(content) };
}
/** Responses with the errors of all sign-in routes. Texts of other errors are given by status. */
function signInResponses(successes: JsonSchema, errors: Readonly<Record<number, string>>): JsonSchema {
  const others = Object.entries({ ...errors, default: OTHER_ERROR });
  return {
    ...successes,
    ...Object.fromEntries(others.map(([status, text]) => [status, json(text, ACCOUNT_ERROR)])),
  };
}
const FORM = 'application/x-www-form-urlencoded';
const LOGOUT_TOKEN = 'The `logout_token` of the session. The header `X-CSRF-Token` works too.';
const FORMAT = queryParameter('_format', 'Programs send `json`. Without it, the response is a page.', {
  enum: ['json'],
});
const CREDENTIALS = object({ name: TEXT, pass: { ...TEXT, format: 'password' } });
const SIGNED_IN = object({
  current_user: object({ uid: TEXT, name: TEXT, roles: array(TEXT) }),
  csrf_token: TEXT,
  logout_token: TEXT,
});
/** Source: RFC 6749. */
const GRANT_REQUEST = object(
  {
    grant_type: { const: 'client_credentials' },
    client_id: { ...TEXT, description: 'With `client_secret`. HTTP Basic works too.' },
    client_secret: TEXT,
    scope: { ...TEXT, description: '`read` without `write` limits the token to reading.' },
  },
  ['grant_type'],
);
const GRANT = object({
  token_type: { const: 'Bearer' },
  expires_in: { type: 'integer', description: 'Seconds.' },
  access_token: TEXT,
  scope: { enum: ['read', 'write'] },
});
const OAUTH_ERROR = object(
  {
    error: { enum: ['invalid_request', 'invalid_client', 'unsupported_grant_type'] },
    error_description: TEXT,
    message: TEXT,
  },
  ['error', 'error_description'],
);
const PAGE = { 200: html('A page.'), '4XX': html('A page with the error.') };
const WRONG_CREDENTIALS = { 401: 'The credentials are wrong.' };
