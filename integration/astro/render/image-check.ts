import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../../core/util/text.ts';
import type { ContentChecks } from '../../core/write/writer.ts';

/** The part of sharp that decoding needs. */
interface Sharp {
  (bytes: Uint8Array, options: { readonly failOn: string; readonly pages: number }): Decoder;
  cache(isOn: boolean): void;
}

interface Decoder {
  resize(width: number, height: number, options: { readonly fit: 'fill' }): Decoder;
  raw(): Decoder;
  toBuffer(): Promise<unknown>;
}

/** The part of `astro/assets/utils` that is used. Rejects for damaged images. */
interface AssetUtils {
  imageMetadata(bytes: Uint8Array): Promise<unknown>;
}

/**
 * Reads and decodes images as a build does, with Astro and with sharp, if they are installed. `site` is a URL in the
 * project, needed if this module is outside of it.
 */
export async function createImageCheck(site: string | undefined): Promise<ContentChecks['imageProblem']> {
  const origins = [...(site === undefined ? [] : [site]), import.meta.url];
  const astro = resolveFrom(origins, 'astro/package.json');
  const utils = await importInstalled<AssetUtils>(origins, 'astro/assets/utils');
  const sharp = await importInstalled<{ readonly default: Sharp }>(
    [...(astro === undefined ? [] : [pathToFileURL(astro).href]), ...origins],
    'sharp',
  );
  sharp?.default.cache(false);
  return async (bytes) => {
    try {
      await utils?.imageMetadata(bytes);
    } catch {
      return 'Astro cannot read its size and format.';
    }
    try {
      await sharp?.default(bytes, ALL_FRAMES).resize(1, 1, { fit: 'fill' }).raw().toBuffer();
    } catch (error) {
      // The last line is about the image, those before it about reading bytes.
      const reason = errorMessage(error).trim().split('\n').at(-1);
      return `sharp cannot decode it (${reason}).`;
    }
    return undefined;
  };
}

/** Stricter than Astro, which accepts truncated images. The pixel limit is the default, as in Astro. */
const ALL_FRAMES = { failOn: 'truncated', pages: -1 };

/** Undefined if the package is not installed, or not for this system. */
async function importInstalled<Module>(
  origins: readonly string[],
  name: string,
): Promise<Module | undefined> {
  const file = resolveFrom(origins, name);
  if (file === undefined) return undefined;
  return import(/* @vite-ignore */ pathToFileURL(file).href).catch(() => undefined);
}

function resolveFrom(origins: readonly string[], name: string): string | undefined {
  for (const origin of origins) {
    try {
      return createRequire(origin).resolve(name);
    } catch {}
  }
  return undefined;
}
