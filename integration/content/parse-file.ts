import { mayHoldImages } from '../source/body-images.ts';
import { type DataPath, type Position, type Problem, FILE_START } from '../source/diagnostic.ts';
import { splitMarkdown } from '../source/frontmatter.ts';
import { NOTHING_WRITTEN, positionIn } from '../source/parsed-data.ts';
import { type Locator, createLocator } from '../source/read-yaml.ts';
import { type DataLanguage, readData } from '../source/source-data.ts';
import { type StoredBytes, readBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';
import type { FileFormat } from './resource-type.ts';

/** What the bytes of a file say, before any schema and without its key: JSON, so that it can be kept. */
export interface ParsedFile {
  /** Bytes before the body; null in a file that has none. */
  readonly bodyStart: number | null;
  /** Bytes before what follows the body. */
  readonly bodyEnd: number;
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Text as written of the numbers that JavaScript would write otherwise, by `pathKey`. */
  readonly written: readonly (readonly [string, string])[];
  /** There where the body may hold images: only those are read again to look for them. */
  readonly images?: true;
}

/** `parsed` is undefined where a problem is an error. */
export interface ParseResult {
  /** Of the bytes. */
  readonly digest: string;
  readonly parsed: ParsedFile | undefined;
  readonly problems: readonly Problem[];
}

/** Splits a file's bytes, whose digest is given, into data and body, and reads the data. */
export function parseFile(bytes: Uint8Array, format: FileFormat, digest: string): ParseResult {
  const text = decodeText(bytes);
  if (text === undefined) {
    const hint = 'Save it as UTF-8.';
    const message = 'The file is not UTF-8 text.';
    const problem: Problem = {
      severity: 'error',
      code: 'file/encoding',
      ...findInvalid(bytes),
      message,
      hint,
    };
    return { digest, parsed: undefined, problems: [problem] };
  }
  const parts = splitFile(bytes, text, format);
  const { data, written, problems: found } = readData(parts.dataText, parts.language);
  const problems = [...parts.problems, ...found];
  const images = parts.hasBody && mayHoldImages(bytes.subarray(parts.bodyStart));
  const parsed: ParsedFile = {
    bodyStart: parts.hasBody ? parts.bodyStart : null,
    bodyEnd: endOfBody(bytes, parts.bodyStart),
    data,
    written: [...written],
    ...(images && { images }),
  };
  return { digest, parsed: problems.some(isError) ? undefined : parsed, problems };
}

/** Where the body ends: the line break that closes its last line is the file's, and no part of the text. */
function endOfBody(bytes: Uint8Array, start: number): number {
  const end = bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length;
  const broken = end < bytes.length && bytes[end - 1] === CARRIAGE_RETURN;
  return Math.max(broken ? end - 1 : end, start);
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds frontmatter keys and values of a file, which is parsed again when the first place is asked for. */
export function createFileLocator(
  stored: StoredBytes,
  format: FileFormat,
): (path: DataPath, part?: 'key' | 'value') => Position {
  let locate: Locator | undefined;
  return (path, part) => {
    locate ??= createLocator(dataTextOf(readBytes(stored), format));
    return locate(path, part) ?? FILE_START;
  };
}

function dataTextOf(bytes: Uint8Array, format: FileFormat): string {
  return splitFile(bytes, decodeText(bytes) ?? '', format).dataText;
}

export function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}

/** Of a text as UTF-8. Counted: for short texts an encoder takes many times as long. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair is two of its four bytes; one on its own becomes a character of three.
    bytes += unit < 0x80 ? 0 : unit < 0x800 ? 1 : isHalf(text, index, unit) ? 1 : 2;
  }
  return bytes;
}

function isHalf(text: string, index: number, unit: number): boolean {
  if (unit >= 0xd800 && unit < 0xdc00) return isBetween(text.charCodeAt(index + 1), 0xdc00, 0xdfff);
  return unit >= 0xdc00 && unit < 0xe000 && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff);
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}

/** `written` of a parsed file, to look up in. */
export function writtenTexts({ written }: ParsedFile): ReadonlyMap<string, string> {
  return written.length === 0 ? NOTHING_WRITTEN : new Map(written);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Place of the first byte that is no UTF-8: where the lenient decoding has its first replacement character. */
function findInvalid(bytes: Uint8Array): Position {
  const lenient = new TextDecoder().decode(bytes);
  return positionIn(lenient, Math.max(lenient.indexOf('\ufffd'), 0));
}

function splitFile(bytes: Uint8Array, text: string, format: FileFormat): FileParts {
  if (format === 'markdown' || format === 'mdx') {
    const head = headOf(bytes, text);
    const { language, frontmatter, fences, bodyStart, problems } = splitMarkdown(head);
    const before = byteLength(head.slice(0, bodyStart));
    const separator = fences === null ? '' : separatorAt(text, bodyStart);
    return { language, dataText: frontmatter, bodyStart: before + separator.length, hasBody: true, problems };
  }
  const dataText = text.startsWith('\ufeff') ? text.slice(1) : text;
  return { language: format, dataText, bodyStart: bytes.length, hasBody: false, problems: [] };
}

/** The blank line by which most authors set a text off from its frontmatter, and which is no part of it. */
export function separatorAt(text: string, bodyStart: number): string {
  return /^\r?\n/.exec(text.slice(bodyStart, bodyStart + 2))?.[0] ?? '';
}

/**
 * The text through the line that closes the frontmatter, decoded on its own: what is cut from the whole text, such as
 * a title, would keep all of it in memory. The whole text where nothing opens or closes frontmatter.
 */
function headOf(bytes: Uint8Array, text: string): string {
  const closing = OPENING.test(text) ? text.indexOf('\n---', 3) : -1;
  if (closing === -1) return text;
  const end = text.indexOf('\n', closing + 1);
  return end === -1 ? text : decoder.decode(bytes.subarray(0, byteLength(text.slice(0, end + 1))));
}

const OPENING = /^\ufeff?---/;

interface FileParts {
  readonly language: DataLanguage;
  readonly dataText: string;
  /** Bytes. */
  readonly bodyStart: number;
  readonly hasBody: boolean;
  readonly problems: readonly Problem[];
}
