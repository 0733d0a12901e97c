import type { DataLanguage } from '../source/data.ts';
import type { Problem } from '../source/diagnostic.ts';
import { type FileFormat, findDataFormat, isData } from '../source/formats.ts';
import { splitMarkdown } from '../source/frontmatter.ts';

/** A file's text, cut into pieces that add up to the file again. */
export interface FileParts {
  readonly byteOrderMark: string;
  readonly hasFrontmatter: boolean;
  /** The line that opens the frontmatter; empty if that is a JSON object. */
  readonly opening: string;
  readonly language: DataLanguage;
  readonly data: string;
  /** The line that closes the frontmatter, or the end of its last line. */
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
  if (isData(format)) {
    return {
      ...NO_PARTS,
      byteOrderMark,
      language: format,
      data: text.slice(byteOrderMark.length),
      body: null,
    };
  }
  const { data, language, bodyStart, problems } = splitMarkdown(text);
  const hasFrontmatter = data !== null;
  const { start: dataStart, end: dataEnd } = data ?? { start: bodyStart, end: bodyStart };
  const separator = !hasFrontmatter ? '' : (/^\r?\n/.exec(text.slice(bodyStart, bodyStart + 2))?.[0] ?? '');
  const start = bodyStart + separator.length;
  const ending = /\r?\n$/.exec(text.slice(Math.max(start, text.length - 2)))?.[0] ?? '';
  return {
    byteOrderMark,
    hasFrontmatter,
    opening: hasFrontmatter ? text.slice(byteOrderMark.length, dataStart) : '',
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

/** Replaces the data. A file without frontmatter gets some in the language of the parts. */
export function withData(parts: FileParts, data: string, newline: string): FileParts {
  const changed = { ...parts, data };
  return parts.body === null || parts.hasFrontmatter ? changed : withFences(changed, newline);
}

/** Replaces the body so that it reads back exactly. `apart`: put a blank line above the first body of a file. */
export function withBody(parts: FileParts, body: string, newline: string, apart: boolean): FileParts {
  const { closing } = parts;
  const ending = endingFor(body, parts, newline);
  if (!parts.hasFrontmatter) {
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
  const separator = parts.body === '' && parts.ending === '' ? '' : newline;
  const fenced = { ...parts, hasFrontmatter: true, separator };
  if (parts.language === 'json') return { ...fenced, data: parts.data.trimEnd() || '{}', closing: newline };
  const fence = `${findDataFormat(parts.language)?.fence ?? '---'}${newline}`;
  return { ...fenced, opening: fence, closing: fence };
}

/** Files end in a line break. A file without one stays without, unless its new body ends in a line break itself. */
function endingFor(body: string, { body: before, ending }: FileParts, newline: string): string {
  if (body === '') return '';
  const kept = before === '' || ending !== '' || body.endsWith('\n') ? ending || newline : '';
  return kept !== '' && body.endsWith('\r') ? '\r\n' : kept;
}

/** True if a body without frontmatter above it does not read as frontmatter itself. */
function isUnambiguous(parts: FileParts): boolean {
  const { problems, hasFrontmatter, body, byteOrderMark } = splitFile(joinFile(parts), 'markdown');
  return (
    problems.length === 0 && !hasFrontmatter && body === parts.body && byteOrderMark === parts.byteOrderMark
  );
}

const NO_PARTS: FileParts = {
  byteOrderMark: '',
  hasFrontmatter: false,
  opening: '',
  language: 'yaml',
  data: '',
  closing: '',
  separator: '',
  body: '',
  ending: '',
  problems: [],
};
