import type { ReadRequest, Services } from '../../core/api/request.ts';
import { mayUseUnusedFile } from '../../core/api/unused-files.ts';
import { type FileLocation, urlOf } from '../../core/content/file-location.ts';
import { findContentFile } from '../../core/read/content-files.ts';
import type { ImageStyle } from '../../core/read/settings.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import type { OpenedFeature, OpeningRuntime, Site } from '../../core/runtime/site.ts';
import { contentFileBody } from '../../core/server/content-file.ts';
import { mediaTypeOf, type OpenFile } from '../../core/storage/file-source.ts';
import { fromBase64 } from '../../core/util/base64.ts';
import { NotFoundError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import type { ImageCrop } from './crop.ts';
import { cropProblems, readCrop } from './crop-facts.ts';
import { CROP_HANDLERS } from './crop-route.ts';
import { canResize } from './image-links.ts';
import { ownCrops } from './own-crops.ts';
import { createResizer, type Original, type Resizer } from './resize.ts';
import { IMAGE_STYLE } from './routes.ts';

/** Serves resized images. Throws an Error if the image service of the site cannot make them. */
export async function openImages({ site, services }: OpeningRuntime): Promise<OpenedFeature> {
  const { settings, options } = site;
  const { imageStyles = {} } = options;
  let checking: Promise<void> | undefined;
  const checkService = () => {
    const formats = Object.values(imageStyles).map(({ format }) => format);
    checking ??= createResizer(resizerDeps(site, options.limits)).check(formats);
    return checking;
  };
  // On the command line, which does not have this setting, most commands use no images.
  if (settings.imageService !== undefined) await checkService();
  let opened: Resizer | undefined;
  async function resizer(): Promise<Resizer> {
    await checkService();
    opened ??= createSiteResizer(site, services());
    return opened;
  }

  /** Throws the same error for a hidden and for a missing file, whatever the style. */
  async function find(request: ReadRequest): Promise<StyledFile> {
    const [name = '', source = '', ...path] = pathSegments(request.target.rest);
    const style = Object.hasOwn(imageStyles, name) ? imageStyles[name] : undefined;
    if (style === undefined) throw new NotFoundError(`There is no image style '${name}'.`);
    const file = path.join('/');
    const named = file.slice(0, -style.format.length - 1);
    const [, key = named, own] = OWN_CROP.exec(named) ?? [];
    const isNamed = file === `${named}.${style.format}` && canResize(mediaTypeOf(key), style.format);
    if (isNamed && source === 'content') {
      const encoded = key.split('/').map(encodeURIComponent).join('/');
      const { services, access } = request;
      const found = await findContentFile(services, access, encoded, (each) =>
        mayUseUnusedFile(request, each),
      );
      const shown =
        own === undefined
          ? (await readCrop(services.fileSources.content, found.key))?.crop
          : (await ownCrops(services, access, found.key)).get(own);
      if (own !== undefined && shown === undefined) throw missing(file, name);
      return { style, location: { source, key: found.key }, file: found.file, ...(shown && { shown }) };
    }
    const opened =
      isNamed && source === 'public' && own === undefined
        ? await openPublic(request.services, site, key)
        : undefined;
    if (opened === undefined) throw missing(file, name);
    return { style, location: { source: 'public', key }, file: opened };
  }

  return {
    problems: () => cropProblems(services().fileSources.content),
    handlers: {
      ...CROP_HANDLERS,
      [IMAGE_STYLE]: {
        async answer(request) {
          const { style, location, file, shown } = await find(request);
          const original = { ...originalOf(location, file), ...(shown && { shown }) };
          const bytes = await (await resizer()).resize(original, style);
          const key = `${location.key}.${style.format}`;
          return contentFileBody({ key, file: { bytes } }, request.work);
        },
        async options(request) {
          await find(request);
          return undefined;
        },
      },
    },
  };
}

/** The address of an image with the crop that an object of the content has for it. */
const OWN_CROP = /^([^@]+\.(?:avif|jpe?g|png|webp))@((?:crop|focus|rotation)=[\d.,;=a-z]+)$/i;

function missing(file: string, style: string): NotFoundError {
  return new NotFoundError(`There is no image '${file}' in the style '${style}'.`);
}

/** Resizes the images of a site. Results are in the cache of the services. */
export function createSiteResizer(
  site: Pick<Site, 'settings' | 'imageService' | 'sharp'>,
  { cache, settings: { limits } }: Pick<Services, 'cache' | 'settings'>,
): Resizer {
  return createResizer({ ...resizerDeps(site, limits), cache: cache.cache() });
}

function resizerDeps(
  { settings, imageService, sharp }: Pick<Site, 'settings' | 'imageService' | 'sharp'>,
  { imagePixels }: Pick<Services['settings']['limits'], 'imagePixels'>,
) {
  return {
    loadService: async () => imageService?.(),
    loadSharp: sharp,
    setting: settings.imageService ?? { entrypoint: DEFAULT_SERVICE, config: {} },
    maxPixels: imagePixels,
  };
}

/** The image service of Astro that uses sharp. */
export const DEFAULT_SERVICE = 'astro/assets/services/sharp';

/** A file for a resizer. Its address and the digest of its bytes identify it. */
export function originalOf(location: FileLocation, file: OpenFile): Original {
  const name = urlOf(location, '');
  if ('bytes' in file) {
    return {
      name,
      tag: `${name} ${digestBytes(file.bytes)}`,
      size: file.bytes.length,
      read: async () => file.bytes,
    };
  }
  return {
    name,
    tag: `${name} ${file.tag}`,
    size: file.size,
    async read() {
      const bytes = new Uint8Array(file.size);
      let offset = 0;
      for await (const part of file.parts()) {
        bytes.set(part, offset);
        offset += part.length;
      }
      return bytes;
    },
  };
}

/** A file in `public/`. A built server has its own copy of the images of its build. */
async function openPublic(
  { fileSources }: Services,
  { publicImages }: Site,
  key: string,
): Promise<OpenFile | undefined> {
  const carried = await publicImages?.();
  if (carried === undefined) {
    const isThere = (await fileSources.public.stat(key)) !== undefined;
    return isThere ? fileSources.public.open(key) : undefined;
  }
  const load = Object.hasOwn(carried, key) ? carried[key] : undefined;
  return load && { bytes: fromBase64((await load()).default) };
}

interface StyledFile {
  readonly style: ImageStyle;
  readonly location: FileLocation;
  readonly file: OpenFile;
  readonly shown?: ImageCrop;
}
