import { LRUCache } from 'lru-cache';
import { createEntityMatcher } from '../engine/policy-rows.ts';
import type { IndexedStore } from '../engine/store/entity-store.ts';
import { type Access, createAccess } from './access.ts';
import type { Actor } from './actor.ts';
import { createPublicationFilters } from './publication.ts';
import { ANONYMOUS_ROLE, AUTHENTICATED_ROLE, type Roles, roleNamed, type SpecialPermission } from './role.ts';
import { isPersonal, type Rule, ruleOf, withoutRedundant } from './rule.ts';

export interface PolicyOptions {
  /** The clock, milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Option `roles`: those of the site's own, and those that are other than built in. */
  readonly roles?: Roles;
}

/**
 * What an actor may do by their roles, as filters of the query language: what they may see is ANDed into every query,
 * so that nothing unseen can be inferred from lists, counts, includes or paths. Whoever has a name has the role
 * `authenticated` besides their own; who has none is `anonymous` and nothing else. A role that there is not allows
 * nothing. Actors who may do the same are given the same object, of which a bounded number is kept.
 */
export function createPolicy(
  store: IndexedStore,
  { now, roles = {} }: PolicyOptions,
): (actor: Actor) => Access {
  const shared = {
    store,
    publication: createPublicationFilters(store, now),
    matches: createEntityMatcher(store),
  };
  const read = new Map<string, ReadRole>();
  const numbers = new Map<Rule, number>();
  const grants = new LRUCache<string, Grants>({ max: MAX_CACHED });
  const accesses = new LRUCache<string, Access>({ max: MAX_CACHED });

  function readRole(name: string): ReadRole {
    let known = read.get(name);
    if (known === undefined) {
      const { permissions = [], also = [] } = roleNamed(name, roles) ?? {};
      known = { rules: permissions.map((permission) => ruleOf(name, permission)), also };
      for (const rule of known.rules) numbers.set(rule, numbers.size);
      read.set(name, known);
    }
    return known;
  }

  function grantsOf(names: readonly string[]): Grants {
    const held = names.map(readRole);
    const rules = withoutRedundant(held.flatMap((role) => role.rules));
    const also = new Set(held.flatMap((role) => role.also));
    const key = JSON.stringify([rules.map((rule) => numbers.get(rule)), [...also].sort()]);
    return { key, rules, also, personal: rules.some(isPersonal) };
  }

  return (actor) => {
    const names = rolesOf(actor, roles);
    const { key, rules, also, personal } = cached(grants, names.join('\n'), () => grantsOf(names));
    const name = personal ? actor.name : null;
    return cached(accesses, key + (name ?? ''), () => createAccess(rules, also, { ...shared, name }));
  };
}

function cached<V extends object>(cache: LRUCache<string, V>, key: string, make: () => V): V {
  const value = cache.get(key) ?? make();
  if (!cache.has(key)) cache.set(key, value);
  return value;
}

/** The roles that count, in code-unit order, each once. */
function rolesOf({ name, roles: given }: Actor, roles: Roles): readonly string[] {
  if (name === null) return [ANONYMOUS_ROLE];
  const known = given.filter((role) => role !== ANONYMOUS_ROLE && roleNamed(role, roles) !== undefined);
  return [...new Set([AUTHENTICATED_ROLE, ...known])].sort();
}

/** Role combinations, and accesses: rules about the user's own content need one for each account. */
const MAX_CACHED = 500;

interface ReadRole {
  readonly rules: readonly Rule[];
  readonly also: readonly SpecialPermission[];
}

/** What a set of roles allows. */
interface Grants {
  /** The same for the same rules. */
  readonly key: string;
  readonly rules: readonly Rule[];
  readonly also: ReadonlySet<SpecialPermission>;
  /** Whether it depends on the account's name. */
  readonly personal: boolean;
}
