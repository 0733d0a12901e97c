import type { AstroConfig } from 'astro';
import { markdownText } from '../core/content/markdown-text.ts';
import { bodyText, type Entity } from '../core/content/model.ts';
import { UnrenderableError, weightProblem } from '../core/read/heavy-text.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { LruMap } from '../core/util/lru-map.ts';
import { digestText } from '../core/util/revision.ts';
import { errorMessage } from '../core/util/text.ts';
import type { HtmlCache } from './html-cache.ts';
import { withServedImages, withWrittenImages } from './markdown-images.ts';
import type { TextRenderer } from './render/renderer-process.ts';

/** UTF-16 units of HTML that are cached. */
export const MAX_CACHED_UNITS = 64_000_000;
/** Versions of bodies that are not rendered again after a failure. */
const MAX_UNRENDERABLE = 10_000;

/** The value of `markdown.processor` in `astro.config`. */
export type MarkdownProcessor = AstroConfig['markdown']['processor'];
type Renderer = Awaited<ReturnType<MarkdownProcessor['createRenderer']>>;
type SharedSettings = Parameters<MarkdownProcessor['createRenderer']>[0];

/** Markdown settings of the site as plain data, for a built server. */
export interface MarkdownSettings {
  /** Settings that all processors have. */
  readonly shared: SharedSettings;
  /** `features` of the default processor. */
  readonly features: Readonly<Record<string, unknown>>;
  /** True if these are not all settings: the site has its own processor, plugins, or functions. */
  readonly custom: boolean;
}

export interface BodyRendererDeps {
  /** Called once, for the first body that is not stored. */
  createRenderer(): Promise<TextRenderer>;
  /** HTML from the build for this version of the file. */
  stored?(entity: Entity): Promise<string | undefined>;
  /** HTML from earlier starts, by `storedHtmlKey`. */
  readonly cache?: Pick<HtmlCache, 'get' | 'set'> | undefined;
  /** HTML of an MDX body from the site's own modules. If it is undefined, the body is rendered without its code. */
  mdx?(entity: Entity): Promise<string | undefined>;
  /** URL of the content folder, with a trailing slash; undefined without a folder. */
  readonly contentUrl: URL | undefined;
  /** False if HTML depends on the text only. Plugins may read the frontmatter, too. */
  readonly custom?: boolean;
}

/**
 * Renders bodies with the site's Markdown settings, as Astro's content layer does, with the URLs of served images. The latest
 * version of each is cached. Rejects with an error that names the file, or with an UnrenderableError, which is cached too.
 */
export function createBodyRenderer(deps: BodyRendererDeps): (entity: Entity) => Promise<string> {
  const rendered = new LruMap<string, { readonly version: string; readonly html: string }>(MAX_CACHED_UNITS);
  const unrenderable = new LruMap<string, UnrenderableError>(MAX_UNRENDERABLE);
  let renderer: Promise<TextRenderer> | undefined;

  return async (entity) => {
    const { body, key, revision } = entity;
    if (body === null) return '';
    const isMdx = body.format === 'mdx';
    const version = deps.custom === false ? `${body.format} ${digestText(bodyText(body))}` : revision;
    // The modules of the site may be loaded after a body has been rendered without them.
    const html =
      (isMdx ? await cached(`mdx:${key}`, revision, async () => deps.mdx?.(entity)) : undefined) ??
      (await cached(key, version, async () => (await deps.stored?.(entity)) ?? renderOnce(entity)));
    // Not cached: images come and go without a change of the body.
    return withServedImages(html, entity.images);
  };

  async function cached<Html extends string | undefined>(
    key: string,
    version: string,
    make: () => Promise<Html>,
  ): Promise<string | Html> {
    const found = rendered.get(key);
    if (found?.version === version) return found.html;
    const html = await make();
    if (html !== undefined) rendered.set(key, { version, html }, Math.max(1, html.length));
    return html;
  }

  async function renderOnce(entity: Entity): Promise<string> {
    const key = storedHtmlKey(entity);
    const cached = await deps.cache?.get(key);
    if (cached !== undefined) return cached;
    const failure = unrenderable.get(key);
    if (failure !== undefined) throw failure;
    try {
      const html = await render(entity);
      deps.cache?.set(key, html);
      return html;
    } catch (error) {
      if (error instanceof UnrenderableError) unrenderable.set(key, error);
      throw error;
    }
  }

  async function render(entity: Entity): Promise<string> {
    const text = entity.body === null ? '' : markdownText(entity.body);
    const problem = weightProblem(text);
    if (problem !== undefined) throw problem;
    renderer ??= deps.createRenderer();
    const fileURL =
      deps.contentUrl &&
      new URL(encodeURI(fileOfKey(entity.key)).replace(/[?#]/g, encodeURIComponent), deps.contentUrl);
    try {
      // The newline keeps processors from reading a `---` block at the start of the body as frontmatter.
      const { code } = await (await renderer).render(`\n${text}`, {
        frontmatter: { ...entity.values },
        ...(fileURL && { fileURL }),
      });
      return withWrittenImages(code);
    } catch (cause) {
      if (cause instanceof UnrenderableError) throw cause;
      const reason = errorMessage(cause);
      const message = `The body of ${fileOfKey(entity.key)} cannot be rendered with the site's Markdown settings: ${reason}`;
      throw new Error(message, { cause });
    }
  }
}

/** The renderer that Astro itself uses. */
export function siteRenderer(config: Pick<AstroConfig, 'markdown' | 'image'>): Promise<Renderer> {
  return config.markdown.processor.createRenderer(sharedSettings(config));
}

export function markdownSettings(config: Pick<AstroConfig, 'markdown' | 'image'>): MarkdownSettings {
  const { processor } = config.markdown;
  const { features = {}, ...plugins } = processor.options as Record<string, Record<string, unknown>>;
  const settings = { shared: sharedSettings(config), features };
  const plain = JSON.parse(JSON.stringify(settings)) as typeof settings;
  const custom =
    processor.name !== 'satteri' ||
    Object.values(plugins).some((list) => Array.isArray(list) && list.length > 0) ||
    hasFunction(settings);
  return { ...plain, custom };
}

/** The key of a body's HTML in caches and builds. */
export function storedHtmlKey(entity: Entity): string {
  return `${fileOfKey(entity.key)} ${entity.revision}`;
}

// Astro passes its parsed settings to processors unchanged. Its two types differ in optional properties only.
function sharedSettings({ markdown, image }: Pick<AstroConfig, 'markdown' | 'image'>): SharedSettings {
  const { syntaxHighlight, shikiConfig, gfm, smartypants } = markdown;
  const { domains, remotePatterns } = image;
  return {
    image: { domains, remotePatterns },
    syntaxHighlight,
    shikiConfig,
    gfm,
    smartypants,
    forApi: true,
  } as SharedSettings;
}

function hasFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFunction);
}
