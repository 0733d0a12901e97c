import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import { explain } from '../../integration/core/api/explain.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/facets.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

const services = await createDemoServices({
  now: () => Date.parse('2026-11-01T00:00:00Z'),
  settings: {
    indexes: {
      magazine: {
        bundles: ['article', 'event'],
        facets: { field_tags: { label: 'Subject', limit: 20 }, field_zone: { operator: 'or' } },
      },
    },
  },
});
const handle = createHandler(services);
const get = async (url: string) => (await fetchFrom(handle, url)).json();
const EXAMPLES = blocks('http').map((text) => text.replace(/^GET /, '').replace(/\s+/g, ''));

describe('docs/facets.md', () => {
  it.each(EXAMPLES)('shows a valid query: %s', async (url) => {
    const { meta } = await get(url);
    expect(Object.values(meta.facets).length).toBeGreaterThan(0);
  });

  it('shows the actual responses', async () => {
    const [collection = '', index = ''] = blocks('json');
    const urls = [EXAMPLES[0] ?? '', '/jsonapi/index/magazine?filter[fulltext]=tide&filter[field_tags]=maps'];
    for (const [at, shown] of [collection, index].entries()) {
      const { meta } = JSON.parse(shown.replaceAll('http://127.0.0.1:4321', 'https://site.example'));
      expect(beginningOf((await get(urls[at] ?? '')).meta, meta)).toEqual(meta);
    }
  });

  it('shows the actual plan', async () => {
    const [query = ''] = blocks('sh').flatMap((text) => /explain "(.*)"/.exec(text)?.[1] ?? []);
    const { plan } = await explain(services, ANONYMOUS, `url=${encodeURIComponent(`/${query}`)}`);
    expect(blocks('text')).toEqual([`${plan}\n`]);
  });
});

/** The members that an example shows, and as many items of each list. */
function beginningOf(actual: unknown, shown: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(shown))
    return shown.map((each, at) => beginningOf(actual[at], each));
  if (!isObject(actual) || !isObject(shown)) return actual;
  return Object.fromEntries(Object.keys(shown).map((name) => [name, beginningOf(actual[name], shown[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
