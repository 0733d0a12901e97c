import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { Action, Roles } from '../../../integration/core/access/role.ts';
import { roleWarnings } from '../../../integration/core/access/role-warnings.ts';
import type { Services } from '../../../integration/core/api/request.ts';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: { field_notes: z.string().nullish(), field_section: reference('section').nullish() },
  section: {},
  person: {},
});
const FILES = {
  'article/moon.md': '---\nuid: bob\nfield_notes: check the date\n---\n',
  'article/draft.md': '---\ndraft: true\nuid: ada\n---\n',
  'article/match.md':
    '---\ndraft: true\nuid: bob\nfield_section: sports\nfield_notes: wait for the result\n---\n',
  'article/wreck.md': '---\ndraft: true\nuid: bob\n---\n',
  'section/sports.md': '---\ntitle: Sports\n---\n',
  'person/bob.md': '---\ntitle: Bob\n---\n',
};

const page = readFileSync(new URL('../../../docs/roles.md', import.meta.url), 'utf8');
const configs = [...page.matchAll(/^```js roles\n(.*?)^```$/gms)].map(([, code = '']) => rolesIn(code));
const [code = ''] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, each = '']) => each);
const [, warnings = ''] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
const [, table = ''] = /^\| Account \|.*\n\| ---.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
const cases = [...table.matchAll(/^\| (anonymous|`\w+`) \|(.*)\|$/gm)].map(([, name = '', rest = '']) => {
  const [roles = [], ...lists] = rest
    .split('|')
    .map((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, each = '']) => each));
  return { name: name === 'anonymous' ? null : name.replaceAll('`', ''), roles, lists };
});

describe('docs/roles.md', () => {
  it('has examples to run', () => {
    expect([configs.length, cases.length, warnings.split('\n').length]).toEqual([2, 6, 4]);
  });

  it.each(cases)('lists the permissions of $name with roles $roles', async ({ name, roles, lists }) => {
    const services = await open(0);
    const access = services.access({ name, roles });
    const articles = services.store.entities('node--article');
    const may = (action: Action) =>
      articles.filter((each) => access.allows(action, each)).map(({ id }) => id);
    expect([may('view'), may('update'), may('delete')]).toEqual(lists);
  });

  it('describes hidden fields correctly', async () => {
    const { entities } = createContentApi(await open(1));
    let checks = 0;
    const message = /^\/\/ throws (.+)$/m.exec(code)?.[1];
    const script = code
      .replace(/^await (.+);\n\/\/ throws .+$/m, 'await fails(() => $1);')
      .replaceAll(/^\/\/ (.+) is (.+)$/gm, 'same($1, $2);');
    const body = new Function(
      'entities',
      'same',
      'fails',
      `return (async () => {${ts.transpile(script, { target: ts.ScriptTarget.ESNext })}})();`,
    );
    await body(
      entities,
      (actual: unknown, expected: unknown) => {
        checks += 1;
        expect(actual).toEqual(expected);
      },
      async (work: () => Promise<unknown>) => {
        checks += 1;
        await expect(work()).rejects.toThrow(new Error(message));
      },
    );
    expect(checks).toBe(5);
  });

  it('quotes the warnings', async () => {
    const { store } = await open(0);
    const [{ author, sports } = {}] = configs;
    const view = { actions: ['view'], bundles: ['article'] } as const;
    const roles: Roles = {
      author: { permissions: [{ ...view, ...author?.permissions?.[0], bundles: ['artcle'] }] },
      sports: {
        permissions: [{ ...view, ...sports?.permissions?.[0], where: { 'field_sektion.id': 'sports' } }],
      },
      anonymous: { permissions: [view] },
    };
    expect(`${roleWarnings(roles, store).join('\n')}\n`).toBe(warnings);
  });
});

function open(config: number): Promise<Services> {
  return createServices(createMemoryDriver(FILES), SCHEMA, { roles: configs[config] ?? {} });
}

function rolesIn(config: string): Roles {
  return new Function('jsonapi', `return ${config.trim().replace(/;$/, '')}`)(parseOptions).roles;
}
