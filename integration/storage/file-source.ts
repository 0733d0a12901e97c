import { imageSize } from 'image-size';
import { lookup } from 'mrmime';
import type { StorageDriver } from './driver.ts';
import { normalizeKey } from './key.ts';

/** What is told of a file that a field names. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Pixels as shown, that is with the turn a camera noted; null for what is no image, or none that can be measured. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Files that fields may name: those beside the content, and those of `public/`. Keys are as in `storage/driver.ts`. */
export interface FileSource {
  /** Undefined where there is no such file. */
  facts(key: string): Promise<FileFacts | undefined>;
  /** Undefined where there is no such file, or where its bytes are served by somebody else. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Keys of all files. */
  keys(): Promise<readonly string[]>;
}

/** Nearly every image says its size in so many bytes at its start; others are read whole. */
const START_BYTES = 64 * 1024;
/** Larger images are then not measured. */
export const MAX_MEASURED_BYTES = 64 * 1024 * 1024;

/** Larger images are refused by sharp, with which Astro makes the images of pages. Source: its `limitInputPixels`. */
export const MAX_IMAGE_PIXELS = 268_402_689;

/** The files of a driver. A file is measured when first asked for, and again only where its size or time has changed. */
export function createFileSource(driver: StorageDriver): FileSource {
  const measured = new Map<string, FileFacts & { readonly mtimeMs: number }>();

  async function measureFile(key: string, size: number): Promise<Dimensions> {
    if (driver.readStart !== undefined && size > START_BYTES) {
      const dimensions = measureImage(await orNothing(driver.readStart(key, START_BYTES)));
      if (dimensions.width !== null) return dimensions;
    }
    return size > MAX_MEASURED_BYTES ? NO_SIZE : measureImage(await orNothing(driver.read(key)));
  }

  return {
    async facts(key) {
      const stored = await orNothing(driver.stat(key));
      if (stored === undefined) {
        measured.delete(key);
        return undefined;
      }
      const { size, mtimeMs } = stored;
      const known = measured.get(key);
      if (known?.size === size && known.mtimeMs === mtimeMs) return known;
      const facts = { size, mtimeMs, ...(isImage(key) ? await measureFile(key, size) : NO_SIZE) };
      measured.set(key, facts);
      return facts;
    },
    read: (key) => driver.read(key),
    keys: async () => (await driver.list()).files.map((file) => file.key),
  };
}

/** Files that a build has listed, with their bytes where it carries them. */
export function createCarriedFileSource({ facts, bytes = {} }: CarriedFolder): FileSource {
  const known = new Map(Object.entries(facts));
  const loaders = new Map(Object.entries(bytes));
  return {
    facts: async (key) => known.get(normalizeKey(key) ?? ''),
    async read(key) {
      const base64 = await loaders.get(normalizeKey(key) ?? '')?.();
      return base64 && Uint8Array.from(atob(base64.default), (character) => character.charCodeAt(0));
    },
    keys: async () => [...known.keys()],
  };
}

/** No file at all. */
export const NO_FILES: FileSource = createCarriedFileSource({ facts: {} });

/** Media type by the name's extension. */
export function mediaTypeOf(name: string): string {
  return lookup(name) ?? 'application/octet-stream';
}

export function isImage(name: string): boolean {
  return mediaTypeOf(name).startsWith('image/');
}

type Dimensions = Pick<FileFacts, 'width' | 'height'>;

const NO_SIZE: Dimensions = { width: null, height: null };
/** From here on, orientations of EXIF are turned by a quarter. */
const FIRST_TURNED = 5;

/** Of the bytes of an image. */
export function measureImage(bytes: Uint8Array | undefined): Dimensions {
  if (bytes === undefined) return NO_SIZE;
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    const [across, down] = orientation < FIRST_TURNED ? [width, height] : [height, width];
    // Zero by zero is what noise looks like; and an SVG may have any number.
    const sized = across >= 1 && down >= 1 && Number.isFinite(across * down);
    return sized ? { width: Math.round(across), height: Math.round(down) } : NO_SIZE;
  } catch {
    // Broken, or of a format that nobody here knows: the content's diagnostics say so.
    return NO_SIZE;
  }
}

/** What cannot be looked at is as good as not there. */
async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch {
    return undefined;
  }
}

/** The files of one folder as a build carries them, by key. */
export interface CarriedFolder {
  readonly facts: Readonly<Record<string, FileFacts>>;
  /** Modules that hold the bytes as base64. */
  readonly bytes?: Readonly<Record<string, () => Promise<{ readonly default: string }>>>;
}
