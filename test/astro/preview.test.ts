import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, copySite, type Served, type Site, serve } from './site.ts';

const MIDDLEWARE = `export const onRequest = ({ locals, cookies }, next) => {
  const name = cookies.get('editor')?.value;
  if (name) locals.actor = { name, roles: name === 'ada' ? ['authenticated', 'administrator'] : ['authenticated'] };
  return next();
};
`;
const PAGE = `---
import { entities, jsonapi } from 'astro-jsonapi:content';

export const prerender = false;
const { actor } = Astro.locals;
const articles = await entities('article', { as: actor }).sort('id').all();
const { meta } = await jsonapi('/node/article', { as: actor });
---
<p>{articles.map(({ id }) => id).join(' ')}</p>
<b>{meta?.count}</b>
`;

describe('a page that is rendered on request', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'preview');
    writeFileSync(site.file('src/middleware.js'), MIDDLEWARE);
    writeFileSync(site.file('src/pages/preview.astro'), PAGE);
    await build(site, { SERVER: '1' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  async function preview(editor?: string): Promise<string> {
    const response = await fetch(`${server.origin}/preview`, {
      headers: editor === undefined ? {} : { cookie: `editor=${editor}` },
    });
    return response.text();
  }

  it('shows drafts to users whom its middleware makes administrators, and to no one else', async () => {
    expect(await preview('ada')).toContain('hidden');
    expect(await preview('ada')).toContain('<b>5</b>');
    for (const editor of [undefined, 'bob']) {
      expect(await preview(editor)).not.toContain('hidden');
      expect(await preview(editor)).toContain('<b>4</b>');
    }
    expect(await preview('ada')).toContain('hidden');
  });
});
