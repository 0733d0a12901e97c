import { type Access, NOTHING } from '../access/access.ts';
import type { ResourceType } from '../content/model.ts';
import { parseFilter } from '../engine/parse/parse-filter.ts';
import type { QueryDefaults } from '../engine/parse/parse-query.ts';
import { keyField } from '../engine/resolve/bind-path.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { BadParameterError } from '../util/errors.ts';
import { includeTree } from './include.ts';
import type { DocumentContext, Reader } from './reader.ts';

type Context = Pick<DocumentContext, 'services' | 'access'>;

const usable = new WeakMap<Access, { types: EntityStore['types']; of: Map<string, QueryDefaults> }>();

/**
 * The defaults of a bundle, without what would be an error for this actor: include paths, or a filter, with fields that the actor
 * may not see.
 */
export async function usableDefaults(
  context: Context,
  type: ResourceType,
  all: QueryDefaults,
): Promise<QueryDefaults> {
  const { services, access } = context;
  const { types } = services.store;
  let cached = usable.get(access);
  if (cached?.types !== types) {
    cached = { types, of: new Map() };
    usable.set(access, cached);
  }
  const own = cached.of.get(type.name) ?? (await withoutErrors(services, access, type, all));
  cached.of.set(type.name, own);
  return own;
}

/** Option `bundles.<bundle>.defaults` as far as an actor can use it, by resource type. */
export async function allUsableDefaults(context: Context): Promise<Readonly<Record<string, QueryDefaults>>> {
  const { settings, store } = context.services;
  const usable: Record<string, QueryDefaults> = {};
  for (const [name, defaults] of Object.entries(settings.queryDefaults ?? {})) {
    const type = store.types.get(name);
    if (type !== undefined) usable[name] = await usableDefaults(context, type, defaults);
  }
  return usable;
}

async function withoutErrors(
  services: Reader,
  access: Access,
  type: ResourceType,
  { include = [], filter, pageSize }: QueryDefaults,
): Promise<QueryDefaults> {
  const valid: string[] = [];
  for (const path of include) {
    if (await isValid(() => includeTree(services, access, [type], [path]))) valid.push(path);
  }
  const hasFilter = filter !== undefined && (await isValid(() => runNothing(services, access, type, filter)));
  return { include: valid, pageSize, ...(hasFilter && { filter }) };
}

/**
 * Runs a query that returns nothing. Throws BadParameterError for a filter that the actor cannot use, and for one by a number
 * that the actor may not see, which would be compared with ids.
 */
function runNothing(
  { engine, settings: { limits } }: Reader,
  access: Access,
  type: ResourceType,
  node: QueryDefaults['filter'] & {},
) {
  const members = [parseFilter(node, { commaLists: false, limits }, []), NOTHING];
  const filter = { kind: 'group', conjunction: 'AND', members } as const;
  const fieldVisible: Access['fieldVisible'] = (each, name) => {
    const isVisible = access.fieldVisible(each, name);
    if (isVisible || name !== keyField(each, null)) return isVisible;
    throw new BadParameterError('filter', `${each.name} has no field "${name}".`);
  };
  // A list without an order is sorted by the same numbers, which the actor need not see.
  const sort = [{ path: 'id', direction: 'ASC' }] as const;
  return engine.run(type, { filter, sort, page: { offset: 0, limit: 0 } }, { ...access, fieldVisible });
}

/** False if it throws or rejects with a BadParameterError. */
async function isValid(check: () => unknown): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof BadParameterError) return false;
    throw error;
  }
}
