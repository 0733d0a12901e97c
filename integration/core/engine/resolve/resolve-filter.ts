import type { ResourceType } from '../../content/model.ts';
import { USER_TYPE_NAME } from '../../content/owner.ts';
import { collectErrors } from '../../util/collect-errors.ts';
import { BadParameterError } from '../../util/errors.ts';
import { type Condition, type FilterNode, type Group, SEARCH_PATH, type Search } from '../ast.ts';
import type { EngineQuery, QueryAccess } from '../engine.ts';
import { splitPath } from '../limits.ts';
import type { Slot } from '../store/slot.ts';
import type { SearchedFields } from '../text/clauses.ts';
import {
  bindStep,
  consume,
  type JoinStep,
  joinTargets,
  keyField,
  type PathContext,
  type ResolveContext,
  targetTypes,
  type ValueStep,
} from './bind-path.ts';
import { coerce, matchesNull, type Operand } from './coerce.ts';

/**
 * A filter bound to resource types: names are slots, values have the slot's kind, and the conditions of an AND group
 * on the same item are grouped.
 */
export type ResolvedNode =
  | (Pick<Group, 'kind' | 'conjunction' | 'isRanked'> & { readonly members: readonly ResolvedNode[] })
  | JoinNode
  | SearchNode
  | ItemsNode
  | ConstantNode;

/** A condition on a field that one of several possible types lacks. */
export interface ConstantNode {
  readonly kind: 'constant';
  readonly value: boolean;
}

/** Matches if a visible target of the reference matches all members. Without one, a null target stands in. */
export interface JoinNode {
  readonly kind: 'join';
  readonly slot: Slot;
  readonly delta: number | null;
  readonly targets: readonly JoinTarget[];
  /** True if the null target matches all members. */
  readonly matchesNull: boolean;
}

export interface JoinTarget {
  readonly type: ResourceType;
  readonly members: readonly ResolvedNode[];
}

/** Matches if an item of the anchor passes all tests. Without one, a null item stands in. */
export interface ItemsNode {
  readonly kind: 'items';
  readonly delta: number | null;
  /** By slot; several slots if several properties of a list of objects are tested. */
  readonly slots: readonly { readonly slot: Slot; readonly tests: readonly Test[] }[];
  /** Tests of texts that are read from their files. */
  readonly scans: readonly Test[];
}

export interface Test {
  readonly slot: Slot;
  readonly operand: Operand;
  readonly condition: Condition;
}

/** A search bound to a type, with the fields of it that the actor may see. */
export interface SearchNode extends SearchedFields {
  readonly kind: 'search';
}

/** Binds a filter to a type. Throws BadParameterError with the parameter and the valid choices. */
export function resolveFilter(type: ResourceType, node: FilterNode, context: ResolveContext): ResolvedNode {
  if (node.kind === 'group') return resolveGroup(type, node, context);
  if (node.kind === 'search' || isSearchPath(type, node)) return resolveText(type, node, context);
  const nodes = resolveRoot(type, [pathOf(node, context)], context);
  return nodes.length === 1 ? nodes[0]! : { kind: 'group', conjunction: 'AND', members: nodes };
}

function resolveGroup(type: ResourceType, group: Group, context: ResolveContext): ResolvedNode {
  const conditions: ConditionPath[] = [];
  const searches: (Search | Condition)[] = [];
  const groups: Group[] = [];
  for (const member of group.members) {
    if (member.kind === 'group') groups.push(member);
    else if (member.kind === 'search' || isSearchPath(type, member)) searches.push(member);
    else conditions.push(pathOf(member, context));
  }
  // In an AND group, the conditions on one list are about the same item; in an OR group, each is independent.
  const parts =
    group.conjunction === 'AND'
      ? [() => resolveRoot(type, conditions, context)]
      : conditions.map((condition) => () => resolveRoot(type, [condition], context));
  const members = collectErrors(
    ...parts,
    ...searches.map((search) => () => [resolveText(type, search, context)]),
    ...groups.map((member) => () => [resolveGroup(type, member, context)]),
  );
  return { ...group, members: members.flat() };
}

/** A condition and the rest of its path on the current type. */
interface ConditionPath {
  readonly condition: Condition;
  readonly members: readonly string[];
}

function pathOf(condition: Condition, { limits }: ResolveContext): ConditionPath {
  return { condition, members: splitPath(condition.path, condition.parameter ?? 'filter', limits) };
}

/** Resolves conditions whose paths start at an entity of the list. If some are wrong, the error is about each of them. */
function resolveRoot(
  type: ResourceType,
  conditions: readonly ConditionPath[],
  context: ResolveContext,
): ResolvedNode[] {
  try {
    return resolveBound(type, conditions, context);
  } catch (error) {
    if (!(error instanceof BadParameterError) || conditions.length < 2) throw error;
    // Limits count the conditions together, so each one alone has its own count.
    const alone = (condition: ConditionPath) => () =>
      resolveBound(type, [condition], { ...context, used: { joins: 0, textComparisons: 0, searchWords: 0 } });
    const fail = () => {
      throw error;
    };
    collectErrors(fail, ...conditions.map(alone));
    throw error;
  }
}

function resolveBound(
  type: ResourceType,
  conditions: readonly ConditionPath[],
  context: ResolveContext,
): ResolvedNode[] {
  const { peers } = context;
  return peers === undefined
    ? resolveConditions(type, conditions, context)
    : resolveApplicable(type, conditions, applicableTypes(peers, conditions, context), context);
}

/** The types that the path of each condition applies to. Throws BadParameterError for a path that applies to none. */
function applicableTypes(
  names: readonly string[],
  conditions: readonly ConditionPath[],
  context: ResolveContext,
): ReadonlyMap<Condition, readonly ResourceType[]> {
  return new Map(
    conditions.map(({ condition, members }) => [
      condition,
      joinTargets(names, members, pathContext(condition, context), context),
    ]),
  );
}

/** Resolves conditions on one of several types. A field that the type lacks is null there. */
function resolveApplicable(
  type: ResourceType,
  conditions: readonly ConditionPath[],
  applicable: ReadonlyMap<Condition, readonly ResourceType[]>,
  context: ResolveContext,
): ResolvedNode[] {
  const applies = ({ condition }: ConditionPath) => applicable.get(condition)?.includes(type) === true;
  return [
    ...resolveConditions(type, conditions.filter(applies), context),
    ...conditions
      .filter((each) => !applies(each))
      .map(({ condition }): ResolvedNode => ({ kind: 'constant', value: matchesNull(condition) })),
  ];
}

/** Resolves the conditions of one entity. Conditions through one reference share a join. */
function resolveConditions(
  type: ResourceType,
  conditions: readonly ConditionPath[],
  context: ResolveContext,
): ResolvedNode[] {
  const joins = new Map<string, { step: JoinStep; conditions: ConditionPath[] }>();
  const items = new Map<string, DraftItems>();
  for (const { condition, members } of conditions) {
    const step = bindStep(type, members, pathContext(condition, context));
    if (step.kind === 'value') {
      const test = createTest(condition, step);
      const key = `${test.slot.anchor} ${step.delta}`;
      const node = items.get(key) ?? { kind: 'items', delta: step.delta, slots: [], scans: [] };
      addTest(node, test, context);
      items.set(key, node);
    } else {
      const key = `${step.slot.name} ${step.delta}`;
      const join = joins.get(key) ?? { step, conditions: [] };
      join.conditions.push({ condition, members: step.rest });
      joins.set(key, join);
    }
  }
  return [...items.values(), ...[...joins.values()].map((join) => resolveJoin(join, context))];
}

interface DraftItems extends ItemsNode {
  readonly slots: { readonly slot: Slot; readonly tests: Test[] }[];
  readonly scans: Test[];
}

function addTest({ slots, scans }: DraftItems, test: Test, context: ResolveContext): void {
  if (test.slot.bytes) {
    // Every condition on bodies reads them.
    const values = test.operand.kind === 'any-of' ? test.operand.values.length : 1;
    consume('textComparisons', values, test.condition.parameter ?? 'filter', context);
    scans.push(test);
    return;
  }
  const tests = slots.find(({ slot }) => slot.name === test.slot.name)?.tests;
  if (tests === undefined) slots.push({ slot: test.slot, tests: [test] });
  else tests.push(test);
}

function createTest(condition: Condition, { presence, nullTestOnly, unix, ...step }: ValueStep): Test {
  const isNullTest = condition.operator === 'IS NULL' || condition.operator === 'IS NOT NULL';
  const slot = isNullTest ? (presence ?? step.slot) : step.slot;
  if (nullTestOnly !== null && !isNullTest) {
    const instead = nullTestOnly === '' ? '' : ` Compare ${nullTestOnly} instead.`;
    throw new BadParameterError(
      condition.parameter ?? 'filter',
      `${condition.path} can only be compared with IS NULL or IS NOT NULL.${instead}`,
    );
  }
  return { slot, operand: coerce(condition, slot.kind, unix), condition };
}

function resolveJoin(
  { step, conditions }: { readonly step: JoinStep; readonly conditions: readonly ConditionPath[] },
  context: ResolveContext,
): JoinNode {
  consume('joins', 1, conditions[0]?.condition.parameter ?? 'filter', context);
  const applicable = applicableTypes(step.targets, conditions, context);
  const targets = targetTypes(step.targets, context).map((type) => ({
    type,
    members: resolveApplicable(type, conditions, applicable, context),
  }));
  return {
    kind: 'join',
    slot: step.slot,
    delta: step.delta,
    targets,
    matchesNull: conditions.every(({ condition }) => matchesNull(condition)),
  };
}

function pathContext(condition: Condition, { access, types }: ResolveContext): PathContext {
  const { path, parameter = 'filter', value } = condition;
  return { access, path, parameter, value, users: types.get(USER_TYPE_NAME) };
}

/** True if the condition searches: its path is `fulltext`, and the bundle has no such field. */
function isSearchPath(type: ResourceType, { path }: Condition): boolean {
  return path === SEARCH_PATH && !type.fields.has(SEARCH_PATH);
}

/** True if a filter contains a search. */
export function hasSearch(type: ResourceType, node: FilterNode): boolean {
  if (node.kind === 'group') return node.members.some((member) => hasSearch(type, member));
  return node.kind === 'search' || isSearchPath(type, node);
}

/** The texts of the tolerant searches of a filter, of those that ask for highlights, or of those for related entities. */
export function searchedTexts(node: FilterNode, which: keyof Search): readonly string[] {
  if (node.kind === 'group') return node.members.flatMap((member) => searchedTexts(member, which));
  return node.kind === 'search' && node[which] ? [node.text] : [];
}

/** A list without an order of its own has that of Drupal's numbers, if content keeps them. Otherwise it is in the order of ids. */
export function inOrder<Sorted extends EngineQuery>(
  [type, other]: readonly ResourceType[],
  query: Sorted,
  access: QueryAccess,
): Sorted {
  const path = type && keyField(type, access);
  if (!path || other || query.sort.length > 0 || hasSearch(type, query.filter)) return query;
  return { ...query, sort: [{ path, direction: 'ASC' }] };
}

/** The searches of a resolved filter, and other conditions that add to the relevance, in order. */
export function rankedNodes(node: ResolvedNode, isRanked = false): readonly ResolvedNode[] {
  if (node.kind === 'group') return node.members.flatMap((member) => rankedNodes(member, node.isRanked));
  return isRanked || node.kind === 'search' ? [node] : [];
}

/** Throws BadParameterError for an operator, and if search is off. */
function resolveText(type: ResourceType, node: Search | Condition, context: ResolveContext): ResolvedNode {
  const { search } = context;
  const parameter = node.parameter ?? `filter[${SEARCH_PATH}]`;
  const bad = (detail: string) => new BadParameterError(parameter, detail);
  if (search === undefined) throw bad('Full-text search is off on this site: option search is false.');
  const text = searchText(node);
  if (text === undefined) {
    throw bad(`A search takes only words, without an operator or with SEARCH: filter[${SEARCH_PATH}]=words.`);
  }
  const parts = search().resolveSearch(type, node.kind === 'search' ? node : { text }, parameter, context);
  if (parts.length === 0) return { kind: 'constant', value: false };
  const members = parts.map((part): SearchNode => ({ kind: 'search', ...part }));
  return members.length === 1 ? members[0]! : { kind: 'group', conjunction: 'AND', members };
}

function searchText(node: Search | Condition): string | undefined {
  if (node.kind === 'search') return node.text;
  const { operator, value } = node;
  return operator === '=' && value !== null && typeof value !== 'object' ? String(value) : undefined;
}
