import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../../integration/server/handler.ts';
import { createMemoryDriver } from '../../memory-driver.ts';
import { ask } from '../../security/attacked-site.ts';
import { createServices } from '../../services.ts';

const schema = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_rating: z.int().max(5).nullish(),
  },
  person: { field_best: reference('article').nullish() },
  tag: {},
});
const FILES = {
  'article/a.md': '---\ntitle: A\nfield_author: a\nfield_tags: [a, b]\n---\nText.\n',
  'article/b.md': '---\ntitle: B # a comment\npath: /b\n---\n',
  'person/a.md': '---\ntitle: A\nfield_best: b\n---\n',
  'tag/a.md': '---\ntitle: A\n---\n',
  'tag/b.md': '---\ntitle: B\n---\n',
};
const NOW = Date.parse('2026-05-01T12:00:00Z');
const ATOMIC = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"';

/** A request for one change, and the operation that means the same. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly data?: unknown;
  readonly operation: Readonly<Record<string, unknown>>;
}

const id = fc.constantFrom('a', 'b', 'c');
const bundle = fc.constantFrom('article', 'person', 'tag');
const identifier = (type: string) => id.map((name) => ({ type: `node--${type}`, id: name }));
const attributes = fc.oneof(
  fc.record({ title: fc.constantFrom('A', 'B', 'New') }),
  fc.record({
    title: fc.constantFrom('A', 'C'),
    path: fc.constantFrom('/a', '/b').map((alias) => ({ alias })),
  }),
  fc.record({ title: fc.constant('Draft'), status: fc.boolean() }),
);

const creation = fc
  .tuple(bundle, attributes, fc.option(id, { nil: undefined }), identifier('tag'))
  .map(([name, values, own, tag]): Change => {
    const relationships = name === 'article' ? { field_tags: { data: [tag] } } : {};
    const data = { type: `node--${name}`, ...(own && { id: own }), attributes: values, relationships };
    return { method: 'POST', path: name, data, operation: { op: 'add', data } };
  });
const update = fc.tuple(bundle, id, attributes).map(([name, own, values]): Change => {
  const data = { type: `node--${name}`, id: own, attributes: values };
  return { method: 'PATCH', path: `${name}/${own}`, data, operation: { op: 'update', data } };
});
const removal = fc.tuple(bundle, id, fc.boolean()).map(([name, own, byHref]): Change => {
  const path = `${name}/${own}`;
  const target = byHref ? { href: `/jsonapi/node/${path}` } : { ref: { type: `node--${name}`, id: own } };
  return { method: 'DELETE', path, operation: { op: 'remove', ...target } };
});
const relation = fc
  .tuple(id, fc.constantFrom('add', 'update', 'remove'), fc.array(identifier('tag'), { maxLength: 3 }))
  .map(([own, op, data]): Change => {
    const method = { add: 'POST', update: 'PATCH', remove: 'DELETE' }[op] ?? '';
    const ref = { type: 'node--article', id: own, relationship: 'field_tags' };
    const path = `article/${own}/relationships/field_tags`;
    return { method, path, data, operation: { op, ref, data } };
  });
const author = fc.tuple(id, fc.option(identifier('person'))).map(([own, data]): Change => {
  const ref = { type: 'node--article', id: own, relationship: 'field_author' };
  const path = `article/${own}/relationships/field_author`;
  return { method: 'PATCH', path, data, operation: { op: 'update', ref, data } };
});
const change = fc.oneof(creation, update, removal, relation, author);

async function openSite(onDelete: 'restrict' | 'set-null') {
  const driver = createMemoryDriver(FILES);
  const options = { requireIfMatch: false, onDelete };
  const commits: (readonly string[])[] = [];
  const onWritten = (_: unknown, keys: readonly string[]) => {
    commits.push(keys);
    return undefined;
  };
  const services = await createServices(driver, schema, { writable: { options, onWritten }, now: () => NOW });
  const handle = createHandler(services);
  return {
    commits,
    request: (method: string, path: string, body?: unknown, type = 'application/vnd.api+json') =>
      ask(handle, method, path, { ...(body !== undefined && { body, headers: { 'content-type': type } }) }),
    async state() {
      const { files } = await driver.list();
      const texts = files.map(async ({ key }) => [key, new TextDecoder().decode(await driver.read(key))]);
      const collections = ['article', 'person', 'tag'].map(
        async (name) => (await ask(handle, 'GET', `/jsonapi/node/${name}?sort=id`)).json.data,
      );
      // The times of files are those of a clock that counts writes.
      const resources = JSON.stringify(await Promise.all(collections))
        .replaceAll(/"(created|changed)":"[^"]*"/g, '"$1"')
        .replaceAll(/"revision":"[^"]*"/g, '"revision"');
      return {
        files: Object.fromEntries(await Promise.all(texts)),
        resources: JSON.parse(resources.replaceAll(/"(created|changed|revision)"(?=[,}])/g, '"$1":0')),
      };
    },
  };
}

it.each(['restrict', 'set-null'] as const)(
  'operations have the result of single requests one after another, or change nothing (onDelete: %s)',
  async (onDelete) => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const [single, atomic] = [await openSite(onDelete), await openSite(onDelete)];
        const before = await atomic.state();
        let isPossible = true;
        for (const { method, path, data } of changes) {
          const body = data === undefined ? undefined : { data };
          const { status } = await single.request(method, `/jsonapi/node/${path}`, body);
          isPossible &&= status < 300;
        }
        const operations = { 'atomic:operations': changes.map(({ operation }) => operation) };
        const { status, json } = await atomic.request('POST', '/jsonapi/operations', operations, ATOMIC);
        if (isPossible) {
          expect([status, json?.errors]).toEqual([expect.any(Number), undefined]);
          expect(await atomic.state()).toEqual(await single.state());
          made += 1;
        } else if (status >= 400) {
          expect(json.errors[0].source.pointer).toMatch(/^\/atomic:operations\/\d/);
          expect(await atomic.state()).toEqual(before);
          expect(atomic.commits).toEqual([]);
        }
        expect(atomic.commits.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 1) * 150 },
    );
    expect(made).toBeGreaterThan(0);
  },
);
