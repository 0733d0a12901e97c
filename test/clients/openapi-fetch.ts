import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, run } from '../astro/site.ts';
import type { Writable } from './ask.ts';
import { articleId } from './content.ts';
import { EDITOR } from './site.ts';

const PAGE = readFileSync(path.join(REPOSITORY, 'docs/descriptions.md'), 'utf8');

/** The files of the page: their code blocks start with the name. */
const DOCUMENTED = [...PAGE.matchAll(/```ts\n\/\/ src\/(\S+)\n(.*?)```/gs)].map(
  ([, name = '', code = '']) => ({
    name,
    code,
  }),
);

/** Creates, changes and removes an article, with a token and in a session. */
const CHANGES = `
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
import { content } from './content-client.ts';

const authorization = \`Bearer \${process.env.TOKEN}\`;
const created = await content.POST('/jsonapi/node/article', {
  headers: { authorization },
  body: {
    data: {
      type: 'node--article',
      attributes: { title: 'Made by a generated client', field_rating: 7 },
      relationships: { field_author: { data: { type: 'node--person', id: 'bob' } } },
    },
  },
});
const id = created.data?.data.id ?? '';
const path = { id };
const changed = await content.PATCH('/jsonapi/node/article/{id}', {
  headers: { authorization },
  params: { path },
  body: { data: { type: 'node--article', id, attributes: { title: 'Changed' } } },
});
const one = await content.GET('/jsonapi/node/article/{id}', {
  params: { path, query: { include: ['field_author'], 'fields[node--article]': ['title', 'field_author'] } },
});
const refused = await content.DELETE('/jsonapi/node/article/{id}', { params: { path } });
const signedIn = await content.POST('/user/login', {
  params: { query: { _format: 'json' } },
  body: { name: 'jane', pass: process.env.PASSWORD ?? '' },
});
const session = {
  cookie: signedIn.response.headers.get('set-cookie')?.split(';')[0] ?? '',
  'x-csrf-token': signedIn.data?.csrf_token ?? '',
};
const removed = await content.DELETE('/jsonapi/node/article/{id}', { headers: session, params: { path } });
const gone = await content.GET('/jsonapi/node/article/{id}', { params: { path } });
const lists = await content.GET('/api/content/articles', {
  params: { query: { filter: { field_rating: { operator: 'BETWEEN', value: [2, 4] }, status: true }, limit: 2 } },
});
console.log(
  JSON.stringify({
    created: [created.response.status, created.data?.data.attributes?.field_rating],
    changed: [changed.response.status, changed.data?.data.attributes?.title],
    one: [one.data?.data.attributes?.title, one.data?.included?.map((resource) => resource.id)],
    refused: [refused.response.status, refused.error?.errors[0]?.title],
    removed: removed.response.status,
    gone: [gone.response.status, gone.error?.errors[0]?.status],
    lists: lists.data?.data.map(({ field_rating }) => field_rating),
  }),
);
`;

/** Requests that the types do not allow. */
const MISTAKES = `
import { content } from './content-client.ts';

const address = '/jsonapi/node/article';
// @ts-expect-error No such operator.
void content.GET(address, { params: { query: { filter: { title: { operator: 'LIKE', value: 'x' } } } } });
// @ts-expect-error No such reference.
void content.GET(address, { params: { query: { include: ['field_nope'] } } });
// @ts-expect-error No such field.
void content.GET(address, { params: { query: { 'fields[node--article]': ['field_nope'] } } });
`;

export function testOpenApiFetch({ origin, authorization }: Writable, site: () => string): void {
  describe('openapi-typescript and openapi-fetch', () => {
    let dir: string;
    const write = (name: string, text: string) => writeFileSync(path.join(dir, name), text);
    beforeAll(async () => {
      dir = path.join(site(), 'generated');
      mkdirSync(dir, { recursive: true });
      const response = await fetch(`${origin()}/jsonapi/openapi.json`, {
        headers: { authorization: authorization() },
      });
      write('content-api.ts', astToString(await openapiTS(await response.json())));
      for (const { name, code } of DOCUMENTED) {
        const withSuffix = code.replace(/(from '\.\/[\w-]+)'/g, "$1.ts'");
        write(name, withSuffix.replace('http://127.0.0.1:4321', origin()));
      }
      write('changes.ts', CHANGES);
      write('mistakes.ts', MISTAKES);
      write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS }));
    });

    it('generate a client that compiles', async () => {
      expect(DOCUMENTED.map(({ name }) => name)).toEqual(['content-client.ts', 'articles.ts']);
      const tsc = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc');
      const { output } = await run(process.execPath, [tsc, '--project', dir], dir, {});
      expect(output).toBe('');
    });

    it('send the documented list with filters, includes and a page', async () => {
      const { output } = await run(process.execPath, [path.join(dir, 'articles.ts')], dir, {});
      const titles = [2, 4, 6, 7, 8].map((number) => `${articleId(number)} Article ${number}\n`);
      expect(output).toBe(titles.join(''));
    });

    it('create, change, read and delete with a token and in a session', async () => {
      const env = { TOKEN: authorization().split(' ')[1] ?? '', PASSWORD: EDITOR.password };
      const { output } = await run(process.execPath, [path.join(dir, 'changes.ts')], dir, env);
      expect(JSON.parse(output)).toEqual({
        created: [201, 7],
        changed: [200, 'Changed'],
        one: ['Changed', ['bob']],
        refused: [401, 'Unauthorized'],
        removed: 204,
        gone: [410, '410'],
        lists: [2, 3],
      });
    });
  });
}

const OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'esnext', module: 'nodenext', types: [], skipLibCheck: true },
  ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true },
};
