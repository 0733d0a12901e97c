import { CROP_SUFFIX } from '../../core/content/file-location.ts';
import type { Diagnostic } from '../../core/source/diagnostic.ts';
import type { FileSource } from '../../core/storage/file-source.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { type ImageCrop, MAX_CROP_BYTES, positionOf } from './crop.ts';
import type { CropFile } from './crop-file.ts';

/** Images that can be cropped. An SVG has no pixels, and a GIF is often animated. */
export function canCrop(key: string): boolean {
  return CROPPABLE.test(key);
}

const CROPPABLE = /\.(?:avif|jpe?g|png|webp)$/i;

/** The key of the file with the crop of an image. */
export function cropKey(image: string): string {
  return image + CROP_SUFFIX;
}

const found = new WeakMap<FileSource, Map<string, readonly Diagnostic[]>>();

/** The files of a site, with the crops of its images in their facts. */
export function withCrops(files: FileSource): FileSource {
  const problems = new Map<string, readonly Diagnostic[]>();
  const source: FileSource = {
    ...files,
    async facts(key) {
      const facts = await files.facts(key);
      if (facts === undefined || facts.width === null) return facts;
      const file = await readCrop(files, key);
      if (file === undefined || file.problems.length === 0) problems.delete(key);
      else problems.set(key, file.problems);
      return file === undefined ? facts : { ...facts, shown: shownAs(file.crop) };
    },
  };
  found.set(source, problems);
  return source;
}

function shownAs(crop: ImageCrop): JsonObject {
  const position = positionOf(crop);
  return { ...crop, ...(position !== undefined && { position }) } as JsonObject;
}

/** Undefined without a file, and for files that cannot be cropped. */
export async function readCrop(
  files: Pick<FileSource, 'stat' | 'read'>,
  image: string,
): Promise<CropFile | undefined> {
  if (!canCrop(image)) return undefined;
  const key = cropKey(image);
  const stored = await files.stat(key);
  if (stored === undefined) return undefined;
  const bytes = stored.size > MAX_CROP_BYTES ? new Uint8Array(MAX_CROP_BYTES + 1) : await files.read(key);
  // Few sites have one.
  const { parseCrop } = await import('./crop-file.ts');
  return bytes && parseCrop(bytes, key);
}

/** The problems of the crops that were read. */
export function cropProblems(files: FileSource): readonly Diagnostic[] {
  return [...(found.get(files)?.values() ?? [])].flat();
}
