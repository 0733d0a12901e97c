import type { ResourceType } from '../content/model.ts';
import { resourceTypeName, shortTypeName } from '../content/resource-type.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { closestName, didYouMean } from '../util/closest-name.ts';
import { hiddenByOtherRules, whyInapplicable } from './access.ts';
import {
  ANONYMOUS_ROLE,
  AUTHENTICATED_ROLE,
  type FieldNames,
  type Permission,
  type Roles,
  roleNamed,
} from './role.ts';
import { compileRule, type Rule } from './rule.ts';

/** Sentences about bundles and fields in option `roles` that the content does not have, and about rules without effect. */
export function roleWarnings(roles: Roles, store: EntityStore): readonly string[] {
  const types = [...store.types.values()];
  return Object.entries(roles).flatMap(([role, { permissions = [] }]) => [
    ...permissions.flatMap((permission, index) => {
      const option = `roles.${role}.permissions.${index}`;
      const rule = compileRule(role, permission);
      const ruleTypes = types.filter(({ name }) => rule.types?.has(name) !== false);
      return [
        ...unknownBundles(option, permission, types),
        ...unknownFields(option, permission, ruleTypes),
        ...inapplicableTerms(option, permission, rule, ruleTypes, store),
        ...(role === ANONYMOUS_ROLE ? visibleDrafts(option, rule) : []),
      ];
    }),
    ...hiddenFields(role, roles, store),
  ]);
}

function unknownBundles(
  option: string,
  { bundles }: Permission,
  types: readonly ResourceType[],
): readonly string[] {
  if (bundles === '*') return [];
  const existing = types.map(({ name }) => name);
  return bundles
    .filter((name) => !existing.some((each) => each === resourceTypeName(name)))
    .map((name) => {
      const sameBundle = types.find(({ bundle }) => bundle === name)?.name;
      const guess = sameBundle ?? closestName(name, existing.map(shortTypeName));
      return `Option ${option}.bundles: the content has no bundle "${name}".${didYouMean(guess)}`;
    });
}

function unknownFields(
  option: string,
  { fields = {} }: Permission,
  types: readonly ResourceType[],
): readonly string[] {
  const [first] = types;
  if (first === undefined) return [];
  const existing = new Set(types.flatMap((type) => [...type.fields.keys()]));
  const problem = types.length === 1 ? `${first.name} has no field` : 'none of its bundles has a field';
  return Object.entries(fields).flatMap(([list, names]) =>
    namesOf(names)
      .filter((name) => !existing.has(name))
      .map(
        (name) =>
          `Option ${option}.fields.${list}: ${problem} "${name}".${didYouMean(closestName(name, existing))}`,
      ),
  );
}

/** With `'*'`, it is enough if the conditions apply to one bundle. */
function inapplicableTerms(
  option: string,
  { bundles }: Permission,
  rule: Rule,
  types: readonly ResourceType[],
  store: EntityStore,
): readonly string[] {
  const problems = types.flatMap((type) => whyInapplicable(rule, type, store) ?? []);
  if (bundles === '*' && problems.length < types.length) return [];
  return (bundles === '*' ? problems.slice(0, 1) : problems).map(
    (problem) => `Option ${option}.where: ${problem} The permission allows nothing there.`,
  );
}

function visibleDrafts(option: string, { actions, terms }: Rule): readonly string[] {
  if (!actions.has('view') || terms.has(JSON.stringify('published'))) return [];
  return [
    `Option ${option} shows unpublished content to everyone. If that is not intended, add where: 'published'.`,
  ];
}

/** Fields that a role shows on some entities only, so that they are hidden on all. */
function hiddenFields(role: string, roles: Roles, store: EntityStore): readonly string[] {
  const names = new Set(role === ANONYMOUS_ROLE ? [role] : [AUTHENTICATED_ROLE, role]);
  const rules = [...names].flatMap((name) =>
    (roleNamed(name, roles)?.permissions ?? []).map((permission) => compileRule(name, permission)),
  );
  return [...store.types.values()].flatMap((type) => {
    const hidden = hiddenByOtherRules(rules, type, store);
    if (hidden.length === 0) return [];
    return `Option roles.${role}: ${hidden.join(', ')} of ${type.name} would be visible on some entities only, so it is hidden on all. Show the same fields in every permission to view.`;
  });
}

function namesOf(names: FieldNames = []): readonly string[] {
  return 'except' in names ? names.except : names;
}
