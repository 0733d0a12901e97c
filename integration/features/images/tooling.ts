import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANONYMOUS } from '../../core/access/actor.ts';
import { publishedServices } from '../../core/api/published.ts';
import type { Services, StaticDocument } from '../../core/api/request.ts';
import { fileAt, pathOfKey, uriOf } from '../../core/content/file-location.ts';
import { hasFiles, visibleContentFileKeys } from '../../core/read/content-files.ts';
import { visibleFiles } from '../../core/read/visible-files.ts';
import type {
  AstroProject,
  FeatureTooling,
  ImportModule,
  RuntimeLog,
  SiteParts,
  SiteSettings,
} from '../../core/runtime/site.ts';
import { formatBytes, formatTime, writeDocuments } from '../../core/runtime/write-documents.ts';
import { mediaTypeOf } from '../../core/storage/file-source.ts';
import { DomainError } from '../../core/util/errors.ts';
import { counted, errorMessage } from '../../core/util/text.ts';
import { canCrop, readCrop } from './crop-facts.ts';
import { canResize, imageLinks } from './image-links.ts';
import { createSiteResizer, DEFAULT_SERVICE, originalOf } from './open-images.ts';
import { CROP_PARAMETER, croppedImages } from './output/cropped-images.ts';
import { servedMdx, servingProcessor } from './output/served-media.ts';
import { ownCrops } from './own-crops.ts';
import { importKey } from './picture-of.ts';
import type { Resizer } from './resize.ts';

const SERVICE_MODULE = 'astro-jsonapi:image-service';
/** Properties of Astro's `<Image>` for objects with an image and its crop. */
const PICTURES_MODULE = 'astro-jsonapi:pictures';
const SHARP_MODULE = 'astro-jsonapi:sharp';
const PUBLIC_MODULE = 'astro-jsonapi:public-images';
/** Followed by a number. */
const PUBLIC_FILE_MODULE = 'astro-jsonapi:public-image/';

export const tooling: FeatureTooling = {
  parts: partsOf,
  modules: (project) => ({
    [SERVICE_MODULE]: () =>
      "import { getConfiguredImageService } from 'astro:assets';\nexport default await getConfiguredImageService();",
    [PICTURES_MODULE]: () => picturesSource(project),
    [SHARP_MODULE]: () =>
      project.canImport('sharp') ? "export { default } from 'sharp';" : 'export default undefined;',
    [PUBLIC_MODULE]: async () => {
      const loaders = (await publicImages(project)).map(
        (key, index) => `[${JSON.stringify(key)}, () => import('${PUBLIC_FILE_MODULE}${index}')]`,
      );
      return `export default Object.fromEntries([${loaders.join(', ')}]);`;
    },
    [PUBLIC_FILE_MODULE]: async ({ below }) => {
      const { files } = await project.runtime();
      const key = (await publicImages(project))[Number(below)];
      const bytes = key === undefined ? undefined : await files.public.read(key);
      return `export default ${JSON.stringify(Buffer.from(bytes ?? []).toString('base64'))};`;
    },
  }),
  serverParts: ({ options: { imageStyles } }) =>
    imageStyles === undefined
      ? {}
      : { imageService: SERVICE_MODULE, sharp: SHARP_MODULE, publicImages: PUBLIC_MODULE },
  plugins: (project) => [croppedImages(project), servedMdx(project)],
  processor: servingProcessor,
  write: writeStyles,
};

// A page imports only the images that it uses.
async function picturesSource(project: AstroProject): Promise<string> {
  const { services } = await project.runtime();
  const { contentDir } = project.settings();
  const access = services.access(ANONYMOUS);
  const loaders: string[] = [];
  for (const key of await visibleContentFileKeys(services, access)) {
    if (!canCrop(key)) continue;
    for (const [text, crop] of await ownCrops(services, access, key)) {
      const query = new URLSearchParams({ [CROP_PARAMETER]: JSON.stringify(crop) });
      const file = JSON.stringify(`${path.join(contentDir, pathOfKey(key)).replaceAll('\\', '/')}?${query}`);
      const name = JSON.stringify(importKey(uriOf({ source: 'content', key }), text));
      loaders.push(`[${name}, () => import(${file})]`);
    }
  }
  const own = JSON.stringify(
    fileURLToPath(new URL('./picture-of.js', import.meta.url)).replaceAll('\\', '/'),
  );
  return [
    "import { imageOf } from 'astro-jsonapi:images';",
    `import { createPictureOf } from ${own};`,
    `export const pictureOf = createPictureOf(imageOf, new Map([${loaders.join(', ')}]));`,
  ].join('\n');
}

function partsOf(
  { imageService }: Pick<SiteSettings, 'imageService'>,
  importModule: ImportModule,
): SiteParts {
  const { entrypoint = DEFAULT_SERVICE } = imageService ?? {};
  return {
    imageService: async () => (await importModule(entrypoint)).default,
    // Sites without it have no images that it could crop.
    sharp: async () => (await importModule('sharp').catch(() => undefined))?.default,
  };
}

/** The keys of the images in `public/` that can be resized, in code-unit order. */
async function publicImages(project: AstroProject): Promise<readonly string[]> {
  const { files, services } = await project.runtime();
  if (!hasFiles(services.store)) return [];
  const keys = (await files.public.list()).map(({ key }) => key);
  return keys.filter((key) => canResize(mediaTypeOf(key))).sort();
}

/** Writes the images to which the documents of a site have links. */
async function writeStyles(project: AstroProject, dir: string, log: RuntimeLog): Promise<void> {
  const { services } = await project.runtime();
  const { api, static: files, imageStyles } = services.settings;
  if (imageStyles === undefined || api === false || files === false) return;
  const settings = project.settings();
  const resizer = createSiteResizer({ settings, ...partsOf(settings, project.importModule) }, services);
  const written = await writeDocuments(styledImages(publishedServices(services), resizer, log), dir);
  if (written.files === 0) return;
  const count = counted(written.files, 'resized image');
  log.info(`Published ${count}: ${formatBytes(written.bytes)}, in ${formatTime(written.ms)}`);
}

/** The files behind the links of all images that anonymous visitors see. */
async function* styledImages(
  services: Services,
  resizer: Resizer,
  log: RuntimeLog,
): AsyncGenerator<StaticDocument, void, undefined> {
  const { settings, fileSources } = services;
  const { imageStyles = {} } = settings;
  const site = (path: string) => path;
  const access = services.access(ANONYMOUS);
  for (const entity of await visibleFiles(services, access)) {
    const links = imageLinks(settings, { site }, entity);
    const location = fileAt((entity.values.uri as { readonly value: string }).value);
    if (location === undefined) continue;
    const file = await fileSources[location.source].open(location.key);
    if (file === undefined) continue;
    const crop = location.source === 'content' && (await readCrop(fileSources.content, location.key));
    const original = { ...originalOf(location, file), ...(crop && { shown: crop.crop }) };
    const own = location.source === 'content' ? await ownCrops(services, access, location.key) : [];
    const images = [
      { image: original, suffix: '' },
      ...[...own].map(([text, shown]) => ({ image: { ...original, shown }, suffix: `@${text}` })),
    ];
    const styles = Object.entries(imageStyles).flatMap(([name, style]) =>
      images.map((each) => ({ name, style, ...each })),
    );
    for (const { name, style, image, suffix } of styles) {
      const href = links[name]?.href;
      if (href === undefined) continue;
      const ending = `.${style.format}`;
      const path = `${decodeURIComponent(href.slice(1, -ending.length))}${suffix}${ending}`;
      try {
        const bytes = await resizer.resize(image, style);
        yield { path, write: async () => bytes };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        log.warn(error.cause === undefined ? error.detail : `${error.detail} ${errorMessage(error.cause)}`);
      }
    }
  }
}
