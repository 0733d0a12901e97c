import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { JsonValue } from '../util/json.ts';
import type { DataPath, Position, Problem } from './diagnostic.ts';
import { type ParsedData, compactMap, dataOf, emptyMap, MAX_DATA_DEPTH, NOTHING_WRITTEN, noData, pathKey, positionIn, TOO_DEEP } from './parsed-data.ts';
import { createProblemList } from './problem-list.ts';
import { readPlainYaml } from './read-plain-yaml.ts';

/** YAML aliases (`*name`) in one file, and values they may stand for in all. */
export const MAX_ALIASES = 100;
export const MAX_ALIASED_VALUES = 10_000;

/** Reads YAML 1.2 with its core schema: no dates, no merge keys, no tags that make anything but JSON. */
export function readYaml(text: string): ParsedData {
  const plain = readPlainYaml(text);
  return plain === undefined ? readAnyYaml(text) : { data: plain, written: NOTHING_WRITTEN, problems: [] };
}

/** As `readYaml`, whatever the text is. */
export function readAnyYaml(text: string): ParsedData {
  const document = parseYaml(text);
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') {
    return noData('data/too-deep', TOO_DEEP, positionIn(text, error.pos[0]));
  }
  if (error !== undefined) {
    const message = YAML_MESSAGES[error.code] ?? error.message.replace(/\.?$/, '.');
    return noData('yaml/syntax', message, positionIn(text, error.pos[0]), YAML_HINTS[error.code]);
  }
  const reader = createYamlReader(text);
  for (const warning of document.warnings) {
    reader.report(
      'warning',
      'yaml/tag',
      `${warning.message.replace(/\.?$/, '')}: the plain value is used.`,
      warning.pos[0],
    );
  }
  const data = document.contents === null ? emptyMap() : reader.read(document.contents, [], 0);
  return dataOf(data, reader.written, reader.problems);
}

/**
 * Finds where a key or its value stands in `text`, YAML or the JSON that is a part of it; undefined where there is no
 * such path. The text is parsed again, for messages only, and only when the first place is asked for.
 */
export function createLocator(text: string): Locator {
  const lines = new LineCounter();
  let document: Document.Parsed | undefined;

  return (path, part = 'value') => {
    document ??= parseYaml(text, lines);
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const step of path) {
      const target: unknown = isAlias(node) ? node.resolve(document) : node;
      if (isMap(target)) {
        const pair = target.items.find(
          (item) => isScalar(item.key) && String(item.key.value) === String(step),
        );
        if (pair === undefined) {
          return undefined;
        }
        const keyOffset = startOf(pair.key);
        offset = part === 'value' ? (startOf(pair.value) ?? keyOffset) : keyOffset;
        node = pair.value;
      } else if (isSeq(target)) {
        node = target.items[Number(step)];
        offset = startOf(node) ?? offset;
      } else {
        return undefined;
      }
    }
    if (offset === undefined) {
      return undefined;
    }
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
}

export type Locator = (path: DataPath, part?: 'key' | 'value') => Position | undefined;

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

function createYamlReader(text: string) {
  const written = new Map<string, string>();
  const list = createProblemList();
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
    list.add(severity, code, message, () => positionIn(text, offset), hint);
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
      if (!list.problems.some((problem) => problem.code === 'data/too-deep')) {
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
        if (name === '<<' && isAlias(value)) {
          const message = '`<<` merges nothing in YAML 1.2: it is a key like any other.';
          report('warning', 'yaml/merge', message, startOf(key) ?? 0, 'Write the values out.');
        }
        map[name] = read(value as Node | null, [...path, name], depth + 1);
      }
      return compactMap(map, node.items.length);
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
      if (!list.problems.some((problem) => problem.code === 'yaml/too-many-aliases')) {
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

  return { read, report, written, problems: list.problems };
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

const YAML_MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document starts here; a file is one document.',
  NON_STRING_KEY: 'A key is a list or a map, not a text.',
  BAD_ALIAS: 'An alias has no valid name.',
};
const YAML_HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that contains `: ` in quotes.',
  MULTILINE_IMPLICIT_KEY: 'Put a text that contains `: ` in quotes.',
};
