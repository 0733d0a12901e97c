import { beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../../integration/api/jsonapi/answer.ts';
import type { Services } from '../../integration/api/services.ts';
import { createHandler } from '../../integration/server/handler.ts';
import { expectJsonApi } from '../json-schema.ts';
import { staticFiles } from '../services.ts';
import { loadRecordedContent, readCases } from './load.ts';

const PREFIX = '/jsonapi/node/';
const ORIGIN = 'https://site.example';

let services: Services;
const files = new Map<string, string>();

// Whatever the recorded queries of anonymous are, and whatever Drupal made of them.
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

describe('one question, three modes, one answer', () => {
  it('asks hundreds of queries', () => {
    expect(queries.length).toBeGreaterThan(300);
  });

  it('gives every page of every query alike on a server, at build time and as files', async () => {
    const handle = createHandler(services);
    for (const { name, path } of queries) {
      const served = await pages(path, async (href) => {
        const response = await handle(new Request(new URL(href, ORIGIN)));
        return (await response?.text()) ?? '';
      });
      const built = await pages(path, async (href) => JSON.stringify(await answer(services, href)));
      const stored = await pages(`/jsonapi/q/${name}.json`, async (href) => files.get(href) ?? '{}');
      expect(built, path).toEqual(served);
      expect(stored, path).toEqual(served);
    }
  });
});

/**
 * A document and all that follow by `next`, without links. What a request sent in vain is not in the links of a
 * server to further pages, so only the first document can tell.
 */
async function pages(first: string, read: (href: string) => Promise<string>): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let href: string | undefined = first; href !== undefined; ) {
    const text: string = await read(href);
    expectJsonApi(JSON.parse(text), href);
    const { links }: { links: Record<string, { href: string } | undefined> } = JSON.parse(text);
    const dropped = found.length === 0 ? ['links'] : ['links', 'ignored'];
    found.push(JSON.parse(text, (key, value: unknown) => (dropped.includes(key) ? undefined : value)));
    href = links.next?.href.replace(ORIGIN, '');
  }
  return found;
}
