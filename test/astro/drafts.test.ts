import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, emptySite, type Site } from './site.ts';

const SECRET = 'Unfinished';
const LINE = { type: 'node--article', id: 'x', file: 'node--article/x.md', key: 'article/x.md' };
/** A collection with a glob over the whole content folder, and one over the folder of a bundle. */
const COLLECTIONS = `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';
const schema = z.object({ title: z.string(), height: z.number() });
export const collections = {
  all: defineCollection({ loader: glob({ base: './content', pattern: '**/*.md' }), schema }),
  article: defineCollection({ loader: glob({ base: './content/article', pattern: '**/*.md' }), schema }),
};
`;
const PAGE = `---
import { getCollection } from 'astro:content';
import { entities } from 'astro-jsonapi:content';
const names = async (name) => (await getCollection(name)).map(({ data }) => data.title).sort().join();
const all = await entities('article').all();
---
<p>{await names('all')} {await names('article')} {all.map(({ title }) => title).join()}</p>
`;

describe('a draft in the content folder', () => {
  let site: Site;

  beforeAll(async () => {
    site = emptySite('drafts');
    const files = {
      'astro.config.mjs':
        "import jsonapi from 'astro-jsonapi';\nexport default { integrations: [jsonapi({ static: { queries: true } })], devToolbar: { enabled: false } };\n",
      'content/schema.ts':
        "import { defineSchema, z } from 'astro-jsonapi/schema';\nexport default defineSchema({ article: { height: z.number() } });\n",
      'content/article/moon.md': '---\ntitle: Moon\nheight: 2\n---\n',
      'content/.drafts/entries.jsonl': `${JSON.stringify(LINE)}\n`,
      'content/.drafts/node--article/x.md': `---\ntitle: ${SECRET}\nstatus: true\n---\n\n${SECRET}\n`,
      'src/content.config.ts': COLLECTIONS,
      'src/pages/index.astro': PAGE,
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(site.file(file)), { recursive: true });
      writeFileSync(site.file(file), text);
    }
    await build(site);
  });
  afterAll(() => site?.remove());

  it('is in no collection, no page, no document and no other file of a build', () => {
    expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain('<p>Moon Moon Moon</p>');
    const files = readdirSync(site.file('dist'), { recursive: true, encoding: 'utf8' })
      .map((file) => site.file('dist', file))
      .filter((file) => statSync(file).isFile());
    expect(files.some((file) => file.endsWith('jsonapi/node/article.json'))).toBe(true);
    for (const file of files)
      expect([file, readFileSync(file, 'utf8').includes(SECRET)]).toEqual([file, false]);
  });
});
