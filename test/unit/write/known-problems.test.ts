import { beforeEach, describe, expect, it } from 'vitest';
import { createCollector } from '../../../integration/core/content/collect.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { ownChecks } from '../../../integration/core/write/body.ts';
import { createContentWriter } from '../../../integration/core/write/create-writer.ts';
import type { ForkedContent } from '../../../integration/core/write/writer.ts';
import { defineSchema, image, reference } from '../../../integration/schema.ts';
import { article, ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createReadServices } from '../../support/services.ts';

const MOON = '---\ntitle: Moon # so far\nfield_cover: gone.png\n---\n\n![x](lost.png)\n\nText\n';
const schema = defineSchema({
  article: { field_cover: image().nullish(), field_next: reference('article').nullish() },
});

let driver: WritableDriver;
let handle: Handler;
beforeEach(async () => {
  driver = createMemoryDriver({
    'article/moon.md': MOON,
    'article/dangling.md': '---\ntitle: Dangling\nfield_next: nowhere\n---\n',
  });
  const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
  const collector = createCollector({ driver, schema, options });
  const { types, entities } = await collector.load();
  const store = createEntityStore({ locale: 'en' });
  store.load(types, entities);
  const reading = createReadServices(store);
  const content: ForkedContent = { collector, store, reader: reading, with: async () => content };
  handle = createHandler({
    ...reading,
    writer: createContentWriter({
      ...content,
      driver,
      renderBody: reading.renderBody,
      now: Date.now,
      options: { requireIfMatch: false, onDelete: 'restrict' },
      checks: ownChecks,
    }),
  });
});

const change = (id: string, attributes: object) =>
  ask(handle, 'PATCH', `/jsonapi/node/article/${id}`, {
    body: article(attributes, { id }),
    headers: { 'content-type': 'application/vnd.api+json' },
  });
const fileOf = async (id: string) => new TextDecoder().decode(await driver.read(`article/${id}.md`));

describe('a change to an entity with an existing problem', () => {
  it('is accepted if it does not touch the problem, and changes nothing else', async () => {
    const { status } = await change('moon', { title: 'New' });
    expect(status).toBe(200);
    expect(await fileOf('moon')).toBe(MOON.replace('Moon', 'New'));
  });

  it('is accepted by the REST API', async () => {
    const answer = await ask(handle, 'PATCH', '/api/content/articles/moon', { body: { title: 'New' } });
    expect(answer.status).toBe(201);
    expect(await fileOf('moon')).toBe(MOON.replace('Moon', 'New'));
  });

  it('is accepted for a body that still contains the missing image', async () => {
    const { status } = await change('moon', { body: { value: 'First\n\n![x](lost.png)\n\nMore' } });
    expect(status).toBe(200);
  });

  it('is accepted for an entity with a dangling reference', async () => {
    expect((await change('dangling', { title: 'New' })).status).toBe(200);
    expect(await fileOf('dangling')).toContain('field_next: nowhere');
  });

  it.each([
    ['/data/attributes/body', { body: { value: '![x](lost.png) ![y](lost-too.png)' } }],
    ['/data/attributes/field_cover', { field_cover: { src: 'other.png' } }],
  ])(
    'is rejected at %s if it adds a problem, and the error names only the new one',
    async (pointer, attributes) => {
      const { status, json } = await change('moon', attributes);
      expect(status).toBe(422);
      expect(json.errors.map(({ source }: { source: object }) => source)).toEqual([{ pointer }]);
      expect(await fileOf('moon')).toBe(MOON);
    },
  );

  it('is rejected with a 409 if the file is no longer valid', async () => {
    await driver.write('article/moon.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
    expect((await change('moon', { title: 'New' })).status).toBe(409);
  });
});
