import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, emptySite, REPOSITORY, type Site } from './site.ts';

const COMPONENTS = `import { Aside, Card, Steps, TabItem, Tabs } from '@astrojs/starlight/components';

<Tabs>
  <TabItem label="Stars">Sirius</TabItem>
  <TabItem label="Moons">Io</TabItem>
</Tabs>

<Card title="Carded">**Bold** {6 * 7}</Card>

<Steps>

1. First

</Steps>

<Aside>Beware.</Aside>
`;

describe('a static site whose pages use no content', () => {
  let site: Site;
  let output: string;

  beforeAll(async () => {
    site = emptySite('mdx-starlight');
    const write = (file: string, text: string) => {
      mkdirSync(path.dirname(site.file(file)), { recursive: true });
      writeFileSync(site.file(file), text);
    };
    write(
      'astro.config.mjs',
      `import starlight from '@astrojs/starlight';
import jsonapi from 'astro-jsonapi';
const locales = { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch', lang: 'de' } };
export default {
  base: '/docs',
  trailingSlash: 'always',
  integrations: [
    jsonapi(),
    ...(process.env.PLAIN ? [] : [starlight({ title: 'Site', locales, pagefind: false })]),
  ],
};
`,
    );
    write('src/pages/index.astro', '<h1>Home</h1>\n');
    write('content/article/one.mdx', `---\ntitle: One\n---\n${COMPONENTS}\n![A square](./cover.png)\n`);
    write('content/article/one.de.mdx', `---\ntitle: Eins\n---\n${COMPONENTS}`);
    write('content/article/draft.mdx', '---\ntitle: Draft\nstatus: false\n---\n![A square](./secret.png)\n');
    const images = path.join(REPOSITORY, 'test/astro/fixtures/collections/content/article');
    for (const name of ['cover.png', 'secret.png']) {
      cpSync(path.join(images, name), site.file('content/article', name));
    }
    output = await build(site);
  });
  afterAll(() => site?.remove());

  const processed = (file: string, dist = 'dist') => {
    const { data } = JSON.parse(readFileSync(site.file(dist, file), 'utf8')) as {
      data: { attributes: { body: { processed: string } } };
    };
    return data.attributes.body.processed;
  };

  it("has MDX with Starlight's components in its documents", () => {
    const html = processed('jsonapi/node/article/one.json');
    expect(html).toMatch(/<starlight-tabs.*<a role="tab" href="#tab-panel-0-1".*Moons/s);
    expect(html).toMatch(/<article class="card.*Carded.*<strong>Bold<\/strong> 42/s);
    expect(html).toContain('<ol role="list" class="sl-steps">');
    expect(html).toMatch(/<aside aria-label="Note".*Beware\./s);
    expect(output).not.toContain('cannot be rendered');
    // Only pages have the scripts of components.
    expect(html).not.toMatch(/<script|node_modules/);
  });

  it('renders components in the language of the entity', () => {
    expect(processed('de/jsonapi/node/article/one.json')).toContain('<aside aria-label="Hinweis"');
  });

  it('has the optimised images of published MDX, and none of unpublished MDX', () => {
    const [, name = ''] =
      /<img src="\/docs\/_astro\/(cover[^"]+\.webp)"/.exec(processed('jsonapi/node/article/one.json')) ?? [];
    const files = readdirSync(site.file('dist/_astro'));
    expect(files).toContain(name);
    expect(files.join(' ')).not.toContain('secret');
  });

  it('without an MDX integration has the text of MDX without its code, and one warning', async () => {
    const plain = await build(site, { PLAIN: '1' }, 'plain');
    const html = processed('jsonapi/node/article/one.json', 'plain');
    expect(html).toContain('Sirius');
    expect(html).toContain('<strong>Bold</strong> {6 * 7}');
    expect(html).not.toMatch(/import|Tabs/);
    expect(plain.match(/npx astro add mdx/g)).toHaveLength(1);
  });
});
