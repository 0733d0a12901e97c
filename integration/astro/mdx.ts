import path from 'node:path';
import type { AstroConfig } from 'astro';
import type { experimental_AstroContainer as AstroContainer } from 'astro/container';
import type { Entity } from '../content/model.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type MdxRenderer, providedMdx } from '../runtime/runtime-registry.ts';
import { errorMessage } from '../util/text.ts';
import { storedHtmlKey } from './markdown.ts';

type Container = Awaited<ReturnType<typeof AstroContainer.create>>;
type Component = Parameters<Container['renderToString']>[0];

/** A compiled MDX file. */
interface MdxModule {
  readonly Content: Component;
}

/** True if the site has an integration for `.mdx`. */
export function rendersMdx({ integrations }: Pick<AstroConfig, 'integrations'>): boolean {
  return integrations.some(({ name }) => name === '@astrojs/mdx');
}

/** Absolute paths of the MDX files of the content, by key and revision. */
export function mdxBodies({ services }: Runtime, contentDir: string): Readonly<Record<string, string>> {
  const { store } = services;
  const entities = [...store.types.keys()].flatMap((type) => store.entities(type));
  const mdx = entities.filter(({ body }) => body?.format === 'mdx');
  return Object.fromEntries(mdx.map((entity) => [storedHtmlKey(entity), path.join(contentDir, entity.key)]));
}

/** `load` imports a version of a file; undefined if the build does not contain it. */
export function createMdxRenderer(
  createContainer: () => Promise<Container>,
  load: (file: string, version: string) => Promise<MdxModule> | undefined,
): MdxRenderer {
  let container: Promise<Container> | undefined;
  return async (file, version) => {
    const loading = load(file, version);
    if (loading === undefined) return undefined;
    container ??= createContainer();
    const { Content } = await loading;
    return (await container).renderToString(Content);
  };
}

/** Renders MDX bodies of a project. Undefined for a body that fails, with one warning per version. */
export function createMdxBodies(
  root: string,
  fileOf: (key: string) => string,
  warn: (message: string) => void,
): (entity: Entity) => Promise<string | undefined> {
  const failed = new Set<string>();
  return async (entity) => {
    const version = storedHtmlKey(entity);
    try {
      return await providedMdx(root)?.(fileOf(entity.key), version);
    } catch (error) {
      if (!failed.has(version)) {
        warn(
          `The MDX of ${entity.key} cannot be rendered. It is rendered as Markdown: ${errorMessage(error)}`,
        );
      }
      failed.add(version);
      return undefined;
    }
  };
}
