import type { ResourceType } from '../content/model.ts';
import { BadParameterError } from '../util/errors.ts';
import type { Condition, FilterNode, Group } from './ast.ts';
import { coerce, matchesNull } from './coerce.ts';
import { splitPath } from './parse-path.ts';
import { bindStep, type PathContext, type PathStep } from './path.ts';
import { resolveSearch, type SearchNode, searchIn } from './resolve-search.ts';
import type { Slot } from './store/slot.ts';
import type { Test } from './targets.ts';
import { misfit, type ResolveContext, requireSomeTarget, spend, spendTexts, targetTypes } from './targets.ts';

/**
 * A filter bound to resource types: names are slots, values are of the slot's kind, and the conditions of one AND
 * group that speak of the same item stand together.
 */
export type ResolvedNode =
  | { readonly kind: 'group'; readonly conjunction: 'AND' | 'OR'; readonly members: readonly ResolvedNode[] }
  | JoinNode
  | SearchNode
  | ItemsNode
  /** A condition on a field that one of several possible target types lacks. */
  | { readonly kind: 'constant'; readonly value: boolean };

/** Some visible target of the reference meets all members; where there is none, a null target stands in. */
export interface JoinNode {
  readonly kind: 'join';
  readonly slot: Slot;
  readonly delta: number | null;
  readonly targets: readonly { readonly type: ResourceType; readonly members: readonly ResolvedNode[] }[];
  /** Whether the null target meets all members. */
  readonly matchesNull: boolean;
}

/** Some item of the anchor passes all tests; where there is none, a null item stands in. */
export interface ItemsNode {
  readonly kind: 'items';
  readonly delta: number | null;
  /** By slot; several slots where a list of objects is asked for several of its properties. */
  readonly slots: readonly { readonly slot: Slot; readonly tests: readonly Test[] }[];
  /** Tests of texts that stay as bytes. */
  readonly scans: readonly Test[];
}

/** Binds a filter to a type. Throws BadParameterError that names the parameter and the valid choices. */
export function resolveFilter(type: ResourceType, node: FilterNode, context: ResolveContext): ResolvedNode {
  const search = searchIn(type, node);
  if (search !== undefined) return resolveSearch(type, search, context);
  if (node.kind === 'condition') return single(resolveTogether(type, [pending(node, context)], context));
  if (node.kind === 'group') return resolveGroup(type, node, context);
  throw new Error('A search has not been resolved.');
}

function resolveGroup(type: ResourceType, group: Group, context: ResolveContext): ResolvedNode {
  const searches = group.members.map((member) => searchIn(type, member)).filter((node) => node !== undefined);
  const conditions = group.members
    .filter((member) => member.kind === 'condition')
    .filter((condition) => searchIn(type, condition) === undefined)
    .map((member) => pending(member, context));
  const groups = group.members.filter((member) => member.kind === 'group');
  // In an AND group the conditions on one list speak of the same item; in an OR group each stands alone.
  const bound =
    group.conjunction === 'AND'
      ? resolveTogether(type, conditions, context)
      : conditions.flatMap((condition) => resolveTogether(type, [condition], context));
  const members = [
    ...bound,
    ...searches.map((search) => resolveSearch(type, search, context)),
    ...groups.map((member) => resolveGroup(type, member, context)),
  ];
  return { kind: 'group', conjunction: group.conjunction, members };
}

/** A condition on its way through references: what is left of its path. */
interface Pending {
  readonly condition: Condition;
  readonly segments: readonly string[];
}

function pending(condition: Condition, { limits }: ResolveContext): Pending {
  return { condition, segments: splitPath(condition.path, condition.parameter ?? 'filter', limits) };
}

/** Resolves conditions that hold together on one entity: those through one reference join their targets once. */
function resolveTogether(
  type: ResourceType,
  conditions: readonly Pending[],
  context: ResolveContext,
): ResolvedNode[] {
  const joins = new Map<string, { step: Extract<PathStep, { kind: 'hop' }>; conditions: Pending[] }>();
  const items = new Map<string, DraftItems>();
  for (const { condition, segments } of conditions) {
    const step = bindStep(type, segments, contextOf(condition, context));
    if (step.kind === 'value') {
      const key = `${step.slot.anchor} ${step.delta}`;
      const group = items.get(key) ?? { kind: 'items', delta: step.delta, slots: [], scans: [] };
      const test = createTest(condition, step);
      if (step.slot.bytes) spendTexts(context, test);
      addTest(group, test);
      items.set(key, group);
    } else {
      const key = `${step.slot.name} ${step.delta}`;
      const join = joins.get(key) ?? { step, conditions: [] };
      join.conditions.push({ condition, segments: step.rest });
      joins.set(key, join);
    }
  }
  return [
    ...items.values(),
    ...[...joins.values()].map(({ step, conditions: through }) => resolveJoin(step, through, context)),
  ];
}

interface DraftItems extends ItemsNode {
  readonly slots: { readonly slot: Slot; readonly tests: Test[] }[];
  readonly scans: Test[];
}

function addTest({ slots, scans }: DraftItems, test: Test): void {
  if (test.slot.bytes) scans.push(test);
  else {
    const known = slots.find(({ slot }) => slot.name === test.slot.name);
    if (known === undefined) slots.push({ slot: test.slot, tests: [test] });
    else known.tests.push(test);
  }
}

function resolveJoin(
  step: Extract<PathStep, { kind: 'hop' }>,
  conditions: readonly Pending[],
  context: ResolveContext,
): JoinNode {
  spend(context, conditions[0]?.condition.parameter ?? 'filter');
  const targets = targetTypes(step.targets, context).map((type) => ({
    type,
    conditions: [] as Pending[],
    lacking: [] as Pending[],
  }));
  for (const through of conditions) {
    const { condition, segments } = through;
    const at = contextOf(condition, context);
    requireSomeTarget(
      targets.map(({ type }) => type),
      segments,
      at,
      context,
    );
    for (const target of targets) {
      const fits = misfit(target.type, segments, at, context) === null;
      (fits ? target.conditions : target.lacking).push(through);
    }
  }
  return {
    kind: 'join',
    slot: step.slot,
    delta: step.delta,
    // A field that one of several target types lacks is null there.
    targets: targets.map(({ type, conditions: known, lacking }) => ({
      type,
      members: [
        ...resolveTogether(type, known, context),
        ...lacking.map(
          ({ condition }): ResolvedNode => ({ kind: 'constant', value: matchesNull(condition.operator) }),
        ),
      ],
    })),
    matchesNull: conditions.every(({ condition }) => matchesNull(condition.operator)),
  };
}

function createTest(condition: Condition, step: Extract<PathStep, { kind: 'value' }>): Test {
  const nullTest = condition.operator === 'IS NULL' || condition.operator === 'IS NOT NULL';
  if (step.nullTestOnly !== null && !nullTest) {
    const instead = step.nullTestOnly === '' ? '' : ` Compare ${step.nullTestOnly} instead.`;
    throw new BadParameterError(
      condition.parameter ?? 'filter',
      `${condition.path} can only be asked with IS NULL or IS NOT NULL.${instead}`,
    );
  }
  return { slot: step.slot, operand: coerce(condition, step.slot.kind, step.unix), condition };
}

function contextOf(condition: Condition, { access }: ResolveContext): PathContext {
  return { access, path: condition.path, parameter: condition.parameter ?? 'filter' };
}

function single(nodes: readonly ResolvedNode[]): ResolvedNode {
  return nodes.length === 1 ? nodes[0]! : { kind: 'group', conjunction: 'AND', members: nodes };
}
