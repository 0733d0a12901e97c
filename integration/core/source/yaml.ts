import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';
import type { JsonValue } from '../util/json.ts';
import {
  compactMap,
  emptyMap,
  MAX_DATA_DEPTH,
  NO_NUMERALS,
  type ParsedData,
  parsedData,
  pathKey,
  TOO_DEEP,
  unreadableData,
} from './data.ts';
import { createProblemList, type DataPath, type Locator, type Problem, positionIn } from './diagnostic.ts';
import { readPlainYaml } from './plain-yaml.ts';

/** YAML aliases (`*name`) in one file, and the values that they may stand for in total. */
export const MAX_ALIASES = 100;
export const MAX_ALIASED_VALUES = 10_000;

/** Reads YAML 1.2 with its core schema: no dates, no merge keys, no tags that create anything but JSON. */
export function readYaml(text: string): ParsedData {
  const data = readPlainYaml(text);
  return data === undefined ? readAnyYaml(text) : { data, numerals: NO_NUMERALS, problems: [] };
}

/** The same, always with the `yaml` package. */
export function readAnyYaml(text: string): ParsedData {
  const { document, offsetOf } = indentQuotes(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const opened = unclosedString(document);
    const position = positionIn(text, opened ?? error.pos[0]);
    if (opened !== undefined) {
      const message = `The string that starts here has no closing \`${text[opened]}\`.`;
      return unreadableData(
        'yaml/syntax',
        message,
        position,
        'Close it, and write quotes in it twice or as `\\"`.',
      );
    }
    if (error.code === 'RESOURCE_EXHAUSTION') return unreadableData('data/too-deep', TOO_DEEP, position);
    const message = YAML_MESSAGES[error.code] ?? error.message.replace(/\.?$/, '.');
    return unreadableData('yaml/syntax', message, position, YAML_HINTS[error.code]);
  }
  const reader = createYamlReader(text, offsetOf);
  for (const { message, pos } of document.warnings) {
    reader.report('warning', 'yaml/tag', `${message.replace(/\.?$/, '')}: the plain value is used.`, pos[0]);
  }
  const data = document.contents === null ? emptyMap() : reader.read(document.contents, [], 0);
  return parsedData(data, reader.numerals, reader.problems);
}

/** Locates paths in YAML or JSON. Parses the text at the first call only, because most files have no problems. */
export function createYamlLocator(text: string): Locator {
  let parsed: IndentedText | undefined;

  return (path, part = 'value') => {
    parsed ??= indentQuotes(text);
    const { document, offsetOf } = parsed;
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const step of path) {
      const target: unknown = isAlias(node) ? node.resolve(document) : node;
      if (isMap(target)) {
        const pair = target.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) return undefined;
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
    if (offset === undefined) return undefined;
    return positionIn(text, offsetOf(offset));
  };
}

/** Quoted strings in one text that are indented. */
const MAX_STRINGS = 10;

type YamlDocument = Document.Parsed<ParsedNode>;

/** YAML with one more space in some lines. */
interface IndentedText {
  readonly text: string;
  readonly document: YamlDocument;
  /** The offset in the text as written. */
  offsetOf(offset: number): number;
}

/**
 * Indents the lines of quoted strings that go on in column 1: YAML 1.2 forbids them, but the parsers of Astro and Hugo read
 * them. The text as written if that does not correct it.
 */
export function indentQuotes(written: string): IndentedText {
  let document = parse(written);
  const asWritten = { text: written, document, offsetOf: (offset: number) => offset };
  const added: number[] = [];
  let text = written;
  for (let round = 0; round <= MAX_STRINGS; round += 1) {
    const [error] = document.errors;
    if (error === undefined) {
      return { text, document, offsetOf: (offset) => offset - added.filter((at) => at < offset).length };
    }
    const [, quote] = error.code === 'MISSING_CHAR' ? (MISSING_QUOTE.exec(error.message) ?? []) : [];
    const start = text.indexOf('\n', error.pos[0]);
    if (quote === undefined || start === -1) return asWritten;
    const rest = quote === '"' ? DOUBLE : SINGLE;
    rest.lastIndex = start;
    const string = rest.exec(text)?.[0];
    if (string === undefined) return asWritten;
    let count = 0;
    const indented = string.replace(UNINDENTED, (_, at: number) => {
      added.push(start + at + 1 + count++);
      return '\n ';
    });
    text = text.slice(0, start) + indented + text.slice(start + string.length);
    document = parse(text);
  }
  return asWritten;
}

/** The start of the string in which a closing quote is missing; undefined for another error. */
function unclosedString({ errors: [error], ...document }: YamlDocument): number | undefined {
  if (error === undefined || !MISSING_QUOTE.test(error.message)) return undefined;
  let opened: number | undefined;
  visit(document.contents, {
    Scalar(_, { range }) {
      if (range && range[0] <= error.pos[0] && error.pos[0] <= range[1]) opened = range[0];
    },
  });
  return opened;
}

const MISSING_QUOTE = /^Missing closing (["'])quote/;
const DOUBLE = /[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const SINGLE = /[^']*(?:''[^']*)*'/y;
const UNINDENTED = /\n(?=\S)/g;

function parse(text: string): YamlDocument {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    // Tags such as !!timestamp and !!binary would create values that are not JSON.
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // Checked below, in linear time.
    uniqueKeys: false,
    prettyErrors: false,
  });
  // Only a line that starts with `%` is a directive. Other tools read `- %` as text.
  document.errors = document.errors.filter(
    ({ code, pos: [at] }) => code !== 'BAD_SCALAR_START' || text[at] !== '%',
  );
  return document;
}

function createYamlReader(text: string, offsetOf: IndentedText['offsetOf']) {
  const numerals = new Map<string, string>();
  const list = createProblemList();
  const anchors = new Map<string, { readonly value: JsonValue; readonly size: number }>();
  let aliases = 0;
  // Values read, with each alias counted as everything it stands for: the size of a copy of the data.
  let size = 0;
  let aliasedSize = 0;

  function report(
    severity: Problem['severity'],
    code: string,
    message: string,
    offset: number,
    hint?: string,
  ): void {
    list.add({ severity, code, message, hint }, () => positionIn(text, offsetOf(offset)));
  }

  function reportOnce(code: string, message: string, offset: number, hint?: string): void {
    if (!list.problems.some((problem) => problem.code === code)) report('error', code, message, offset, hint);
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
      reportOnce('data/too-deep', TOO_DEEP, startOf(node) ?? 0);
      return null;
    }
    if (isAlias(node)) return readAlias(node.source, startOf(node) ?? 0);
    if (isScalar(node)) return readScalar(node.value, node.source ?? '', path);
    if (isSeq(node)) {
      return node.items.map((item, index) => read(item as Node | null, [...path, index], depth + 1));
    }
    if (!isMap(node)) return null;
    const map = emptyMap();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value ?? '') : '';
      const offset = startOf(key) ?? 0;
      if (Object.hasOwn(map, name)) {
        const message = `The key \`${name}\` appears twice. The last value counts.`;
        report('warning', 'data/duplicate-key', message, offset, 'Remove one of them.');
      }
      if (name === '<<' && isAlias(value)) {
        const message = 'YAML 1.2 has no merge keys: `<<` is an ordinary key.';
        report('warning', 'yaml/merge', message, offset, 'Write the values out.');
      }
      map[name] = read(value as Node | null, [...path, name], depth + 1);
    }
    return compactMap(map, node.items.length);
  }

  function readScalar(value: unknown, source: string, path: DataPath): JsonValue {
    switch (typeof value) {
      case 'number':
        // JSON has no infinity, and a long number (an account, a phone) must not be rounded.
        if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
          return source;
        if (String(value) !== source) numerals.set(pathKey(path), source);
        return value;
      case 'string':
      case 'boolean':
        return value;
      default:
        return null;
    }
  }

  function readAlias(name: string, offset: number): JsonValue {
    const anchor = anchors.get(name);
    aliases += 1;
    if (anchor === undefined) {
      report('error', 'yaml/alias', `The alias \`*${name}\` has no anchor \`&${name}\` before it.`, offset);
      return null;
    }
    size += anchor.size;
    aliasedSize += anchor.size;
    if (aliases > MAX_ALIASES || aliasedSize > MAX_ALIASED_VALUES) {
      const limits = `the limits are ${MAX_ALIASES} aliases and ${MAX_ALIASED_VALUES} aliased values`;
      const message = `Too many YAML aliases: ${limits}.`;
      reportOnce('yaml/too-many-aliases', message, offset, 'Write the values out.');
      return null;
    }
    return anchor.value;
  }

  return { read, report, numerals, problems: list.problems };
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

const YAML_MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document starts here. A file may hold only one.',
  NON_STRING_KEY: 'A key must be a string, not an array or a map.',
  BAD_ALIAS: 'An alias has an invalid name.',
};
const QUOTE_HINT = 'Quote a string that contains `: `.';
const YAML_HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  BLOCK_AS_IMPLICIT_KEY: QUOTE_HINT,
  MULTILINE_IMPLICIT_KEY: QUOTE_HINT,
  BAD_INDENT: 'Indent lists and maps evenly, and close each `[` and `{`.',
  BAD_SCALAR_START: 'Quote a string that starts with this character.',
};
