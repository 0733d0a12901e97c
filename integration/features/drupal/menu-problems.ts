import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { type Diagnostic, FILE_START } from '../../core/source/diagnostic.ts';
import { menuTypes, parentOf } from './menu.ts';
import { isLink } from './menu-link.ts';

/** Warnings about menu items that are left out of their menu. */
export function menuProblems(store: EntityStore): readonly Diagnostic[] {
  return menuTypes(store).flatMap((type) => {
    const rooted = new Map<string, boolean>();
    return store
      .entities(type.name)
      .flatMap((entity) => [...parentProblems(store, type, entity, rooted), ...linkProblems(entity)]);
  });
}

function parentProblems(
  store: EntityStore,
  type: ResourceType,
  entity: Entity,
  rooted: Map<string, boolean>,
): readonly Diagnostic[] {
  const parent = parentOf(entity);
  if (parent === '') return [];
  if (store.get(type.name, parent) === undefined) {
    const message = `The menu \`${type.bundle}\` has no item \`${parent}\`, so this item is left out.`;
    return [warning(entity, 'menu/parent', message, 'Correct `parent`, or remove it.')];
  }
  if (reachesTop(store, type, entity, rooted)) return [];
  const message = `The item is below itself in the menu \`${type.bundle}\`, so it is left out.`;
  return [warning(entity, 'menu/circle', message, 'Correct `parent`.')];
}

/** True if the parents of an item end, at the top or at a missing item. `rooted` caches results by id. */
function reachesTop(
  store: EntityStore,
  type: ResourceType,
  entity: Entity,
  rooted: Map<string, boolean>,
): boolean {
  const ids = new Set<string>();
  let item: Entity | undefined = entity;
  while (item !== undefined && !rooted.has(item.id) && !ids.has(item.id)) {
    ids.add(item.id);
    item = store.get(type.name, parentOf(item));
  }
  const isRooted = item === undefined || rooted.get(item.id) === true;
  for (const id of ids) rooted.set(id, isRooted);
  return isRooted;
}

function linkProblems(entity: Entity): readonly Diagnostic[] {
  const name = (entity.values.url ?? null) !== null ? 'url' : 'link';
  if (isLink(entity.values[name] ?? null)) return [];
  const hint = 'Use a path such as /about, or a URL with http:, https:, mailto: or tel:.';
  return [warning(entity, 'menu/url', `\`${name}\` is not a valid link of a menu.`, hint)];
}

function warning({ key }: Entity, code: string, message: string, hint: string): Diagnostic {
  return { severity: 'warning', code, key, ...FILE_START, message, hint };
}
