import type { Entity, ResourceType } from '../../core/content/model.ts';
import { EMPTY_FILTER, type Query } from '../../core/engine/ast.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import type { ComposedDocument } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER, type MenuItemObject } from '../../core/read/document-types.ts';
import { findType, hasEntityType } from '../../core/read/find.ts';
import { createRequestPager } from '../../core/read/links.ts';
import type { DocumentContext } from '../../core/read/reader.ts';
import { referencesOf } from '../../core/read/serialize.ts';
import { visibleEntity } from '../../core/read/sparse-fields.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { linkOf, type MenuLink } from './menu-link.ts';
import { MENU_PATH } from './named-paths.ts';

/** Resource type of all items, as in Drupal's module jsonapi_menu_items. */
export const MENU_ITEM_TYPE = 'menu_link_content--menu_link_content';

const MENU_ENTITY_TYPE = 'menu_link_content';

/** The bundles that are menus. */
export function menuTypes(store: EntityStore): readonly ResourceType[] {
  return [...store.types.values()].filter(({ entityType }) => entityType === MENU_ENTITY_TYPE);
}

/**
 * The menu at `menu_items/main`; undefined for other paths, and if the content has an entity type of that name. Throws
 * NotFoundError if the menu does not exist.
 */
export function findMenu(
  store: EntityStore,
  [first, menu, ...rest]: readonly string[],
): ResourceType | undefined {
  if (first?.toLowerCase() !== MENU_PATH || menu === undefined || rest.length > 0) return undefined;
  return hasEntityType(store, MENU_PATH) ? undefined : findType(store, MENU_ENTITY_TYPE, menu);
}

/**
 * The items of a menu as a flat list: parents before children, siblings by weight, then title. Items that are disabled, that
 * the actor may not see, or that link to an entity the actor may not see, are left out with everything below them.
 */
export async function menuDocument(
  context: DocumentContext,
  type: ResourceType,
  query: string,
): Promise<ComposedDocument<readonly MenuItemObject[]>> {
  const { services, links } = context;
  const parsed = parseQuery(query, 'individual', services.settings);
  if (parsed.include.length > 0) {
    throw new BadParameterError('include', 'Menu items have no relationships. Omit include.');
  }
  const requested = parsed.fields[MENU_ITEM_TYPE];
  const data: MenuItemObject[] = [];
  const selected = Object.entries(ATTRIBUTES).filter(([name]) => requested?.includes(name) ?? true);
  for (const item of await visibleItems(context, type)) {
    const attributes = selected.map(([name, read]) => [name, read(item, type)]);
    data.push({
      type: MENU_ITEM_TYPE,
      id: itemId(item.entity.id),
      ...(selected.length > 0 && { attributes: Object.fromEntries(attributes) }),
    });
  }
  const ignored = [...parsed.ignored, ...ignoredFields(parsed.fields)];
  const { self } = createRequestPager(links.menu(type.bundle), query);
  return {
    jsonapi: JSONAPI_MEMBER,
    data,
    ...(ignored.length === 0 ? {} : { meta: { ignored } }),
    links: { self: { href: self } },
  };
}

/** Names in `fields` that have no effect. */
function ignoredFields(fields: Query['fields']): readonly string[] {
  return Object.entries(fields).flatMap(([type, names]) => {
    if (type !== MENU_ITEM_TYPE) return [`fields[${type}]`];
    return names.filter((name) => !Object.hasOwn(ATTRIBUTES, name)).map((name) => `fields[${type}]=${name}`);
  });
}

/** The attributes of an item. Source: Drupal's module jsonapi_menu_items. */
const ATTRIBUTES: Readonly<Record<string, (item: MenuItem, type: ResourceType) => JsonValue>> = {
  description: ({ entity: { values } }) =>
    typeof values.description === 'string' ? values.description : null,
  enabled: () => true,
  expanded: ({ entity }) => entity.values.expanded === true,
  menu_name: (_, { bundle }) => bundle,
  meta: ({ entity }) => ({ entity_id: entity.id }),
  options: () => ({}),
  parent: ({ parent }) => parent,
  provider: () => MENU_ENTITY_TYPE,
  route: ({ route }) => route,
  title: ({ entity }) => titleOf(entity),
  url: ({ url }) => url,
  // A string, as in Drupal.
  weight: ({ entity }) => String(weightOf(entity)),
};

async function visibleItems(context: DocumentContext, type: ResourceType): Promise<readonly MenuItem[]> {
  const { services, access } = context;
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } };
  const { entities } = await services.engine.run(type, everything, access);
  const below = new Map<string, MenuItem[]>();
  for (const stored of entities) {
    const entity = visibleEntity(stored, services.store, access);
    // `stored` is checked, because the actor may not see the field `enabled`.
    const target = stored.values.enabled !== false ? await linkOf(context, entity) : undefined;
    if (target === undefined) continue;
    const parent = parentOf(entity);
    const siblings = below.get(parent) ?? [];
    siblings.push({ entity, parent: parent === '' ? '' : itemId(parent), ...target });
    below.set(parent, siblings);
  }
  const { compare } = new Intl.Collator(services.store.locale);
  for (const siblings of below.values()) {
    siblings.sort(
      (a, b) => weightOf(a.entity) - weightOf(b.entity) || compare(titleOf(a.entity), titleOf(b.entity)),
    );
  }
  const ordered: MenuItem[] = [];
  // A stack, because a menu may be deeper than the call stack. Items in a cycle are never reached.
  const stack = (below.get('') ?? []).toReversed();
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    ordered.push(item);
    stack.push(...(below.get(item.entity.id) ?? []).toReversed());
  }
  return ordered;
}

/** Id of the parent item or `''`. The field is a reference, or a string such as `about` or `menu_link_content:about`. */
export function parentOf({ values }: Entity): string {
  const [reference] = referencesOf(values.parent);
  if (reference !== undefined) return reference.id;
  const { parent } = values;
  if (typeof parent === 'number') return String(parent);
  return typeof parent === 'string' ? parent.trim().replace(/^menu_link_content:/, '') : '';
}

function weightOf({ values: { weight = null } }: Entity): number {
  const number = typeof weight === 'number' || typeof weight === 'string' ? Number(weight) : 0;
  return Number.isFinite(number) ? number : 0;
}

function titleOf({ values }: Entity): string {
  return typeof values.title === 'string' ? values.title : '';
}

function itemId(id: string): string {
  return `${MENU_ENTITY_TYPE}:${id}`;
}

interface MenuItem extends MenuLink {
  readonly entity: Entity;
  readonly parent: string;
}
