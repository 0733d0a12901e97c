import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../integration/options.ts';

describe('options', () => {
  it('need not be given', () => {
    expect(parseOptions(undefined)).toEqual({
      contentDir: 'content',
      maxPageSize: 50,
      allowUnlimitedPage: true,
      danglingReferences: 'error',
      published: {},
      plurals: {},
      maxAge: 0,
      cacheSize: 32,
      aliases: {},
      explorer: 'dev',
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
    [{ published: { eip: [] } }, 'Option published.eip', 'lists of status words'],
    ['content', 'The options must be an object', ''],
  ])('%j names the option and what is valid', (input, name, valid) => {
    expect(() => parseOptions(input)).toThrow(name);
    expect(() => parseOptions(input)).toThrow(valid);
  });

  it('reports every bad option at once', () => {
    expect(() => parseOptions({ maxPageSize: -1, log: 'yes' })).toThrow(/maxPageSize[\s\S]*Option log/);
  });
});
