import { isImage } from '../storage/file-source.ts';
import { normalizeKey, resolveKey } from '../storage/key.ts';
import type { Layout } from './layout.ts';
import { CONTENT_FILES_PREFIX } from './model.ts';

/** A file that a field may name. */
export interface FileLocation {
  readonly source: 'content' | 'public';
  /** The path in that folder, as in `storage/driver.ts`. */
  readonly key: string;
}

/** Follows the name of an image in the name of the file that says how it is shown. */
export const CROP_SUFFIX = '.crop.json';

/** `public://images/x.jpg`, `content://article/a/cover.jpg`. */
export function uriOf({ source, key }: FileLocation): string {
  return `${source}://${key}`;
}

/** Parses what `uriOf` returns. */
export function fileAt(uri: string): FileLocation | undefined {
  const [, source, key] = URI.exec(uri) ?? [];
  return key !== undefined && (source === 'content' || source === 'public') ? { source, key } : undefined;
}

const URI = /^(content|public):\/\/(.+)$/s;

/** The URL path of a file. `base` starts with a slash and ends without one. */
export function urlOf({ source, key }: FileLocation, base: string): string {
  const prefix = source === 'content' ? base + CONTENT_FILES_PREFIX : base;
  return `${prefix}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The files that `src`, written in the entity's file `from`, may name; the first that exists counts. A path with a leading
 * slash is in `public/`; any other is relative to the file, else in `public/`.
 */
export function locationsOf(from: string, src: string): readonly FileLocation[] {
  // A lone surrogate cannot be part of a URL.
  if (!src.isWellFormed()) return [];
  const beside = resolveKey(from, src) ?? outsideKey(from, src);
  const inPublic = normalizeKey(src.replace(/^\/+/, ''));
  return [
    ...(beside === undefined ? [] : [{ source: 'content', key: beside } as const]),
    ...(inPublic === undefined ? [] : [{ source: 'public', key: inPublic } as const]),
  ];
}

/** The path of a file as an author writes it in the file `from`. */
export function writtenAs({ source, key }: FileLocation, from: string): string {
  if (source === 'public') return `/${key}`;
  const folders = from.split('/').slice(0, -1);
  if (isOutside(key)) return '../'.repeat(folders.length) + pathOfKey(key);
  const segments = key.split('/');
  let shared = 0;
  while (shared < folders.length && folders[shared] === segments[shared]) shared += 1;
  const up = '../'.repeat(folders.length - shared);
  return `${up === '' ? './' : up}${segments.slice(shared).join('/')}`;
}

/**
 * True if a file may be named, and so served: anything in `public/`, images and documents beside the entities, and images of
 * the project. Entity files contain fields that the API hides, and paths with a leading `_` or `.` are private.
 */
export function isServable({ source, key }: FileLocation, layout: Layout): boolean {
  if (source === 'public') return true;
  if (isOutside(key)) return isImage(key) && !NOT_OF_PROJECT.test(key);
  return layout(key).role === 'asset' && (key.includes('/') || isImage(key));
}

/**
 * True for the key of an image outside of the content folder, such as `_up/assets/x.png` for `../assets/x.png`. Files in the
 * content folder never have such a key, because names with a leading underscore are private.
 */
export function isOutside(key: string): boolean {
  return key.startsWith(UP);
}

/** The path of a file relative to the content folder. */
export function pathOfKey(key: string): string {
  return key.replace(LEADING_UPS, (ups) => '../'.repeat(ups.length / UP.length));
}

/** The key of a path that leads out of the content folder. */
function outsideKey(from: string, path: string): string | undefined {
  const segments = from.split('/').slice(0, -1);
  let ups = 0;
  for (const segment of path.split('/')) {
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) ups += 1;
  }
  const key = normalizeKey(segments.join('/'));
  return ups === 0 || path.startsWith('/') || key === undefined ? undefined : UP.repeat(ups) + key;
}

const UP = '_up/';
const LEADING_UPS = /^(?:_up\/)+/;
/** Hidden files, and those of packages. */
const NOT_OF_PROJECT = /(?:^|\/)(?:\.|node_modules\/)/;
