import { splitMarkdown } from '../../source/frontmatter.ts';
import type { DataLanguage } from '../../source/source-data.ts';
import { decodeText, separatorAt } from '../parse-file.ts';
import type { FileFormat } from '../resource-type.ts';

/** A file's text in its parts, which are the file again when they are put together. */
export interface FileParts {
  readonly byteOrderMark: string;
  /** The line that opens the frontmatter; empty where there is none. */
  readonly opening: string;
  readonly language: DataLanguage;
  readonly data: string;
  readonly closing: string;
  /** The blank line between frontmatter and body. */
  readonly separator: string;
  /** Null in a file that has none. */
  readonly body: string | null;
  /** The line break that closes the last line of the body. */
  readonly ending: string;
}

/** Undefined for what is not UTF-8, or is frontmatter that cannot be told from the body. */
export function openFile(bytes: Uint8Array, format: FileFormat): FileParts | undefined {
  const text = decodeText(bytes);
  return text === undefined ? undefined : splitText(text, format);
}

/** A file of which nothing is there yet. */
export function emptyFile(format: FileFormat): FileParts {
  const language = format === 'json' ? 'json' : 'yaml';
  return { ...NOTHING, language, body: isData(format) ? null : '' };
}

export function joinFile(parts: FileParts): string {
  const { byteOrderMark, opening, data, closing, separator, body, ending } = parts;
  return byteOrderMark + opening + data + closing + separator + (body ?? '') + ending;
}

/** The file with other data; frontmatter is put around them where there was none. */
export function withData(parts: FileParts, data: string, newline: string): FileParts {
  if (parts.body === null || parts.opening !== '') return { ...parts, data };
  return fenced({ ...parts, data }, newline);
}

/** The file with another body, exactly as it will be read. `apart`: whether a blank line sets a first body off. */
export function withBody(parts: FileParts, body: string, newline: string, apart: boolean): FileParts {
  const { closing } = parts;
  if (parts.opening === '') {
    const bare = { ...parts, body, ending: endingOf(body, parts, newline) };
    return isReadAlone(bare) ? bare : fenced(bare, newline);
  }
  const first = parts.body === '' && apart ? newline : parts.separator;
  return {
    ...parts,
    closing: body === '' || closing.endsWith('\n') ? closing : closing + newline,
    separator: body === '' ? '' : first === '' && STARTS_BLANK.test(body) ? newline : first,
    body,
    ending: endingOf(body, parts, newline),
  };
}

function splitText(text: string, format: FileFormat): FileParts | undefined {
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : '';
  if (isData(format)) {
    const data = text.slice(byteOrderMark.length);
    return { ...NOTHING, byteOrderMark, language: format === 'json' ? 'json' : 'yaml', data, body: null };
  }
  const { fences, language, bodyStart, problems } = splitMarkdown(text);
  if (problems.length > 0) return undefined;
  const separator = fences === null ? '' : separatorAt(text, bodyStart);
  const start = bodyStart + separator.length;
  const ending = /\r?\n$/.exec(text.slice(Math.max(start, text.length - 2)))?.[0] ?? '';
  const dataStart = fences === null ? bodyStart : fences.open + 1;
  const dataEnd = fences === null ? bodyStart : fences.close;
  return {
    byteOrderMark,
    opening: fences === null ? '' : text.slice(byteOrderMark.length, dataStart),
    language,
    data: text.slice(dataStart, dataEnd),
    closing: text.slice(dataEnd, bodyStart),
    separator,
    body: text.slice(start, text.length - ending.length),
    ending,
  };
}

function fenced(parts: FileParts, newline: string): FileParts {
  const fence = `---${newline}`;
  const separator = parts.body === '' && parts.ending === '' ? '' : newline;
  return { ...parts, opening: fence, closing: fence, separator };
}

/** Files end in a line break; one that does not keeps so, where its new end cannot be taken for one. */
function endingOf(body: string, { body: former, ending }: FileParts, newline: string): string {
  if (body === '') return '';
  if (body.endsWith('\r')) return '\r\n';
  return former === '' || ending !== '' || body.endsWith('\n') ? ending || newline : '';
}

/** Whether a body without frontmatter above it is not taken for anything else. */
function isReadAlone(parts: FileParts): boolean {
  const read = splitText(joinFile(parts), 'markdown');
  return read?.opening === '' && read.body === parts.body && read.byteOrderMark === parts.byteOrderMark;
}

function isData(format: FileFormat): boolean {
  return format === 'json' || format === 'yaml';
}

const STARTS_BLANK = /^\r?\n/;
const NOTHING: FileParts = {
  byteOrderMark: '',
  opening: '',
  language: 'yaml',
  data: '',
  closing: '',
  separator: '',
  body: '',
  ending: '',
};
