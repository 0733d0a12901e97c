import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { FILE_START, type Position, type Problem } from './diagnostic.ts';
import { findJsonError } from './json-error.ts';
import type { JsonValue } from './model.ts';

/** Bytes of frontmatter, or of a `.json` or `.yaml` entity. */
export const MAX_DATA_LENGTH = 1024 * 1024;
/** Levels of lists and maps within each other. */
export const MAX_DATA_DEPTH = 32;
/** YAML aliases (`*name`) in one file, and values they may stand for in all. */
export const MAX_ALIASES = 100;
export const MAX_ALIASED_VALUES = 10_000;

export type DataLanguage = 'yaml' | 'json';

/** Keys in the order written; maps have a null prototype, so that no key means anything. */
export interface SourceData {
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Text as written of the numbers that JavaScript would write otherwise (`007`, `1.50`), by `pathKey`. */
  readonly written: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

export type DataPath = readonly (string | number)[];

/** Parses frontmatter or a whole data file. `firstLine` is the line of the file where `text` starts. */
export function readData(text: string, language: DataLanguage, firstLine: number): SourceData {
  if (text.length > MAX_DATA_LENGTH) {
    const size = `${Math.ceil(text.length / 1024)} kB`;
    return failed(
      'data/too-large',
      `The data is ${size}; at most ${MAX_DATA_LENGTH / 1024} kB are read.`,
      firstLine,
    );
  }
  try {
    return language === 'json' ? readJson(text, firstLine) : readYaml(text, firstLine);
  } catch (error) {
    // Nesting without end exhausts the stack of the parser before any depth can be counted.
    if (error instanceof RangeError) {
      return failed('data/too-deep', TOO_DEEP, firstLine);
    }
    throw error;
  }
}

/** Where a key or its value stands in `text`; undefined where there is no such path. Parses anew, for messages only. */
export function locateInData(
  text: string,
  path: DataPath,
  part: 'key' | 'value',
  firstLine: number,
): Position | undefined {
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    const target: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(target)) {
      const pair = target.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) {
        return undefined;
      }
      const { key, value } = pair;
      const keyOffset = isScalar(key) ? key.range?.[0] : undefined;
      offset = part === 'value' ? (startOf(value) ?? keyOffset) : keyOffset;
      node = value;
    } else if (isSeq(target)) {
      node = target.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else {
      return undefined;
    }
  }
  return offset === undefined ? undefined : positionAt(lines, offset, firstLine);
}

/** One string for a path, as `written` is keyed by. */
export function pathKey(path: DataPath): string {
  return path.join('\u0000');
}

function parseYaml(text: string, lineCounter?: LineCounter): Document.Parsed {
  return parseDocument(text, {
    version: '1.2',
    schema: 'core',
    // Tags such as !!timestamp and !!binary would make values that are not JSON.
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // Done below, where it takes linear time.
    uniqueKeys: false,
    prettyErrors: false,
    ...(lineCounter === undefined ? {} : { lineCounter }),
  });
}

function readYaml(text: string, firstLine: number): SourceData {
  const document = parseYaml(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.replace(/\.?$/, '.');
    return failed(
      'yaml/syntax',
      message,
      firstLine,
      positionIn(text, error.pos[0], firstLine),
      YAML_HINTS[error.code],
    );
  }
  const reader = createYamlReader(text, firstLine);
  for (const warning of document.warnings) {
    reader.report(
      'warning',
      'yaml/tag',
      `${warning.message.replace(/\.?$/, '')}: the plain value is used.`,
      warning.pos[0],
    );
  }
  const data = document.contents === null ? emptyMap() : reader.read(document.contents, [], 0);
  return finish(data, reader.written, reader.problems, firstLine);
}

function createYamlReader(text: string, firstLine: number) {
  const written = new Map<string, string>();
  const problems: Problem[] = [];
  const anchors = new Map<string, { readonly value: JsonValue; readonly size: number }>();
  let aliases = 0;
  // Values read so far, with each alias counted as all it stands for: what a copy of the data would hold.
  let size = 0;
  let aliasedSize = 0;

  function report(
    severity: Problem['severity'],
    code: string,
    message: string,
    offset: number,
    hint?: string,
  ): void {
    const position = positionIn(text, offset, firstLine);
    problems.push({ severity, code, ...position, message, ...(hint === undefined ? {} : { hint }) });
  }

  function read(node: Node | null, path: DataPath, depth: number): JsonValue {
    const sizeBefore = size;
    const value = readNode(node, path, depth);
    if (node !== null && !isAlias(node) && 'anchor' in node && typeof node.anchor === 'string') {
      anchors.set(node.anchor, { value, size: size - sizeBefore });
    }
    return value;
  }

  function readNode(node: Node | null, path: DataPath, depth: number): JsonValue {
    size += 1;
    if (depth > MAX_DATA_DEPTH) {
      if (!problems.some((problem) => problem.code === 'data/too-deep')) {
        report('error', 'data/too-deep', TOO_DEEP, startOf(node) ?? 0);
      }
      return null;
    }
    if (isAlias(node)) {
      return readAlias(node.source, startOf(node) ?? 0);
    }
    if (isScalar(node)) {
      return readScalar(node.value, node.source ?? '', path);
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => read(item as Node | null, [...path, index], depth + 1));
    }
    if (isMap(node)) {
      const map = emptyMap();
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value ?? '') : '';
        if (Object.hasOwn(map, name)) {
          report(
            'error',
            'data/duplicate-key',
            `The key \`${name}\` is written twice.`,
            startOf(key) ?? 0,
            'Remove one of them.',
          );
        }
        map[name] = read(value as Node | null, [...path, name], depth + 1);
      }
      return map;
    }
    return null;
  }

  function readScalar(value: unknown, source: string, path: DataPath): JsonValue {
    switch (typeof value) {
      case 'number':
        // JSON has no infinity, and a long number (an account, a phone) must not be rounded.
        if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
          return source;
        }
        if (String(value) !== source) {
          written.set(pathKey(path), source);
        }
        return value;
      case 'string':
      case 'boolean':
        return value;
      default:
        return null;
    }
  }

  function readAlias(source: string, offset: number): JsonValue {
    const anchored = anchors.get(source);
    aliases += 1;
    if (anchored === undefined) {
      report('error', 'yaml/alias', `The alias \`*${source}\` stands for nothing written before it.`, offset);
      return null;
    }
    size += anchored.size;
    aliasedSize += anchored.size;
    if (aliases > MAX_ALIASES || aliasedSize > MAX_ALIASED_VALUES) {
      if (!problems.some((problem) => problem.code === 'yaml/too-many-aliases')) {
        const limits = `at most ${MAX_ALIASES} aliases, for ${MAX_ALIASED_VALUES} values in all, are read`;
        report(
          'error',
          'yaml/too-many-aliases',
          `Too many YAML aliases: ${limits}.`,
          offset,
          'Write the values out.',
        );
      }
      return null;
    }
    return anchored.value;
  }

  return { read, report, written, problems };
}

function readJson(text: string, firstLine: number): SourceData {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const position = positionIn(text, findJsonError(text), firstLine);
    return failed(
      'json/syntax',
      `The JSON cannot be read: ${withoutContext(error.message)}.`,
      firstLine,
      position,
    );
  }
  const deep = copyJson(parsed, 0);
  return deep === undefined
    ? failed('data/too-deep', TOO_DEEP, firstLine)
    : finish(deep, new Map(), [], firstLine);
}

/** What the engine says, without the text around the place, which may be many lines. */
function withoutContext(message: string): string {
  return message.replace(/(?: in JSON)? at position .*$|, (?:\.\.\.)?".*$/s, '');
}

/** Undefined where too deep. */
function copyJson(value: unknown, depth: number): JsonValue | undefined {
  if (depth > MAX_DATA_DEPTH) {
    return undefined;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => copyJson(item, depth + 1));
    return items.includes(undefined) ? undefined : (items as JsonValue[]);
  }
  if (typeof value === 'object' && value !== null) {
    const map = emptyMap();
    for (const [key, item] of Object.entries(value)) {
      const copy = copyJson(item, depth + 1);
      if (copy === undefined) {
        return undefined;
      }
      map[key] = copy;
    }
    return map;
  }
  return value as JsonValue;
}

function finish(
  data: JsonValue,
  written: ReadonlyMap<string, string>,
  problems: readonly Problem[],
  firstLine: number,
): SourceData {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    const what = Array.isArray(data) ? 'a list' : 'a single value';
    return failed(
      'data/not-a-map',
      `The data is ${what}, not names with values.`,
      firstLine,
      undefined,
      MAP_HINT,
    );
  }
  return { data: data as Readonly<Record<string, JsonValue>>, written, problems };
}

function failed(
  code: string,
  message: string,
  firstLine: number,
  position?: Position,
  hint?: string,
): SourceData {
  const place = position ?? { ...FILE_START, line: firstLine };
  const problem: Problem = {
    severity: 'error',
    code,
    ...place,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
  return { data: emptyMap(), written: new Map(), problems: [problem] };
}

function emptyMap(): Record<string, JsonValue> {
  return Object.create(null) as Record<string, JsonValue>;
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

function positionIn(text: string, offset: number, firstLine: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line: line - 1 + firstLine, column: before.length - before.lastIndexOf('\n') };
}

function positionAt(lines: LineCounter, offset: number, firstLine: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1) - 1 + firstLine, column: Math.max(col, 1) };
}

const TOO_DEEP = `Lists and maps are nested deeper than ${MAX_DATA_DEPTH} levels.`;
const MAP_HINT = 'Write `name: value` lines.';
const YAML_HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that contains `: ` in quotes.',
  MULTILINE_IMPLICIT_KEY: 'Put a text that contains `: ` in quotes.',
};
