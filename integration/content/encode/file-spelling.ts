import { type Raw, isRawMap, scalarText } from '../../source/edit/raw.ts';
import { UnwritableChangeError } from '../../source/edit/unwritable.ts';
import { type JsonValue, isRecord } from '../../util/json.ts';
import { fileAt, placesOf, uriOf, writtenAs } from '../file-place.ts';

/** Which file a value names. */
export interface NamedFile {
  /** `content://…`, `public://…`, or the URL of a file elsewhere. */
  readonly uri: string;
  readonly alt: string | null;
}

/** The file of an image or file value: only its URI and its alternative text are written. */
export function namedFile(value: JsonValue): NamedFile | undefined {
  if (!isRecord(value) || !isRecord(value.uri) || typeof value.uri.value !== 'string') return undefined;
  return { uri: value.uri.value, alt: typeof value.alt === 'string' ? value.alt : null };
}

/** The file that something written in the file `from` names first, whether there is one or not. */
export function writtenFile(raw: Raw, from: string): JsonValue {
  const src = scalarText(isRawMap(raw) ? raw.src : raw) ?? '';
  const [place] = placesOf(from, src);
  const uri = URL_SCHEME.test(src) || place === undefined ? src : uriOf(place);
  return { uri: { value: uri }, alt: (isRawMap(raw) ? scalarText(raw.alt) : undefined) ?? null };
}

/**
 * A file as it is named in the file `from`: by its path there, with a leading slash below `public/`. What is a path
 * already stays so.
 */
export function spellFile(value: JsonValue, before: Raw | undefined, from: string, field: string): Raw {
  const file = namedFile(value);
  const place = file && fileAt(file.uri);
  if (file === undefined || (place === undefined && SCHEME.test(file.uri) && !URL_SCHEME.test(file.uri))) {
    throw new UnwritableChangeError([field], `\`${field}\` names no file by its \`uri.value\`.`);
  }
  const path = place === undefined ? file.uri : writtenAs(place, from);
  const former = scalarText(isRawMap(before) ? before.src : before);
  const bare = former !== undefined && !/^(?:\.|\/|https?:)/i.test(former) && path.startsWith('./');
  const src = bare ? path.slice('./'.length) : path;
  return file.alt === null && !isRawMap(before)
    ? src
    : { src, ...(file.alt === null ? {} : { alt: file.alt }) };
}

const URL_SCHEME = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
