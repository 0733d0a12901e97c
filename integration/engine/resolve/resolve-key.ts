import type { ResourceType } from '../../content/model.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { FacetInterval } from '../ast.ts';
import { splitPath } from '../limits.ts';
import type { Raw } from '../store/ordering.ts';
import type { Slot } from '../store/slot.ts';
import {
  bindStep,
  consume,
  joinTargets,
  type PathContext,
  type ResolveContext,
  type ValueStep,
} from './bind-path.ts';

/** A path bound to a chain of references and the slot at its end. */
export type KeyStep = ValueKey | JoinKey;

export interface ValueKey {
  readonly kind: 'value';
  readonly slot: Slot;
  readonly delta: number | null;
  /** If the keys are groups of values, in a facet. */
  readonly groups?: ValueGroups;
  /** If the keys are the visible targets of a reference, in a facet: the types that it may point to. */
  readonly targets?: readonly ResourceType[];
}

interface JoinKey {
  readonly kind: 'join';
  readonly slot: Slot;
  readonly delta: number | null;
  readonly targets: readonly { readonly type: ResourceType; readonly key: KeyStep }[];
}

export type ValueGroups =
  | { readonly kind: 'interval'; readonly interval: FacetInterval }
  /** Values below, between and above boundaries, which ascend. */
  | { readonly kind: 'ranges'; readonly bounds: readonly Raw[] };

/** Binds a path to a type; `keyOf` converts its last step, or throws. Throws BadParameterError. */
export function resolveKey(
  type: ResourceType,
  at: Pick<PathContext, 'path' | 'parameter'>,
  context: ResolveContext,
  keyOf: (step: ValueStep, type: ResourceType) => ValueKey,
): KeyStep {
  const { access, limits } = context;
  const { path, parameter } = at;
  return bindKey(type, splitPath(path, parameter, limits), { access, path, parameter }, context, keyOf);
}

function bindKey(
  type: ResourceType,
  members: readonly string[],
  at: PathContext,
  context: ResolveContext,
  keyOf: (step: ValueStep, type: ResourceType) => ValueKey,
): KeyStep {
  const step = bindStep(type, members, at);
  if (step.kind === 'value') return keyOf(step, type);
  consume('joins', 1, at.parameter, context);
  const targets = joinTargets(step.targets, step.rest, at, context).map((target) => ({
    type: target,
    key: bindKey(target, step.rest, at, context, keyOf),
  }));
  const kinds = new Set(targets.map(({ key }) => kindOf(key)));
  if (kinds.size > 1) {
    throw new BadParameterError(
      at.parameter,
      `${at.path} holds values of several kinds (${[...kinds].join(', ')}), which have no common order.`,
    );
  }
  return { kind: 'join', slot: step.slot, delta: step.delta, targets };
}

function kindOf(step: KeyStep): string {
  return step.kind === 'value' ? step.slot.kind : kindOf(step.targets[0]!.key);
}

/** A name for caches: equal for steps that lead to the same keys. */
export function keyName(step: KeyStep): string {
  const name = `${step.slot.name}@${step.delta}`;
  if (step.kind === 'join') {
    return `${name}>${step.targets.map(({ type, key }) => `${type.name}.${keyName(key)}`).join('|')}`;
  }
  return step.groups === undefined ? name : `${name} ${JSON.stringify(step.groups)}`;
}
