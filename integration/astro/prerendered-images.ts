import { AsyncLocalStorage } from 'node:async_hooks';
import type { AstroConfig, ImageTransform } from 'astro';

/** A version of a picture that a build has made. */
interface BuiltImage {
  readonly url: string;
  /** Its width, format and so on, as the page has them. */
  readonly made: Readonly<Record<string, unknown>>;
}

/** The pictures that prerendered pages resize. Plain data. */
export type BuiltImages = readonly (readonly [src: string, versions: readonly BuiltImage[]])[];

/** The pictures of the build in this process. */
export function builtImages({ base, build: { assetsPrefix } }: AstroConfig): BuiltImages {
  const images = new Map<string, BuiltImage[]>();
  for (const [original, { transforms }] of globalThis.astroAsset?.staticImages ?? []) {
    const prefixes = typeof assetsPrefix === 'object' ? assetsPrefix : { fallback: assetsPrefix ?? base };
    const start = prefixes[original.slice(original.lastIndexOf('.') + 1)] ?? prefixes.fallback;
    for (const { finalPath, transform } of transforms.values()) {
      const { src: _, ...made } = transform;
      const src = srcOf(transform);
      const url = encodeURI(start.replace(/\/$/, '') + finalPath);
      images.set(src, [...(images.get(src) ?? []), { url, made }]);
    }
  }
  return [...images];
}

/**
 * Returns what runs the code of a page, whose resized pictures then have the addresses of the build. A picture that the
 * build has not resized in this way has the address of the most similar version, or its own.
 */
export function showBuiltImages(images: BuiltImages): <T>(work: () => T) => T {
  const versions = new Map(images);
  const addressOf = (transform: ImageTransform, properties: readonly string[]): string => {
    const src = srcOf(transform);
    const all = versions.get(src) ?? [];
    const isEqual = (name: string, { made }: BuiltImage) =>
      name === 'src' || JSON.stringify(made[name]) === JSON.stringify(transform[name]);
    const exact = all.find((version) => properties.every((name) => isEqual(name, version)));
    return (exact ?? nearest(all, transform.width ?? 0))?.url ?? src;
  };
  const rendering = new AsyncLocalStorage<typeof addressOf>();
  globalThis.astroAsset ??= {};
  // Other pages of the server resize their pictures on request.
  Object.defineProperty(globalThis.astroAsset, 'addStaticImage', { get: () => rendering.getStore() });
  return (work) => rendering.run(addressOf, work);
}

/** The smallest version that is as wide, or the widest. */
function nearest(versions: readonly BuiltImage[], width: number): BuiltImage | undefined {
  const sorted = versions.toSorted((one, other) => Number(one.made.width) - Number(other.made.width));
  return sorted.find(({ made }) => Number(made.width) >= width) ?? sorted.at(-1);
}

/** The address of an original. */
function srcOf({ src }: ImageTransform): string {
  return typeof src === 'string' ? src : src.src;
}
