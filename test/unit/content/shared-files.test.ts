import { describe, expect, it } from 'vitest';
import { hiddenReferences } from '../../../integration/cli/hidden-references.ts';
import { collectionsSchema } from '../../../integration/core/content/schema/collections.ts';
import { reference, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices } from '../../support/services.ts';
import { collect } from './collect.ts';

const DOCS = { folder: 'docs', patterns: ['**/*.md'] };
const GUIDES = { folder: 'docs/guides', patterns: ['**/*.md'] };
const NOTES = { folder: 'notes', patterns: ['**/*.md'] };
const schema = (collections = {}) =>
  collectionsSchema(collections, {
    file: '../content.config.ts',
    bundles: { docs: DOCS, guides: GUIDES, notes: NOTES },
    notes: [],
  });

const FILES = {
  'docs/index.md': '---\ntitle: Start\n---\n\nRead [the first guide](guides/first.md).\n',
  'docs/guides/first.md': '---\ntitle: First\npath: /first\n---\n\nText\n',
};

const HISTORY = { 'docs/guides/first.md': { created: 1_700_000_000, changed: 1_700_000_060 } };

/** Collections with references to files that several of them have. */
const SEEING = z.object({ title: z.string(), see: z.array(reference('notes')).optional() });
const REFERENCES = {
  docs: { schema: SEEING },
  guides: { schema: SEEING },
  notes: {
    schema: z.object({
      title: z.string(),
      doc: reference('docs').optional(),
      any: z.array(reference(['docs', 'guides'])).optional(),
    }),
  },
};

const REFERRING = {
  ...FILES,
  'notes/n.md': '---\ntitle: N\ndoc: guides/first\nany: [docs/guides/first, guides/first]\n---\n',
};

async function openSite(
  files: Readonly<Record<string, string>> = FILES,
  collections = {},
  onDelete: 'restrict' | 'set-null' = 'restrict',
) {
  const driver = createMemoryDriver(files, HISTORY);
  const site = { settings: { admin: true }, writable: { options: { onDelete } } };
  const handle = createHandler(await createServices(driver, schema(collections), site), { adminApp });
  const send = (method: string, path: string, data?: object) => {
    return ask(handle, method, new URL(path, 'https://site.example/jsonapi/node/').pathname, {
      actor: { name: 'root', roles: ['administrator'] },
      ...(data && { body: { data } }),
      headers: { 'content-type': 'application/vnd.api+json' },
    });
  };
  const read = async (key: string) => new TextDecoder().decode(await driver.read(key));
  return { driver, send, read };
}

describe('a file that several collections name', () => {
  it('is an entity of each, with the id of its path in the folder', async () => {
    const { send } = await openSite();
    const { json: docs } = await send('GET', 'docs');
    const { json: guides } = await send('GET', 'guides');
    expect(docs.data.map(({ id }: { id: string }) => id)).toEqual(['guides/first', 'index']);
    expect(guides.data.map(({ id }: { id: string }) => id)).toEqual(['first']);
    expect(guides.data[0].attributes).toMatchObject({ title: 'First', body: { value: 'Text' } });
  });

  it('has the dates of its commits in each', async () => {
    const { send } = await openSite();
    for (const each of ['docs/guides%2Ffirst', 'guides/first']) {
      const { attributes } = (await send('GET', each)).json.data;
      expect(attributes).toMatchObject({
        created: '2023-11-14T22:13:20+00:00',
        changed: '2023-11-14T22:14:20+00:00',
      });
    }
  });

  it('has its alias in the first collection', async () => {
    const { send } = await openSite();
    const { json: doc } = await send('GET', 'docs/guides%2Ffirst');
    const { json: guide } = await send('GET', 'guides/first');
    expect(doc.data.attributes.path).toMatchObject({ alias: '/first' });
    expect(guide.data.attributes.path).toMatchObject({ alias: null });
  });

  it.each([
    ['guides', 'guides/first', 'first'],
    ['docs', 'docs/guides%2Ffirst', 'guides/first'],
  ])('is edited by a change of its entity in %s, which changes both revisions', async (bundle, path, id) => {
    const { send, read } = await openSite();
    const revision = async (each: string) => (await send('GET', each)).headers.get('etag');
    const before = [await revision('docs/guides%2Ffirst'), await revision('guides/first')];
    const { status } = await send('PATCH', path, {
      type: `node--${bundle}`,
      id,
      attributes: { title: 'Changed' },
    });
    expect(status).toBe(200);
    expect(await read('docs/guides/first.md')).toBe(
      FILES['docs/guides/first.md'].replace('First', 'Changed'),
    );
    for (const each of ['docs/guides%2Ffirst', 'guides/first']) {
      expect((await send('GET', each)).json.data.attributes.title).toBe('Changed');
    }
    const after = [await revision('docs/guides%2Ffirst'), await revision('guides/first')];
    expect(after.every((each, at) => each !== before[at])).toBe(true);
  });

  it('keeps its address if its entity in a further collection is sent back unchanged', async () => {
    const { send, read } = await openSite();
    const { json } = await send('GET', 'guides/first');
    const { title, path, body } = json.data.attributes;
    const data = { type: 'node--guides', id: 'first', attributes: { title, path, body } };
    expect((await send('PATCH', 'guides/first', data)).status).toBe(200);
    expect(await read('docs/guides/first.md')).toBe(FILES['docs/guides/first.md']);
  });

  it('is created and removed in both', async () => {
    const { driver, send } = await openSite();
    const created = await send('POST', 'guides', { type: 'node--guides', attributes: { title: 'Second' } });
    expect(created.status).toBe(201);
    expect((await driver.list()).files.map(({ key }) => key)).toContain('docs/guides/second.md');
    expect((await send('GET', 'docs/guides%2Fsecond')).status).toBe(200);
    expect((await send('DELETE', 'guides/second')).status).toBe(204);
    expect((await send('GET', 'docs/guides%2Fsecond')).status).toBe(404);
    expect((await driver.list()).files.map(({ key }) => key)).not.toContain('docs/guides/second.md');
  });

  it.each(['guides/first', 'docs/guides%2Ffirst'])(
    'is not removed as %s while content refers to one of its entities',
    async (path) => {
      const { send, read } = await openSite(REFERRING, REFERENCES);
      const { status, json } = await send('DELETE', path);
      expect([status, json.errors[0].detail]).toEqual([409, expect.stringContaining("node--notes 'n'")]);
      expect(await read('docs/guides/first.md')).toBe(REFERRING['docs/guides/first.md']);
    },
  );

  it.each(['guides/first', 'docs/guides%2Ffirst'])(
    'is removed as %s with the references to all of its entities, and restored with them',
    async (path) => {
      const { send, read } = await openSite(REFERRING, REFERENCES, 'set-null');
      expect((await send('DELETE', path)).status).toBe(204);
      expect(await read('notes/n.md')).toBe('---\ntitle: N\n---\n');
      const [entry] = (await send('GET', '../_bin')).json.data;
      expect((await send('POST', `../_bin/${entry.id}`)).status).toBe(204);
      const { doc, any } = (await send('GET', 'notes/n')).json.data.relationships;
      expect([doc.data.id, any.data.map(({ id }: { id: string }) => id)]).toEqual([
        'guides/first',
        ['guides/first', 'first'],
      ]);
    },
  );

  it('loses its references to a removed entity, and gets them back', async () => {
    const files = {
      ...FILES,
      'docs/guides/first.md': '---\ntitle: First\nsee: [n]\n---\n',
      'notes/n.md': '---\ntitle: N\n---\n',
    };
    const { send, read } = await openSite(files, REFERENCES, 'set-null');
    expect((await send('DELETE', 'notes/n')).status).toBe(204);
    expect(await read('docs/guides/first.md')).toBe('---\ntitle: First\n---\n');
    const [entry] = (await send('GET', '../_bin')).json.data;
    expect((await send('POST', `../_bin/${entry.id}`)).status).toBe(204);
    for (const each of ['docs/guides%2Ffirst', 'guides/first']) {
      expect((await send('GET', each)).json.data.relationships.see.data).toHaveLength(1);
    }
  });

  it('is not changed in a way that another collection forbids', async () => {
    const collections = {
      docs: { schema: z.object({ title: z.string(), level: z.number().max(3).optional() }) },
      guides: { schema: z.object({ title: z.string(), level: z.number().optional() }) },
    };
    const { send, read } = await openSite(FILES, collections);
    const data = { type: 'node--guides', id: 'first', attributes: { level: 4 } };
    const { status, json } = await send('PATCH', 'guides/first', data);
    expect(status).toBe(422);
    expect(json.errors[0].source).toEqual({ pointer: '/data/attributes/level' });
    expect(await read('docs/guides/first.md')).toBe(FILES['docs/guides/first.md']);
  });

  it('has each note about its references once, with its own path', async () => {
    const driver = createMemoryDriver({
      'docs/guides/first.md': '---\ntitle: First\nsee: [n]\n---\n',
      'notes/n.md': '---\ntitle: N\nstatus: false\n---\n',
    });
    const notes = await hiddenReferences({
      services: await createServices(driver, schema(REFERENCES)),
      driver,
    });
    expect(notes.map(({ key, line }) => `${key}:${line}`)).toEqual(['docs/guides/first.md:3']);
  });

  it('has each problem once, with its own path', async () => {
    const { problems } = await collect(
      { 'docs/guides/first.md': '---\ntitle: [\n---\n' },
      { schema: schema() },
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('content/docs/guides/first.md:');
  });
});
