import type { LoaderContext } from 'astro/loaders';
import { expect, it, vi } from 'vitest';
import { jsonapiLoader } from '../../../integration/loader.ts';
import { registerProject } from '../../../integration/runtime/runtime-registry.ts';
import { createMemoryDriver } from '../../memory-driver.ts';
import { createServices } from '../../services.ts';

it('a body that is too heavy to render is text in its collection, and a warning names the file', async () => {
  const body = '"<b>" '.repeat(20_000);
  const services = await createServices(
    createMemoryDriver({
      'article/heavy.md': `---\ntitle: Heavy\n---\n${body}`,
      'article/light.md': '---\ntitle: Light\n---\nText.',
    }),
  );
  const root = new URL('file:///heavy-body/');
  registerProject(root, {
    open: async () => ({ services }),
    locate: (key) => ({ absolute: `/${key}`, relative: key, url: new URL(key, root) }),
    mdx: false,
    filled: new Map(),
  });
  const entries = new Map<string, { readonly rendered?: { readonly html: string } }>();
  const renderMarkdown = vi.fn(async () => ({ html: '<p>Text.</p>' }));
  const warn = vi.fn();
  const context = {
    collection: 'article',
    config: { root },
    store: {
      keys: () => [],
      get: () => undefined,
      set: (entry: { readonly id: string; readonly rendered?: { readonly html: string } }) =>
        entries.set(entry.id, entry),
    },
    parseData: async ({ data }: { readonly data: unknown }) => data,
    renderMarkdown,
    logger: { warn },
  };
  await jsonapiLoader('article').load(context as unknown as LoaderContext);
  expect(entries.get('heavy')?.rendered?.html.slice(0, 20)).toBe('<pre>&quot;&lt;b&gt;');
  expect(entries.get('light')?.rendered?.html).toBe('<p>Text.</p>');
  expect(renderMarkdown).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('The body of article/heavy.md is shown as plain text')],
  ]);
});
