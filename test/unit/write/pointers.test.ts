import { describe, expect, it } from 'vitest';
import { parseFile } from '../../../integration/core/content/parse-file.ts';
import { InvalidEntityError } from '../../../integration/core/util/errors.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { validChanges } from '../../../integration/core/write/changes.ts';
import { previewEntity } from '../../../integration/core/write/save.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';
import { collect } from '../content/collect.ts';

const FILES = {
  'article/one.md': '---\nuuid: 5a\ntitle: One\n---\n',
  'article/two.md': '---\nuuid: 5b\n---\n',
};

describe('a problem of an id', () => {
  it.each([
    ['/jsonapi/node/article', 'application/vnd.api+json', '/data/id'],
    ['/api/content/articles', 'application/json', '/id'],
  ])(
    'points to the member that %s received, even if files of the bundle name it uuid',
    async (path, type, pointer) => {
      const handle = createHandler(
        await createServices(createMemoryDriver(FILES), undefined, { writable: {} }),
      );
      const id = 'a\u0001b';
      const sent = path.startsWith('/jsonapi')
        ? { data: { type: 'node--article', id, attributes: { title: 'x' } } }
        : { id, title: 'x' };
      const response = await fetchFrom(handle, path, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(sent),
        actor: { name: 'ed', roles: ['editor'] },
      });
      const { errors, error } = await response.json();
      expect([response.status, (errors ?? [error])[0].source]).toEqual([422, { pointer }]);
    },
  );
});

it.each([
  ['draft: "yes"', '/status'],
  ['published: "yes"', '/status'],
  ['uuid: [5]', '/id'],
  ['id: [5]', '/id'],
  ['status: [true]', '/status'],
  ['created: never', '/created'],
])('a file with %s would be invalid at %s of the request', async (line, pointer) => {
  const { collector } = await collect({ 'article/one.md': '---\ntitle: One\n---\n' });
  const [type] = (await collector.load()).types.values();
  if (type === undefined) throw new Error('There is no type.');
  const bytes = Buffer.from(`---\ntitle: Two\n${line}\n---\n`);
  const changes = validChanges({}, { pointer: (path) => `/${path.join('/')}` });
  const file = { type, key: 'article/two.md', current: null };
  const encoded = { bytes, parsed: parseFile(bytes, 'markdown', digestBytes(bytes)) };
  const preview = previewEntity(collector, { fieldVisible: () => true }, file, encoded, changes);
  const error = await preview.catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidEntityError)) throw error;
  expect(error.violations.map(({ source }) => source?.pointer)).toEqual([pointer]);
});
