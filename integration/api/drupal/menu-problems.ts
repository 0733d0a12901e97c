import type { Entity, ResourceType } from '../../content/model.ts';
import type { EntityStore } from '../../engine/store/entity-store.ts';
import { type Diagnostic, FILE_START } from '../../source/diagnostic.ts';
import { menuTypes, parentOf } from './menu.ts';
import { isLink } from './menu-link.ts';

/** Menu items that no reader will find where their author put them. */
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
    const message = `There is no item \`${parent}\` in the menu \`${type.bundle}\`, so this one is left out.`;
    return [warning(entity, 'menu/parent', message, 'Correct `parent`, or remove it.')];
  }
  if (reachesTop(store, type, entity, rooted)) return [];
  const message = `The item lies below itself in the menu \`${type.bundle}\`, so it is left out.`;
  return [warning(entity, 'menu/circle', message, 'Correct `parent`.')];
}

/** Whether going up from an item ends; answers are kept by id. A way up that ends at nothing ends too. */
function reachesTop(
  store: EntityStore,
  type: ResourceType,
  entity: Entity,
  rooted: Map<string, boolean>,
): boolean {
  const way = new Set<string>();
  let item: Entity | undefined = entity;
  while (item !== undefined && !rooted.has(item.id) && !way.has(item.id)) {
    way.add(item.id);
    item = store.get(type.name, parentOf(item));
  }
  const top = item === undefined || rooted.get(item.id) === true;
  for (const id of way) rooted.set(id, top);
  return top;
}

function linkProblems(entity: Entity): readonly Diagnostic[] {
  const name = (entity.values.url ?? null) !== null ? 'url' : 'link';
  if (isLink(entity.values[name] ?? null)) return [];
  const hint = 'Write a path such as /about, or an address with http:, https:, mailto: or tel:.';
  return [warning(entity, 'menu/url', `\`${name}\` is nothing that a menu may lead to.`, hint)];
}

function warning({ key }: Entity, code: string, message: string, hint: string): Diagnostic {
  return { severity: 'warning', code, key, ...FILE_START, message, hint };
}
