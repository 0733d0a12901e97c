import { normalizeKey, resolveKey } from '../storage/key.ts';
import { roleOf } from './resource-type.ts';

/** Files of the content folder are served below this path, after the site's base. */
export const CONTENT_FILES_PREFIX = '/content-files';

/** A file that a field may name. */
export interface FilePlace {
  readonly source: 'content' | 'public';
  /** Below that folder, as in `storage/driver.ts`. */
  readonly key: string;
}

/** `public://images/x.jpg`, `content://article/a/cover.jpg`. */
export function uriOf({ source, key }: FilePlace): string {
  return `${source}://${key}`;
}

/** The place that a URI names. */
export function fileAt(uri: string): FilePlace | undefined {
  const [, source, key] = URI.exec(uri) ?? [];
  return key !== undefined && (source === 'content' || source === 'public') ? { source, key } : undefined;
}

/** Where a file is served, relative to the site. `base` starts with a slash and ends without one. */
export function urlOf({ source, key }: FilePlace, base: string): string {
  return `${base}${source === 'content' ? CONTENT_FILES_PREFIX : ''}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * Places that `src`, written in the entity's file `from`, may mean, the first that exists counting. A leading slash is
 * `public/`; else it is beside the file, then `public/`. None where it leads out of both.
 */
export function placesOf(from: string, src: string): readonly FilePlace[] {
  // What is no text in UTF-8 could not be part of a URL.
  if (!src.isWellFormed()) return [];
  const beside = resolveKey(from, src);
  const below = normalizeKey(src.replace(/^\/+/, ''));
  return [
    ...(beside === undefined ? [] : [{ source: 'content', key: beside } as const]),
    ...(below === undefined ? [] : [{ source: 'public', key: below } as const]),
  ];
}

/** How an author writes the place in the file `from`. */
export function writtenAs({ source, key }: FilePlace, from: string): string {
  if (source === 'public') return `/${key}`;
  const folders = from.split('/').slice(0, -1);
  const segments = key.split('/');
  let shared = 0;
  while (shared < folders.length && folders[shared] === segments[shared]) shared += 1;
  const up = '../'.repeat(folders.length - shared);
  return `${up === '' ? './' : up}${segments.slice(shared).join('/')}`;
}

/**
 * Whether a file of the content folder may be named, and so served: an image or a document beside the entities.
 * Entities' own files would tell what their documents keep back; and `_` and `.` mark what is not for the site.
 */
export function isServable({ source, key }: FilePlace): boolean {
  return source === 'public' || (roleOf(key).role === 'asset' && key.includes('/'));
}

const URI = /^(content|public):\/\/(.+)$/s;
