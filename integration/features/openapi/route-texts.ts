import type { Operations } from '../../core/api/addresses.ts';

/** What the description says about the routes that have one address, or one for each menu, index or view. */
export const ROUTE_TEXTS: {
  readonly [name: string]: {
    /** For a route that is not about a resource type. */
    readonly tag?: string;
    readonly operations: Operations;
  };
} = {
  entry: { tag: 'entry point', operations: { GET: ['entry', 'List all collections'] } },
  menu: { operations: { GET: ['menu-{menu}', 'Get the menu {menu}'] } },
  index: { tag: 'search indexes', operations: { GET: ['index-{index}', 'Search the index {index}'] } },
  view: { tag: 'views', operations: { GET: ['view-{view}', 'Get the results of the view {view}'] } },
  me: { tag: 'accounts', operations: { GET: ['me', 'Get your account and what it may change'] } },
  'jsonapi-job': { tag: 'jobs', operations: { GET: ['get-job', 'Get the state of a change'] } },
  files: {
    tag: 'files',
    operations: {
      GET: ['list-files', 'List the files that content can use'],
      POST: ['add-file', 'Store a file beside an entity or in the folder of a bundle'],
    },
  },
  file: {
    tag: 'files',
    operations: {
      GET: ['get-file', 'Get one file with the entities that use it'],
      PUT: ['replace-file', 'Replace the bytes of one file'],
      PATCH: ['move-file', 'Move or rename one file, or the files of a folder, with their references'],
      DELETE: ['delete-file', 'Delete one file that is not used'],
    },
  },
  crop: {
    tag: 'files',
    operations: {
      GET: ['get-crop', 'Get the crop, the focus and the rotation of one image'],
      PATCH: ['change-crop', 'Crop or turn one image. Its file stays as it is'],
    },
  },
  bin: {
    tag: 'bin',
    operations: {
      GET: ['list-bin', 'List the deleted entries that you can restore'],
      POST: ['restore-bin-entries', 'Restore several deleted entries'],
    },
  },
  'bin-entry': {
    tag: 'bin',
    operations: {
      GET: ['get-bin-entry', 'Get one deleted entry with the text of its file'],
      POST: ['restore-bin-entry', 'Restore one deleted entry with the references to it'],
      DELETE: ['purge-bin-entry', 'Delete one entry for good'],
    },
  },
  redirects: {
    tag: 'redirects',
    operations: {
      GET: ['list-redirects', 'List the redirects of the site'],
      POST: ['add-redirect', 'Add a redirect'],
    },
  },
  'redirect-entry': { tag: 'redirects', operations: { DELETE: ['remove-redirect', 'Remove a redirect'] } },
  drafts: {
    tag: 'drafts',
    operations: {
      GET: ['list-drafts', 'List the drafts that you can see, with what they lack'],
      POST: ['create-draft', 'Store a draft, or create the entity if it is complete'],
    },
  },
  draft: {
    tag: 'drafts',
    operations: {
      GET: ['get-draft', 'Get the fields of one draft'],
      POST: [
        'create-translation-draft',
        'Store the draft of a translation, or create the translation if it is complete',
      ],
      PATCH: ['update-draft', 'Change one draft, which becomes an entity once it is complete'],
      DELETE: ['delete-draft', 'Delete one draft'],
    },
  },
  sources: {
    tag: 'drafts',
    operations: { GET: ['list-sources', 'List the files with errors that you can correct'] },
  },
  source: {
    tag: 'drafts',
    operations: {
      GET: ['get-source', 'Get the text of one file with errors'],
      PATCH: ['update-source', 'Replace the text of one file with errors'],
    },
  },
  faulty: {
    tag: 'drafts',
    operations: {
      GET: ['get-faulty', 'Get the fields that can be read in one file with errors'],
      PATCH: ['update-faulty', 'Change fields of one file with errors'],
    },
  },
  status: {
    tag: 'status',
    operations: { GET: ['get-status', 'Get problems of the content, and changes that wait'] },
  },
  conflicts: {
    tag: 'conflicts',
    operations: { GET: ['list-conflicts', 'List the changes that others have overtaken'] },
  },
  conflict: {
    tag: 'conflicts',
    operations: {
      GET: ['get-conflict', 'Get one conflict with both values of each field'],
      PATCH: ['resolve-conflict', 'Decide which values of one conflict stay'],
    },
  },
  accounts: {
    tag: 'accounts',
    operations: { GET: ['list-accounts', 'List all accounts'], POST: ['add-account', 'Add an account'] },
  },
  account: {
    tag: 'accounts',
    operations: {
      GET: ['get-account', 'Get one account'],
      PATCH: ['change-account', 'Change one account, or your password'],
      DELETE: ['remove-account', 'Remove one account'],
    },
  },
  'account-tokens': {
    tag: 'accounts',
    operations: {
      GET: ['list-tokens', 'List the tokens of one account'],
      POST: ['add-token', 'Create a token of one account'],
    },
  },
  'account-token': { tag: 'accounts', operations: { DELETE: ['remove-token', 'Revoke one token'] } },
  'account-links': {
    tag: 'accounts',
    operations: {
      POST: ['add-link', 'Make a link with which the person chooses a password'],
      DELETE: ['remove-links', 'Revoke the links of one account'],
    },
  },
  'account-sessions': {
    tag: 'accounts',
    operations: {
      GET: ['list-sessions', 'List the sessions of one account'],
      DELETE: ['end-sessions', 'End the sessions of one account but that of the request'],
    },
  },
  audit: {
    tag: 'accounts',
    operations: { GET: ['list-audit', 'List what happened to accounts, the newest first'] },
  },
  presence: {
    tag: 'accounts',
    operations: {
      GET: ['show-presence', 'List who else has one entity open'],
      POST: ['report-presence', 'Report that you have one entity open, and list who else has'],
    },
  },
  templates: {
    tag: 'templates',
    operations: {
      GET: ['list-templates', 'List the templates that you can use'],
      POST: ['add-template', 'Add a template'],
    },
  },
  template: {
    tag: 'templates',
    operations: {
      GET: ['get-template', 'Get one template'],
      DELETE: ['remove-template', 'Remove one template'],
    },
  },
  operations: {
    tag: 'operations',
    operations: { POST: ['operations', 'Make several changes, all or none'] },
  },
  mcp: { tag: 'agents', operations: { POST: ['mcp', 'Call a tool for AI agents (Model Context Protocol)'] } },
  'git-hook': {
    tag: 'webhooks',
    operations: { POST: ['git-hook', 'Report a push to the branch of the content'] },
  },
  'rest-job': { tag: 'jobs', operations: { GET: ['get-plain-job', 'Get the state of a change'] } },
  'rest-entry': { tag: 'entry point', operations: { GET: ['list-bundles', 'List all bundles'] } },
  'translate-path': {
    tag: 'decoupled front ends',
    operations: { GET: ['translate-path', 'Find the entity at a path of the site'] },
  },
  subrequests: {
    tag: 'decoupled front ends',
    operations: { POST: ['subrequests', 'Send several requests in one'] },
  },
  health: {
    operations: {
      GET: [
        'health',
        'Check the server: 200 if the content is loaded and up to date, and commits keep up, else 503',
      ],
    },
  },
  login: {
    tag: 'signing in',
    operations: { GET: ['show-sign-in', 'Show the sign-in form'], POST: ['sign-in', 'Start a session'] },
  },
  logout: {
    tag: 'signing in',
    operations: { GET: ['show-sign-out', 'Show the sign-out form'], POST: ['sign-out', 'End the session'] },
  },
  password: {
    tag: 'signing in',
    operations: {
      GET: ['show-password-form', 'Show the form for a forgotten password, or that of a link'],
      POST: ['send-password-link', 'Send a link to choose a password, or use it'],
    },
  },
  'login-status': {
    tag: 'signing in',
    operations: { GET: ['sign-in-status', 'Check if the client is signed in'] },
  },
  'csrf-token': {
    tag: 'signing in',
    operations: { GET: ['csrf-token', 'Get the `X-CSRF-Token` of the session'] },
  },
  'access-token': {
    tag: 'signing in',
    operations: { POST: ['access-token', 'Get an OAuth 2 access token with client credentials'] },
  },
};

/** Routes that the document leaves out: pages, files, their aids, and the document itself. MCP describes its own tools. */
export const UNDESCRIBED_ROUTES: readonly string[] = [
  'add-link',
  'admin',
  'content-file',
  'draft-url',
  'edit-link',
  'excerpts',
  'explorer',
  'explorer-explain',
  'explorer-schema',
  'image-style',
  'markup',
  'mcp',
  'openapi',
  'preview',
  'redirect',
];

/** The descriptions of tags that are not resource types. */
export const TAG_TEXTS: Readonly<Record<string, string>> = {
  'entry point': 'What the API has.',
  'search indexes': 'Lists of several types, with facets.',
  views: 'Prepared queries, at the addresses of Drupal views.',
  accounts: 'Who may sign in.',
  templates: 'Values with which new entities begin.',
  jobs: 'Changes that are not committed yet.',
  files: 'Images and other files of the content.',
  bin: 'Deleted entries.',
  drafts: 'Entries that do not pass the schema.',
  status: 'Problems of the content.',
  conflicts: 'Changes of this server that others have overtaken.',
  operations: 'Several changes in one request.',
  webhooks: 'Calls of the git host.',
  'decoupled front ends': 'Paths and requests as front ends of Drupal send them.',
  health: 'The state of the server.',
  'signing in': 'Sessions and access tokens.',
};
