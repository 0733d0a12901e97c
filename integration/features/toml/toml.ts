import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import {
  emptyMap,
  MAX_DATA_DEPTH,
  type ParsedData,
  parsedData,
  pathKey,
  TOO_DEEP,
  unreadableData,
} from '../../core/source/data.ts';
import { type DataPath, type Locator, positionIn } from '../../core/source/diagnostic.ts';
import type { JsonValue } from '../../core/util/json.ts';

/** Reads TOML 1.1. Dates and times become strings as written, numbers that JavaScript rounds become their source text. */
export function readToml(text: string): ParsedData {
  try {
    const reader = createTomlReader(text);
    const data = reader.read(sectionsOf(text));
    return parsedData(data, reader.numerals);
  } catch (error) {
    if (error instanceof UnreadableTomlError) {
      const { code, message, offset, hint } = error;
      return unreadableData(code, message, positionIn(text, offset), hint);
    }
    // The parser calls a function with all characters of a string.
    if (error instanceof RangeError) return unreadableData('data/too-large', TOO_LARGE);
    throw error;
  }
}

/** Locates paths in TOML. Parses the text at the first call only. */
export function createTomlLocator(text: string): Locator {
  let sections: readonly TomlSection[] | undefined;

  return (path, part = 'value') => {
    sections ??= sectionsOf(text);
    for (const { path: base, header, pairs } of sections) {
      const offset =
        (header && startOf({ path: base, key: header.key }, path, part)) ??
        firstDefined(pairs, (pair) => startOf(pair, path, part));
      if (offset !== undefined) return positionIn(text, offset);
    }
    return undefined;
  };
}

/** A table of a TOML text: the lines up to the next header. The first one has no header. */
export interface TomlSection {
  /** Its path in the data; an item of an array of tables ends in its index. */
  readonly path: DataPath;
  readonly header: AST.TOMLTable | undefined;
  readonly pairs: readonly TomlPair[];
}

/** A line `key = value`. */
export interface TomlPair {
  /** The whole path in the data. */
  readonly path: DataPath;
  readonly key: AST.TOMLKey;
  readonly value: AST.TOMLContentNode;
  readonly start: number;
  readonly end: number;
}

/** The sections in the order of the text. Throws `UnreadableTomlError`. */
export function sectionsOf(text: string): readonly TomlSection[] {
  const top = parse(text).body[0];
  const isPair = (node: AST.TOMLKeyValue | AST.TOMLTable) => node.type === 'TOMLKeyValue';
  const tables = top.body.filter((node) => node.type === 'TOMLTable');
  return [
    { path: [], header: undefined, pairs: top.body.filter(isPair).map((pair) => pairOf(pair, [])) },
    ...tables.map((header): TomlSection => {
      const { resolvedKey: path, range, body } = header;
      if (path.length > MAX_DATA_DEPTH) throw new UnreadableTomlError('data/too-deep', TOO_DEEP, range[0]);
      return { path, header, pairs: body.map((pair) => pairOf(pair, path)) };
    }),
  ];
}

/** A pair, in a section or in an inline table, whose path is `base`. */
export function pairOf({ key, value, range: [start, end] }: AST.TOMLKeyValue, base: DataPath): TomlPair {
  const path = [...base, ...key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))];
  if (path.length > MAX_DATA_DEPTH) throw new UnreadableTomlError('data/too-deep', TOO_DEEP, start);
  return { path, key, value, start, end };
}

function parse(text: string): AST.TOMLProgram {
  const loneReturn = text.search(LONE_RETURN);
  if (loneReturn !== -1) {
    const hint = 'Save the file with LF or CRLF line endings.';
    throw new UnreadableTomlError('toml/syntax', 'TOML has no bare carriage returns.', loneReturn, hint);
  }
  try {
    return parseTOML(text, { tomlVersion: '1.1' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { message } = error;
    // An early end is at the end of the last line.
    const index = Math.min(error.index, text.trimEnd().length);
    if (message.includes('multiple times')) throw duplicateKey(text, index);
    const reason = message.charAt(0).toLowerCase() + message.slice(1);
    throw new UnreadableTomlError(
      'toml/syntax',
      `The TOML cannot be parsed: ${reason}.`,
      index,
      HINTS.get(message),
    );
  }
}

function duplicateKey(text: string, offset: number): UnreadableTomlError {
  const [name = ''] = KEY.exec(text.slice(offset, offset + MAX_QUOTED_KEY)) ?? [];
  const message = `The key \`${name}\` appears twice.`;
  return new UnreadableTomlError('data/duplicate-key', message, offset, 'Remove one of them.');
}

function createTomlReader(text: string) {
  const numerals = new Map<string, string>();

  function read(sections: readonly TomlSection[]): Record<string, JsonValue> {
    const root = emptyMap();
    for (const { path, header, pairs } of sections) {
      if (header !== undefined) tableAt(root, path, header.range[0]);
      for (const pair of pairs) setPair(root, pair);
    }
    return root;
  }

  /** `path` counts from the map. */
  function setPair(map: Record<string, JsonValue>, { path, value, start }: TomlPair, from = 0): void {
    const table = tableAt(map, path.slice(from, -1), start);
    const name = String(path.at(-1));
    if (Object.hasOwn(table, name)) throw duplicateKey(text, start);
    table[name] = readValue(value, path);
  }

  function readValue(node: AST.TOMLContentNode, path: DataPath): JsonValue {
    if (path.length > MAX_DATA_DEPTH) throw new UnreadableTomlError('data/too-deep', TOO_DEEP, node.range[0]);
    switch (node.type) {
      case 'TOMLArray':
        return node.elements.map((item, index) => readValue(item, [...path, index]));
      case 'TOMLInlineTable': {
        const map = emptyMap();
        for (const pair of node.body) setPair(map, pairOf(pair, path), path.length);
        return map;
      }
      case 'TOMLValue':
        return readScalar(node, path);
      default:
        return node satisfies never;
    }
  }

  function readScalar(node: AST.TOMLValue, path: DataPath): JsonValue {
    const [start, end] = node.range;
    switch (node.kind) {
      case 'string':
      case 'boolean':
        return node.value;
      case 'offset-date-time':
      case 'local-date-time':
      case 'local-date':
      case 'local-time':
        return node.datetime;
      case 'integer':
        if (BigInt.asIntN(64, node.bigint) !== node.bigint) {
          const message = 'TOML integers have 64 bits, so this number is too large.';
          throw new UnreadableTomlError('toml/syntax', message, start, 'Put it in quotes.');
        }
        return Number.isSafeInteger(node.value) ? numeral(node.value) : text.slice(start, end);
      case 'float':
        return Number.isFinite(node.value) ? numeral(node.value) : text.slice(start, end);
      default:
        return node satisfies never;
    }

    function numeral(value: number): number {
      const source = text.slice(start, end).replaceAll('_', '');
      if (String(value) !== source) numerals.set(pathKey(path), source);
      return value;
    }
  }

  /** Creates the tables of a path. The parser rejects most paths through other values, but not all. */
  function tableAt(
    map: Record<string, JsonValue>,
    path: DataPath,
    offset: number,
  ): Record<string, JsonValue> {
    let table: Container = map;
    path.forEach((step, index) => {
      const present = Object.hasOwn(table, step)
        ? (table as Record<string | number, JsonValue>)[step]
        : undefined;
      if (present !== undefined && (typeof present !== 'object' || present === null)) {
        throw duplicateKey(text, offset);
      }
      const next =
        (present as Container | undefined) ?? (typeof path[index + 1] === 'number' ? [] : emptyMap());
      if (Array.isArray(table)) table[Number(step)] = next;
      else table[step] = next;
      table = next;
    });
    if (Array.isArray(table)) throw duplicateKey(text, offset);
    return table;
  }

  return { read, numerals };
}

type Container = JsonValue[] | Record<string, JsonValue>;

class UnreadableTomlError extends Error {
  readonly code: string;
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(code: string, message: string, offset: number, hint?: string) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.hint = hint;
  }
}

/** The offset of a path in a header or a pair; undefined if it is not there. */
function startOf(
  { path: own, key, value }: Pick<TomlPair, 'path' | 'key'> & { readonly value?: AST.TOMLContentNode },
  path: DataPath,
  part: 'key' | 'value',
): number | undefined {
  const isShared = path.every((step, index) => index >= own.length || step === own[index]);
  if (!isShared) return undefined;
  if (path.length <= own.length) {
    const below = own.slice(path.length).filter((step) => typeof step === 'string').length;
    const name = key.keys[key.keys.length - 1 - below];
    const isValue = part === 'value' && path.length === own.length;
    return isValue && value !== undefined ? value.range[0] : name?.range[0];
  }
  return value && startInside(value, path.slice(own.length), own, part);
}

function startInside(
  value: AST.TOMLContentNode,
  path: DataPath,
  base: DataPath,
  part: 'key' | 'value',
): number | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value.range[0];
  if (value.type === 'TOMLArray') {
    const item = value.elements[Number(step)];
    return item && startInside(item, rest, [...base, step], part);
  }
  if (value.type !== 'TOMLInlineTable') return undefined;
  return firstDefined(value.body, (pair) => startOf(pairOf(pair, base), [...base, ...path], part));
}

function firstDefined<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const TOO_LARGE = 'The TOML has a string that is too long, or its arrays and tables are nested too deeply.';
const LONE_RETURN = /\r(?!\n)/;
const MAX_QUOTED_KEY = 60;
const KEY = /^[^\s=\]]+/;
/** Hints by the messages of the parser. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['Unexpected character', 'Put text in quotes.'],
  ['Unspecified values are invalid', 'TOML has no empty values: remove the key.'],
  ['Unexpected invalid date', 'There is no such day.'],
]);
