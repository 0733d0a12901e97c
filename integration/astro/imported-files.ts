import path from 'node:path';
import type { AstroConfig } from 'astro';
import { ANONYMOUS } from '../access/actor.ts';
import { uriOf } from '../content/file-place.ts';
import { visibleContentFileKeys } from '../read/content-files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { importableKey } from './image-props.ts';
import { storedHtmlKey } from './markdown.ts';

/** Whether the site has an integration for `.mdx`. */
export function rendersMdx({ integrations }: Pick<AstroConfig, 'integrations'>): boolean {
  return integrations.some(({ name }) => name === '@astrojs/mdx');
}

/** Absolute paths of the MDX files of the content by key and revision. */
export function mdxBodies({ services }: Runtime, contentDir: string): Readonly<Record<string, string>> {
  const { store } = services;
  const entities = [...store.types.keys()].flatMap((type) => store.entities(type));
  const mdx = entities.filter(({ body }) => body?.format === 'mdx');
  return Object.fromEntries(mdx.map((entity) => [storedHtmlKey(entity), path.join(contentDir, entity.key)]));
}

/** Absolute paths of the images beside the content that Astro can import and anonymous may see, by URI. */
export async function importableImages(
  { services }: Runtime,
  contentDir: string,
): Promise<Readonly<Record<string, string>>> {
  const keys = await visibleContentFileKeys(services, services.access(ANONYMOUS));
  return Object.fromEntries(
    keys
      .map((key) => [uriOf({ source: 'content', key }), path.join(contentDir, key)])
      .filter(([uri = '']) => importableKey(uri) !== undefined),
  );
}
