import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { MarkdownProcessor, MarkdownSettings } from './markdown.ts';
import type { TextRenderer } from './render/renderer-process.ts';

/** The processors that a build carries, imported when they are needed. */
export interface BuiltProcessors {
  /** The package of Astro's default processor, if the project can resolve it. */
  defaultProcessor?(): Promise<DefaultProcessorPackage>;
  /** The processor of option `markdownProcessor`. */
  processor?(): Promise<MarkdownProcessor>;
}

interface DefaultProcessorPackage {
  satteri(options: Pick<MarkdownSettings, 'features'>): MarkdownProcessor;
}

/** The renderer of a built server. */
export async function builtRenderer(
  { shared, features }: MarkdownSettings,
  { processor, defaultProcessor = importFromAstro }: BuiltProcessors,
): Promise<TextRenderer> {
  const chosen = (await processor?.()) ?? (await defaultProcessor()).satteri({ features });
  return chosen.createRenderer(shared);
}

async function importFromAstro(): Promise<DefaultProcessorPackage> {
  const astro = createRequire(import.meta.url).resolve('astro/package.json');
  const entry = createRequire(astro).resolve('@astrojs/markdown-satteri');
  return import(/* @vite-ignore */ pathToFileURL(entry).href);
}
