import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createBodyRenderer, siteRenderer } from '../astro/markdown.ts';
import { textAsHtml } from '../read/served-body.ts';
import { createRenderingProcess, type TextRenderer } from '../runtime/render/renderer-process.ts';
import type { Site } from '../runtime/runtime.ts';
import type { FoundSite } from './find-site.ts';

type SiteConfig = Parameters<typeof siteRenderer>[0];

/**
 * Renders bodies by the markdown settings of the site's astro.config, or by Astro's defaults without one. If Astro is not
 * installed, bodies are plain text in a `<pre>`, and `warn` is called once. Set `inOtherProcess` on a server that writes, which
 * then checks what accounts write in that process too.
 */
export function createSiteRenderer(
  { root, contentDir, config, configFile = '' }: FoundSite,
  inOtherProcess: boolean,
  warn: (message: string) => void,
): Pick<Site, 'renderBody' | 'checks'> {
  const hasAstro = findAstro(root) !== undefined;
  const inProcess = () => astroRenderer(root, config);
  const entry = new URL('./render-process.js', import.meta.url).href;
  const otherProcess =
    inOtherProcess && hasAstro
      ? createRenderingProcess({ entry, args: [root, configFile], inProcess, warn })
      : undefined;
  const renderBody = createBodyRenderer({
    async createRenderer() {
      if (hasAstro) return otherProcess ?? inProcess();
      warn('Bodies are answered as plain text in <pre>, because Astro is not installed: npm i astro');
      return plainRenderer;
    },
    contentUrl: pathToFileURL(contentDir + path.sep),
  });
  return { renderBody, checks: otherProcess };
}

/** The renderer of an astro.config (its default export), or Astro's default one. Throws if Astro is not installed. */
export async function astroRenderer(root: string, config: unknown): Promise<TextRenderer> {
  const astro = findAstro(root);
  if (astro === undefined) throw new Error('Astro is not installed.');
  const module: AstroConfigModule = await import(pathToFileURL(astro).href);
  return siteRenderer(await module.validateConfig(config ?? {}, root + path.sep, 'sync'));
}

const plainRenderer: TextRenderer = { render: async (text) => ({ code: textAsHtml(text) }) };

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
