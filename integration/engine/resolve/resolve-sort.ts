import type { ResourceType } from '../../content/model.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { SortKey } from '../ast.ts';
import { splitPath } from '../limits.ts';
import type { Slot } from '../store/slot.ts';
import { bindStep, consume, joinTargets, type PathContext, type ResolveContext } from './bind-path.ts';

/** A sort key bound to a chain of references and the slot at its end. */
export interface ResolvedSort {
  readonly direction: 'ASC' | 'DESC';
  readonly path: string;
  readonly key: SortStep;
}

export type SortStep =
  | { readonly kind: 'value'; readonly slot: Slot; readonly delta: number | null }
  | {
      readonly kind: 'join';
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
  members: readonly string[],
  at: PathContext,
  context: ResolveContext,
): SortStep {
  const step = bindStep(type, members, at);
  const { slot, delta } = step;
  if (step.kind === 'value') {
    if (step.nullTestOnly === null) return { kind: 'value', slot, delta };
    const instead = step.nullTestOnly === '' ? '' : ` Sort by ${step.nullTestOnly}.`;
    throw new BadParameterError(at.parameter, `${at.path} cannot be sorted.${instead}`);
  }
  consume('joins', 1, at.parameter, context);
  const targets = joinTargets(step.targets, step.rest, at, context).map((target) => ({
    type: target,
    key: sortStep(target, step.rest, at, context),
  }));
  const kinds = new Set(targets.map(({ key }) => leafKind(key)));
  if (kinds.size > 1) {
    throw new BadParameterError(
      at.parameter,
      `${at.path} holds values of several kinds (${[...kinds].join(', ')}), which have no common order.`,
    );
  }
  return { kind: 'join', slot, delta, targets };
}

function leafKind(step: SortStep): string {
  return step.kind === 'value' ? step.slot.kind : leafKind(step.targets[0]!.key);
}
