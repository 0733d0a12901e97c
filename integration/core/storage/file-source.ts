import { imageSize } from 'image-size';
import { lookup } from 'mrmime';
import { fromBase64 } from '../util/base64.ts';
import type { JsonObject } from '../util/json.ts';
import { createDigest } from '../util/revision.ts';
import type { ByteRange, FileParts, StorageDriver, StoredFile } from './driver.ts';
import { normalizeKey } from './key.ts';

/** Facts about a file that a field refers to. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Pixels after EXIF rotation; null if the file is not an image, or cannot be measured. */
  readonly width: number | null;
  readonly height: number | null;
  /** How an image is shown, for its value in fields. */
  readonly shown?: JsonObject;
}

/** Files that fields can refer to, beside the content or in `public/`. Keys are those of `storage/driver.ts`. */
export interface FileSource {
  /** Undefined if there is no such file. */
  facts(key: string): Promise<FileFacts | undefined>;
  /** Undefined if there is no such file, or if the host serves it. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** The file for a response; undefined as in `read`. */
  open(key: string): Promise<OpenFile | undefined>;
  /** All files. The time of a file in a build is 0. */
  list(): Promise<readonly StoredFile[]>;
  /** One of them; undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
}

/** The bytes of a small file, or a large file that is read lazily in parts. */
export type OpenFile = { readonly bytes: Uint8Array } | LargeFile;

export interface LargeFile {
  readonly size: number;
  /** `digestBytes` of the whole file. */
  readonly tag: string;
  /** All bytes, or those of a range. Throws a 503 if the file changes. */
  parts(range?: ByteRange): FileParts;
}

/** Larger files are read in parts. */
export const WHOLE_FILE_BYTES = 256 * 1024;
/** A multiple of four for digests, and of three for base64. */
const PART_BYTES = 64 * 1024 - 4;
/** Parts that are digested before the event loop continues. */
const PARTS_AT_ONCE = 8;

/** Bytes that contain the dimensions of nearly every image; other images are read as a whole. */
const START_BYTES = 64 * 1024;
/** Such images are not measured if they are larger. */
export const MAX_MEASURED_BYTES = 64 * 1024 * 1024;

/** sharp, which Astro uses for images, rejects larger ones. Source: its `limitInputPixels`. */
export const MAX_IMAGE_PIXELS = 268_402_689;

/** The files of a driver. A file is measured on demand, and again only if its size or time has changed. */
export function createFileSource(driver: StorageDriver): FileSource {
  const facts = createFileMemo<FileFacts>();
  const open = createOpener();
  const stat = (key: string) => driver.stat(key).catch(() => undefined);

  async function measureFile({ key, size }: StoredFile): Promise<FileFacts> {
    if (!isImage(key)) return { size, ...NO_SIZE };
    if (driver.readStart !== undefined && size > START_BYTES) {
      const dimensions = measureImage(await driver.readStart(key, START_BYTES).catch(() => undefined));
      if (dimensions.width !== null) return { size, ...dimensions };
    }
    const bytes = size > MAX_MEASURED_BYTES ? undefined : await driver.read(key).catch(() => undefined);
    return { size, ...measureImage(bytes) };
  }

  return {
    async facts(key) {
      const stored = await stat(key);
      return stored && facts(stored, () => measureFile(stored));
    },
    read: (key) => driver.read(key),
    async open(key) {
      const stored = await driver.stat(key);
      if (stored === undefined) return undefined;
      const { readParts } = driver;
      if (stored.size > WHOLE_FILE_BYTES && readParts !== undefined) {
        return open(stored, (range) => readParts(stored, PART_BYTES, range));
      }
      const bytes = await driver.read(key);
      if (bytes === undefined || bytes.length <= WHOLE_FILE_BYTES) return bytes && { bytes };
      return open({ ...stored, size: bytes.length }, (range) => slices(bytes, range));
    },
    list: async () => (await driver.list()).files,
    stat,
  };
}

/** Files that a build has listed, with their bytes if the build includes them. */
export function createCarriedFileSource({ facts, bytes = {} }: CarriedFolder): FileSource {
  const factsByKey = new Map(Object.entries(facts));
  const loaders = new Map(Object.entries(bytes));
  const open = createOpener();
  const stat = async (key: string): Promise<StoredFile | undefined> => {
    const size = factsByKey.get(key)?.size;
    return size === undefined ? undefined : { key, size, mtimeMs: 0 };
  };
  const load = async (key: string) => (await loaders.get(normalizeKey(key) ?? '')?.())?.default;
  return {
    facts: async (key) => factsByKey.get(normalizeKey(key) ?? ''),
    async read(key) {
      const base64 = await load(key);
      return base64 === undefined ? undefined : fromBase64(base64);
    },
    async open(key) {
      const size = factsByKey.get(normalizeKey(key) ?? '')?.size ?? 0;
      const base64 = await load(key);
      if (base64 === undefined) return undefined;
      if (size <= WHOLE_FILE_BYTES) return { bytes: fromBase64(base64) };
      return open({ key, size, mtimeMs: 0 }, (range) => decodedParts(base64, range));
    },
    list: async () => [...factsByKey].map(([key, { size }]) => ({ key, size, mtimeMs: 0 })),
    stat,
  };
}

/** Opens large files. */
function createOpener(): (file: StoredFile, parts: (range: ByteRange) => FileParts) => Promise<LargeFile> {
  const tags = createFileMemo<string>();
  return async (file, parts) => {
    const { size } = file;
    const whole = { start: 0, end: size };
    const tag = await tags(file, () => digestParts(size, parts(whole)));
    return { size, tag, parts: (range = whole) => parts(range) };
  };
}

/** Computes a value for each file, and again only if its size or time has changed. */
function createFileMemo<T>(): (file: StoredFile, compute: () => Promise<T>) => Promise<T> {
  const values = new Map<string, Pick<StoredFile, 'size' | 'mtimeMs'> & { readonly value: Promise<T> }>();
  return ({ key, size, mtimeMs }, compute) => {
    const cached = values.get(key);
    if (cached?.size === size && cached.mtimeMs === mtimeMs) return cached.value;
    const value = compute();
    values.set(key, { size, mtimeMs, value });
    value.catch(() => values.delete(key));
    return value;
  };
}

async function digestParts(size: number, parts: FileParts): Promise<string> {
  const digest = createDigest(size);
  let count = 0;
  for await (const part of parts) {
    digest.add(part);
    count += 1;
    // Parts of a file in memory arrive without a pause.
    if (count % PARTS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  return digest.end();
}

async function* slices(bytes: Uint8Array, { start, end }: ByteRange): FileParts {
  for (let at = start; at < end; at += PART_BYTES) yield bytes.slice(at, Math.min(at + PART_BYTES, end));
}

async function* decodedParts(base64: string, { start, end }: ByteRange): FileParts {
  for (let at = start - (start % PART_BYTES); at < end; at += PART_BYTES) {
    const part = fromBase64(base64.slice((at / 3) * 4, ((at + PART_BYTES) / 3) * 4));
    yield part.subarray(Math.max(0, start - at), end - at);
  }
}

/** The media type for a file name. */
export function mediaTypeOf(name: string): string {
  return lookup(name) ?? 'application/octet-stream';
}

export function isImage(name: string): boolean {
  return mediaTypeOf(name).startsWith('image/');
}

type Dimensions = Pick<FileFacts, 'width' | 'height'>;

const NO_SIZE: Dimensions = { width: null, height: null };
/** From this EXIF orientation on, images are rotated by 90 degrees. */
const FIRST_TURNED = 5;

/** The dimensions of an image. */
export function measureImage(bytes: Uint8Array | undefined): Dimensions {
  if (bytes === undefined) return NO_SIZE;
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    const [across, down] = orientation < FIRST_TURNED ? [width, height] : [height, width];
    // Random bytes can look like 0 × 0, and an SVG can contain any number.
    const sized = across >= 1 && down >= 1 && Number.isFinite(across * down);
    return sized ? { width: Math.round(across), height: Math.round(down) } : NO_SIZE;
  } catch {
    // Broken, or an unknown format: the content diagnostics report it.
    return NO_SIZE;
  }
}

export interface CarriedFacts extends FileFacts {
  /** The hash that git gives the bytes, if the site reads its content from a git host. */
  readonly blob?: string;
}

/** The files of one folder in a build, by key. */
export interface CarriedFolder {
  readonly facts: Readonly<Record<string, CarriedFacts>>;
  /** Modules that hold the bytes as base64. */
  readonly bytes?: Readonly<Record<string, () => Promise<{ readonly default: string }>>>;
}
