import { BadParameterError } from '../util/errors.ts';
import type { FilterNode, Group } from './ast.ts';
import { beyondLimit, type Limits } from './limits.ts';
import {
  addUnknown,
  CONDITION_KEYS,
  condition,
  type FilterOptions,
  type Member,
  shortForm,
  text,
} from './parse-condition.ts';
import { isValues, leafNames, parameterName, type QueryNode, type QueryTree } from './query-string.ts';

/**
 * `filter[…]` as an AST. Source: Drupal's JSON:API filter forms: `filter[f]=v`, `filter[f][operator|path|value]`,
 * `filter[x][condition][path|operator|value|memberOf]`, `filter[g][group][conjunction|memberOf]`. Members of no
 * group belong to the root AND group. Keys that no form knows, beside a valid one, are added to `ignored`.
 */
export function parseFilter(node: QueryNode, options: FilterOptions, ignored: string[]): Group {
  if (isValues(node)) {
    throw new BadParameterError(
      'filter',
      'A filter names a field: write filter[title]=… instead of filter=….',
    );
  }
  const members: Member[] = [];
  let conditions = 0;
  const groups = new Map<string, DraftGroup>();
  for (const [label, item] of Object.entries(node)) {
    const keys = ['filter', label];
    if (!isValues(item) && item.group !== undefined) {
      const group = parseGroup(item, label, ignored);
      groups.set(label, group);
      members.push({ node: group, memberOf: group.memberOf, parameter: group.parameter });
    } else {
      const member = isValues(item)
        ? shortForm(keys, item, options)
        : conditionForm(keys, item, options, ignored);
      members.push(member);
      // Several values between commas may be a condition each.
      conditions += member.node.kind === 'group' ? member.node.members.length : 1;
    }
    if (conditions > options.limits.conditions) {
      throw beyondLimit(
        parameterName(keys),
        'conditions',
        `A filter may have ${options.limits.conditions} conditions at most`,
      );
    }
  }
  return assemble(members, groups, options.limits);
}

function conditionForm(keys: Keys, item: QueryTree, options: FilterOptions, ignored: string[]): Member {
  const inner = item.condition;
  if (inner === undefined) {
    if (item.value === undefined) throw incomplete(keys, item);
    if (item.memberOf !== undefined) throw misplaced([...keys, 'memberOf']);
    return condition(keys, item, keys[1], options, ignored);
  }
  const conditionKeys = [...keys, 'condition'];
  if (isValues(inner)) {
    throw new BadParameterError(
      parameterName(conditionKeys),
      `A condition has parts: ${CONDITION_KEYS.map((key) => parameterName([...conditionKeys, key])).join(', ')}.`,
    );
  }
  const stray = Object.keys(item).find((key) => key !== 'condition');
  if (stray !== undefined) throw misplaced([...keys, stray]);
  return condition(conditionKeys, inner, undefined, options, ignored);
}

function parseGroup(item: QueryTree, label: string, ignored: string[]): DraftGroup {
  const keys = ['filter', label, 'group'];
  const tree = item.group;
  const parameter = parameterName([...keys, 'conjunction']);
  const stray = Object.keys(item).find((key) => key !== 'group');
  if (stray !== undefined) throw misplaced(['filter', label, stray]);
  const conjunction = tree === undefined || isValues(tree) ? undefined : text(tree, keys, 'conjunction');
  if (tree === undefined || isValues(tree) || (conjunction !== 'AND' && conjunction !== 'OR')) {
    throw new BadParameterError(
      parameter,
      `A group needs ${parameter}=AND or ${parameter}=OR, in upper case.`,
    );
  }
  addUnknown(tree, keys, ['conjunction', 'memberOf'], ignored);
  const memberOf = text(tree, keys, 'memberOf');
  return {
    kind: 'group',
    label,
    conjunction,
    memberOf,
    members: [],
    parameter: parameterName([...keys, 'memberOf']),
  };
}

function assemble(
  members: readonly Member[],
  groups: ReadonlyMap<string, DraftGroup>,
  limits: Limits,
): Group {
  const root: FilterNode[] = [];
  for (const { node, memberOf, parameter } of members) {
    const parent = memberOf === undefined ? undefined : groups.get(memberOf);
    if (memberOf === undefined || (memberOf === ROOT && parent === undefined)) {
      root.push(node);
      continue;
    }
    if (parent === undefined) {
      const known = [...groups.keys()].join(', ');
      throw new BadParameterError(
        parameter,
        `There is no group '${memberOf}'. ${known === '' ? 'Add filter[<name>][group][conjunction]=OR.' : `Groups of this filter: ${known}.`}`,
      );
    }
    parent.members.push(node);
  }
  for (const group of groups.values()) checkGroup(group, groups, limits);
  return { kind: 'group', conjunction: 'AND', members: root.map(strip) };
}

/** Drupal's name of the group that all others belong to. */
const ROOT = '@root';

function checkGroup(
  group: DraftGroup,
  groups: ReadonlyMap<string, DraftGroup>,
  { groupDepth }: Limits,
): void {
  if (group.members.length === 0) {
    throw new BadParameterError(
      parameterName(['filter', group.label, 'group']),
      `Group '${group.label}' has no members. Add [condition][memberOf]=${group.label} to a condition, or leave the group out.`,
    );
  }
  const above = new Set<string>();
  for (let at: DraftGroup | undefined = group; at !== undefined; at = groups.get(at.memberOf ?? '')) {
    if (above.has(at.label)) {
      throw new BadParameterError(
        group.parameter,
        `Group '${group.label}' is a member of itself: ${[...above].join(' in ')}.`,
      );
    }
    above.add(at.label);
    if (at.memberOf === undefined) break;
  }
  if (above.size > groupDepth) {
    throw beyondLimit(group.parameter, 'groupDepth', `Groups may be nested ${groupDepth} deep at most`);
  }
}

function strip(node: FilterNode): FilterNode {
  if (node.kind !== 'group') return node;
  return { kind: 'group', conjunction: node.conjunction, members: node.members.map(strip) };
}

function misplaced(keys: Keys): BadParameterError {
  const key = keys.at(-1) ?? '';
  const inside = [...keys.slice(0, -1), 'condition', key];
  return new BadParameterError(
    parameterName(keys),
    `'${key}' counts only inside [condition] or [group]: write ${parameterName(inside)}=….`,
  );
}

function incomplete(keys: Keys, item: QueryTree): BadParameterError {
  const name = parameterName(keys);
  const known = Object.keys(item).find((key) => CONDITION_KEYS.includes(key));
  if (known !== undefined) {
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
    `'${unknown}' is no filter. After ${name} come [condition], [group], or [operator] with [value].`,
  );
}

type Keys = readonly string[];

interface DraftGroup extends Group {
  readonly label: string;
  readonly memberOf: string | undefined;
  readonly members: FilterNode[];
  readonly parameter: string;
}
