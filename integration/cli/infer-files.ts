import { type FilePlace, isServable, placesOf } from '../content/file-place.ts';
import { writtenFileSchema } from '../content/schema/schema.ts';
import { isImage, mediaTypeOf } from '../storage/file-source.ts';
import type { JsonValue } from '../util/json.ts';

/** One file's value of a field, and the key of that file. */
export interface WrittenValue {
  readonly key: string;
  readonly value: JsonValue;
}

/**
 * Whether a field names images, or files of any kind: each of its values is the path of a file that is there, or
 * `{ src, alt }` with one, or an address elsewhere beside such. Undefined where it is no such field.
 */
export function inferFiles(
  values: readonly WrittenValue[],
  isThere: (place: FilePlace) => boolean,
): 'image' | 'file' | undefined {
  const sources: { readonly key: string; readonly src: string }[] = [];
  for (const { key, value } of values) {
    for (const item of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
      if (item === null) continue;
      const src = typeof item === 'string' ? item : writtenFileSchema.safeParse(item).data?.src;
      if (src === undefined || !isKnownType(src)) return undefined;
      sources.push({ key, src });
    }
  }
  const own = sources.filter(({ src }) => !ELSEWHERE.test(src));
  const found = own.every(({ key, src }) =>
    placesOf(key, src).some((place) => isServable(place) && isThere(place)),
  );
  if (own.length === 0 || !found) return undefined;
  return sources.every(({ src }) => isImage(withoutQuery(src))) ? 'image' : 'file';
}

const ELSEWHERE = /^https?:\/\//i;

/** A text without a known extension names a file by chance. */
function isKnownType(src: string): boolean {
  const path = withoutQuery(src);
  return /\.\w+$/.test(path) && mediaTypeOf(path) !== 'application/octet-stream';
}

function withoutQuery(src: string): string {
  return ELSEWHERE.test(src) ? (src.split(/[?#]/, 1)[0] ?? '') : src;
}
