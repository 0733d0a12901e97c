import type { Loader, LoaderContext } from 'astro/loaders';
import { z } from 'zod';
import { OWN_LOADER } from './astro/collection-config.ts';
import { openCollection } from './astro/collection-entities.ts';
import { withAstroImages, withServedImages } from './astro/markdown-images.ts';
import { type ContentProject, NOT_YET, registeredProject } from './astro/runtime-registry.ts';
import { type AsOption, checkOptionNames } from './core/builder/as-option.ts';
import type { LanguageOption } from './core/builder/language-option.ts';
import { bodyText, type Entity } from './core/content/model.ts';
import { weightProblem } from './core/read/heavy-text.ts';
import type { Reader } from './core/read/reader.ts';
import { plainTextWarning, textAsHtml } from './core/read/served-body.ts';
import type { Runtime } from './core/runtime/runtime.ts';
import { fileOfKey } from './core/storage/key.ts';
import { digestText } from './core/util/revision.ts';
import { errorMessage } from './core/util/text.ts';
import type { SiteLanguage } from './types.ts';

export type { CollectionData, ImageOf, ImageProps } from './astro/collection-types.ts';

export interface LoaderOptions extends AsOption, LanguageOption<SiteLanguage> {
  /** Names of collections that differ from their bundle's name, by bundle: `{ person: 'authors' }`. */
  readonly collections?: Readonly<Record<string, string>>;
}

/**
 * The entities of a bundle as a collection of Astro's content layer, for `getCollection`, `getEntry` and `render`:
 *
 * ```ts
 * import { defineCollection } from 'astro:content';
 * import { jsonapiLoader } from 'astro-jsonapi/loader';
 *
 * export const collections = { article: defineCollection({ loader: jsonapiLoader('article') }) };
 * ```
 *
 * A collection has published entities only, unless `as` is set.
 */
export function jsonapiLoader(bundle: string, options: LoaderOptions = {}): Loader {
  const { collections = {} } = options;
  const call = `jsonapiLoader('${bundle}')`;
  checkOptionNames(options, call, ['as', 'collections', 'lang', 'fallback']);
  return {
    name: OWN_LOADER,
    async load(context) {
      const project = registeredProject<Runtime>(context.config.root);
      if (project === undefined) {
        throw new Error(`${call} has no content: add jsonapi() to the integrations in astro.config.`);
      }
      const { filled } = project;
      const first = !filled.has(context.collection);
      filled.set(context.collection, NOT_YET);
      // Without content, the collection is never out of date.
      let version = Number.POSITIVE_INFINITY;
      try {
        const { services } = await project.open();
        version = services.store.version;
        await fill(context, project, services, first);
      } catch (error) {
        // A build fails. In dev the site keeps its entries until the error is fixed.
        if (context.watcher === undefined) throw error;
        context.logger.error(errorMessage(error));
      } finally {
        filled.set(context.collection, version);
      }
    },
    createSchema: async () => ({ schema: z.looseObject({}), types: entryTypes() }),
  };

  async function fill(
    context: LoaderContext,
    project: ContentProject<Runtime>,
    services: Reader,
    first: boolean,
  ): Promise<void> {
    const { entities, dataOf } = await openCollection(services, bundle, options);
    const removed = new Set(context.store.keys());
    for (const entity of entities) {
      removed.delete(entity.id);
      await put(context, project, entity, dataOf(entity), first);
    }
    for (const id of removed) context.store.delete(id);
  }

  function entryTypes(): string {
    const names = JSON.stringify(collections);
    const data = `import('astro-jsonapi:content').CollectionOf<${JSON.stringify(bundle)}, ${names}>`;
    return `export type Entry = ${data};\n`;
  }
}

/** Renders and stores an entry if it has changed. `first` is true when the process fills the collection for the first time. */
async function put(
  { store, parseData, renderMarkdown, logger }: LoaderContext,
  project: ContentProject<Runtime>,
  { id, key, revision, body, values, images }: Entity,
  data: Record<string, unknown>,
  first: boolean,
): Promise<void> {
  const { absolute, relative: filePath, url: fileURL } = project.locate(fileOfKey(key));
  const digest = digestText(JSON.stringify([HTML_VERSION, revision, filePath, data, images]));
  const stored = store.get(id);
  if (stored?.digest === digest) {
    // Astro does not store the imports of an entry for the next process.
    if (stored.deferredRender && first) store.addModuleImport(filePath);
    return;
  }
  const entry = { id, filePath, digest, data: await parseData({ id, data, filePath: absolute }) };
  if (body === null) {
    store.set(entry);
    return;
  }
  const text = bodyText(body);
  if (body.format === 'mdx' && project.mdx) {
    store.set({ ...entry, body: text, deferredRender: true });
    return;
  }
  const problem = weightProblem(text);
  if (problem !== undefined) {
    logger.warn(plainTextWarning(key, problem));
    store.set({ ...entry, body: text, rendered: { html: textAsHtml(text) } });
    return;
  }
  // Markdown plugins get the decoded frontmatter. JSON is valid YAML.
  const { html, metadata } = await renderMarkdown(`---\n${JSON.stringify(values)}\n---\n${text}`, {
    fileURL,
  });
  const assetImports = metadata?.imagePaths;
  const served = withServedImages(withAstroImages(html, assetImports), images);
  const rendered = { html: served, ...(metadata && { metadata }) };
  store.set({ ...entry, body: text, rendered, ...(assetImports && { assetImports }) });
}

/** Increase it when the HTML of unchanged bodies changes, because Astro stores the entries of earlier builds. */
const HTML_VERSION = 3;
