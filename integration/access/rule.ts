import { resourceTypeName } from '../content/resource-type.ts';
import type { Group } from '../engine/ast.ts';
import { coversFields, type FieldSet, fieldSet } from './field-set.ts';
import {
  type Action,
  ANONYMOUS_ROLE,
  type FieldNames,
  OWNER_FIELD,
  type Permission,
  type WhereData,
  type WhereWord,
} from './role.ts';
import { parseRoleFilter } from './role-filter.ts';

/** A permission, read once. */
export interface Rule {
  readonly actions: ReadonlySet<Action>;
  /** Resource type names; null for all. */
  readonly types: ReadonlySet<string> | null;
  /** What an entity has to meet, all of it; by a text that is the same for the same condition. */
  readonly terms: ReadonlyMap<string, Term>;
  readonly view: FieldSet;
  readonly change: FieldSet;
}

export type Term = WhereWord | Group;

/** A permission of a role as a rule. Throws BadParameterError for a filter that is none. */
export function ruleOf(role: string, { actions, bundles, where, fields = {} }: Permission): Rule {
  const names = bundles === '*' ? null : bundles.map((name) => resourceTypeName(name) ?? name);
  return {
    actions: new Set(actions),
    types: names && new Set(names),
    terms: new Map(whereOf(where).map((data) => [JSON.stringify(data), termOf(data)])),
    view: fieldSet(fields.view ?? (role === ANONYMOUS_ROLE ? ALL_BUT_OWNER : ALL)),
    change: fieldSet(fields.change ?? ALL_BUT_OWNER),
  };
}

/** The rules that allow anything beside the others. */
export function withoutRedundant(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(
    (rule, at) =>
      !rules.some(
        (other, place) => place !== at && covers(other, rule) && !(place > at && covers(rule, other)),
      ),
  );
}

/** Whether a rule allows other things to other accounts. */
export function isPersonal({ terms }: Rule): boolean {
  return [...terms.values()].includes('own');
}

/** Whether every entity of the first meets the terms of the second, as far as can be told without looking at any. */
export function impliesTerms(first: Rule['terms'], second: Rule['terms']): boolean {
  return [...second.keys()].every((key) => first.has(key));
}

/** Whether the first rule allows all that the second does. */
function covers(all: Rule, some: Rule): boolean {
  return (
    [...some.actions].every((action) => all.actions.has(action)) &&
    coversTypes(all.types, some.types) &&
    impliesTerms(some.terms, all.terms) &&
    (!some.actions.has('view') || coversFields(all.view, some.view)) &&
    (!changes(some) || coversFields(all.change, some.change))
  );
}

function coversTypes(all: Rule['types'], some: Rule['types']): boolean {
  if (all === null) return true;
  return some !== null && [...some].every((name) => all.has(name));
}

function changes({ actions }: Rule): boolean {
  return actions.has('create') || actions.has('update');
}

export function whereOf(where: Permission['where']): readonly WhereData[] {
  if (where === undefined) return [];
  return isList(where) ? where : [where];
}

function termOf(data: WhereData): Term {
  return typeof data === 'string' ? data : parseRoleFilter(data);
}

function isList(where: WhereData | readonly WhereData[]): where is readonly WhereData[] {
  return Array.isArray(where);
}

const ALL: FieldNames = { except: [] };
const ALL_BUT_OWNER: FieldNames = { except: [OWNER_FIELD] };
