import type { ResourceType } from '../content/model.ts';
import { BadParameterError } from '../util/errors.ts';
import type { Condition } from './ast.ts';
import type { Operand } from './coerce.ts';
import type { QueryAccess } from './engine.ts';
import { beyondLimit, type Limits } from './limits.ts';
import { bindStep, type PathContext } from './path.ts';
import type { Slot } from './store/slot.ts';

/** What one query is bound with: the types there are, what the actor may ask for, and how much it may ask. */
export interface ResolveContext {
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Null for filters of our own, which may use every field. */
  readonly access: QueryAccess | null;
  readonly limits: Limits;
  /** Whether the site's words can be searched. */
  readonly searchable: boolean;
  /** What of the limits is left. */
  readonly budget: { joins: number; texts: number; words: number };
}

/** A context for one query. */
export function createResolveContext(
  types: ReadonlyMap<string, ResourceType>,
  access: QueryAccess | null,
  limits: Limits,
  searchable = false,
): ResolveContext {
  const budget = { joins: limits.joins, texts: limits.textComparisons, words: limits.searchWords };
  return { types, access, limits, searchable, budget };
}

/** Paths through references of several types branch; a query may walk so many references in all. */
export function spend(context: ResolveContext, parameter: string): void {
  context.budget.joins--;
  if (context.budget.joins < 0) {
    throw beyondLimit(
      parameter,
      'joins',
      `The paths of one query may lead through ${context.limits.joins} references at most`,
    );
  }
}

/** Bodies are read for every condition on them; a query may compare them with so many values in all. */
export function spendTexts(context: ResolveContext, { operand, condition }: Test): void {
  context.budget.texts -= operand.kind === 'any-of' ? operand.values.length : 1;
  if (context.budget.texts < 0) {
    throw beyondLimit(
      condition.parameter ?? 'filter',
      'textComparisons',
      `One query may compare ${condition.path} and the like with ${context.limits.textComparisons} values at most`,
    );
  }
}

export function targetTypes(names: readonly string[], { types }: ResolveContext): ResourceType[] {
  return names.map((name) => types.get(name)).filter((type) => type !== undefined);
}

/** A path is valid where at least one of the possible target types knows it; else the first one's error says why. */
export function requireSomeTarget(
  types: readonly ResourceType[],
  segments: readonly string[],
  at: PathContext,
  context: ResolveContext,
): void {
  const misfits = types.map((type) => misfit(type, segments, at, context));
  if (misfits.includes(null)) return;
  throw (
    misfits[0] ??
    new BadParameterError(at.parameter, `The path ${at.path} leads to a bundle that this site does not have.`)
  );
}

/**
 * Why a path does not fit a type, or null where it does. A path through references of several types is walked as
 * a set of types, one pass a member, so that no path costs more than its length.
 */
export function misfit(
  type: ResourceType,
  segments: readonly string[],
  at: PathContext,
  context: ResolveContext,
): BadParameterError | null {
  let level: readonly { readonly type: ResourceType; readonly segments: readonly string[] }[] = [
    { type, segments },
  ];
  for (;;) {
    const next = new Map<string, { type: ResourceType; segments: readonly string[] }>();
    let failure: BadParameterError | null = null;
    for (const place of level) {
      const step = attempt(() => bindStep(place.type, place.segments, at));
      if (step instanceof BadParameterError) failure ??= step;
      else if (step.kind === 'value') return null;
      else
        for (const target of targetTypes(step.targets, context))
          next.set(`${target.name} ${step.rest.length}`, { type: target, segments: step.rest });
    }
    if (next.size === 0) {
      return (
        failure ??
        new BadParameterError(
          at.parameter,
          `The path ${at.path} leads to a bundle that this site does not have.`,
        )
      );
    }
    level = [...next.values()];
  }
}

function attempt<T>(bind: () => T): T | BadParameterError {
  try {
    return bind();
  } catch (error) {
    if (error instanceof BadParameterError) return error;
    throw error;
  }
}

export interface Test {
  readonly slot: Slot;
  readonly operand: Operand;
  readonly condition: Condition;
}
