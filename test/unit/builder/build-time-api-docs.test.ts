import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bodyText, type Entity } from '../../../integration/core/content/model.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import * as schemaModule from '../../../integration/schema.ts';
import { createCompiler } from '../../types/compiler.ts';
import { createLibrary } from './library.ts';

// Runs the TypeScript of the page: `// <expression> is <value>` after a statement must hold.

const CONTENT = {
  'article/moon.md': `---
title: Moon
created: 2024-01-01T00:00:00Z
field_author: ada
field_price: "12.00"
---
The moon pulls the sea.
`,
  'article/cockles.md': `---
title: Cockles
created: 2024-02-01T00:00:00Z
path: { alias: /cockles }
field_author: bob
field_tags: [food]
field_rating: 5
field_price: "9.26"
field_kit: [{ item: rake, grams: 900 }, { item: bag, grams: 80 }]
---
Out of the sea and into the pan.
`,
  'article/rope.md': `---
title: Rope
created: 2024-03-01T00:00:00Z
field_author: ada
field_tags: [craft]
field_rating: 4
---
## Splices

Splice it.
`,
  'article/wreck.md': '---\ntitle: Wreck\nstatus: false\n---\n',
  'person/ada.md': '---\ntitle: Ada\nfield_boss: bob\n---\n',
  'person/bob.md': '---\ntitle: Bob\n---\n',
  'tag/food.yaml': 'title: food\n',
  'tag/craft.yaml': 'title: craft\n',
};

const root = fileURLToPath(new URL('../../..', import.meta.url));
const markdown = readFileSync(path.join(root, 'docs/build-time-api.md'), 'utf8');
const blocks = [...markdown.matchAll(/^```ts ?(\w*)\n(.*?)^```$/gms)].map(([, label = '', code = '']) => ({
  label,
  code,
}));
const schemaCode = blocks.find(({ label }) => label === 'schema')?.code ?? '';
const examples = blocks.filter(({ label, code }) => label === '' && code.includes('await'));
const failures = blocks.filter(({ label }) => label === 'error');

const library = await createLibrary(CONTENT, await runSchema(schemaCode), { renderBody });

describe('docs/build-time-api.md', () => {
  it('has examples to run', () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(failures).toHaveLength(1);
  });

  it.each(examples)('has a correct example %#', async ({ code }) => {
    const checked = code.replaceAll(/^\/\/ (.+) is (.+)$/gm, 'same($1, $2);');
    let checks = 0;
    await run(checked, {
      ...library,
      same: (actual: unknown, expected: unknown) => {
        checks += 1;
        expect(actual).toEqual(expected);
      },
    });
    expect(checks).toBeGreaterThan(0);
  });

  it.each(failures)('quotes an error message correctly', async ({ code }) => {
    const message = /^\/\/ (.+)$/m.exec(code)?.[1];
    await expect(run(code, { ...library })).rejects.toThrow(new Error(message));
  });

  it('compiles', () => {
    expect(compile(examples.map(({ code }) => code))).toEqual([]);
  });
});

async function runSchema(code: string): Promise<SchemaDefinition> {
  const body = code.replace(/^import .*$/m, '').replace('export default', 'return');
  const declared = await run(body, { ...schemaModule });
  return z.custom<SchemaDefinition>((value) => typeof value === 'object').parse(declared);
}

/** Renders headings as Astro does. */
async function renderBody({ body }: Entity): Promise<string> {
  const text = body === null ? '' : bodyText(body);
  return text.replaceAll(
    /^## (.+)$/gm,
    (_, title: string) => `<h2 id="${title.toLowerCase()}">${title}</h2>`,
  );
}

function run(code: string, scope: Readonly<Record<string, unknown>>): Promise<unknown> {
  const script = ts.transpile(code.replaceAll(/^import type .+$/gm, ''), { target: ts.ScriptTarget.ESNext });
  const body = new Function(...Object.keys(scope), `return (async () => {${script}})();`);
  return body(...Object.values(scope));
}

/** The type errors of the examples in a project with the page's schema. */
function compile(codes: readonly string[]): readonly string[] {
  const types = [
    `import type { ContentApi } from '../../integration/core/builder/index.ts';`,
    `import type schema from './page-schema.ts';`,
    `export declare const entities: ContentApi<typeof schema>['entities'];`,
    `export declare const jsonapi: ContentApi<typeof schema>['jsonapi'];`,
    `export declare const suggest: typeof import('../../integration/client.ts').suggest;`,
    `export declare const runtimePath: ContentApi<typeof schema>['runtimePath'];`,
  ].join('\n');
  const pages = codes.map((code, index): [string, string] => [
    `page-example-${index}.ts`,
    `import { entities, jsonapi, runtimePath, suggest } from './page-types.ts';\n${code.replace('astro-jsonapi/types', '../../integration/types.ts').replaceAll(/^\/\/ (.+) is (.+)$/gm, 'void ($1);')}\nexport {};`,
  ]);
  return createCompiler({ noUnusedLocals: false }).problemsOf({
    'page-schema.ts': schemaCode.replace('astro-jsonapi/schema', '../../integration/schema.ts'),
    'page-types.ts': types,
    ...Object.fromEntries(pages),
  });
}
