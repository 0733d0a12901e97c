import type { AstroConfig } from 'astro';
import { LRUCache } from 'lru-cache';
import { bodyText, type Entity } from '../content/model.ts';
import { UnrenderableError, weightProblem } from '../read/heavy-text.ts';
import type { TextRenderer } from '../runtime/render/renderer-process.ts';
import type { HtmlCache } from '../storage/cache/html-cache.ts';
import { errorMessage } from '../util/text.ts';
import { withServedImages, withWrittenImages } from './markdown-images.ts';

/** At most so many UTF-16 units of HTML are kept, the least recently used leaving first. */
export const MAX_CACHED_UNITS = 64_000_000;
/** Versions of bodies that are not tried again. */
const MAX_UNRENDERABLE = 10_000;

/** The value of `markdown.processor` in `astro.config`. */
export type MarkdownProcessor = AstroConfig['markdown']['processor'];
type Renderer = Awaited<ReturnType<MarkdownProcessor['createRenderer']>>;
type SharedSettings = Parameters<MarkdownProcessor['createRenderer']>[0];

/** What of the site's markdown settings a built server can know: no functions. */
export interface MarkdownSettings {
  /** Settings of all processors. */
  readonly shared: SharedSettings;
  /** `features` of the default processor. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Whether the site's HTML needs more than these: its own processor, plugins, or functions among the settings. */
  readonly custom: boolean;
}

export interface BodyRendererDeps {
  /** Called once, at the first body that is not stored. */
  createRenderer(): Promise<TextRenderer>;
  /** HTML made by the build for this very file; undefined where it has none. */
  stored?(entity: Entity): Promise<string | undefined>;
  /** HTML made in earlier starts, by `storedHtmlKey`. */
  readonly kept?: Pick<HtmlCache, 'get' | 'set'> | undefined;
  /** HTML of an MDX body as the site's own modules render it; undefined where that is not possible or not safe. */
  mdx?(entity: Entity): Promise<string | undefined>;
  /** URL of the content folder, with a final slash, or undefined where there is none. */
  readonly contentUrl: URL | undefined;
}

/**
 * Bodies as HTML by the site's markdown settings, the way Astro's content layer renders, with the addresses of the images
 * that are served. Cached by the revision of the file, since plugins may read its frontmatter. Rejects with an error that
 * names the file, or with an UnrenderableError, which is remembered.
 */
export function createBodyRenderer(deps: BodyRendererDeps): (entity: Entity) => Promise<string> {
  const cache = createMemoryCache(MAX_CACHED_UNITS);
  const unrenderable = new LRUCache<string, UnrenderableError>({ max: MAX_UNRENDERABLE });
  let renderer: Promise<TextRenderer> | undefined;

  return async (entity) => {
    if (entity.body === null) return '';
    // Not kept: images come and go without a change of the body.
    return withServedImages(await htmlOf(entity), entity.images);
  };

  async function htmlOf(entity: Entity): Promise<string> {
    const cached = cache.get(entity);
    if (cached !== undefined) return cached;
    const known = (await renderMdx(entity)) ?? (await deps.stored?.(entity));
    const html = known ?? (await keptOrRendered(entity));
    // What renders MDX may come later in a build.
    if (known !== undefined || entity.body?.format !== 'mdx') cache.set(entity, html);
    return html;
  }

  async function renderMdx(entity: Entity): Promise<string | undefined> {
    return entity.body?.format === 'mdx' ? deps.mdx?.(entity) : undefined;
  }

  async function keptOrRendered(entity: Entity): Promise<string> {
    // What MDX imports may change without it.
    const store = entity.body?.format === 'mdx' ? undefined : deps.kept;
    const key = storedHtmlKey(entity);
    const kept = await store?.get(key);
    if (kept !== undefined) return kept;
    const failure = unrenderable.get(key);
    if (failure !== undefined) throw failure;
    try {
      const html = await render(entity);
      store?.set(key, html);
      return html;
    } catch (error) {
      if (error instanceof UnrenderableError) unrenderable.set(key, error);
      throw error;
    }
  }

  async function render(entity: Entity): Promise<string> {
    const text = entity.body === null ? '' : bodyText(entity.body);
    const problem = weightProblem(text);
    if (problem !== undefined) throw problem;
    renderer ??= deps.createRenderer();
    const fileURL =
      deps.contentUrl && new URL(encodeURI(entity.key).replace(/[?#]/g, encodeURIComponent), deps.contentUrl);
    try {
      // As collections render it: at the start of a text, processors take a `---` block for frontmatter and drop it.
      const { code } = await (await renderer).render(`\n${text}`, {
        frontmatter: { ...entity.values },
        ...(fileURL && { fileURL }),
      });
      return withWrittenImages(code);
    } catch (cause) {
      if (cause instanceof UnrenderableError) throw cause;
      const reason = errorMessage(cause);
      throw new Error(
        `The body of ${entity.key} cannot be rendered by the site's markdown settings: ${reason}`,
        {
          cause,
        },
      );
    }
  }
}

/** The renderer that Astro itself would make of the site's settings. */
export function siteRenderer(config: Pick<AstroConfig, 'markdown' | 'image'>): Promise<Renderer> {
  return config.markdown.processor.createRenderer(sharedSettings(config));
}

/** The site's settings as plain data, and whether that is all of them. */
export function markdownSettings(config: Pick<AstroConfig, 'markdown' | 'image'>): MarkdownSettings {
  const { processor } = config.markdown;
  const { features = {}, ...plugins } = processor.options as Record<string, Record<string, unknown>>;
  const wanted = { shared: sharedSettings(config), features };
  const plain = JSON.parse(JSON.stringify(wanted)) as typeof wanted;
  const custom =
    processor.name !== 'satteri' ||
    Object.values(plugins).some((list) => Array.isArray(list) && list.length > 0) ||
    holdsFunction(wanted);
  return { ...plain, custom };
}

/** Key of a body's HTML in what the build stores. */
export function storedHtmlKey(entity: Entity): string {
  return `${entity.key} ${entity.revision}`;
}

// Astro hands its parsed settings to processors as they are; the cast is over optional properties that its two
// types write differently.
function sharedSettings({ markdown, image }: Pick<AstroConfig, 'markdown' | 'image'>): SharedSettings {
  const { syntaxHighlight, shikiConfig, gfm, smartypants } = markdown;
  const { domains, remotePatterns } = image;
  return {
    image: { domains, remotePatterns },
    syntaxHighlight,
    shikiConfig,
    gfm,
    smartypants,
  } as SharedSettings;
}

function holdsFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction);
}

interface MemoryCache {
  get(entity: Entity): string | undefined;
  set(entity: Entity, html: string): void;
}

/** A file's HTML of another revision makes room for that of the present one. */
function createMemoryCache(maxUnits: number): MemoryCache {
  const entries = new Map<string, { readonly revision: string; readonly html: string }>();
  let units = 0;

  function remove(key: string): void {
    units -= entries.get(key)?.html.length ?? 0;
    entries.delete(key);
  }

  return {
    get({ key, revision }) {
      const entry = entries.get(key);
      if (entry?.revision !== revision) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.html;
    },
    set({ key, revision }, html) {
      remove(key);
      entries.set(key, { revision, html });
      units += html.length;
      for (const oldest of entries.keys()) {
        if (units <= maxUnits || oldest === key) return;
        remove(oldest);
      }
    },
  };
}
