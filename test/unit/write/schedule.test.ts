import { expect, it } from 'vitest';
import { defineSchema, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const moment = z.iso.datetime({ offset: true }).nullish();
const SCHEMA = defineSchema({ note: { publish_on: moment, unpublish_on: moment } });

async function open(file: string) {
  const driver = createMemoryDriver({ 'note/a.md': file });
  const handle = createHandler(await createServices(driver, SCHEMA, { writable: {} }));
  return (attributes: object) =>
    ask(handle, 'PATCH', '/jsonapi/node/note/a', {
      body: { data: { type: 'node--note', id: 'a', attributes } },
    });
}

it.each([
  [{ unpublish_on: '2030-01-01T08:00:00Z' }, 'unpublish_on'],
  [{ unpublish_on: '2030-01-02T07:59:59Z' }, 'unpublish_on'],
  [{ unpublish_on: '2030-01-02T08:00:00Z' }, 'unpublish_on'],
])('a publication that ends before it begins is a 422: %j', async (attributes, name) => {
  const change = await open('---\ntitle: A\npublish_on: 2030-01-02T08:00:00Z\n---\n');
  const { status, json } = await change(attributes);
  expect(status).toBe(422);
  expect(json.errors).toMatchObject([
    { code: 'ends-before-it-begins', source: { pointer: `/data/attributes/${name}` } },
  ]);
  expect((await change({ unpublish_on: '2030-01-02T08:00:01Z' })).status).toBe(200);
});

it('a beginning after the end is at the field that was changed', async () => {
  const change = await open('---\ntitle: A\nunpublish_on: 2030-01-02T08:00:00Z\n---\n');
  const { json } = await change({ publish_on: '2030-02-01T08:00:00Z' });
  expect(json.errors[0].source).toEqual({ pointer: '/data/attributes/publish_on' });
});

it('a file that has such dates can be changed otherwise', async () => {
  const change = await open(
    '---\ntitle: A\npublish_on: 2030-01-02T08:00:00Z\nunpublish_on: 2030-01-01T08:00:00Z\n---\n',
  );
  expect((await change({ title: 'B' })).status).toBe(200);
});
