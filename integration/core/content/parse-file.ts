import { countWikiLinks, mayHoldImages, possibleLinks } from '../source/body-images.ts';
import { type ParsedData, unreadableData, withoutPrototypes } from '../source/data.ts';
import {
  type DataPath,
  FILE_START,
  isError,
  type Locator,
  type Position,
  type Problem,
  positionIn,
  problem,
} from '../source/diagnostic.ts';
import type { FileFormat } from '../source/formats.ts';
import { createLocator, readData } from '../source/read-data.ts';
import { readBytes, type StoredBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';
import { decodeUtf8 } from '../util/text.ts';
import { type FileParts, splitFile } from './file-parts.ts';

/** The content of a file before any schema and without its key. JSON, so that it can be cached. */
export interface ParsedFile {
  /** Byte offset of the body; null for formats without a body. */
  readonly bodyStart: number | null;
  /** Byte offset of the end of the body. */
  readonly bodyEnd: number;
  readonly data: Readonly<Record<string, JsonValue>>;
  /** `ParsedData.numerals`, if there are any. */
  readonly numerals?: readonly (readonly [string, string])[];
  /** Set if the body may hold images; only such bodies are searched for them. */
  readonly images?: true;
  /** `possibleLinks` of the body, if there are any. */
  readonly links?: readonly string[];
  /** The number of wiki links in the body, if there are any. */
  readonly wikiLinks?: number;
}

export interface ParseResult {
  /** Digest of the bytes. */
  readonly digest: string;
  /** Undefined if a problem is an error. */
  readonly parsed: ParsedFile | undefined;
  readonly problems: readonly Problem[];
}

/** Splits a file's bytes into data and body, and parses the data. */
export function parseFile(bytes: Uint8Array, format: FileFormat, digest: string): ParseResult {
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    const message = 'The file is not UTF-8 text.';
    const problems = [problem('error', 'file/encoding', message, 'Save it as UTF-8.', invalidUtf8In(bytes))];
    return { digest, parsed: undefined, problems };
  }
  const parts = splitFile(text, format);
  return parseParts({ bytes, text, parts, data: readParts(parts) }, digest);
}

/** A file that is split and read already. */
export interface ReadText {
  readonly bytes: Uint8Array;
  /** The text of the bytes. */
  readonly text: string;
  readonly parts: FileParts;
  /** `readParts` of the parts. */
  readonly data: ParsedData;
}

/** Parses the data, with positions in the whole file. */
export function readParts(parts: FileParts): ParsedData {
  if (parts.body === null && parts.language === 'json' && /^---[ \t]*\r?\n/.test(parts.data)) {
    return unreadableData('data/not-a-map', 'The file is a template with frontmatter, not JSON.');
  }
  return readData(positionedData(parts), parts.language);
}

/** The result of `parseFile` for a file that is split and read already. */
export function parseParts(
  { bytes, text, parts, data: { data, numerals, problems: dataProblems } }: ReadText,
  digest: string,
): ParseResult {
  const { body, ending } = parts;
  const problems = [...parts.problems, ...dataProblems];
  const bodyStart =
    body === null ? null : byteLength(text.slice(0, text.length - ending.length - body.length));
  const links = possibleLinks(body ?? '');
  const wikiLinks = countWikiLinks(body ?? '');
  const parsed: ParsedFile = {
    bodyStart,
    bodyEnd: bytes.length - ending.length,
    data,
    ...(numerals.size > 0 && { numerals: [...numerals] }),
    ...(bodyStart !== null && mayHoldImages(bytes.subarray(bodyStart)) && { images: true }),
    ...(links.length > 0 && { links }),
    ...(wikiLinks > 0 && { wikiLinks }),
  };
  return { digest, parsed: problems.some(isError) ? undefined : parsed, problems };
}

/** Copies the data, because strings cut from the file's text would keep all of it in memory. */
export function compact({ parsed, ...others }: ParseResult): ParseResult {
  return { ...others, parsed: parsed && revive(JSON.parse(JSON.stringify(parsed)) as ParsedFile) };
}

/** Parsed JSON, with the null prototypes of its maps. */
export function revive({ data, ...others }: ParsedFile): ParsedFile {
  return { ...others, data: withoutPrototypes(data) };
}

/** Finds the positions of keys and values. Parses the file at the first call only. */
export function createFileLocator(
  stored: StoredBytes,
  format: FileFormat,
): (path: DataPath, part?: 'key' | 'value') => Position {
  let locate: Locator | undefined;
  return (path, part) => {
    if (locate === undefined) {
      const text = decodeUtf8(readBytes(stored)) ?? '';
      const parts = splitFile(text, format);
      locate = createLocator(positionedData(parts), parts.language);
    }
    return locate(path, part) ?? FILE_START;
  };
}

/** The data with the line breaks above it, so that lines count from the start of the file. */
function positionedData({ opening, data }: FileParts): string {
  return '\n'.repeat(opening.split('\n').length - 1) + data;
}

/** Length of a string in UTF-8. Counts, because an encoder takes many times as long for short strings. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts for two of its four bytes; a lone half becomes a character of three.
    bytes += unit < 0x80 ? 0 : unit < 0x800 ? 1 : isPaired(text, index, unit) ? 1 : 2;
  }
  return bytes;
}

function isPaired(text: string, index: number, unit: number): boolean {
  if (unit >= 0xd800 && unit < 0xdc00) return isBetween(text.charCodeAt(index + 1), 0xdc00, 0xdfff);
  return unit >= 0xdc00 && unit < 0xe000 && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff);
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}

/** Position of the first invalid byte, which lenient decoding replaces. */
function invalidUtf8In(bytes: Uint8Array): Position {
  const lenient = new TextDecoder().decode(bytes);
  return positionIn(lenient, Math.max(lenient.indexOf('\ufffd'), 0));
}
