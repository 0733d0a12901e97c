import type { ResourceType } from '../../content/model.ts';
import { collectErrors } from '../../util/collect-errors.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { Facet, FilterNode, Group } from '../ast.ts';
import { type ColumnKind, FIXED_ORDERINGS, type Raw } from '../store/ordering.ts';
import { consume, type ResolveContext, targetTypes, type ValueStep } from './bind-path.ts';
import { coerce } from './coerce.ts';
import { type ResolvedNode, resolveFilter } from './resolve-filter.ts';
import { type KeyStep, resolveKey, type ValueGroups } from './resolve-key.ts';

/** A facet bound to a type. */
export interface ResolvedFacet {
  readonly facet: Facet;
  readonly key: KeyStep;
  /** The filter without the conditions on the facet's path; null if the facet counts the results of the query. */
  readonly filter: ResolvedNode | null;
}

/** Binds the facets of a query to a type. Throws BadParameterError. */
export function resolveFacets(
  type: ResourceType,
  facets: readonly Facet[],
  filter: Group,
  context: ResolveContext,
): readonly ResolvedFacet[] {
  const resolveOne = (facet: Facet): ResolvedFacet => {
    const at = { path: facet.path, parameter: facet.parameter ?? 'facetBy' };
    const key = resolveKey(type, at, context, (step, owner) => {
      const { slot, delta } = step;
      const reference = slot.kind === 'reference' ? owner.fields.get(slot.name) : undefined;
      if (reference !== undefined) {
        checkGroups(facet, at.parameter, slot.kind);
        consume('joins', 1, at.parameter, context);
        return { kind: 'value', slot, delta, targets: targetTypes(reference.targets, context) };
      }
      checkCountable(step, at);
      const groups = resolveGroups(facet, step, at.parameter);
      return { kind: 'value', slot, delta, ...(groups && { groups }) };
    });
    const others = facet.operator === 'or' ? withoutPath(filter, facet.path) : filter;
    const counts = others === filter ? null : resolveFilter(type, others, context);
    return { facet, key, filter: counts };
  };
  return collectErrors(...facets.map((facet) => () => resolveOne(facet)));
}

function checkCountable({ slot, nullTestOnly }: ValueStep, at: { path: string; parameter: string }): void {
  if (nullTestOnly === null && !slot.bytes) return;
  const instead = nullTestOnly ? ` Count ${nullTestOnly}.` : '';
  throw new BadParameterError(at.parameter, `The values of ${at.path} cannot be counted.${instead}`);
}

function resolveGroups(facet: Facet, { slot, unix }: ValueStep, parameter: string): ValueGroups | undefined {
  checkGroups(facet, parameter, slot.kind);
  const { interval, ranges, path } = facet;
  if (interval !== undefined) return { kind: 'interval', interval };
  if (ranges === undefined) return undefined;
  const name = optionName(parameter, 'ranges');
  const { order, compare } = FIXED_ORDERINGS[RANGE_KINDS.find((kind) => kind === slot.kind) ?? 'number'];
  const bounds = ranges.map((value): Raw => {
    const condition = { kind: 'condition', path, operator: '>=', value, parameter: name } as const;
    const operand = coerce(condition, slot.kind, unix);
    if (operand.kind === 'compare' && operand.value !== undefined) return operand.value;
    throw new BadParameterError(name, `'${value}' is not a value of ${path}, which is of kind ${slot.kind}.`);
  });
  return { kind: 'ranges', bounds: bounds.sort((a, b) => compare(order(a), order(b))) };
}

const INTERVAL_KINDS = ['date', 'datetime'] as const;
const RANGE_KINDS = ['integer', 'number', 'decimal', ...INTERVAL_KINDS] as const;

function checkGroups(facet: Facet, parameter: string, kind: ColumnKind): void {
  const { path } = facet;
  for (const [option, kinds] of [
    ['interval', INTERVAL_KINDS],
    ['ranges', RANGE_KINDS],
  ] as const) {
    if (facet[option] === undefined || kinds.some((each) => each === kind)) continue;
    throw new BadParameterError(
      optionName(parameter, option),
      `${path} is of kind ${kind}. A facet with ${option} needs one of these kinds: ${kinds.join(', ')}.`,
    );
  }
}

/** `facetBy[created][interval]`. Other parameters, such as calls of a builder, have no names for options. */
function optionName(parameter: string, option: string): string {
  return parameter.endsWith(']') ? `${parameter}[${option}]` : parameter;
}

/** The filter without the members of its root that are conditions on a path; the filter itself without such members. */
function withoutPath(filter: Group, path: string): Group {
  const target = comparedPath(path);
  const isOther = (node: FilterNode) => node.kind !== 'condition' || comparedPath(node.path) !== target;
  return filter.members.every(isOther) ? filter : { ...filter, members: filter.members.filter(isOther) };
}

/** A reference is compared by the id of its target. `entity` between a reference and its field is optional. */
function comparedPath(path: string): string {
  return path.replaceAll('.entity.', '.').replace(/\.(?:id|meta\.drupal_internal__target_id)$/, '');
}
