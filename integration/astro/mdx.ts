import type { experimental_AstroContainer as AstroContainer } from 'astro/container';
import type { Entity } from '../content/model.ts';
import { type MdxRenderer, providedMdx } from '../runtime/runtime-registry.ts';
import { errorMessage } from '../util/text.ts';
import { storedHtmlKey } from './markdown.ts';

type Container = Awaited<ReturnType<typeof AstroContainer.create>>;
type Component = Parameters<Container['renderToString']>[0];

/** What a compiled MDX file exports. */
interface MdxModule {
  readonly Content: Component;
}

/** `load` imports a file in a version; undefined for what the site's build does not know. */
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

/** Renders MDX bodies of a project's content folder. What fails is told once for each version, and left to markdown. */
export function createMdxBodies(
  root: string,
  fileOf: (key: string) => string,
  warn: (message: string) => void,
): (entity: Entity) => Promise<string | undefined> {
  const told = new Set<string>();
  return async (entity) => {
    const version = storedHtmlKey(entity);
    try {
      return await providedMdx(root)?.(fileOf(entity.key), version);
    } catch (error) {
      const reason = errorMessage(error);
      if (!told.has(version)) {
        warn(`The MDX of ${entity.key} cannot be rendered, so that it is answered as markdown: ${reason}`);
      }
      told.add(version);
      return undefined;
    }
  };
}
