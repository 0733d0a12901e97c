import type { Languages } from '../content/languages.ts';
import { createEntityMatcher } from '../engine/plan/policy-rows.ts';
import type { IndexedStore } from '../engine/store/entity-store.ts';
import { LruMap } from '../util/lru-map.ts';
import { type Access, createAccess } from './access.ts';
import type { Actor } from './actor.ts';
import { createLanguageAccess, type LanguageChoice } from './language-access.ts';
import { ANONYMOUS_ROLE, AUTHENTICATED_ROLE, type Roles, roleNamed, type SpecialPermission } from './role.ts';
import { compileRule, isPersonal, type Rule, withoutRedundant } from './rule.ts';
import { createPublicationFilters } from './schedule.ts';

export interface PolicyOptions {
  /** The clock, milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Option `roles`: the site's own roles, and built-in roles that it replaces. */
  readonly roles?: Roles;
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
}

/** The permissions of an actor over the content in a language; over sources, whatever their language, for `source`. */
export type Policy = (actor: Actor, language?: LanguageChoice | 'source') => Access;

/**
 * Returns the permissions of an actor by their roles. What an actor may see is a filter that is ANDed into every query,
 * so that lists, counts, includes and paths reveal nothing else. An actor with a name has the role `authenticated` and
 * their own roles; one without a name has the role `anonymous` alone. Unknown roles allow nothing. Actors with the
 * same permissions get the same object; the cache is bounded.
 */
export function createPolicy(store: IndexedStore, { now, roles = {}, languages }: PolicyOptions): Policy {
  const context = {
    store,
    publication: createPublicationFilters(store, now),
    matches: createEntityMatcher(store),
  };
  const compiledRoles = new Map<string, CompiledRole>();
  const ruleNumbers = new Map<Rule, number>();
  const grants = new LruMap<string, Grants>(MAX_CACHED);
  const accesses = new LruMap<string, Access>(MAX_CACHED);

  function compileRole(name: string): CompiledRole {
    let role = compiledRoles.get(name);
    if (role === undefined) {
      const { permissions = [], also = [] } = roleNamed(name, roles) ?? {};
      role = { rules: permissions.map((permission) => compileRule(name, permission)), also };
      for (const rule of role.rules) ruleNumbers.set(rule, ruleNumbers.size);
      compiledRoles.set(name, role);
    }
    return role;
  }

  function combineRoles(names: readonly string[], more: readonly SpecialPermission[]): Grants {
    const held = names.map(compileRole);
    const rules = withoutRedundant(held.flatMap((role) => role.rules));
    const also = new Set([...held.flatMap((role) => role.also), ...more]);
    const key = JSON.stringify([rules.map((rule) => ruleNumbers.get(rule)), [...also].sort()]);
    return { key, rules, also, personal: rules.some(isPersonal) };
  }

  function accessOf(actor: Actor): Access {
    const names = effectiveRoles(actor, roles);
    const { also: more = [] } = actor;
    const { key, rules, also, personal } = cached(grants, [...names, '', ...more].join('\n'), () =>
      combineRoles(names, more),
    );
    const name = personal ? actor.name : null;
    return cached(accesses, key + (name ?? ''), () => createAccess(rules, also, { ...context, name }));
  }

  if (languages === undefined) return accessOf;
  const inLanguage = createLanguageAccess(languages);
  return (actor, language) => inLanguage(accessOf(actor), language);
}

function cached<V extends object>(cache: LruMap<string, V>, key: string, make: () => V): V {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}

/** Existing roles without duplicates, in code-unit order. */
function effectiveRoles(actor: Actor, roles: Roles): readonly string[] {
  if (actor.name === null) return [ANONYMOUS_ROLE];
  const existing = actor.roles.filter(
    (role) => role !== ANONYMOUS_ROLE && roleNamed(role, roles) !== undefined,
  );
  return [...new Set([AUTHENTICATED_ROLE, ...existing])].sort();
}

/** Entries of each cache. */
const MAX_CACHED = 500;

interface CompiledRole {
  readonly rules: readonly Rule[];
  readonly also: readonly SpecialPermission[];
}

/** The permissions of a set of roles. */
interface Grants {
  /** Equal for equal rules. */
  readonly key: string;
  readonly rules: readonly Rule[];
  readonly also: ReadonlySet<SpecialPermission>;
  /** True if they depend on the account's name. */
  readonly personal: boolean;
}
