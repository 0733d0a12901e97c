import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../integration/core/engine/limits.ts';
import { errorMessage } from '../../integration/core/util/text.ts';
import { postgres } from '../../integration/postgres.ts';
import { github } from '../../integration/storage.ts';
import { optionTypes } from '../../scripts/docs-reference.ts';
import { parseOptions } from '../support/options.ts';

const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');
const source = optionTypes();

/** Text of the section of each option. */
const sections = new Map(
  [...page.matchAll(/^### `(.+)`\n([\s\S]*?)(?=^##|(?![\s\S]))/gm)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

const defaults = parseOptions({ cors: { origins: '*' }, editing: true });
const { origins: _, ...cors } = defaults.cors || { origins: '*' };
const limits = [...sections.keys()].flatMap((name) => /^limits\.(.+)$/.exec(name)?.[1] ?? []);

/** Every option with its default as code. */
const OPTIONS: readonly (readonly [name: string, value: unknown])[] = [
  ...Object.entries(parseOptions({})).filter(([name]) => name !== 'limits'),
  ...members('api', defaults.api || {}),
  ...members('pageSize', defaults.pageSize),
  ...members('static', defaults.static || {}),
  ...members('search', defaults.search || {}),
  ...members('cache', defaults.cache),
  ...members('cors', cors),
  ...members('logging', defaults.logging),
  ...members('editing', defaults.editing || {}),
  ...limits.map((name) => [`limits.${name}`, Reflect.get(DEFAULT_LIMITS, name)] as const),
];

describe('docs/options.md', () => {
  it.each(OPTIONS)('describes %s with its default', (name, value) => {
    expect(sections.get(name)).toContain(`Default: \`${asCode(value)}\``);
  });

  it.each([
    'markdownProcessor',
    'search.language',
    'search.synonyms',
    'search.stopWords',
    'search.boost',
    'cors.origins',
    'bundles.<bundle>.plural',
    'bundles.<bundle>.title',
    'bundles.<bundle>.alias',
    'bundles.<bundle>.publishedStatuses',
    'bundles.<bundle>.api',
    'deploy',
    'deploy.url',
    'deploy.hook',
    'deploy.command',
    'webhooks.<number>.url',
    'webhooks.<number>.secret',
    'webhooks.<number>.format',
    'webhooks.<number>.events',
    'static.bodies',
    'static.queries',
    'static.files',
    'gitHookSecret',
    'draftMode',
    'draftMode.url',
    'draftMode.secret',
    'storage',
    'storage.branch',
    'storage.folder',
    'storage.token',
    'storage.url',
    'storage.repository',
    'engine',
    'engine.url',
    'engine.schema',
    'imageStyles',
    'imageStyles.<imageStyle>.width',
    'imageStyles.<imageStyle>.height',
    'imageStyles.<imageStyle>.fit',
    'imageStyles.<imageStyle>.position',
    'imageStyles.<imageStyle>.format',
    'imageStyles.<imageStyle>.quality',
    'indexes.<index>.bundles',
    'indexes.<index>.search',
    'indexes.<index>.facets',
    'editing.brand',
    'editing.widgets',
    'editing.brand.logo',
  ])('describes %s, which has no fixed default', (name) => {
    expect(sections.get(name)).toMatch(/^\nType: /);
  });

  it('describes every name that the option types have', () => {
    const names = [...source.matchAll(/^ {2}readonly (\w+)\??: /gm)].map(([, name = '']) => name);
    const described = new Set([...sections.keys()].map((name) => name.split('.').at(-1)));
    expect(names.filter((name) => !described.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(30);
  });

  it('describes the limits that can be changed', () => {
    const valid = /Valid: \{ (.*?) \}/.exec(messageOf({ limits: { joins: 1 } }))?.[1];
    expect(limits.join(', ')).toBe(valid);
  });

  it('describes no option that does not exist', () => {
    const names = [
      ...OPTIONS.map(([name]) => name),
      'limits',
      'markdownProcessor',
      'search.language',
      'search.synonyms',
      'search.stopWords',
      'search.boost',
      'cors.origins',
      'static.bodies',
      'static.queries',
      'static.files',
      'editing.brand',
      'editing.accountStore',
      'editing.mail',
      'editing.mail.smtp',
      'editing.mail.from',
      'editing.mail.webhook',
      'editing.widgets',
      'editing.brand.logo',
    ];
    const others = [...sections.keys()].filter(
      (name) =>
        !names.includes(name) &&
        !/^(?:(?:bundles|imageStyles|indexes|webhooks)\.<|(?:storage|engine|deploy|draftMode)\b|imageStyles$|gitHookSecret$)/.test(
          name,
        ),
    );
    expect(others).toEqual([]);
  });

  it.each([...page.matchAll(/^jsonapi\((\{[\s\S]*?\})\);$/gm)].map(([, code = '']) => code))(
    'has a valid example: %s',
    (code) => {
      const options: unknown = new Function('github', 'postgres', `return ${code};`)(github, postgres);
      expect(() => parseOptions(options)).not.toThrow();
    },
  );
});

describe('the comments of the option types', () => {
  it('name the defaults', () => {
    for (const [name, value] of OPTIONS) {
      const member = name.split('.').at(-1) ?? '';
      const comments = [
        ...source.matchAll(new RegExp(`/\\*\\*([^*]*)\\*/\\n {2}readonly ${member}\\??:`, 'g')),
      ];
      const stated = comments.flatMap(([, comment = '']) => /Default: `(.*?)`/.exec(comment)?.[1] ?? []);
      if (stated.length > 0) expect(stated, name).toContain(asCode(value));
    }
  });
});

function members(parent: string, object: object): (readonly [string, unknown])[] {
  return Object.entries(object).map(([name, value]) => [`${parent}.${name}`, value]);
}

/** A value as docs write it: `{ a: 'b' }`. */
function asCode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asCode).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const list = Object.entries(value).map(([name, item]) => `${name}: ${asCode(item)}`);
  return list.length === 0 ? '{}' : `{ ${list.join(', ')} }`;
}

function messageOf(input: unknown): string {
  try {
    parseOptions(input);
  } catch (error) {
    return errorMessage(error);
  }
  return '';
}
