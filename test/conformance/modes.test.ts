import { beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../../integration/core/api/jsonapi/answer.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { createTestSnapshot } from '../snapshot/snapshot.ts';
import { createHandler } from '../support/handler.ts';
import { expectJsonApi } from '../support/json-schema.ts';
import { fetchFrom, ORIGIN } from '../support/request.ts';
import { staticFiles } from '../support/services.ts';
import { loadRecordedContent, readCases } from './load.ts';

const PREFIX = '/jsonapi/node/';

let services: Services;
const files = new Map<string, string>();

// The recorded queries of anonymous users, regardless of Drupal's response.
const candidates = [...new Set(readCases().map(({ path }) => path))].filter((path) =>
  path.startsWith(PREFIX),
);
const queries: { readonly name: string; readonly path: string }[] = [];

beforeAll(async () => {
  const loaded = await loadRecordedContent();
  for (const [index, path] of candidates.entries()) {
    const works = await answer(loaded, path).then(
      () => true,
      () => false,
    );
    if (works) queries.push({ name: `q${index}`, path });
  }
  const staticQueries = Object.fromEntries(
    queries.map(({ name, path }) => [name, path.slice('/jsonapi'.length)]),
  );
  services = { ...loaded, settings: { ...loaded.settings, staticQueries } };
  for (const [path, body] of await staticFiles(services)) files.set(`/${path}`, body);
});

describe('four modes', () => {
  it('are compared with hundreds of queries', () => {
    expect(queries.length).toBeGreaterThan(300);
  });

  it('return the same pages for every query: on a server, at build time, as files and from a snapshot', async () => {
    const handle = createHandler(services);
    const snapshot = await createTestSnapshot(services);
    for (const { name, path } of queries) {
      const served = await pages(path, async (href) => (await fetchFrom(handle, href)).text());
      const read = await pages(path, async (href) => (await fetchFrom(snapshot.handle, href)).text());
      const built = await pages(path, async (href) => JSON.stringify(await answer(services, href)));
      const stored = await pages(`/jsonapi/q/${name}.json`, async (href) => files.get(href) ?? '{}');
      expect(built, path).toEqual(served);
      expect(stored, path).toEqual(served);
      expect(read, path).toEqual(served);
    }
  });
});

/**
 * A document and its following pages, without links. The links to further pages omit ignored parameters, so only
 * the first document lists them.
 */
async function pages(first: string, read: (href: string) => Promise<string>): Promise<unknown[]> {
  const documents: unknown[] = [];
  for (let href: string | undefined = first; href !== undefined; ) {
    const text: string = await read(href);
    expectJsonApi(JSON.parse(text), href);
    const { links }: { links: Record<string, { href: string } | undefined> } = JSON.parse(text);
    const dropped = documents.length === 0 ? ['links'] : ['links', 'ignored'];
    documents.push(JSON.parse(text, (key, value: unknown) => (dropped.includes(key) ? undefined : value)));
    href = links.next?.href.replace(ORIGIN, '');
  }
  return documents;
}
