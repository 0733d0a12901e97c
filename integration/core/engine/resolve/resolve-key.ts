import type { ResourceType } from '../../content/model.ts';
import { USER_TYPE_NAME } from '../../content/owner.ts';
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
export type KeyStep = ValueKey | JoinKey | NoKey;

/** The path does not apply to the type, but to another one of the same list. */
interface NoKey {
  readonly kind: 'none';
}

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
  const { access, limits, peers, types } = context;
  const { path, parameter } = at;
  const location = { access, path, parameter, users: types.get(USER_TYPE_NAME) };
  const members = splitPath(path, parameter, limits);
  const applies = peers === undefined || joinTargets(peers, members, location, context).includes(type);
  return applies ? bindKey(type, members, location, context, keyOf) : { kind: 'none' };
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
  checkKinds(
    targets.map(({ key }) => key),
    at,
  );
  return { kind: 'join', slot: step.slot, delta: step.delta, targets };
}

/** Throws BadParameterError if the values of the keys cannot be compared. */
export function checkKinds(keys: readonly KeyStep[], at: Pick<PathContext, 'path' | 'parameter'>): void {
  const kinds = new Set(keys.flatMap((key) => leafOf(key)?.slot.kind ?? []));
  if (kinds.size <= 1) return;
  throw new BadParameterError(
    at.parameter,
    `${at.path} holds values of several kinds (${[...kinds].join(', ')}), which have no common order.`,
  );
}

/** The end of the path, which is the same for all target types. */
export function leafOf(step: KeyStep): ValueKey | undefined {
  if (step.kind === 'join')
    return step.targets.map(({ key }) => leafOf(key)).find((leaf) => leaf !== undefined);
  return step.kind === 'value' ? step : undefined;
}

/** A name for caches: equal for steps that lead to the same keys. */
export function keyName(step: ValueKey | JoinKey): string {
  const name = `${step.slot.name}@${step.delta}`;
  if (step.kind === 'join') {
    return `${name}>${step.targets.map(({ type, key }) => `${type.name}.${key.kind === 'none' ? '' : keyName(key)}`).join('|')}`;
  }
  return step.groups === undefined ? name : `${name} ${JSON.stringify(step.groups)}`;
}
