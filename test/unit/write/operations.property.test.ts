import fc from 'fast-check';
import { expect, it } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { runs } from '../../oracle/runs.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC, OPERATIONS_SCHEMA } from '../../support/operations.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'article/a.md': '---\ntitle: A\nfield_author: a\nfield_tags: [a, b]\n---\nText.\n',
  'article/b.md': '---\ntitle: B # a comment\npath: /b\n---\n',
  'person/a.md': '---\ntitle: A\nfield_best: b\n---\n',
  'tag/a.md': '---\ntitle: A\n---\n',
  'tag/a.de.md': '---\ntitle: Ah # ein Kommentar\n---\n',
  'tag/b.md': '---\ntitle: B\n---\n',
};
const LANGUAGES = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
const NOW = Date.parse('2026-05-01T12:00:00Z');

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
/** A language, and whether operations have it in `href` or in `meta`. */
const language = fc.option(fc.tuple(fc.constantFrom('de', 'fr', 'en'), fc.boolean()), { freq: 1 });

/** A change in a language. `ref` is the target of its operation without one. */
function inLanguage(
  chosen: readonly [langCode: string, byHref: boolean] | null,
  { path, operation: { ref, ...operation }, ...others }: Change,
): Change {
  if (chosen === null)
    return { ...others, path, operation: { ...operation, ...(ref !== undefined && { ref }) } };
  const [langCode, byHref] = chosen;
  const localized = `${path}?langCode=${langCode}`;
  const target = byHref ? { href: `/jsonapi/node/${localized}` } : { ref, meta: { langCode } };
  return { ...others, path: localized, operation: { ...operation, ...target } };
}

const translation = fc
  .tuple(bundle, id, attributes, fc.constantFrom('de', 'fr', 'en'), fc.boolean())
  .map(([name, own, values, langCode, byHref]): Change => {
    const ref = { type: `node--${name}`, id: own };
    const data = { ...ref, attributes: values };
    const path = `${name}/${own}`;
    return inLanguage([langCode, byHref], {
      method: 'POST',
      path,
      data,
      operation: { op: 'add', ref, data },
    });
  });
const update = fc.tuple(bundle, id, attributes, language).map(([name, own, values, chosen]): Change => {
  const ref = { type: `node--${name}`, id: own };
  const data = { ...ref, attributes: values };
  const path = `${name}/${own}`;
  return inLanguage(chosen, { method: 'PATCH', path, data, operation: { op: 'update', ref, data } });
});
const removal = fc.tuple(bundle, id, language).map(([name, own, chosen]): Change => {
  const ref = { type: `node--${name}`, id: own };
  return inLanguage(chosen, { method: 'DELETE', path: `${name}/${own}`, operation: { op: 'remove', ref } });
});
const relation = fc
  .tuple(
    id,
    fc.constantFrom('add', 'update', 'remove'),
    fc.array(identifier('tag'), { maxLength: 3 }),
    language,
  )
  .map(([own, op, data, chosen]): Change => {
    const method = { add: 'POST', update: 'PATCH', remove: 'DELETE' }[op] ?? '';
    const ref = { type: 'node--article', id: own, relationship: 'field_tags' };
    const path = `article/${own}/relationships/field_tags`;
    return inLanguage(chosen, { method, path, data, operation: { op, ref, data } });
  });
const author = fc.tuple(id, fc.option(identifier('person'))).map(([own, data]): Change => {
  const ref = { type: 'node--article', id: own, relationship: 'field_author' };
  const path = `article/${own}/relationships/field_author`;
  return { method: 'PATCH', path, data, operation: { op: 'update', ref, data } };
});
const change = fc.oneof(creation, translation, update, removal, relation, author);

async function openSite(onDelete: 'restrict' | 'set-null') {
  const driver = createMemoryDriver(FILES);
  const options = { requireIfMatch: false, onDelete };
  const commits: (readonly string[])[] = [];
  const onWritten = (_: unknown, keys: readonly string[]) => {
    commits.push(keys);
    return undefined;
  };
  const services = await createServices(driver, OPERATIONS_SCHEMA, {
    writable: { options, onWritten },
    settings: { languages: LANGUAGES },
    now: () => NOW,
  });
  const handle = createHandler(services);
  return {
    commits,
    request: (method: string, path: string, body?: unknown, type = 'application/vnd.api+json') =>
      ask(handle, method, path, { ...(body !== undefined && { body, headers: { 'content-type': type } }) }),
    async state() {
      const { files } = await driver.list();
      const texts = files.map(async ({ key }) => {
        const text = new TextDecoder().decode(await driver.read(key));
        // The bin has the references before a request, so other requests have removed some of them already.
        return [key, key === '.bin/entries.jsonl' ? text.replaceAll(/"referrers":.*/g, '') : text];
      });
      const collections = ['', '/de'].flatMap((prefix) =>
        ['article', 'person', 'tag'].map(
          async (name) => (await ask(handle, 'GET', `${prefix}/jsonapi/node/${name}?sort=id`)).json.data,
        ),
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
      runs(60),
    );
    expect(made).toBeGreaterThan(0);
  },
);
