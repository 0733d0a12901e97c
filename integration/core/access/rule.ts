import { resourceTypeName } from '../content/resource-type.ts';
import type { Group } from '../engine/ast.ts';
import { DEFAULT_LIMITS } from '../engine/limits.ts';
import { parseFilter } from '../engine/parse/parse-filter.ts';
import type { QueryNode, QueryTree } from '../engine/parse/query-string.ts';
import { BadParameterError } from '../util/errors.ts';
import {
  type Action,
  ANONYMOUS_ROLE,
  type FieldNames,
  OWNER_FIELD,
  type Permission,
  type WhereData,
  type WhereWord,
} from './role.ts';

/** A compiled permission. */
export interface Rule {
  readonly actions: ReadonlySet<Action>;
  /** Resource type names; null for all. */
  readonly types: ReadonlySet<string> | null;
  /** The conditions that an entity must all meet, by their JSON. */
  readonly terms: ReadonlyMap<string, Term>;
  readonly view: FieldSet;
  readonly change: FieldSet;
}

export type Term = WhereWord | Group;

/** These field names, or all but these. */
export interface FieldSet {
  readonly kind: 'only' | 'except';
  readonly names: ReadonlySet<string>;
}

/** Compiles a permission of a role. Throws BadParameterError for an invalid filter. */
export function compileRule(role: string, { actions, bundles, where, fields = {} }: Permission): Rule {
  const types = bundles === '*' ? null : new Set(bundles.map((name) => resourceTypeName(name) ?? name));
  return {
    actions: new Set(actions),
    types,
    terms: new Map(
      ([where ?? []].flat() as readonly WhereData[]).map((data) => [
        JSON.stringify(data),
        typeof data === 'string' ? data : parseRoleFilter(data),
      ]),
    ),
    view: fieldSet(fields.view ?? (role === ANONYMOUS_ROLE ? ALL_BUT_OWNER : ALL)),
    change: fieldSet(fields.change ?? ALL_BUT_OWNER),
  };
}

const ALL: FieldNames = { except: [] };
const ALL_BUT_OWNER: FieldNames = { except: [OWNER_FIELD] };

/** Leaves out each rule that another rule covers. */
export function withoutRedundant(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(
    (rule, i) => !rules.some((other, j) => j !== i && covers(other, rule) && !(j > i && covers(rule, other))),
  );
}

/** True if the rule depends on the account's name. */
export function isPersonal({ terms }: Rule): boolean {
  return [...terms.values()].includes('own');
}

/** True if the conditions of the first certainly include those of the second. */
export function impliesTerms(first: Rule['terms'], second: Rule['terms']): boolean {
  return [...second.keys()].every((key) => first.has(key));
}

export function hasField({ kind, names }: FieldSet, name: string): boolean {
  return names.has(name) === (kind === 'only');
}

/**
 * Parses the filter of a role with the grammar of `filter[…]`. Throws BadParameterError for an invalid filter and for
 * parts that a query would ignore.
 */
export function parseRoleFilter(data: object): Group {
  const ignored: string[] = [];
  const group = parseFilter(queryTree(data), { commaLists: false, limits: DEFAULT_LIMITS }, ignored);
  const [stray] = ignored;
  if (stray !== undefined) throw new BadParameterError(stray, `${stray} is not part of a filter.`);
  if (group.members.length === 0) throw new BadParameterError('filter', 'The filter is empty.');
  // Only the short form is a search, and it is not a member of a group.
  if (group.members.some(({ kind }) => kind === 'search')) {
    throw new BadParameterError('filter', 'A role cannot search: leave fulltext out.');
  }
  return group;
}

/** Every value becomes a list of one string, as in a query string. */
function queryTree(data: object): QueryTree {
  const tree: Record<string, QueryNode> = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    const part: unknown = value;
    if (typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) {
      tree[key] = [String(part)];
    } else if (typeof part === 'object' && part !== null) {
      tree[key] = queryTree(part);
    } else {
      throw new BadParameterError(key, `${key} must be a string, number, boolean, array or object.`);
    }
  }
  return tree;
}

/** True if the first rule allows everything that the second allows. */
function covers(all: Rule, some: Rule): boolean {
  return (
    [...some.actions].every((action) => all.actions.has(action)) &&
    coversTypes(all.types, some.types) &&
    impliesTerms(some.terms, all.terms) &&
    (!some.actions.has('view') || coversFields(all.view, some.view)) &&
    (!(some.actions.has('create') || some.actions.has('update')) || coversFields(all.change, some.change))
  );
}

function coversTypes(all: Rule['types'], some: Rule['types']): boolean {
  return all === null || (some !== null && [...some].every((name) => all.has(name)));
}

function coversFields(all: FieldSet, some: FieldSet): boolean {
  if (all.kind === 'except') return [...all.names].every((name) => !hasField(some, name));
  return some.kind === 'only' && [...some.names].every((name) => all.names.has(name));
}

function fieldSet(names: FieldNames): FieldSet {
  return 'except' in names
    ? { kind: 'except', names: new Set(names.except) }
    : { kind: 'only', names: new Set(names) };
}
