import type { ResourceType } from '../content/model.ts';
import { resourceTypeName, shortTypeName } from '../content/resource-type.ts';
import type { EntityStore } from '../engine/store/store.ts';
import { closestName } from '../util/closest-name.ts';
import {
  ANONYMOUS_ROLE,
  AUTHENTICATED_ROLE,
  type FieldNames,
  type Permission,
  type Roles,
  roleNamed,
} from './role.ts';
import { type Rule, ruleOf } from './rule.ts';
import { fieldsLost, misfitOf } from './type-rules.ts';

/** What option `roles` says of bundles and fields that the content does not have, and what it cannot mean, in sentences. */
export function roleWarnings(roles: Roles, store: EntityStore): readonly string[] {
  const types = [...store.types.values()];
  return Object.entries(roles).flatMap(([role, { permissions = [] }]) => [
    ...permissions.flatMap((permission, at) => {
      const place = `roles.${role}.permissions.${at}`;
      const rule = ruleOf(role, permission);
      const meant = types.filter(({ name }) => rule.types?.has(name) !== false);
      return [
        ...unknownBundles(place, permission, types),
        ...unknownFields(place, permission, meant),
        ...misfits(place, permission, rule, meant, store),
        ...(role === ANONYMOUS_ROLE ? shownToEverybody(place, rule) : []),
      ];
    }),
    ...lostFields(role, roles, store),
  ]);
}

function unknownBundles(
  place: string,
  { bundles }: Permission,
  types: readonly ResourceType[],
): readonly string[] {
  if (bundles === '*') return [];
  const known = types.map(({ name }) => name);
  return bundles
    .filter((name) => !known.includes(resourceTypeName(name) ?? name))
    .map((name) => {
      const near = types.find(({ bundle }) => bundle === name)?.name;
      const guess = near ?? closestName(name, known.map(shortTypeName));
      return `Option ${place}.bundles: the content has no bundle "${name}".${didYouMean(guess)}`;
    });
}

function unknownFields(
  place: string,
  { fields = {} }: Permission,
  meant: readonly ResourceType[],
): readonly string[] {
  if (meant.length === 0) return [];
  const known = new Set(meant.flatMap((type) => [...type.fields.keys()]));
  const where = meant.length === 1 ? meant[0]?.name : 'none of its bundles';
  return Object.entries(fields).flatMap(([list, names]) =>
    namesOf(names)
      .filter((name) => !known.has(name))
      .map((name) => {
        const has = meant.length === 1 ? 'has no field' : 'has a field';
        return `Option ${place}.fields.${list}: ${where} ${has} "${name}".${didYouMean(closestName(name, known))}`;
      }),
  );
}

/** With `'*'`, conditions may fit some bundles only: then it is all right if they fit any. */
function misfits(
  place: string,
  { bundles }: Permission,
  rule: Rule,
  meant: readonly ResourceType[],
  store: EntityStore,
): readonly string[] {
  const problems = meant.flatMap((type) => misfitOf(rule, type, store) ?? []);
  const [first] = problems;
  if (first === undefined || (bundles === '*' && problems.length < meant.length)) return [];
  const told = bundles === '*' ? [first] : problems;
  return told.map((problem) => `Option ${place}.where: ${problem} The permission allows nothing there.`);
}

function shownToEverybody(place: string, { actions, terms }: Rule): readonly string[] {
  if (!actions.has('view') || terms.has(JSON.stringify('published'))) return [];
  return [
    `Option ${place} shows what is unpublished to everybody. If that is not meant, add where: 'published'.`,
  ];
}

/** Fields that a role may see on a part of what it sees, and therefore nowhere. */
function lostFields(role: string, roles: Roles, store: EntityStore): readonly string[] {
  const held = new Set(role === ANONYMOUS_ROLE ? [role] : [AUTHENTICATED_ROLE, role]);
  const rules = [...held].flatMap((name) =>
    (roleNamed(name, roles)?.permissions ?? []).map((permission) => ruleOf(name, permission)),
  );
  return [...store.types.values()].flatMap((type) => {
    const lost = fieldsLost(rules, type, store);
    if (lost.length === 0) return [];
    const names = lost.join(', ');
    return [
      `Option roles.${role}: ${names} of ${type.name} would be seen on some of the entities only, and so on none. Show the same fields by every permission to view.`,
    ];
  });
}

function namesOf(names: FieldNames = []): readonly string[] {
  return 'except' in names ? names.except : names;
}

function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
