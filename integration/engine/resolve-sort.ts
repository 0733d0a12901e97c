import type { ResourceType } from '../content/model.ts';
import { BadParameterError } from '../util/errors.ts';
import type { SortKey } from './ast.ts';
import { splitPath } from './parse-path.ts';
import { bindStep, type PathContext } from './path.ts';
import type { Slot } from './store/slot.ts';
import { misfit, type ResolveContext, requireSomeTarget, spend, targetTypes } from './targets.ts';

/** A sort key bound to a chain of references and the slot at its end. */
export type ResolvedSort = {
  readonly direction: 'ASC' | 'DESC';
  readonly path: string;
  readonly key: SortStep;
};

export type SortStep =
  | { readonly kind: 'value'; readonly slot: Slot; readonly delta: number | null }
  | {
      readonly kind: 'hop';
      readonly slot: Slot;
      readonly delta: number | null;
      readonly targets: readonly { readonly type: ResourceType; readonly key: SortStep }[];
    };

/** Binds sort keys to a type. Throws BadParameterError. */
export function resolveSort(
  type: ResourceType,
  sort: readonly SortKey[],
  context: ResolveContext,
): readonly ResolvedSort[] {
  return sort.map(({ path, direction, parameter = 'sort' }) => {
    const at = { access: context.access, path, parameter };
    return { direction, path, key: sortStep(type, splitPath(path, parameter, context.limits), at, context) };
  });
}

function sortStep(
  type: ResourceType,
  segments: readonly string[],
  at: PathContext,
  context: ResolveContext,
): SortStep {
  const step = bindStep(type, segments, at);
  if (step.kind === 'hop') spend(context, at.parameter);
  if (step.kind === 'value') {
    if (step.nullTestOnly !== null) {
      const instead = step.nullTestOnly === '' ? '' : ` Sort by ${step.nullTestOnly}.`;
      throw new BadParameterError(at.parameter, `${at.path} has no order of its own.${instead}`);
    }
    return { kind: 'value', slot: step.slot, delta: step.delta };
  }
  const types = targetTypes(step.targets, context);
  requireSomeTarget(types, step.rest, at, context);
  const targets = types
    .filter((target) => misfit(target, step.rest, at, context) === null)
    .map((target) => ({ type: target, key: sortStep(target, step.rest, at, context) }));
  const kinds = new Set(targets.map(({ key }) => leafKind(key)));
  if (kinds.size > 1) {
    throw new BadParameterError(
      at.parameter,
      `${at.path} holds values of several kinds (${[...kinds].join(', ')}), which have no common order.`,
    );
  }
  return { kind: 'hop', slot: step.slot, delta: step.delta, targets };
}

function leafKind(step: SortStep): string {
  return step.kind === 'value' ? step.slot.kind : leafKind(step.targets[0]!.key);
}
