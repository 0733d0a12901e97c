import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import { byBundle, editingSettings } from '../../../integration/core/options/options.ts';
import { postgres } from '../../../integration/postgres.ts';
import { forgejo, git, github, gitlab } from '../../../integration/storage.ts';
import { parseOptions } from '../../support/options.ts';

const LIMITS = [
  'queryLength',
  'conditions',
  'includeDepth',
  'answerBytes',
  'bodyBytes',
  'uploadBytes',
  'writesPerMinute',
] as const;

/** One more than a group of synonyms may have. */
const WORDS = Array.from({ length: 33 }, (_, at) => `w${at}`);

describe('options', () => {
  it('have defaults', () => {
    expect(parseOptions(undefined)).toEqual({
      contentDir: 'content',
      bundles: {},
      ignore: [],
      problems: {},
      api: { prefix: '' },
      static: {
        worker: false,
        openapi: false,
        documents: { files: 10_000, megabytes: 100 },
      },
      drupal: true,
      danglingReferences: 'error',
      gitDates: true,
      webhooks: [],
      timeZone: 'UTC',
      pageSize: { default: 50, max: 50, unlimited: true },
      search: { preload: false },
      explorer: 'dev',
      prebuild: {},
      indexes: {},
      redirects: true,
      cache: { maxAge: 0, memoryMb: 32 },
      cors: false,
      healthPath: false,
      logging: { requests: false, changes: true },
      roles: {},
      editing: false,
      limits: DEFAULT_LIMITS,
    });
  });

  it('of bundles can be folders', () => {
    const { bundles } = parseOptions({
      bundles: { post: './_posts/', page: { folder: '.', plural: 'pages' } },
    });
    expect(bundles).toEqual({ post: { folder: '_posts' }, page: { folder: '', plural: 'pages' } });
  });

  it('read the address of the database from DATABASE_URL, also if a variable in the config is empty', () => {
    expect(parseOptions({ engine: postgres({ url: '' }) }).engine?.url).toBe('env:DATABASE_URL');
  });

  it('of editing have defaults', () => {
    const defaults = {
      single: [],
      accountsFile: '.astro-jsonapi/accounts.json',
      requireIfMatch: false,
      onDelete: 'restrict',
      bin: true,
      git: false,
    };
    expect(parseOptions({ editing: true }).editing).toEqual(defaults);
    expect(parseOptions({ editing: {} }).editing).toEqual(defaults);
    expect(editingSettings(parseOptions({}))).toEqual({ requireIfMatch: false, onDelete: 'restrict' });
    expect(parseOptions({ editing: { git: true } }).editing).toEqual({
      ...defaults,
      git: { commit: 'each', push: false, pull: false, message: {} },
    });
  });

  it.each([
    [{ max: 10 }, { default: 10, max: 10 }],
    [{ max: 100 }, { default: 50, max: 100 }],
    [{ default: 20 }, { default: 20, max: 50 }],
    [
      { default: 10_000, max: 10_000 },
      { default: 10_000, max: 10_000 },
    ],
  ])('pageSize %j fills in the rest', (pageSize, expected) => {
    expect(parseOptions({ pageSize }).pageSize).toEqual({ ...expected, unlimited: true });
  });

  it('of bundles are read by name', () => {
    const options = parseOptions({ bundles: { person: { plural: 'people' }, eip: { alias: '/[id]' } } });
    expect(byBundle(options, 'plural')).toEqual({ person: 'people' });
    expect(byBundle(options, 'alias')).toEqual({ eip: '/[id]' });
    expect(byBundle(options, 'publishedStatuses')).toEqual({});
  });

  it.each([
    [{ maxPageSize: 10 }, 'pageSize.max'],
    [{ allowUnlimitedPage: false }, 'pageSize.unlimited'],
    [{ published: {} }, 'bundles.<bundle>.publishedStatuses'],
    [{ plurals: {} }, 'bundles.<bundle>.plural'],
    [{ aliases: {} }, 'bundles.<bundle>.alias'],
    [{ fulltext: false }, 'search'],
    [{ maxAge: 5 }, 'cache.maxAge'],
    [{ cacheSize: 5 }, 'cache.memoryMb'],
    [{ health: false }, 'healthPath'],
    [{ requestLog: true }, 'logging.requests'],
    [{ log: false }, 'logging.changes'],
    [{ markdown: './x' }, 'markdownProcessor'],
    [{ readOnly: true }, 'editing, which is off by default'],
    [{ requireMatch: true }, 'editing.requireIfMatch'],
    [{ onRemove: 'clear' }, 'editing.onDelete'],
    [{ git: true }, 'editing.git'],
    [{ accounts: 'x' }, 'editing.accountsFile'],
    [{ editing: { roles: {} } }, 'roles'],
    [{ search: { warm: true } }, 'search.preload'],
  ])('%j names the option that replaces it', (input, replacement) => {
    const message = messageOf(input);
    expect(message).toMatch(/Option \S+ is unknown\. Use /);
    expect(message).toContain(` Use ${replacement}.`);
  });

  it.each([
    [{ pageSize: { max: 0 } }, 'Option pageSize.max', 'a whole number from 1 to 10000'],
    [{ pageSize: { max: 10_001 } }, 'Option pageSize.max', 'a whole number from 1 to 10000'],
    [{ pageSize: { default: '5' } }, 'Option pageSize.default', 'a whole number from 1 to 10000'],
    [{ pageSize: { default: 51 } }, 'Option pageSize.default', 'greater than pageSize.max, which is 50'],
    [{ pageSize: 10 }, 'Option pageSize cannot be 10', '{ default, max, unlimited }'],
    [
      { problems: { 'file/mising': 'off' } },
      'Option problems.file/mising is unknown',
      'Did you mean problems.file/missing?',
    ],
    [{ problems: { 'file/missing': 'info' } }, 'problems.file/missing', "'error', 'warning' or 'off'"],
    [{ ignore: '*.md' }, 'Option ignore', 'a list of globs'],
    [{ ignore: ['*a*b*c'] }, 'Option ignore', 'at most three ** and two * in a name'],
    [{ ignore: ['**/**/**/**'] }, 'Option ignore', 'at most three ** and two * in a name'],
    [{ bundles: { post: '../posts' } }, 'Option bundles.post', "post: '_posts' }"],
    [{ bundles: { post: { folder: '.git' } } }, 'Option bundles.post.folder', "such as '_posts'"],
    [
      { bundles: { post: 'a', page: { folder: './a/' } } },
      'bundles.page',
      'bundles.post has the same folder.',
    ],
    [{ bundles: { page: '.', doc: '**' } }, 'bundles.doc', 'bundles.page has the same folder.'],
    [{ pageSize: { size: 10 } }, 'Option pageSize.size is unknown', '{ default, max, unlimited }'],
    [{ danglingReferences: 'ignore' }, 'Option danglingReferences', "'error' (the build fails)"],
    [{ api: 'off' }, 'Option api cannot be "off"', 'true, false or { prefix'],
    [{ gitHookSecret: 'secret' }, 'Option gitHookSecret cannot be its value', 'env:GIT_HOOK_SECRET'],
    [
      { engine: postgres({ schema: 'pg_site' }) },
      'Option engine.schema cannot be "pg_site"',
      'a name that starts with pg_',
    ],
    [{ engine: postgres({ schema: 'public' }) }, 'Option engine.schema cannot be "public"', 'but not public'],
    [
      { engine: postgres({ schema: 'information_schema' }) },
      'Option engine.schema cannot be "information_schema"',
      'information_schema, or',
    ],
    [
      { engine: postgres({ url: 'mysql://a:b@c/d' }) },
      'Option engine.url cannot be its value',
      'env:DATABASE_URL',
    ],
    [
      { engine: postgres({ listenUrl: 'mysql://a:b@c/d' }) },
      'Option engine.listenUrl cannot be its value',
      'env:DATABASE_LISTEN_URL',
    ],
    [{ webhooks: [{ url: 'ftp://a/' }] }, 'Option webhooks.0.url cannot be its value', 'env:DEPLOY_HOOK'],
    [
      { webhooks: [{ url: 'env:A', secret: 'x' }] },
      'Option webhooks.0.secret cannot be its value',
      'env:WEBHOOK_SECRET',
    ],
    [
      { storage: github({ repository: 'team/site', token: 'ghp_secret' }) },
      'Option storage.token cannot be its value',
      'env:GITHUB_TOKEN',
    ],
    [
      { storage: github({ repository: 'https://github.com/team/site' }) },
      'Option storage.repository: it must be owner and name',
      'team/site',
    ],
    [{ storage: github({ repository: 'team/..' }) }, 'Option storage.repository', 'team/site'],
    [{ storage: github({ repository: 'a/b', branch: '--force' }) }, 'Option storage.branch', 'a git name'],
    [{ storage: gitlab({ repository: 'a/b', folder: '../c' }) }, 'Option storage.folder', 'site/content'],
    [{ storage: forgejo({ repository: 'a/b' }) }, 'Option storage.url', 'https://codeberg.org'],
    [
      { storage: forgejo({ repository: 'a/b', url: 'ssh://a' }) },
      'Option storage.url',
      'an http or https URL',
    ],
    [{ storage: { repository: 'a/b' } }, 'Option storage.forge', "'forgejo' or 'git'"],
    [
      { storage: git({ repository: 'https://user:secret@git.example/site.git' }) },
      'Option storage.repository',
      'without a password',
    ],
    [{ storage: git({ repository: '--upload-pack=x' }) }, 'Option storage.repository', 'git.example'],
    [{ storage: git({ repository: 'ext::sh -c x' }) }, 'Option storage.repository', 'git.example'],
    [{ storage: { ...git({ repository: 'a.git' }), token: 'env:A' } }, 'Option storage.token', 'credentials'],
    [
      { storage: github({ repository: 'a/b' }), contentDir: '../content' },
      'Option storage.folder',
      'set the content folder in the repository',
    ],
    [
      { storage: github({ repository: 'a/b' }), editing: { git: { push: true } } },
      'Option editing.git',
      'only `message` applies',
    ],
    [{ api: { prefix: 'cms' } }, 'Option api.prefix cannot be "cms"', 'starts with a slash'],
    [{ api: { prefix: '/cms/' } }, 'Option api.prefix cannot be "/cms/"', 'ends without one'],
    [{ api: { prefix: '/a/../b' } }, 'Option api.prefix cannot be "/a/../b"', "a path such as '/cms'"],
    [{ api: { prefix: '/[a]' } }, 'Option api.prefix cannot be "/[a]"', "a path such as '/cms'"],
    [{ api: { prefix: '/admin' } }, 'Option api.prefix cannot be "/admin"', 'not in use'],
    [{ api: { path: '/cms' } }, 'Option api.path is unknown', 'Valid'],
    [
      { api: { prefix: '/cms' }, healthPath: '/cms/jsonapi/health' },
      'Option healthPath: the API has this address.',
      '',
    ],
    [{ api: false, editing: true }, 'Option api: editing needs the API', 'Write `static: false`'],
    [{ static: true }, 'Option static cannot be true', 'false or { bodies'],
    [
      { static: { latest: '/node/article' } },
      'Option static.latest is unknown',
      'queries by name are in prebuild',
    ],
    [{ drupal: 'no' }, 'Option drupal cannot be "no"', 'true or false'],
    [{ bundles: { person: { api: 'x' } } }, 'Option bundles.person.api cannot be "x"', 'true or false'],
    [{ explorer: 'always' }, 'Option explorer', "'dev' (in `astro dev` only)"],
    [{ pagesize: 10 }, 'Option pagesize is unknown', 'Did you mean pageSize? Valid: contentDir, bundles'],
    [
      { prebuild: { '../x': '/node/article' } },
      'Option prebuild.../x is not a valid name',
      'queries by name',
    ],
    [{ prebuild: { x: 'node/article' } }, 'Option prebuild.x', 'queries by name'],
    [{ prebuild: { x: '/_suggest?searchWords=x' } }, 'Option prebuild.x', 'each of a collection'],
    [{ prebuild: { x: '/jsonapi/_suggest?searchWords=x' } }, 'Option prebuild.x', 'each of a collection'],
    [{ prebuild: { x: '/node?sort=a/b' } }, 'Option prebuild.x', 'each of a collection'],
    [
      { bundles: { article: { alias: 'journal/[id]' } } },
      'Option bundles.article.alias',
      'a path with tokens',
    ],
    [{ bundles: { person: { plural: 'a/b' } } }, 'Option bundles.person.plural', 'a name for URLs'],
    [
      { bundles: { eip: { publishedStatuses: [] } } },
      'Option bundles.eip.publishedStatuses',
      'a list of status',
    ],
    [
      { bundles: { person: { plurals: 'x' } } },
      'person.plurals is unknown',
      'Did you mean bundles.person.plural?',
    ],
    [{ limits: { conditions: 0 } }, 'Option limits.conditions', 'a whole number from 1 to 1000'],
    [{ limits: { conditions: 1001 } }, 'Option limits.conditions', 'a whole number from 1 to 1000'],
    [{ limits: { includeDepth: 1.5 } }, 'Option limits.includeDepth', 'a whole number from 1 to 32'],
    [{ limits: { joins: 5 } }, 'Option limits.joins is unknown', '{ queryLength, conditions, includeDepth'],
    [{ cache: { maxAge: -1 } }, 'Option cache.maxAge', 'a whole number from 0 to 31536000'],
    [{ cache: { memoryMb: 65_537 } }, 'Option cache.memoryMb', 'a number from 0 to 65536'],
    [{ editing: 'yes' }, 'Option editing cannot be "yes"', 'true, false or { accountStore, accountsFile'],
    [
      { editing: { onDelete: 'clear' } },
      'Option editing.onDelete cannot be "clear"',
      "'restrict' or 'set-null'",
    ],
    [
      { editing: { onDeleted: 'x' } },
      'Option editing.onDeleted is unknown',
      'Did you mean editing.onDelete?',
    ],
    [{ gitHookSecret: 'env:A' }, 'Option gitHookSecret: it needs option storage', 'editing.git.pull'],
    [{ editing: { git: { pull: true } } }, 'Option editing.git.pull: it needs', 'editing.git.push'],
    [
      { editing: { git: { push: true, pull: true, branch: 'edits' } } },
      'Option editing.git.pull: only the branch that is checked out',
      'followed',
    ],
    [{ editing: { git: { acknowledge: 'push' } } }, 'Option editing.git.acknowledge: it needs', 'push'],
    [{ editing: { git: { push: 5 } } }, 'Option editing.git.push cannot be 5', "{ remote: 'name'"],
    [{ storage: github({ repository: 'a/b', branch: 'refs/heads/main' }) }, 'storage.branch', 'refs/heads/'],
    [{ editing: { git: { branch: '-x' } } }, 'Option editing.git.branch cannot be "-x"', 'a git name'],
    [{ editing: { git: { quiet: 5 } } }, 'Option editing.git.quiet is unknown', '{ commit, branch'],
    [{ cors: true }, 'Option cors cannot be true', '{ origins, credentials'],
    [{ cors: { origins: [] } }, 'Option cors.origins cannot be []', 'https://app.example'],
    [{ cors: { origins: ['app.example'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['https://app.example/'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['https://app.example:443'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['null'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: '*', credentials: true } }, 'Option cors', 'credentials need a list of origins'],
    [{ search: true }, 'Option search cannot be true', '{ language, preload, synonyms, stopWords, boost }'],
    [{ search: { language: 'xx' } }, 'Option search.language cannot be "xx"', 'one of da, de, en'],
    [
      { search: { synonyms: [['a', 'b']] } },
      'Option search.synonyms cannot be',
      "{ en: [['car', 'automobile']] }",
    ],
    [
      { search: { synonyms: { en: [['car', 'motor car']] } } },
      'Option search.synonyms.en.0.1 cannot be "motor car"',
      "one word, such as 'car'",
    ],
    [
      { search: { synonyms: { en: [['car']] } } },
      'Option search.synonyms.en.0 cannot be ["car"]',
      '2 to 32 words',
    ],
    [{ search: { synonyms: { en: [WORDS] } } }, 'Option search.synonyms.en.0 cannot be', '2 to 32 words'],
    [
      { search: { stopWords: { en: ['the', '?'] } } },
      'Option search.stopWords.en.1 cannot be "?"',
      "one word, such as 'car'",
    ],
    [{ search: { stopWords: ['the'] } }, 'Option search.stopWords cannot be', "{ en: ['the', 'of'] }"],
    [
      { search: { boost: { note: { field: 'day', halfLife: 3 } } } },
      'Option search.boost.note.halfLife is unknown',
      'halfLifeDays',
    ],
    [
      { search: { boost: { note: { field: 'day', weight: 0 } } } },
      'Option search.boost.note.weight cannot be 0',
      'above 0',
    ],
    [{ search: { stopwords: {} } }, 'Option search.stopwords is unknown', 'search.stopWords'],
    [{ healthPath: 'healthz' }, 'Option healthPath', 'a lower-case path'],
    [{ healthPath: '/Health' }, 'Option healthPath', 'a lower-case path'],
    [{ healthPath: '/jsonapi/health' }, 'Option healthPath', 'that the API does not use'],
    [{ healthPath: true }, 'Option healthPath', 'or false'],
    [{ editing: { brand: { name: ' ' } } }, 'Option editing.brand.name', 'a text of at most 60 characters'],
    [
      { editing: { brand: { name: 'Shore', logo: 'logo.svg' } } },
      'Option editing.brand.logo cannot be "logo.svg"',
      "a path in public/ such as '/logo.svg'",
    ],
    [
      { editing: { brand: { name: 'Shore', logo: '//evil.example/logo.svg' } } },
      'Option editing.brand.logo',
      'a path in public/',
    ],
    [{ editing: { accountsFile: '' } }, 'Option editing.accountsFile', 'a file, relative to the project'],
    [
      { editing: { accountsFile: 'private/' } },
      'Option editing.accountsFile',
      'a file, relative to the project',
    ],
    [{ logging: { requests: 'yes' } }, 'Option logging.requests', 'true or false'],
    [{ roles: [] }, 'Option roles', 'roles by name'],
    [{ roles: { 'a b': {} } }, 'Option roles.a b is not a valid name', 'roles by name'],
    [
      { roles: { desk: { permission: [] } } },
      'Option roles.desk.permission is unknown',
      '{ permissions, also }',
    ],
    [
      { roles: { desk: { also: ['fly'] } } },
      'Option roles.desk.also.0 cannot be "fly"',
      "'use raw html', 'write mdx'",
    ],
    [
      { roles: { administrator: { permissions: [] } } },
      'Option roles.administrator.permissions: administrators may do everything',
      'only `also`',
    ],
    [
      permitting({ actions: ['read'] }),
      'permissions.0.actions.0 cannot be "read"',
      'view, create, update, delete',
    ],
    [permitting({ actions: [] }), 'permissions.0.actions cannot be []', 'view, create, update, delete'],
    [permitting({ bundles: 'article' }), 'permissions.0.bundles cannot be "article"', "'*' for all"],
    [permitting({ when: 'own' }), 'permissions.0.when is unknown', '{ actions, bundles, where, fields }'],
    [permitting({ fields: { view: 'title' } }), 'permissions.0.fields.view cannot be "title"', '{ except:'],
    [permitting({ fields: { see: [] } }), 'permissions.0.fields.see is unknown', '{ view, change }'],
    [
      permitting({ where: 'mine' }),
      'permissions.0.where: it cannot be "mine"',
      "'own', 'published', 'unpublished'",
    ],
    [permitting({ where: [] }), 'permissions.0.where: it is empty', ''],
    [permitting({ where: ['own', {}] }), 'permissions.0.where.1: The filter is empty', ''],
    [
      permitting({ where: { a: { operator: 'LIKE', value: 1 } } }),
      "where: There is no operator 'LIKE'",
      '<>',
    ],
    [permitting({ where: { a: ['x', 'y'] } }), "where: filter[a] is a list, which '=' cannot compare", 'IN'],
    [
      permitting({ where: { a: { value: 1, vale: 2 } } }),
      'where: filter[a][vale] is not part of a filter',
      '',
    ],
    [permitting({ where: { a: null } }), 'where: a must be a string, number', ''],
    [permitting({ where: { fulltext: 'x' } }), 'where: A role cannot search', ''],
    ['content', 'The options must be an object', ''],
  ])('%j names the option and the valid values', (input, name, valid) => {
    expect(() => parseOptions(input)).toThrow(name);
    expect(() => parseOptions(input)).toThrow(valid);
  });

  it.each(LIMITS)('limits.%s changes one limit', (name) => {
    const value = DEFAULT_LIMITS[name] - 1;
    expect(parseOptions({ limits: { [name]: value } }).limits).toEqual({ ...DEFAULT_LIMITS, [name]: value });
  });

  it('of a search take groups of 32 words, and stop words in any form', () => {
    const synonyms = { en: [WORDS.slice(1)] };
    expect(parseOptions({ search: { synonyms, stopWords: { de: ['Für', 'das'] } } })).toMatchObject({
      search: { synonyms, stopWords: { de: ['fur', 'das'] } },
    });
  });

  it('fill in missing values of cors', () => {
    expect(parseOptions({ cors: { origins: ['https://app.example'] } }).cors).toEqual({
      origins: ['https://app.example'],
      credentials: false,
      maxAge: 600,
      exposeHeaders: ['Allow', 'ETag', 'Location'],
    });
  });

  it('reports every bad option at once', () => {
    const message = messageOf({ pageSize: { max: -1 }, logging: { changes: 'yes' }, log: true });
    expect(message).toMatch(/pageSize\.max[\s\S]*logging\.changes[\s\S]*Option log is unknown/);
  });
});

function messageOf(input: unknown): string {
  try {
    parseOptions(input);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('The options are valid.');
}

function permitting(permission: object): object {
  return { roles: { desk: { permissions: [{ actions: ['view'], bundles: '*', ...permission }] } } };
}
