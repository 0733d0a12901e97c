import { closestName, didYouMean } from '../../util/closest-name.ts';
import { collectErrors } from '../../util/collect-errors.ts';
import { BadParameterError } from '../../util/errors.ts';
import {
  type Condition,
  EMPTY_FILTER,
  type FilterNode,
  type Group,
  OPERANDS,
  OPERATORS,
  type Operator,
  SEARCH_PATH,
} from '../ast.ts';
import { checkLimit, checkPath, type Limits } from '../limits.ts';
import {
  ignoreOthers,
  isValues,
  leafNames,
  parameterName,
  type QueryNode,
  type QueryTree,
} from './query-string.ts';

export interface FilterOptions {
  /** True if `a,b` means any of the two, with `\,` for a comma: plain JSON, not JSON:API. */
  readonly commaLists: boolean;
  readonly limits: Limits;
}

/**
 * Parses `filter[…]`. Source: Drupal's JSON:API filter forms: `filter[f]=v`, `filter[f][operator|path|value]`,
 * `filter[x][condition][path|operator|value|memberOf]`, `filter[g][group][conjunction|memberOf]`. Members without a
 * group belong to the root AND group. Unknown keys beside valid ones are added to `ignored`.
 */
export function parseFilter(node: QueryNode, options: FilterOptions, ignored: string[]): Group {
  if (isValues(node)) {
    // Without the conditions of option `bundles`.
    if (node.at(-1) === '') return EMPTY_FILTER;
    throw new BadParameterError(
      'filter',
      'A filter names a field: write filter[title]=… instead of filter=….',
    );
  }
  const context = { ...options, ignored };
  const members: Member[] = [];
  const groups = new Map<string, DraftGroup>();
  let conditions = 0;
  collectErrors(
    ...Object.entries(node).map(
      ([label, item]) =>
        () =>
          add(label, item),
    ),
  );
  return assemble(members, groups, options.limits);

  function add(label: string, item: QueryNode): void {
    // The limit was reported.
    if (conditions > options.limits.conditions) return;
    const keys = ['filter', label];
    if (!isValues(item) && item.group !== undefined) {
      const group = parseGroup(item, label, ignored);
      groups.set(label, group);
      members.push(group);
    } else {
      const member = isValues(item)
        ? parseShortForm(keys, item, context)
        : parseLongForm(keys, item, context);
      members.push(member);
      // Several values between commas may be one condition each.
      conditions += member.node.kind === 'group' ? member.node.members.length : 1;
    }
    if (conditions > options.limits.conditions) {
      checkLimit('conditions', conditions, parameterName(keys), options.limits);
    }
  }
}

interface Context extends FilterOptions {
  readonly ignored: string[];
}

/** A condition or group before it is added to its `memberOf`. */
interface Member {
  readonly node: FilterNode;
  readonly memberOf?: string | undefined;
  /** The parameter of `memberOf`, for errors. */
  readonly parameter: string;
}

interface DraftGroup extends Member {
  readonly label: string;
  readonly node: Group & { readonly members: FilterNode[] };
}

function assemble(
  members: readonly Member[],
  groups: ReadonlyMap<string, DraftGroup>,
  limits: Limits,
): Group {
  const root: FilterNode[] = [];
  for (const { node, memberOf, parameter } of members) {
    const isInRoot = memberOf === undefined || (memberOf === ROOT && !groups.has(ROOT));
    const parent = isInRoot ? root : groups.get(memberOf)?.node.members;
    if (parent === undefined) {
      throw new BadParameterError(
        parameter,
        `There is no group '${memberOf}'. ${groups.size === 0 ? 'Add filter[<name>][group][conjunction]=OR.' : `Groups of this filter: ${[...groups.keys()].join(', ')}.`}`,
      );
    }
    parent.push(node);
  }
  for (const group of groups.values()) checkGroup(group, groups, limits);
  return { kind: 'group', conjunction: 'AND', members: root };
}

/** Drupal's name for the group that all others belong to. */
const ROOT = '@root';

function checkGroup(group: DraftGroup, groups: ReadonlyMap<string, DraftGroup>, limits: Limits): void {
  const { label, node, parameter } = group;
  if (node.members.length === 0) {
    throw new BadParameterError(
      parameterName(['filter', label, 'group']),
      `Group '${label}' has no members. Add [condition][memberOf]=${label} to a condition, or leave the group out.`,
    );
  }
  const ancestors = new Set<string>();
  for (let at: DraftGroup | undefined = group; at !== undefined; at = groups.get(at.memberOf ?? '')) {
    if (ancestors.has(at.label)) {
      throw new BadParameterError(
        parameter,
        `Group '${label}' is a member of itself: ${[...ancestors].join(' in ')}.`,
      );
    }
    ancestors.add(at.label);
    if (at.memberOf === undefined) break;
  }
  checkLimit('groupDepth', ancestors.size, parameter, limits);
}

function parseGroup(item: QueryTree, label: string, ignored: string[]): DraftGroup {
  const keys = ['filter', label, 'group'];
  const tree = item.group;
  const parameter = parameterName([...keys, 'conjunction']);
  checkOnlyKey('group', item, ['filter', label]);
  const conjunction =
    tree === undefined || isValues(tree) ? undefined : stringPart(tree, keys, 'conjunction');
  if (tree === undefined || isValues(tree) || (conjunction !== 'AND' && conjunction !== 'OR')) {
    throw new BadParameterError(
      parameter,
      `A group needs ${parameter}=AND or ${parameter}=OR, in upper case.`,
    );
  }
  ignoreOthers(tree, keys, ['conjunction', 'memberOf'], ignored);
  return {
    label,
    node: { kind: 'group', conjunction, members: [] },
    memberOf: stringPart(tree, keys, 'memberOf'),
    parameter: parameterName([...keys, 'memberOf']),
  };
}

/** `filter[f]=v`. On every bundle, `filter[fulltext]=words` is a search. */
function parseShortForm(keys: Keys, values: readonly string[], context: Context): Member {
  const parameter = parameterName(keys);
  const path = checkPath(keys.at(-1) ?? '', parameter, context.limits);
  const text = values.at(-1) ?? '';
  if (path === SEARCH_PATH) return { node: { kind: 'search', text, parameter }, parameter };
  return { node: compare({ path, parameter, operator: '=' }, [text], parameter, context), parameter };
}

function parseLongForm(keys: Keys, item: QueryTree, context: Context): Member {
  const { condition } = item;
  if (condition === undefined) {
    if (item.value === undefined) throw incomplete(keys, item);
    if (item.memberOf !== undefined) throw misplaced([...keys, 'memberOf']);
    return parseCondition(keys, item, context, keys[1]);
  }
  const conditionKeys = [...keys, 'condition'];
  if (isValues(condition)) {
    throw new BadParameterError(
      parameterName(conditionKeys),
      `A condition has parts: ${CONDITION_KEYS.map((key) => parameterName([...conditionKeys, key])).join(', ')}.`,
    );
  }
  checkOnlyKey('condition', item, keys);
  return parseCondition(conditionKeys, condition, context);
}

const CONDITION_KEYS = ['path', 'operator', 'value', 'memberOf'];

/**
 * The parts of a condition below `keys`: path (else `defaultPath`), operator (else `=`), value, memberOf. Checks only
 * how many values there are; `resolve` coerces them to the kind of the field.
 */
function parseCondition(keys: Keys, tree: QueryTree, context: Context, defaultPath?: string): Member {
  const hasOwnPath = tree.path !== undefined || defaultPath === undefined;
  const parameter = parameterName(hasOwnPath ? [...keys, 'path'] : keys);
  const path = stringPart(tree, keys, 'path') ?? defaultPath;
  if (path === undefined) {
    throw new BadParameterError(parameter, `A condition needs a path: add ${parameter}=<field>.`);
  }
  checkPath(path, parameter, context.limits);
  const operatorName = stringPart(tree, keys, 'operator') ?? '=';
  const member = {
    memberOf: stringPart(tree, keys, 'memberOf'),
    parameter: parameterName([...keys, 'memberOf']),
  };
  if (path === SEARCH_PATH && operatorName === 'SEARCH') {
    ignoreOthers(tree, keys, [...CONDITION_KEYS, 'highlight'], context.ignored);
    const text = stringPart(tree, keys, 'value') ?? '';
    const highlight = stringPart(tree, keys, 'highlight');
    const node = {
      kind: 'search',
      text,
      parameter,
      isTolerant: true,
      highlight: highlight === 'true',
    } as const;
    if (highlight === undefined || node.highlight) return { ...member, node };
    throw new BadParameterError(parameterName([...keys, 'highlight']), 'highlight is true, or left out.');
  }
  ignoreOthers(tree, keys, CONDITION_KEYS, context.ignored);
  if (path === SEARCH_PATH && operatorName === 'RELATED_TO') {
    const text = stringPart(tree, keys, 'value') ?? '';
    return { ...member, node: { kind: 'search', text, isRelated: true, parameter } };
  }
  const operator = parseOperator(operatorName, path, parameterName([...keys, 'operator']));
  const node = conditionNode({ path, parameter, operator }, tree.value, [...keys, 'value'], context);
  return { ...member, node };
}

function conditionNode(
  comparison: Comparison,
  value: QueryNode | undefined,
  keys: Keys,
  context: Context,
): FilterNode {
  const { operator } = comparison;
  const operand = OPERANDS[operator];
  const parameter = parameterName(keys);
  if (operand === 'none') {
    if (value === undefined) return { kind: 'condition', ...comparison, value: null };
    throw new BadParameterError(parameter, `${operator} takes no value: leave ${parameter} out.`);
  }
  if (value === undefined) return compareWithNull(comparison, parameter);
  const { values: listed, names, isList } = parseList(value, keys);
  if (operand === 'list' || operand === 'range') {
    const values = context.commaLists ? listed.flatMap(splitCommas) : listed;
    if (operand === 'list') return listCondition(comparison, values, parameter, context);
    if (values.length < 2) throw needsTwoValues(operator, parameter);
    context.ignored.push(...names.slice(2));
    return { kind: 'condition', ...comparison, value: values.slice(0, 2) };
  }
  // A repeated parameter replaces the value before it; only a list in brackets can be too long.
  const values = isList ? listed : listed.slice(-1);
  if (values.length > 1) {
    throw new BadParameterError(
      parameter,
      `${operator} compares with one value, not with a list of ${values.length}. Operators for lists: ${OPERATORS.filter((each) => /list|range/.test(OPERANDS[each])).join(', ')}.`,
    );
  }
  return compare(comparison, values, parameter, context);
}

/** One value under a scalar operator. With comma lists, several mean any of them (none of them for `<>`). */
function compare(
  comparison: Comparison,
  values: readonly string[],
  parameter: string,
  context: Context,
): FilterNode {
  const { operator } = comparison;
  const parts = context.commaLists ? values.flatMap(splitCommas) : values;
  const [first = ''] = parts;
  if (parts.length <= 1) return { kind: 'condition', ...comparison, value: first };
  if (operator === '=') return listCondition({ ...comparison, operator: 'IN' }, parts, parameter, context);
  if (operator === '<>')
    return listCondition({ ...comparison, operator: 'NOT IN' }, parts, parameter, context);
  checkLimit('listValues', parts.length, parameter, context.limits);
  const members = parts.map((value): Condition => ({ kind: 'condition', ...comparison, value }));
  return { kind: 'group', conjunction: 'OR', members };
}

function listCondition(
  comparison: Comparison,
  value: readonly string[],
  parameter: string,
  context: Context,
): Condition {
  checkLimit('listValues', value.length, parameter, context.limits);
  return { kind: 'condition', ...comparison, value };
}

/**
 * An operator without a value. Drupal compares with NULL: `<>` matches every value, comparisons match nothing, and text
 * operators match everything, which no client means: they are rejected.
 */
function compareWithNull(comparison: Comparison, parameter: string): Condition {
  const { operator } = comparison;
  if (OPERANDS[operator] === 'text') {
    throw new BadParameterError(parameter, `${operator} needs a text to look for: add ${parameter}=….`);
  }
  if (OPERANDS[operator] === 'range') throw needsTwoValues(operator, parameter);
  if (operator === '<>') return { kind: 'condition', ...comparison, operator: 'IS NOT NULL', value: null };
  return { kind: 'condition', ...comparison, operator: 'IN', value: [] };
}

function parseList(node: QueryNode, keys: Keys): ValueList {
  if (isValues(node)) return { values: node, names: node.map(() => parameterName(keys)), isList: false };
  const values: string[] = [];
  const names: string[] = [];
  for (const [key, item] of Object.entries(node)) {
    const name = parameterName([...keys, key]);
    if (!isValues(item) || !/^\d+$/.test(key)) {
      const list = parameterName(keys);
      throw new BadParameterError(name, `A list is written ${list}[]=… or ${list}[0]=….`);
    }
    for (const value of item) {
      values.push(value);
      names.push(name);
    }
  }
  return { values, names, isList: true };
}

function parseOperator(name: string, path: string, parameter: string): Operator {
  const operator = OPERATORS.find((each) => each === name);
  if (operator !== undefined) return operator;
  if (name === 'SEARCH' || name === 'RELATED_TO') {
    throw new BadParameterError(
      parameter,
      `${name} is an operator of the path ${SEARCH_PATH}, which has all text: filter[${SEARCH_PATH}][operator]=${name}.`,
    );
  }
  const names = path === SEARCH_PATH ? [...OPERATORS, 'SEARCH', 'RELATED_TO'] : OPERATORS;
  throw new BadParameterError(
    parameter,
    `There is no operator '${name}'.${didYouMean(closestName(name, names))} Operators: ${names.join(', ')}.`,
  );
}

/** One string of a condition or group: the last if repeated, undefined if missing. */
function stringPart(tree: QueryTree, keys: Keys, key: string): string | undefined {
  const node = tree[key];
  if (node === undefined) return undefined;
  if (isValues(node)) return node.at(-1);
  const parameter = parameterName([...keys, key]);
  throw new BadParameterError(parameter, `${parameter} must be one value, not a list.`);
}

function checkOnlyKey(only: string, item: QueryTree, keys: Keys): void {
  const stray = Object.keys(item).find((key) => key !== only);
  if (stray !== undefined) throw misplaced([...keys, stray]);
}

function misplaced(keys: Keys): BadParameterError {
  const key = keys.at(-1) ?? '';
  const inside = [...keys.slice(0, -1), 'condition', key];
  return new BadParameterError(
    parameterName(keys),
    `'${key}' belongs inside [condition] or [group]: write ${parameterName(inside)}=….`,
  );
}

function needsTwoValues(operator: Operator, parameter: string): BadParameterError {
  return new BadParameterError(
    parameter,
    `${operator} takes two values: ${parameter}[]=<from>&${parameter}[]=<to>.`,
  );
}

function incomplete(keys: Keys, item: QueryTree): BadParameterError {
  const name = parameterName(keys);
  if (Object.keys(item).some((key) => CONDITION_KEYS.includes(key))) {
    return new BadParameterError(
      name,
      `${name} has no value. Add ${name}[value]=…, or write ${name}[condition][path]=… with ${name}[condition][operator]=….`,
    );
  }
  if (Object.keys(item).every((key) => /^\d+$/.test(key))) {
    return new BadParameterError(
      name,
      `${name} is a list, which '=' cannot compare. Write ${name}[operator]=IN&${name}[value][]=….`,
    );
  }
  const [unknown = ''] = leafNames(item, keys);
  return new BadParameterError(
    unknown,
    `'${unknown}' is not a filter. After ${name} comes [condition], [group], or [operator] with [value].`,
  );
}

function splitCommas(value: string): string[] {
  return value.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
}

type Keys = readonly string[];

interface Comparison {
  readonly path: string;
  readonly operator: Operator;
  /** The parameter of the path. */
  readonly parameter: string;
}

interface ValueList {
  readonly values: readonly string[];
  /** The parameter of each value. */
  readonly names: readonly string[];
  /** True if the values were sent in brackets. */
  readonly isList: boolean;
}
