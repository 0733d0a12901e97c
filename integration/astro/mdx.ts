import path from 'node:path';
import type { AstroConfig } from 'astro';
import type { experimental_AstroContainer as AstroContainer } from 'astro/container';
import type { Actor } from '../core/access/actor.ts';
import { languageNamed } from '../core/content/languages.ts';
import { type Entity, languageOf } from '../core/content/model.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { SiteSettings } from '../core/runtime/site.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { errorMessage } from '../core/util/text.ts';
import { storedHtmlKey } from './markdown.ts';
import { mdxPath } from './own-paths.ts';
import { type MdxRenderer, providedMdx } from './runtime-registry.ts';

type Container = Awaited<ReturnType<typeof AstroContainer.create>>;
type Component = Parameters<Container['renderToString']>[0];

/** True if the site has an integration for `.mdx`. */
export function rendersMdx({ integrations }: Pick<AstroConfig, 'integrations'>): boolean {
  return integrations.some(({ name }) => name === '@astrojs/mdx');
}

/**
 * Absolute paths of the MDX files of the content, by key and revision. With an actor, only those of entities that the
 * actor may see: images in the others would be part of the site.
 */
export function mdxBodies(
  { services }: Runtime,
  contentDir: string,
  actor?: Actor,
): Readonly<Record<string, string>> {
  const access = actor && services.access(actor);
  const mdx = [...services.store.types.keys()]
    .flatMap((type) => services.store.entities(type))
    .filter((entity) => entity.body?.format === 'mdx' && access?.allows('view', entity) !== false);
  return Object.fromEntries(
    mdx.map((entity) => [storedHtmlKey(entity), path.join(contentDir, fileOfKey(entity.key))]),
  );
}

/**
 * `load` imports a version of a file; undefined if the build does not contain it. `localsAt` returns what the site's
 * middleware puts into `Astro.locals` for a request.
 */
export function createMdxRenderer(
  createContainer: () => Promise<Container>,
  load: (file: string, version: string) => Promise<{ readonly Content: Component }> | undefined,
  localsAt: (request: Request) => Promise<App.Locals>,
): MdxRenderer {
  let container: Promise<Container> | undefined;
  return async (file, version, url) => {
    const loading = load(file, version);
    if (loading === undefined) return undefined;
    container ??= createContainer();
    const { Content } = await loading;
    const request = new Request(url);
    // New for each body, because components count in them.
    const html = await (await container).renderToString(Content, {
      request,
      locals: await localsAt(request),
    });
    return html.replaceAll(`<script type="module" src="${COMPONENT_SCRIPT}"></script>`, '');
  };
}

/** The URL of scripts of components, which only pages have: the container would write paths of the project. */
export const COMPONENT_SCRIPT = 'astro-jsonapi:component-script';

export interface MdxBodiesDeps extends Pick<SiteSettings, 'root' | 'base' | 'languages' | 'trailingSlash'> {
  /** The path of a file; undefined if it has another revision: the text of a preview is not stored. */
  fileOf(key: string, revision: string): Promise<string | undefined>;
  /** True if the site has an integration for `.mdx`. */
  isRendered(): boolean;
  warn(message: string): void;
}

/**
 * Renders MDX bodies of a project. Undefined for a body that is shown without its code, with one warning for each reason.
 */
export function createMdxBodies(deps: MdxBodiesDeps): (entity: Entity) => Promise<string | undefined> {
  const { root, base, languages, trailingSlash, fileOf, isRendered, warn } = deps;
  const reported = new Set<string>();
  const failed = new WeakMap<MdxRenderer, Set<string>>();

  function warnOnce(reason: string, message = reason): void {
    if (!reported.has(reason)) warn(message);
    reported.add(reason);
  }

  return async (entity) => {
    if (!isRendered()) {
      warnOnce(NO_MDX);
      return undefined;
    }
    const render = providedMdx(root);
    if (render === undefined) return undefined;
    const version = storedHtmlKey(entity);
    const failures = failed.get(render) ?? new Set();
    failed.set(render, failures);
    const file = await fileOf(fileOfKey(entity.key), entity.revision);
    if (file === undefined || failures.has(version)) return undefined;
    try {
      const language = languages && languageNamed(languages, languageOf(entity));
      const slash = trailingSlash === 'always' ? '/' : '';
      const url = `http://localhost${base}${mdxPath(language?.path)}${slash}`;
      return await render(file, version, url);
    } catch (error) {
      failures.add(version);
      const reason = errorMessage(error);
      warnOnce(
        reason,
        `The MDX of ${fileOfKey(entity.key)} cannot be rendered, so it is shown without its components. Other files with the same problem are not listed: ${reason}`,
      );
      return undefined;
    }
  };
}

const NO_MDX =
  'The bodies of .mdx files are shown without their components, because the site has no MDX integration. Add it: npx astro add mdx';
