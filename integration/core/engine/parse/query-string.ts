import { BadParameterError } from '../../util/errors.ts';
import { checkLimit, type Limits, MAX_BRACKETS, MAX_KEY_LENGTH } from '../limits.ts';

/** All values of one parameter name, in order. */
export type QueryValues = readonly string[];
/** By bracket key, null prototype. `x[]` takes the next free integer as its key, as in PHP. */
export interface QueryTree {
  readonly [key: string]: QueryNode;
}
export type QueryNode = QueryValues | QueryTree;

/**
 * Parses `filter[a][value]=1&sort=-b` (without `?`) into a tree. `+` is a space, `%xx` is UTF-8. Throws
 * BadParameterError for invalid encoding, unbalanced brackets, a name that has both a value and brackets, and for
 * queries beyond the limits.
 */
export function parseQueryString(query: string, limits: Limits): QueryTree {
  const root: MutableTree = Object.create(null);
  const nextIndex = new Map<MutableTree, number>();
  let count = 0;
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decode(rawName, rawName);
    count += 1;
    checkLimit('parameters', count, name, limits);
    insert(
      root,
      splitBrackets(name),
      equals < 0 ? '' : decode(pair.slice(equals + 1), name),
      name,
      nextIndex,
    );
  }
  return root;
}

/** `['filter', 'a', 'value']` is `filter[a][value]`. */
export function parameterName(keys: readonly string[]): string {
  const [first = '', ...rest] = keys;
  return first + rest.map((key) => `[${key}]`).join('');
}

export function isValues(node: QueryNode): node is QueryValues {
  return Array.isArray(node);
}

/** The last value of a parameter; undefined if it is missing or has brackets. */
export function lastValue(node: QueryNode | undefined): string | undefined {
  return node !== undefined && isValues(node) ? node.at(-1) : undefined;
}

/** An integer of at most nine digits. Throws BadParameterError for anything else. */
export function wholeNumber(value: string, parameter: string, least: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least) return number;
  throw new BadParameterError(
    parameter,
    `${parameter} must be an integer of at least ${least}, not '${value}'.`,
  );
}

/** The names of all values at or below a node, in order. */
export function leafNames(node: QueryNode, keys: readonly string[]): string[] {
  if (isValues(node)) return [parameterName(keys)];
  return orderedEntries(node).flatMap(([key, child]) => leafNames(child, [...keys, key]));
}

/** Adds the names of all values below `keys` whose key is not one of `allowed` to `ignored`. */
export function ignoreOthers(
  tree: QueryTree,
  keys: readonly string[],
  allowed: readonly string[],
  ignored: string[],
): void {
  for (const [key, node] of Object.entries(tree)) {
    if (!allowed.includes(key)) ignored.push(...leafNames(node, [...keys, key]));
  }
}

/** Like `Object.entries`, but in the order of the query string: objects put integer keys first. */
export function orderedEntries(tree: QueryTree): [string, QueryNode][] {
  const keys = keyOrder.get(tree) ?? Object.keys(tree);
  return keys.flatMap((key): [string, QueryNode][] => {
    const node = tree[key];
    return node === undefined ? [] : [[key, node]];
  });
}

function insert(
  root: MutableTree,
  keys: readonly string[],
  value: string,
  name: string,
  nextIndex: Map<MutableTree, number>,
): void {
  let tree = root;
  for (const [depth, rawKey] of keys.entries()) {
    const key = rawKey === '' && depth > 0 ? String(nextIndex.get(tree) ?? 0) : rawKey;
    if (INTEGER.test(key)) nextIndex.set(tree, Math.max(nextIndex.get(tree) ?? 0, Number(key) + 1));
    const existing = tree[key];
    if (existing === undefined) appendKey(tree, key);
    if (depth === keys.length - 1) {
      if (existing === undefined) tree[key] = [value];
      else if (Array.isArray(existing)) existing.push(value);
      else throw mixed(name);
      return;
    }
    if (Array.isArray(existing)) throw mixed(name);
    const child: MutableTree = existing ?? Object.create(null);
    tree[key] = child;
    tree = child;
  }
}

function appendKey(tree: MutableTree, key: string): void {
  const keys = keyOrder.get(tree);
  if (keys === undefined) keyOrder.set(tree, [key]);
  else keys.push(key);
}

function splitBrackets(name: string): string[] {
  if (name.length > MAX_KEY_LENGTH) {
    const start = `${name.slice(0, 40)}…`;
    throw new BadParameterError(start, `A parameter name may have ${MAX_KEY_LENGTH} characters at most.`);
  }
  const open = name.indexOf('[');
  if (open <= 0) return [name];
  const keys = [name.slice(0, open)];
  let rest = name.slice(open);
  while (rest !== '') {
    const close = rest.indexOf(']');
    if (!rest.startsWith('[') || close < 0) {
      throw new BadParameterError(
        name,
        `The brackets of '${name}' are not balanced. Write them as in 'page[limit]'.`,
      );
    }
    keys.push(rest.slice(1, close));
    rest = rest.slice(close + 1);
  }
  if (keys.length - 1 > MAX_BRACKETS) {
    throw new BadParameterError(name, `A parameter name may have ${MAX_BRACKETS} pairs of brackets at most.`);
  }
  return keys;
}

function decode(text: string, parameter: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new BadParameterError(
      parameter,
      `'${text}' is not valid percent-encoded UTF-8. Write a percent sign as %25.`,
      { cause },
    );
  }
}

function mixed(name: string): BadParameterError {
  return new BadParameterError(
    name,
    `'${name}' is sent both as a value and with further brackets. Send one of them.`,
  );
}

/** The keys of each tree in the order of the query string. */
const keyOrder = new WeakMap<QueryTree, string[]>();

/** Short enough to be exact as a number. */
const INTEGER = /^(0|[1-9]\d{0,8})$/;

interface MutableTree {
  [key: string]: string[] | MutableTree;
}
