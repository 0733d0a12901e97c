import { satteri } from '@astrojs/markdown-satteri';
import { describe, expect, it, vi } from 'vitest';
import {
  createBodyRenderer,
  MAX_CACHED_UNITS,
  markdownSettings,
  storedHtmlKey,
} from '../../../integration/astro/markdown.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import { addFormats } from '../../../integration/core/runtime/open-features.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createBody } from '../../support/body.ts';

type SiteConfig = Parameters<typeof markdownSettings>[0];

addFormats(FEATURES);

const contentUrl = new URL('file:///site/content/');

describe('body rendering', () => {
  it('renders with the real default processor, heading ids and code highlighting included', async () => {
    const render = createBodyRenderer({
      createRenderer: () =>
        satteri().createRenderer({ syntaxHighlight: 'shiki', shikiConfig: { theme: 'nord' } }),
      contentUrl,
    });
    const html = await render(entity('a.md', '# Two tides\n\n```js\nlet a = 1;\n```\n'));
    expect(html).toContain('<h1 id="two-tides">Two tides</h1>');
    expect(html).toContain('class="astro-code nord"');
  });

  it('preserves a relative image path', async () => {
    const render = createBodyRenderer({ createRenderer: () => satteri().createRenderer({}), contentUrl });
    const html = await render(entity('a.md', '![A "small" & flat rock](./rock.jpg)'));
    expect(html).toContain('src="./rock.jpg"');
    expect(html).toContain('alt="A “small” &amp; flat rock"');
    expect(html).not.toContain('__ASTRO_IMAGE_');
  });

  it.each(['---', '+++'])(
    'shows a block between `%s` at the start of a body, as collections do',
    async (fence) => {
      const render = createBodyRenderer({ createRenderer: () => satteri().createRenderer({}), contentUrl });
      const html = await render(entity('a.md', `${fence}\n<b>text</b>\n${fence}\n`));
      expect(html).toContain('<b>text</b>');
    },
  );

  it('renders a file once, and again when it has changed', async () => {
    const code = vi.fn(async (text: string) => ({ code: text.toUpperCase() }));
    const render = createBodyRenderer({ createRenderer: async () => fakeRenderer(code), contentUrl });
    expect(await render(entity('a.md', 'one', '1'))).toBe('\nONE');
    expect(await render(entity('a.md', 'one', '1'))).toBe('\nONE');
    expect(await render(entity('a.md', 'two', '2'))).toBe('\nTWO');
    expect(code).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['once without plugins', false, 1],
    ['again with plugins, which may read them', true, 2],
  ])('renders the text of an entry whose other values change %s', async (_, custom, renderings) => {
    const code = vi.fn(async (text: string) => ({ code: text }));
    const render = createBodyRenderer({ createRenderer: async () => fakeRenderer(code), contentUrl, custom });
    for (const revision of ['1', '2']) expect(await render(entity('a.md', 'one', revision))).toBe('\none');
    expect(await render(entity('b.md', 'two', '1'))).toBe('\ntwo');
    expect(code).toHaveBeenCalledTimes(renderings + 1);
  });

  describe('of MDX', () => {
    const mdx = (text: string, revision = '1') => ({
      ...entity('a.mdx', text, revision),
      body: { ...createBody(text), format: 'mdx' as const },
    });
    const upperCase = async (text: string) => ({ code: text.toUpperCase() });

    it('without a renderer leaves out its code, once in memory and once for all starts', async () => {
      const code = vi.fn(upperCase);
      const stored = new Map<string, string>();
      const cache = { get: async (key: string) => stored.get(key), set: stored.set.bind(stored) };
      const start = () =>
        createBodyRenderer({ createRenderer: async () => fakeRenderer(code), cache, contentUrl });
      const render = start();
      const text = 'import A from "./a.js"\n\n<A>one</A>';
      expect((await render(mdx(text))).trim()).toBe('ONE');
      await render(mdx(text));
      expect((await start()(mdx(text))).trim()).toBe('ONE');
      expect(code).toHaveBeenCalledTimes(1);
    });

    it("is that of the site's modules as soon as they can render it, which they do once", async () => {
      let html: string | undefined;
      const modules = vi.fn(async () => html);
      const render = createBodyRenderer({
        createRenderer: async () => fakeRenderer(upperCase),
        mdx: modules,
        contentUrl,
      });
      expect(await render(mdx('one'))).toBe('\nONE');
      html = '<b>one</b>';
      expect(await render(mdx('one'))).toBe(html);
      expect(await render(mdx('one'))).toBe(html);
      expect(modules).toHaveBeenCalledTimes(2);
    });
  });

  it('keeps the HTML of other files while one file changes repeatedly', async () => {
    const code = vi.fn(async (text: string) => ({ code: text }));
    const render = createBodyRenderer({ createRenderer: async () => fakeRenderer(code), contentUrl });
    const long = 'x'.repeat(MAX_CACHED_UNITS / 4);
    await render(entity('kept.md', 'kept', '1'));
    for (const revision of ['1', '2', '3', '4', '5', '6']) await render(entity('changed.md', long, revision));
    code.mockClear();
    await render(entity('kept.md', 'kept', '1'));
    expect(code).not.toHaveBeenCalled();
  });

  it('passes the path of the file to plugins, whatever its name', async () => {
    const addresses: (URL | undefined)[] = [];
    const renderer = {
      render: async (_text: string, options?: { fileURL?: URL }) => {
        addresses.push(options?.fileURL);
        return { code: '', metadata: emptyMetadata };
      },
    };
    const render = createBodyRenderer({ createRenderer: async () => renderer, contentUrl });
    await render(entity('a/50% what? #1 ü.md', 'x'));
    expect(decodeURIComponent(addresses[0]?.pathname ?? '')).toBe('/site/content/a/50% what? #1 ü.md');
  });

  it('prefers the HTML that the build stored', async () => {
    const render = createBodyRenderer({
      createRenderer: () => Promise.reject(new Error('no renderer is needed')),
      stored: async (asked) => (storedHtmlKey(asked) === 'a.md 1' ? '<p>stored</p>' : undefined),
      contentUrl,
    });
    expect(await render(entity('a.md', 'one', '1'))).toBe('<p>stored</p>');
  });

  it('names the file that cannot be rendered', async () => {
    const render = createBodyRenderer({
      createRenderer: async () => fakeRenderer(() => Promise.reject(new Error('bad plugin'))),
      contentUrl,
    });
    await expect(render(entity('article/a.md', 'x'))).rejects.toThrow(
      "The body of article/a.md cannot be rendered with the site's Markdown settings: bad plugin",
    );
  });
});

describe('markdown settings for a built server', () => {
  it.each([
    ['the defaults', satteri(), {}, false],
    ['features of the default processor', satteri({ features: { directive: true } }), {}, false],
    ['plugins', satteri({ hastPlugins: [{ name: 'mark' }] }), {}, true],
    ['another processor', { ...satteri(), name: 'other' }, {}, true],
    ['functions among the settings', satteri(), { shikiConfig: { transformers: [{ pre() {} }] } }, true],
  ])('%s', (_, processor, more, custom) => {
    const config = {
      markdown: { processor, syntaxHighlight: 'shiki', ...more },
      image: {},
    } as unknown as SiteConfig;
    expect(markdownSettings(config).custom).toBe(custom);
  });
});

function fakeRenderer(code: (text: string) => Promise<{ code: string }>) {
  return { render: async (text: string) => ({ ...(await code(text)), metadata: emptyMetadata }) };
}

const emptyMetadata = { headings: [], localImagePaths: [], remoteImagePaths: [], frontmatter: {} };

function entity(key: string, text: string, revision = '1'): Entity {
  return {
    type: 'node--article',
    id: key,
    key,
    revision,
    published: true,
    values: {},
    body: createBody(text),
  };
}
