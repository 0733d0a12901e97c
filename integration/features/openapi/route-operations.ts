import {
  anyOf,
  array,
  COUNT,
  type JsonSchema,
  object,
  TEXT,
  TEXT_OR_NULL,
  URI,
} from '../../core/api/json-schema.ts';
import type { Method } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { adminOperations, READING_ERRORS } from './admin-operations.ts';
import { ref } from './components.ts';
import { type Operation, OTHER_ERROR, type RawOperation, STORED, TOO_MANY_CLIENTS } from './operation.ts';
import {
  indexParameters,
  languageParameters,
  MENU_PARAMETERS,
  pathParameter,
  queryParameter,
  VIEW_PARAMETERS,
} from './parameters.ts';
import { SESSION_OF_CHANGES } from './security.ts';

type RouteOperations = { readonly [method in Method]?: Operation | RawOperation };

/** The operations of routes that have one address each. */
export function routeOperations(settings: ApiSettings): {
  readonly [name: string]: RouteOperations;
} {
  const { limits } = settings;
  const languages = languageParameters(settings);
  const path = queryParameter('path', PATH, REQUIRED_TEXT);
  const tooLarge = `The body has more than ${limits.subrequestsBytes} bytes, or the responses together have more than ${limits.subrequestsAnswerBytes}.`;
  return {
    entry: { GET: { parameters: languages, schema: 'entry-document' } },
    'rest-entry': { GET: { parameters: languages, schema: 'plain-bundles-document' } },
    menu: { GET: { parameters: [...MENU_PARAMETERS, ...languages], schema: 'menu-document' } },
    index: { GET: { parameters: [...indexParameters(settings), ...languages], schema: 'list-document' } },
    view: { GET: { parameters: [...VIEW_PARAMETERS, ...languages], schema: 'list-document' } },
    me: { GET: { schema: ACCOUNT_DOCUMENT, errors: READING_ERRORS } },
    'jsonapi-job': { GET: { parameters: [JOB_ID], schema: JOB_DOCUMENT } },
    'rest-job': { GET: { parameters: [JOB_ID], schema: PLAIN_JOB_DOCUMENT } },
    operations: {
      POST: {
        body: object(
          {
            'atomic:operations': {
              ...array(operationSchema(settings)),
              minItems: 1,
              maxItems: limits.operations,
            },
            meta: { ...object({ dryRun: { type: 'boolean' } }, []), description: DRY_RUN },
          },
          ['atomic:operations'],
        ),
        schema: object(
          {
            jsonapi: ref('jsonapi'),
            'atomic:results': array(OPERATION_RESULT),
            meta: object({ dryRun: { const: true }, diff: { ...TEXT, description: DIFF } }, []),
          },
          ['jsonapi'],
        ),
        actions: ['create', 'update', 'delete'],
        refusals: STORED,
      },
    },
    'translate-path': { GET: { parameters: [{ ...path, required: true }], schema: TRANSLATED_PATH } },
    subrequests: {
      POST: {
        status: 207,
        body: { ...SUBREQUESTS, maxItems: limits.subrequests },
        schema: SUBRESPONSES,
        errors: { 413: tooLarge, 503: TOO_MANY_CLIENTS },
      },
    },
    'git-hook': { POST: GIT_HOOK },
    health: { GET: { schema: HEALTH } },
    ...adminOperations(settings),
    ...SIGN_IN_OPERATIONS,
  };
}

/** Source: Drupal's module user. */
export const SIGN_IN_SCHEMAS: JsonSchema = {
  'account-error-document': object({ id: TEXT, message: TEXT }, ['message']),
};
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

const GIT_HOOK: RawOperation = {
  security: [],
  parameters: [
    ...['X-Hub-Signature-256', 'X-Forgejo-Signature', 'X-Gitea-Signature', 'X-Gitlab-Token'].map((name) => ({
      ...{ name, in: 'header', required: false, schema: TEXT },
      description: 'One of these headers is required.',
    })),
  ],
  requestBody: body({ [JSON_MEDIA_TYPE]: { description: 'The event, as the git host sends it.' } }),
  responses: {
    202: { description: 'The server looks at the branch.' },
    204: { description: 'The event is about another branch.' },
    401: { description: 'The signature is missing or wrong.' },
    default: { description: OTHER_ERROR },
  },
};

const FORM = 'application/x-www-form-urlencoded';
const REQUIRED_TEXT = { ...TEXT, minLength: 1 };
const PATH = 'An alias, or a path such as `/node/article/<id>`.';
const LOGOUT_TOKEN = 'The `logout_token` of the session. The header `X-CSRF-Token` works too.';
const FORMAT = queryParameter('_format', 'Programs send `json`. Without it, the response is a page.', {
  enum: ['json'],
});

const JOB_ID = pathParameter('id', '`meta.job.id` of the response to the change.', TEXT);
const JOB_STATE = {
  status: { enum: ['pending', 'committed', 'failed'] },
  detail: { ...TEXT_OR_NULL, description: 'Why the change is not committed, or a note about it.' },
  created: { ...TEXT, format: 'date-time' },
  commit: { ...TEXT_OR_NULL, description: 'The full id of the commit.' },
  branch: TEXT_OR_NULL,
  pushed: { type: ['boolean', 'null'], description: 'Null if the server does not push.' },
  conflicts: { ...array(TEXT), description: 'Ids of the conflicts with changes of others.' },
} as const;
const JOB_DOCUMENT = object({
  jsonapi: ref('jsonapi'),
  data: object({ type: { const: 'job' }, id: TEXT, attributes: object(JOB_STATE), links: ref('links') }),
  links: ref('links'),
});
const PLAIN_JOB_DOCUMENT = object({
  data: object({ id: TEXT, type: { const: 'job' }, ...JOB_STATE }),
  links: object({ self: TEXT, entity: TEXT }, ['self']),
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
          'The permissions of the account by resource type. With `some`, OPTIONS of an entity lists what is allowed there.',
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

/** Source: JSON:API extension "Atomic Operations". */
function operationSchema({ languages }: ApiSettings): JsonSchema {
  const langCode = languages && {
    langCode: {
      enum: languages.all.map(({ code }) => code),
      description: 'The language of the translation to add, update or remove. For targets without `href`.',
    },
  };
  const href =
    languages === undefined
      ? HREF
      : `${HREF} \`langCode\` or the prefix of a language selects a translation.`;
  return object(
    {
      op: { enum: ['add', 'update', 'remove'] },
      ref: {
        ...object({ type: TEXT, id: TEXT, lid: TEXT, relationship: TEXT }, ['type']),
        description:
          'The target: a resource, or one of its relationships. `lid` is that of a resource in `data` of an earlier operation.',
      },
      href: { ...TEXT, description: href },
      data: {
        description:
          'A resource as in requests for one resource, or the targets of a relationship. `lid` in place of `id` is a resource that this request creates.',
      },
      meta: object(
        { ifMatch: { ...TEXT, description: '`meta.revision` of the resource as it was read.' }, ...langCode },
        [],
      ),
    },
    ['op'],
  );
}
const DRY_RUN = 'With `dryRun`, the operations are checked, and nothing is changed.';
const DIFF = 'Of a dry run: the unified diff of the files whose entities you may see with all fields.';
const HREF = 'The address of the target, in place of `ref`.';
const OPERATION_RESULT = object(
  { data: { ...object({ type: TEXT, id: TEXT }), description: 'The resource that was created or changed.' } },
  [],
);

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

const HEALTH = object(
  {
    status: { enum: ['ok', 'error'] },
    uptime: { ...COUNT, description: 'Seconds since the process started.' },
    git: {
      description: 'Present if changes are committed to git.',
      ...object(
        {
          commits: {
            description: '`waiting` after a minute or an error, `behind` after five minutes (status 503).',
            enum: ['ok', 'waiting', 'behind'],
          },
          backlog: {
            description: 'Changes without a commit, and the age of the oldest one.',
            ...object({ changes: COUNT, oldestSeconds: COUNT }),
          },
          waitsFor: {
            description: 'The cause of failed commits: the repository, a lock, or another error of git.',
            enum: ['repository', 'lock', 'git'],
          },
          pushes: { enum: ['ok', 'waiting'] },
        },
        ['commits', 'backlog'],
      ),
    },
    database: {
      description: 'Present with option `engine`.',
      ...object(
        {
          content: {
            description: '`stale` if the age is above option `engine.maxAge` (status 503).',
            enum: ['ok', 'stale'],
          },
          ageSeconds: {
            ...COUNT,
            description: 'Seconds since the content was last known to be that of the database.',
          },
        },
        ['content', 'ageSeconds'],
      ),
    },
  },
  ['status', 'uptime'],
);

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

/** Source: Drupal's modules user and simple_oauth; RFC 6749. */
const SIGN_IN_OPERATIONS: Readonly<Record<string, RouteOperations>> = {
  login: {
    GET: {
      security: [],
      responses: { ...PAGE, 501: html('The server has no sessions: a page that says so.') },
    },
    POST: {
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
  logout: {
    GET: { responses: PAGE },
    POST: {
      security: [SESSION_OF_CHANGES, { session: [] }],
      parameters: [FORMAT, queryParameter('token', LOGOUT_TOKEN, TEXT)],
      responses: signInResponses(
        { 204: { description: 'Signed out.' }, 303: { description: 'Signed out with the form.' } },
        { 403: 'The token is missing or wrong.' },
      ),
    },
  },
  password: {
    GET: { security: [], responses: PAGE },
    POST: {
      security: [],
      requestBody: body({ [FORM]: object({ name: TEXT, token: TEXT, pass: TEXT }, []) }),
      responses: { ...PAGE, 303: { description: 'The password is set, and a session has begun.' } },
    },
  },
  'login-status': {
    GET: {
      responses: signInResponses(
        { 200: json('1 if the client is signed in, else 0.', { enum: [0, 1] }) },
        WRONG_CREDENTIALS,
      ),
    },
  },
  'csrf-token': {
    GET: {
      responses: signInResponses(
        { 200: { description: 'The token.', content: { 'text/plain': { schema: TEXT } } } },
        WRONG_CREDENTIALS,
      ),
    },
  },
  'access-token': {
    POST: {
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
};
