import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import type { AstroProject } from '../../../core/runtime/site.ts';
import { measureImage } from '../../../core/storage/file-source.ts';
import { digestBytes, digestText } from '../../../core/util/revision.ts';
import { isUncropped, partOf } from '../crop.ts';
import { canCrop, cropKey } from '../crop-facts.ts';
import { parseCrop } from '../crop-file.ts';
import { cropImage, type Sharp } from '../crop-image.ts';

/** Gives pages the cropped version of an image that they import, which Astro then resizes like any other image. */
export function croppedImages(project: AstroProject): Plugin {
  let sharp: Promise<Sharp> | undefined;
  const made = new Map<string, Promise<string>>();

  async function load(): Promise<Sharp> {
    const loaded = await project.importModule('sharp').catch((cause: unknown) => {
      throw new Error('Cropped images need the package sharp. Install it with: npm install sharp', { cause });
    });
    return loaded.default as Sharp;
  }

  /** The path of the cropped version of a file, as its file says without `own`; undefined for an image that is shown as it is. */
  async function cropped(file: string, own: string | null): Promise<string | undefined> {
    const { contentDir, root } = project.settings();
    const key = path.relative(contentDir, file);
    if (key.startsWith('..') || path.isAbsolute(key)) return undefined;
    if (own === null && !existsSync(cropKey(file))) return undefined;
    const written = own === null ? await readFile(cropKey(file)) : new TextEncoder().encode(own);
    const { crop: shown } = parseCrop(written, key);
    if (isUncropped(shown)) return undefined;
    const bytes = await readFile(file);
    const { width, height } = measureImage(bytes);
    if (width === null || height === null) return undefined;
    const digest = digestText(`${digestBytes(bytes)} ${JSON.stringify([shown, QUALITY_VERSION])}`);
    const target = path.join(root, CACHE, digest.slice(0, 20), path.basename(file));
    const present = made.get(target);
    if (present !== undefined) return present;
    const making = (async () => {
      if (existsSync(target)) return target;
      sharp ??= load();
      const format = path.extname(file).slice(1).toLowerCase().replace('jpg', 'jpeg');
      const part = partOf(shown, { width, height });
      const result = await cropImage(await sharp, bytes, part, shown, { format });
      await mkdir(path.dirname(target), { recursive: true });
      // Several processes may build at the same time.
      const temporary = `${target}.${process.pid}`;
      await writeFile(temporary, result);
      await rename(temporary, target);
      return target;
    })();
    made.set(target, making);
    return making;
  }

  return {
    name: 'astro-jsonapi:cropped-images',
    enforce: 'pre',
    resolveId: {
      filter: { id: IMAGE },
      async handler(id, importer, options) {
        const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
        if (resolved === null || resolved.external) return resolved;
        const [file = '', query = ''] = resolved.id.split(/\?(.*)/s, 2);
        if (!canCrop(file)) return resolved;
        const parameters = new URLSearchParams(query);
        const own = parameters.get(CROP_PARAMETER);
        const other = await cropped(path.normalize(file), own);
        if (other === undefined && own === null) return resolved;
        const rest = own === null ? query : query.replace(OWN_CROP, '');
        return { ...resolved, id: (other ?? file).replaceAll('\\', '/') + (rest && `?${rest}`) };
      },
    },
  };
}

/** Of imports: the crop as JSON, instead of that of the file. */
export const CROP_PARAMETER = 'jsonapi-crop';
const OWN_CROP = new RegExp(`&?\\b${CROP_PARAMETER}=[^&]*`);
const IMAGE = /\.(?:avif|jpe?g|png|webp)(?:$|\?)/i;
/** Below the root of the project, beside the caches of Astro. */
const CACHE = 'node_modules/.astro/cropped-images';
/** Raised if the same crop gives other bytes. */
const QUALITY_VERSION = 1;
