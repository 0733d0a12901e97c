import type { Problem } from '../source/diagnostic.ts';
import { splitMarkdown } from '../source/frontmatter.ts';
import type { DataLanguage } from '../source/read-data.ts';
import type { FileFormat } from './resource-type.ts';

/** A file's text, cut into pieces that add up to the file again. */
export interface FileParts {
  readonly byteOrderMark: string;
  /** The line that opens the frontmatter, empty without frontmatter. */
  readonly opening: string;
  readonly language: DataLanguage;
  readonly data: string;
  /** The line that closes the frontmatter. */
  readonly closing: string;
  /** The blank line between frontmatter and body, which belongs to neither. */
  readonly separator: string;
  /** Null if the format has no body. */
  readonly body: string | null;
  /** The line break that ends the last line of the body. */
  readonly ending: string;
  readonly problems: readonly Problem[];
}

export function splitFile(text: string, format: FileFormat): FileParts {
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : '';
  if (format === 'json' || format === 'yaml') {
    return {
      ...NO_PARTS,
      byteOrderMark,
      language: format,
      data: text.slice(byteOrderMark.length),
      body: null,
    };
  }
  const { fences, language, bodyStart, problems } = splitMarkdown(text);
  const dataStart = fences === null ? bodyStart : fences.open + 1;
  const dataEnd = fences === null ? bodyStart : fences.close;
  const separator = fences === null ? '' : (/^\r?\n/.exec(text.slice(bodyStart, bodyStart + 2))?.[0] ?? '');
  const start = bodyStart + separator.length;
  const ending = /\r?\n$/.exec(text.slice(Math.max(start, text.length - 2)))?.[0] ?? '';
  return {
    byteOrderMark,
    opening: fences === null ? '' : text.slice(byteOrderMark.length, dataStart),
    language,
    data: text.slice(dataStart, dataEnd),
    closing: text.slice(dataEnd, bodyStart),
    separator,
    body: text.slice(start, text.length - ending.length),
    ending,
    problems,
  };
}

export function joinFile(parts: FileParts): string {
  const { byteOrderMark, opening, data, closing, separator, body, ending } = parts;
  return byteOrderMark + opening + data + closing + separator + (body ?? '') + ending;
}

/** Replaces the data, and adds fences to a file without frontmatter. */
export function withData(parts: FileParts, data: string, newline: string): FileParts {
  const changed = { ...parts, data };
  return parts.body === null || parts.opening !== '' ? changed : withFences(changed, newline);
}

/** Replaces the body so that it reads back exactly. `apart`: put a blank line above the first body of a file. */
export function withBody(parts: FileParts, body: string, newline: string, apart: boolean): FileParts {
  const { closing } = parts;
  const ending = endingFor(body, parts, newline);
  if (parts.opening === '') {
    const bare = { ...parts, body, ending };
    return isUnambiguous(bare) ? bare : withFences(bare, newline);
  }
  const separator = parts.body === '' && apart ? newline : parts.separator;
  return {
    ...parts,
    closing: body === '' || closing.endsWith('\n') ? closing : closing + newline,
    separator: body === '' ? '' : separator === '' && /^\r?\n/.test(body) ? newline : separator,
    body,
    ending,
  };
}

function withFences(parts: FileParts, newline: string): FileParts {
  const fence = `---${newline}`;
  const separator = parts.body === '' && parts.ending === '' ? '' : newline;
  return { ...parts, opening: fence, closing: fence, separator };
}

/** Files end in a line break. A file without one stays without, unless its new body ends in a line break itself. */
function endingFor(body: string, { body: before, ending }: FileParts, newline: string): string {
  if (body === '') return '';
  if (body.endsWith('\r')) return '\r\n';
  return before === '' || ending !== '' || body.endsWith('\n') ? ending || newline : '';
}

/** True if a body without frontmatter above it does not read as frontmatter itself. */
function isUnambiguous(parts: FileParts): boolean {
  const { problems, opening, body, byteOrderMark } = splitFile(joinFile(parts), 'markdown');
  return (
    problems.length === 0 && opening === '' && body === parts.body && byteOrderMark === parts.byteOrderMark
  );
}

const NO_PARTS: FileParts = {
  byteOrderMark: '',
  opening: '',
  language: 'yaml',
  data: '',
  closing: '',
  separator: '',
  body: '',
  ending: '',
  problems: [],
};
