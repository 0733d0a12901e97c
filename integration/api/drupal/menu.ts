import type { Entity, ResourceType } from '../../content/model.ts';
import { EMPTY_FILTER, type Query } from '../../engine/ast.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import type { EntityStore } from '../../engine/store/entity-store.ts';
import type { ComposedDocument } from '../../read/compose.ts';
import { JSONAPI_MEMBER, type MenuItemObject } from '../../read/document-types.ts';
import { findType } from '../../read/find.ts';
import { createRequestPager } from '../../read/links.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { referencesOf } from '../../read/serialize.ts';
import { asSeen } from '../../read/sparse-fields.ts';
import { BadParameterError } from '../../util/errors.ts';
import { linkOf, type MenuLink } from './menu-link.ts';

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
  const isEntityType = [...store.types.values()].some(({ entityType }) => entityType === MENU_PATH);
  return isEntityType ? undefined : findType(store, MENU_ENTITY_TYPE, menu);
}

const MENU_PATH = 'menu_items';

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
  for (const { entity, parent, url, route } of await visibleItems(context, type)) {
    const attributes = itemAttributes(type, entity, { parent, url, route });
    const selected = Object.entries(attributes).filter(
      ([name]) => requested === undefined || requested.includes(name),
    );
    data.push({
      type: MENU_ITEM_TYPE,
      id: itemId(entity.id),
      ...(selected.length > 0 && { attributes: Object.fromEntries(selected) }),
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
    return names.filter((name) => !ATTRIBUTES.has(name)).map((name) => `fields[${type}]=${name}`);
  });
}

const ATTRIBUTES: ReadonlySet<string> = new Set<keyof MenuAttributes>([
  'description',
  'enabled',
  'expanded',
  'menu_name',
  'meta',
  'options',
  'parent',
  'provider',
  'route',
  'title',
  'url',
  'weight',
]);

async function visibleItems(context: DocumentContext, type: ResourceType): Promise<readonly MenuItem[]> {
  const { services, access } = context;
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } };
  const { ids } = await services.engine.run(type, everything, access);
  const below = new Map<string, MenuItem[]>();
  for (const id of ids) {
    const stored = services.store.get(type.name, id);
    const entity = stored && asSeen(stored, services.store, access);
    // `stored` is checked, because the actor may not see the field `enabled`.
    const target = entity && stored.values.enabled !== false ? await linkOf(context, entity) : undefined;
    if (entity === undefined || target === undefined) continue;
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

function itemAttributes(
  { bundle }: ResourceType,
  entity: Entity,
  { parent, url, route }: Omit<MenuItem, 'entity'>,
): MenuAttributes {
  const { description = null, expanded } = entity.values;
  return {
    description: typeof description === 'string' ? description : null,
    enabled: true,
    expanded: expanded === true,
    menu_name: bundle,
    meta: { entity_id: entity.id },
    options: {},
    parent,
    provider: MENU_ENTITY_TYPE,
    route,
    title: titleOf(entity),
    url,
    weight: String(weightOf(entity)),
  };
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

/** Source: Drupal's module jsonapi_menu_items. */
interface MenuAttributes {
  readonly description: string | null;
  readonly enabled: true;
  readonly expanded: boolean;
  readonly menu_name: string;
  readonly meta: { readonly entity_id: string };
  readonly options: { readonly [name: string]: never };
  readonly parent: string;
  readonly provider: string;
  readonly route: MenuLink['route'];
  readonly title: string;
  readonly url: string;
  /** A string, as in Drupal. */
  readonly weight: string;
}

interface MenuItem extends MenuLink {
  readonly entity: Entity;
  readonly parent: string;
}
