import { BadParameterError } from '../util/errors.ts';
import { type Condition, type FilterNode, OPERATORS, type Operator, SEARCH_PATH } from './ast.ts';
import { checkListLength, type Limits } from './limits.ts';
import { checkPath } from './parse-path.ts';
import { isValues, leafNames, parameterName, type QueryNode, type QueryTree } from './query-string.ts';

/** What of the filter grammar differs between the surfaces. */
export interface FilterOptions {
  /** Whether `a,b` means any of the two, with `\,` for a comma: plain JSON, not JSON:API. */
  readonly commaLists: boolean;
  readonly limits: Limits;
}

/** A condition or group before it is put where its `memberOf` says. */
export interface Member {
  readonly node: FilterNode;
  readonly memberOf?: string | undefined;
  /** The parameter at fault when `memberOf` is. */
  readonly parameter: string;
}

export const CONDITION_KEYS = ['path', 'operator', 'value', 'memberOf'];

/** `filter[f]=v`; `filter[fulltext]=words` is a search on every bundle. */
export function shortForm(keys: Keys, values: readonly string[], options: FilterOptions): Member {
  const parameter = parameterName(keys);
  const path = checkPath(keys.at(-1) ?? '', parameter, options.limits);
  if (path === SEARCH_PATH)
    return { node: { kind: 'search', text: values.at(-1) ?? '', parameter }, parameter };
  return { node: compare({ path, parameter }, '=', [values.at(-1) ?? ''], parameter, options), parameter };
}

/**
 * The parts of one condition below `keys`: path (else `fallbackPath`), operator (else `=`), value, memberOf.
 * Only the arity of the value is checked here; `resolve` coerces it to the kind of the field.
 */
export function condition(
  keys: Keys,
  tree: QueryTree,
  fallbackPath: string | undefined,
  options: FilterOptions,
  ignored: string[],
): Member {
  const pathSent = tree.path !== undefined || fallbackPath === undefined;
  const parameter = parameterName(pathSent ? [...keys, 'path'] : keys);
  const path = text(tree, keys, 'path') ?? fallbackPath;
  if (path === undefined) {
    throw new BadParameterError(parameter, `A condition needs a path: add ${parameter}=<field>.`);
  }
  checkPath(path, parameter, options.limits);
  const operator = parseOperator(text(tree, keys, 'operator') ?? '=', parameterName([...keys, 'operator']));
  const memberOf = text(tree, keys, 'memberOf');
  addUnknown(tree, keys, CONDITION_KEYS, ignored);
  const node = conditionNode({ path, parameter }, operator, tree.value, [...keys, 'value'], options, ignored);
  return { node, memberOf, parameter: parameterName([...keys, 'memberOf']) };
}

function conditionNode(
  subject: Subject,
  operator: Operator,
  value: QueryNode | undefined,
  keys: Keys,
  options: FilterOptions,
  ignored: string[],
): FilterNode {
  const parameter = parameterName(keys);
  if (operator === 'IS NULL' || operator === 'IS NOT NULL') {
    if (value === undefined) return { kind: 'condition', ...subject, operator, value: null };
    throw new BadParameterError(parameter, `${operator} takes no value: leave ${parameter} out.`);
  }
  if (value === undefined) return comparedWithNull(subject, operator, parameter);
  const sent = listOf(value, keys);
  if (LIST_OPERATORS.has(operator)) {
    const values = options.commaLists ? sent.values.flatMap(splitCommas) : sent.values;
    if (operator === 'IN' || operator === 'NOT IN')
      return inList(subject, operator, values, parameter, options);
    if (values.length < 2) {
      throw new BadParameterError(
        parameter,
        `${operator} takes two values: ${parameter}[]=<from>&${parameter}[]=<to>.`,
      );
    }
    ignored.push(...sent.names.slice(2));
    return { kind: 'condition', ...subject, operator, value: values.slice(0, 2) };
  }
  // A key sent again replaces the value; only a list in brackets can be too long.
  const values = sent.isList ? sent.values : sent.values.slice(-1);
  if (values.length > 1) {
    throw new BadParameterError(
      parameter,
      `${operator} compares with one value, not with a list of ${values.length}. Lists go with ${[...LIST_OPERATORS].join(', ')}.`,
    );
  }
  return compare(subject, operator, values, parameter, options);
}

/** One value under a scalar operator; with comma lists, several mean any of them (none of them for `<>`). */
function compare(
  subject: Subject,
  operator: Operator,
  values: readonly string[],
  parameter: string,
  options: FilterOptions,
): FilterNode {
  const parts = options.commaLists ? values.flatMap(splitCommas) : values;
  const [first = ''] = parts;
  if (parts.length <= 1) return { kind: 'condition', ...subject, operator, value: first };
  if (operator === '=') return inList(subject, 'IN', parts, parameter, options);
  if (operator === '<>') return inList(subject, 'NOT IN', parts, parameter, options);
  checkListLength(parts, parameter, options.limits);
  const members = parts.map((value): Condition => ({ kind: 'condition', ...subject, operator, value }));
  return { kind: 'group', conjunction: 'OR', members };
}

function inList(
  subject: Subject,
  operator: 'IN' | 'NOT IN',
  value: readonly string[],
  parameter: string,
  options: FilterOptions,
): Condition {
  checkListLength(value, parameter, options.limits);
  return { kind: 'condition', ...subject, operator, value };
}

/**
 * A path with an operator but no value. Drupal compares with NULL: `<>` holds for what is not null, no other holds. A text
 * operator would match everything there, which clients hardly expect, so it is rejected.
 */
function comparedWithNull(subject: Subject, operator: Operator, parameter: string): Condition {
  if (TEXT_OPERATORS.has(operator)) {
    throw new BadParameterError(parameter, `${operator} needs a text to look for: add ${parameter}=….`);
  }
  if (operator === 'BETWEEN' || operator === 'NOT BETWEEN') {
    throw new BadParameterError(
      parameter,
      `${operator} takes two values: ${parameter}[]=<from>&${parameter}[]=<to>.`,
    );
  }
  if (operator === '<>') return { kind: 'condition', ...subject, operator: 'IS NOT NULL', value: null };
  return { kind: 'condition', ...subject, operator: 'IN', value: [] };
}

function listOf(node: QueryNode, keys: Keys): SentList {
  if (isValues(node)) return { values: node, names: node.map(() => parameterName(keys)), isList: false };
  const values: string[] = [];
  const names: string[] = [];
  for (const [key, item] of Object.entries(node)) {
    const name = parameterName([...keys, key]);
    if (!isValues(item) || !/^\d+$/.test(key)) {
      throw new BadParameterError(
        name,
        `A list is written ${parameterName(keys)}[]=… or ${parameterName(keys)}[0]=….`,
      );
    }
    for (const value of item) {
      values.push(value);
      names.push(name);
    }
  }
  return { values, names, isList: true };
}

function parseOperator(sent: string, parameter: string): Operator {
  const operator = OPERATORS.find((known) => known === sent);
  if (operator !== undefined) return operator;
  throw new BadParameterError(
    parameter,
    `There is no operator '${sent}'. Operators: ${OPERATORS.join(', ')}.`,
  );
}

/** One text part of a condition or group: undefined where it was not sent, the last where it was repeated. */
export function text(tree: QueryTree, keys: Keys, key: string): string | undefined {
  const node = tree[key];
  if (node === undefined) return undefined;
  if (isValues(node)) return node.at(-1);
  const parameter = parameterName([...keys, key]);
  throw new BadParameterError(parameter, `${parameter} is one text, not a list.`);
}

/** Adds what is sent below `keys` under other names than the known ones to `ignored`. */
export function addUnknown(tree: QueryTree, keys: Keys, known: readonly string[], ignored: string[]): void {
  for (const [key, node] of Object.entries(tree)) {
    if (!known.includes(key)) ignored.push(...leafNames(node, [...keys, key]));
  }
}

function splitCommas(value: string): string[] {
  return value.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
}

const TEXT_OPERATORS: ReadonlySet<Operator> = new Set(['STARTS_WITH', 'CONTAINS', 'ENDS_WITH']);
const LIST_OPERATORS: ReadonlySet<Operator> = new Set(['IN', 'NOT IN', 'BETWEEN', 'NOT BETWEEN']);

type Keys = readonly string[];

interface Subject {
  readonly path: string;
  readonly parameter: string;
}

interface SentList {
  readonly values: readonly string[];
  readonly names: readonly string[];
  readonly isList: boolean;
}
