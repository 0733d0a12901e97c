import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { createDemoServices, DEMO } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { expectValid } from '../support/json-schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { fetchFrom } from '../support/request.ts';
import { componentsOf, inlineSchema } from './described.ts';
import { loadRecordedContent } from './load.ts';

const FILE = 'application/octet-stream';

describe.each([
  ['the demo content', loadDemo, true],
  ['the recorded content', () => loadRecordedContent({ writable: {} }), false],
])('descriptions of changes to %s', (_, load, hasFiles) => {
  let handle: Handler;
  let description: Description;
  beforeAll(async () => {
    handle = createHandler(await load());
    description = (await ask('GET', '/jsonapi/openapi.json')).body;
  });

  async function ask(method: string, target: string, sent?: unknown) {
    const type = target.startsWith('/jsonapi/') ? 'application/vnd.api+json' : 'application/json';
    const response = await fetchFrom(handle, target, {
      method,
      ...(sent === undefined ? {} : { body: JSON.stringify(sent), headers: { 'content-type': type } }),
      actor: ADMINISTRATOR,
    });
    const text = await response.text();
    return {
      status: response.status ?? 0,
      allow: response.headers.get('allow')?.split(', ').sort(),
      body: text === '' ? null : JSON.parse(text),
    };
  }

  /** One writable path for each template. */
  async function* addresses() {
    for (const [template, item] of Object.entries(description.paths)) {
      const methods = Object.keys(item).filter((method) => method !== 'get');
      const isContent = !/^\/(subrequests|jsonapi\/operations)/.test(template);
      if (methods.length === 0 || !isContent) continue;
      if (takesFileAlone(item) && !template.includes('{id}')) {
        yield { template, item, methods, at: template };
        continue;
      }
      const collection = template.replace(/\/\{id\}.*$/, '');
      const { data } = (await ask('GET', collection)).body;
      for (const { id } of data.slice(0, 5))
        yield { template, item, methods, at: template.replace('{id}', id) };
    }
  }

  it('are valid OpenAPI for all roles', async () => {
    expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
    const response = await fetchFrom(handle, '/jsonapi/openapi.json', { actor: ANONYMOUS });
    const asAnonymous: Description = await response.json();
    expect(await new Validator().validate({ ...asAnonymous })).toEqual({ valid: true });
    // Without users, visitors see no owners.
    const pathsOf = ({ paths }: Description) => Object.keys(paths).filter((path) => !path.endsWith('/uid'));
    expect(pathsOf(asAnonymous)).toEqual(pathsOf(description));
    const ids = Object.values(description.paths).flatMap((item) =>
      Object.values(item).map((each) => each.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('list the methods that each path allows', async () => {
    let count = 0;
    for await (const { item, at } of addresses()) {
      const head = 'get' in item ? ['HEAD'] : [];
      // The address of an entity without a language does not create a translation.
      const methods = Object.entries(item).filter(([, operation]) => !needsLanguage(operation));
      const described = [...head, 'OPTIONS', ...methods.map(([method]) => method.toUpperCase())];
      const { allow } = await ask('OPTIONS', at);
      // A reference to one entity can only be set; adding to it returns an error.
      const single = allow?.filter((method) => described.includes(method));
      expect(at.includes('/relationships/') ? single : allow, at).toEqual(described.sort());
      count += 1;
    }
    expect(count).toBeGreaterThan(20);
  });

  it('match resources that are sent back, and the responses', async () => {
    const schemaOf = componentsOf(description);
    for await (const { template, item, at } of addresses()) {
      for (const method of ['patch', 'put'] as const) {
        const operation = item[method];
        if (operation === undefined) continue;
        const read = (await ask('GET', at)).body;
        const isList = Array.isArray(read.data) && !at.startsWith('/jsonapi/');
        const plain = at.startsWith('/jsonapi/') ? read : read.data;
        const sent = isList || at.startsWith('/jsonapi/') ? plain : { ...plain, id: read.data.id };
        const [described] = Object.values(operation.requestBody?.content ?? {});
        expectValid(
          inlineSchema(description, `${method} ${template} body`, described?.schema ?? {}),
          sent,
          at,
        );
        const { status, body } = await ask(method.toUpperCase(), at, sent);
        expect([at, status, body?.error ?? body?.errors]).toEqual([at, expect.any(Number), undefined]);
        const answer = operation.responses[status];
        expect(answer, `${method} ${at} ${status}`).toBeDefined();
        const [content] = Object.values(answer?.content ?? {});
        if (content === undefined) expect(body).toBeNull();
        else expectValid(inlineSchema(description, `${method} ${template}`, content.schema), body, at);
        const refused = await ask(method.toUpperCase(), at, 5);
        const form = at.startsWith('/jsonapi/') ? 'error-document' : 'plain-error-document';
        if (refused.status >= 400) {
          expect(Object.keys(operation.responses)).toContain(String(refused.status));
          expectValid(schemaOf(form), refused.body, at);
        }
      }
    }
  });

  it('match operations and their responses', async () => {
    const path = Object.keys(description.paths).find((each) => each.startsWith('/jsonapi/operations')) ?? '';
    const operation = description.paths[path]?.post;
    const [[mediaType = '', described] = []] = Object.entries(operation?.requestBody?.content ?? {});
    const [template = ''] = Object.keys(description.paths).filter((each) =>
      /^\/jsonapi\/node\/[^/]+$/.test(each),
    );
    const [{ type, id }] = (await ask('GET', template)).body.data;
    const sent = { 'atomic:operations': [{ op: 'update', ref: { type, id }, data: { type, id } }] };
    expectValid(inlineSchema(description, 'operations body', described?.schema ?? {}), sent, path);
    const post = (body: unknown) =>
      fetchFrom(handle, path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': mediaType },
        actor: ADMINISTRATOR,
      });
    const response = await post(sent);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType]);
    const [content] = Object.values(operation?.responses[200]?.content ?? {});
    expectValid(inlineSchema(description, 'operations', content?.schema ?? {}), await response.json(), path);
    const refused = await post({});
    expect(refused.status).toBe(400);
    expectValid(componentsOf(description)('error-document'), await refused.json(), path);
  });

  it('describe a path for each file field, which accepts a file and matches its responses', async () => {
    const schemaOf = componentsOf(description);
    const picture = {
      body: png(3, 2) as BodyInit,
      headers: { 'content-type': FILE, 'content-disposition': 'file; filename="x.png"' },
    };
    let count = 0;
    for await (const { template, item, at } of addresses()) {
      const { post } = item;
      if (post?.requestBody?.content[FILE] === undefined) continue;
      const response = await fetchFrom(handle, at, { ...picture, method: 'POST', actor: ADMINISTRATOR });
      const isNamed = template.startsWith('/jsonapi/') && template.includes('{id}');
      const status = isNamed ? 200 : 201;
      expect([at, response.status]).toEqual([at, status]);
      const [content] = Object.values(post.responses[status]?.content ?? {});
      const described = inlineSchema(description, `post ${template}`, content?.schema ?? {});
      expectValid(described, await response.json(), at);
      const nameless = await fetchFrom(handle, at, {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': FILE },
        actor: ADMINISTRATOR,
      });
      const form = at.startsWith('/jsonapi/') ? 'error-document' : 'plain-error-document';
      expect(nameless.status).toBe(400);
      expectValid(schemaOf(form), await nameless.json(), at);
      count += 1;
    }
    expect(count > 0).toBe(hasFiles);
  });

  it('describe a new entity correctly', async () => {
    for (const [template, item] of Object.entries(description.paths)) {
      if (item.post === undefined || template.includes('{id}') || template === '/subrequests') continue;
      if (takesFileAlone(item)) continue;
      const isJsonApi = template.startsWith('/jsonapi/');
      const [described] = Object.values(item.post.requestBody?.content ?? {});
      const validate = inlineSchema(description, `post ${template}`, described?.schema ?? {});
      const type = `node--${template.split('/').at(-1)}`;
      const empty = isJsonApi ? { data: { type, attributes: {} } } : {};
      expect(validate(empty), template).toBe(false);
      const { status, body } = await ask('POST', template, isJsonApi ? empty : {});
      if (!isJsonApi) expect([template, status, body.error.status]).toEqual([template, 422, 422]);
    }
  });
});

it('a read-only site describes no changes', async () => {
  const handle = createHandler(await loadRecordedContent());
  const response = await fetchFrom(handle, '/jsonapi/openapi.json', { actor: ADMINISTRATOR });
  const text = await response.text();
  const { paths }: Description = JSON.parse(text);
  const changing = Object.entries(paths).filter(([, { get, ...others }]) => Object.keys(others).length > 0);
  expect(changing.map(([template]) => template)).toEqual(['/subrequests']);
  expect(text).not.toContain('.plain-new');
});

/** True if the path only accepts uploads. */
function takesFileAlone({ post }: Readonly<Record<string, Operation>>): boolean {
  return Object.keys(post?.requestBody?.content ?? {}).join() === FILE;
}

function needsLanguage({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name, required }) => name === 'langCode' && required === true);
}

/** A copy in memory for changes. */
async function loadDemo() {
  const content = createFsDriver(DEMO.content);
  const driver = createMemoryDriver({});
  for (const { key } of (await content.list()).files) {
    const bytes = await content.read(key);
    if (bytes !== undefined) await driver.write(key, bytes);
  }
  return createDemoServices({ driver, writable: {} });
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;
