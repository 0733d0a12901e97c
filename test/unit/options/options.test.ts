import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../integration/engine/limits.ts';
import { DEFAULT_LIMITS } from '../../../integration/engine/limits.ts';
import { parseOptions } from '../../../integration/options/options.ts';

describe('options', () => {
  it('need not be given', () => {
    expect(parseOptions(undefined)).toEqual({
      contentDir: 'content',
      maxPageSize: 50,
      allowUnlimitedPage: true,
      limits: DEFAULT_LIMITS,
      danglingReferences: 'error',
      published: {},
      plurals: {},
      maxAge: 0,
      cacheSize: 32,
      aliases: {},
      fulltext: {},
      explorer: 'dev',
      cors: false,
      health: '/healthz',
      requestLog: false,
      readOnly: false,
      requireMatch: false,
      onRemove: 'refuse',
      git: false,
      roles: {},
      accounts: '.astro-jsonapi/accounts.json',
      static: { queries: {} },
      gitDates: true,
      log: true,
    });
  });

  it.each([
    [{ maxPageSize: 0 }, 'Option maxPageSize', 'a whole number from 1 to 10000'],
    [{ maxPageSize: 10_001 }, 'Option maxPageSize', 'a whole number from 1 to 10000'],
    [{ maxPageSize: '5' }, 'Option maxPageSize', 'a whole number from 1 to 10000'],
    [{ danglingReferences: 'ignore' }, 'Option danglingReferences', "'error' (the build fails)"],
    [{ explorer: 'always' }, 'Option explorer', "'dev' (in `astro dev` only)"],
    [{ pageSize: 10 }, 'Option pageSize is unknown', 'contentDir, maxPageSize'],
    [{ static: { query: {} } }, 'Option static.query is unknown', '{ queries:'],
    [{ static: { queries: { '../x': '/node/article' } } }, 'Option static.queries.../x', 'queries by name'],
    [{ static: { queries: { x: 'node/article' } } }, 'Option static.queries.x', 'queries by name'],
    [{ aliases: { article: 'journal/[id]' } }, 'Option aliases.article', 'patterns by bundle'],
    [{ plurals: { person: 'a/b' } }, 'Option plurals.person', 'plurals by bundle'],
    [{ limits: { conditions: 0 } }, 'Option limits.conditions', 'a whole number from 1 to 1000'],
    [{ limits: { conditions: 1001 } }, 'Option limits.conditions', 'a whole number from 1 to 1000'],
    [{ limits: { groupDepth: 1.5 } }, 'Option limits.groupDepth', 'a whole number from 1 to 64'],
    [{ limits: { condition: 5 } }, 'Option limits.condition is unknown', 'conditions, groupDepth'],
    [{ cors: true }, 'Option cors', "{ origins: '*' }"],
    [{ cors: { origins: [] } }, 'Option cors', "{ origins: '*' }"],
    [{ cors: { origins: ['app.example'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['https://app.example/'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['https://app.example:443'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: ['null'] } }, 'Option cors', 'https://app.example'],
    [{ cors: { origins: '*', credentials: true } }, 'Option cors', 'for listed origins only'],
    [{ fulltext: true }, 'Option fulltext', '{ language } with one of da, de, en'],
    [{ fulltext: { language: 'xx' } }, 'Option fulltext', '{ language } with one of da, de, en'],
    [{ health: 'healthz' }, 'Option health', 'a path in lower case'],
    [{ health: '/Health' }, 'Option health', 'a path in lower case'],
    [{ health: '/jsonapi/health' }, 'Option health', 'nothing else of the API has'],
    [{ health: true }, 'Option health', 'or false'],
    [{ accounts: '' }, 'Option accounts', 'a file, relative to the project'],
    [{ accounts: 'private/' }, 'Option accounts', 'a file, relative to the project'],
    [{ requestLog: 'yes' }, 'Option requestLog', 'true or false'],
    [{ published: { eip: [] } }, 'Option published.eip', 'lists of status words'],
    [{ roles: [] }, 'Option roles', 'roles by name'],
    [{ roles: { 'a b': {} } }, 'Option roles.a b has a name that cannot be used', 'roles by name'],
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
  ])('%j names the option and what is valid', (input, name, valid) => {
    expect(() => parseOptions(input)).toThrow(name);
    expect(() => parseOptions(input)).toThrow(valid);
  });

  it('override each limit alone', () => {
    for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
      const value = DEFAULT_LIMITS[name] - 1;
      expect(parseOptions({ limits: { [name]: value } }).limits).toEqual({
        ...DEFAULT_LIMITS,
        [name]: value,
      });
    }
  });

  it('fill in what cors leaves out', () => {
    expect(parseOptions({ cors: { origins: ['https://app.example'] } }).cors).toEqual({
      origins: ['https://app.example'],
      credentials: false,
      maxAge: 600,
      exposeHeaders: ['Allow', 'ETag', 'Location'],
    });
  });

  it('reports every bad option at once', () => {
    expect(() => parseOptions({ maxPageSize: -1, log: 'yes' })).toThrow(/maxPageSize[\s\S]*Option log/);
  });
});

function permitting(permission: object): object {
  return { roles: { desk: { permissions: [{ actions: ['view'], bundles: '*', ...permission }] } } };
}
