import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createBodyRenderer, siteRenderer } from '../astro/markdown.ts';
import { createRenderingProcess, type TextRenderer } from '../astro/render/renderer-process.ts';
import { textAsHtml } from '../core/read/served-body.ts';
import type { ContentSite } from '../core/runtime/command.ts';
import type { Site } from '../core/runtime/site.ts';

type SiteConfig = Parameters<typeof siteRenderer>[0];

/**
 * Renders bodies with the Markdown settings of the site's astro.config, or with Astro's defaults. Without Astro, bodies are
 * plain text in a `<pre>`, and `warn` is called once. With `inOtherProcess`, a child process renders bodies and checks
 * changes of accounts.
 */
export function createSiteRenderer(
  { root, contentDir, config, configFile = '' }: ContentSite,
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
  let hasWarned = false;
  const renderBody = createBodyRenderer({
    async createRenderer() {
      if (hasAstro) return otherProcess ?? inProcess();
      warn(
        'Bodies are served as plain text in <pre>, because Astro is not installed. Install it: npm i astro',
      );
      return plainRenderer;
    },
    async mdx() {
      if (!hasWarned) warn(NO_COMPONENTS);
      hasWarned = true;
      return undefined;
    },
    contentUrl: pathToFileURL(contentDir + path.sep),
  });
  return { renderBody, checks: otherProcess };
}

const NO_COMPONENTS =
  'The bodies of .mdx files are shown without their components, because the command line does not run the code of a site. Astro does, with the integration @astrojs/mdx.';

/** The renderer of the default export of an astro.config, or Astro's default. Throws if Astro is not installed. */
export async function astroRenderer(root: string, config: unknown): Promise<TextRenderer> {
  const astro = findAstro(root);
  if (astro === undefined) throw new Error('Astro is not installed.');
  const module: AstroConfigModule = await import(pathToFileURL(astro).href);
  return siteRenderer(await module.validateConfig(config ?? {}, root + path.sep, 'sync'));
}

const plainRenderer: TextRenderer = { render: async (text) => ({ code: textAsHtml(text) }) };

/** The entry `astro/config` of the site, or of this package. */
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
