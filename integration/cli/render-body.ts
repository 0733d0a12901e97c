import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Entity } from '../entities/model.ts';
import { type BodyRendererDeps, createBodyRenderer, siteRenderer } from '../markdown.ts';
import type { FoundSite } from './find-site.ts';

type Renderer = Awaited<ReturnType<BodyRendererDeps['createRenderer']>>;
type SiteConfig = Parameters<typeof siteRenderer>[0];

/**
 * Bodies as HTML: by the markdown settings of the site's astro.config, without one by Astro's default ones. Where there
 * is no Astro the text is answered as it is, escaped, in a `<pre>`; `warn` is told once.
 */
export function createSiteRenderer(
  { root, contentDir, config }: FoundSite,
  warn: (message: string) => void,
): (entity: Entity) => Promise<string> {
  return createBodyRenderer({
    async createRenderer() {
      const astro = findAstro(root);
      if (astro === undefined) {
        warn('Bodies are answered as plain text in <pre>, because Astro is not installed: npm i astro');
        return plainRenderer;
      }
      const module: AstroConfigModule = await import(pathToFileURL(astro).href);
      return siteRenderer(await module.validateConfig(config ?? {}, root + path.sep, 'sync'));
    },
    contentUrl: pathToFileURL(contentDir + path.sep),
  });
}

const plainRenderer: Renderer = {
  render: async (text) => ({
    code: `<pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`,
    metadata: { headings: [], localImagePaths: [], remoteImagePaths: [], frontmatter: {} },
  }),
};

/** The site's own Astro, else the one beside this package. */
function findAstro(root: string): string | undefined {
  for (const from of [pathToFileURL(path.join(root, 'package.json')).href, import.meta.url]) {
    try {
      return createRequire(from).resolve('astro/config');
    } catch {}
  }
  return undefined;
}

interface AstroConfigModule {
  validateConfig(config: unknown, root: string, command: string): Promise<SiteConfig>;
}
