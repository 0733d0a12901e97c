import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, copySite, type Served, type Site, serve } from './site.ts';

const MARK = 'data-mark="own"';

async function processed(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/content/article/text`);
  const { data } = (await response.json()) as { data: { body: { processed: string } } };
  return data.body.processed;
}

describe('a site with the default processor and its own settings', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('marked', 'marked-default');
    await build(site, { SERVER: '1' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  // Shiki stops after half a second, and its first line takes longer on a busy machine.
  it('renders the same HTML at build time and on the server', { retry: 2 }, async () => {
    const html = await processed(server.origin);
    expect(html).toContain('<h2 id="two-words">');
    expect(html).toContain('<del>not</del>');
    expect(html).toContain('class="astro-code nord"');
    expect(readFileSync(site.file('dist/client/index.html'), 'utf8')).toContain(html.trim());
  });

  it('has the schema of the content collections at build time and on the server', async () => {
    const query = 'filter[kind]=text&fields[node--article]=kind';
    const response = await fetch(`${server.origin}/jsonapi/node/article?${query}`);
    const { data } = (await response.json()) as { data: readonly { attributes: unknown }[] };
    expect(data[0]?.attributes).toEqual({ kind: 'text' });
    const types = readFileSync(site.file('.astro/integrations/astro-jsonapi/content.d.ts'), 'utf8');
    expect(types).toContain('readonly "kind": "text" | "list";');
    expect(types).toContain('readonly "cover": Types.StoredFile | null;');
  });

  it('renders a body that changed after the build without a warning', async () => {
    writeFileSync(site.file('content/article/text.md'), '---\ntitle: A text\n---\n# Anew\n');
    await eventually(async () => expect(await processed(server.origin)).toContain('<h1 id="anew">'));
    expect(server.output()).not.toContain('default processor');
  });
});

describe('a site with markdown plugins', () => {
  let site: Site;

  beforeAll(async () => {
    site = copySite('marked', 'marked-plugins');
    await build(site, { SERVER: '1', PLUGINS: '1' });
  });
  afterAll(() => site?.remove());

  it('applies them at build time; the built server renders later bodies without them', async () => {
    expect(readFileSync(site.file('dist/client/index.html'), 'utf8')).toContain(MARK);
    const server = await serve(site);
    try {
      expect(await processed(server.origin)).toContain(MARK);
      writeFileSync(site.file('content/article/text.md'), '---\ntitle: A text\n---\nAnew.\n');
      await eventually(async () => expect(await processed(server.origin)).toBe('<p>Anew.</p>\n'));
      writeFileSync(site.file('content/article/text.md'), '---\ntitle: A text\n---\nOnce more.\n');
      await eventually(async () => expect(await processed(server.origin)).toBe('<p>Once more.</p>\n'));
      expect(server.output().match(/default processor/g)).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });

  it('applies them to later bodies too if option markdown names their module', async () => {
    await build(site, { SERVER: '1', PLUGINS: '1', MODULE: '1' });
    const server = await serve(site);
    try {
      writeFileSync(site.file('content/article/text.md'), '---\ntitle: A text\n---\nAnew.\n');
      await eventually(async () => expect(await processed(server.origin)).toContain('Anew.'));
      expect(await processed(server.origin)).toContain(MARK);
      expect(server.output()).not.toContain('default processor');
    } finally {
      await server.stop();
    }
  });
});
