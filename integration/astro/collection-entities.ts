import { type AsOption, actorOf } from '../core/builder/as-option.ts';
import { chosenLanguage, type LanguageOption } from '../core/builder/language-option.ts';
import { findType } from '../core/builder/query-errors.ts';
import type { Entity, ResourceType } from '../core/content/model.ts';
import type { QueryAccess } from '../core/engine/engine.ts';
import type { Reader } from '../core/read/reader.ts';
import { visibleFields } from '../core/read/sparse-fields.ts';
import type { JsonValue } from '../core/util/json.ts';
import { collectionData } from './collection-data.ts';

export interface CollectionOptions extends AsOption, LanguageOption {
  /** Names of collections that differ from their bundle's name, by bundle. */
  readonly collections?: Readonly<Record<string, string>>;
}

export interface OpenedCollection {
  readonly type: ResourceType;
  readonly entities: readonly Entity[];
  /** `data` of an entry, before the schema of the collection. */
  dataOf(entity: Entity): Record<string, JsonValue>;
}

/** The entities of a collection of `jsonapiLoader`. */
export async function openCollection(
  reader: Reader,
  bundle: string,
  options: CollectionOptions,
): Promise<OpenedCollection> {
  const { store, settings, engine } = reader;
  const language = chosenLanguage(options, settings.languages, `jsonapiLoader('${bundle}')`);
  const access = reader.access(actorOf(options), language);
  const type = findType(store.types, bundle, 'jsonapiLoader');
  const { entities } = await engine.run(type, EVERYTHING, access);
  const targets = await visibleIds(reader, access);
  const fields = visibleFields(type, access);
  const isVisible = (name: string, id: string) => targets.get(name)?.has(id) === true;
  const { collections = {} } = options;
  return { type, entities, dataOf: (entity) => collectionData(entity, { fields, isVisible, collections }) };
}

/** The ids of visible entities by resource type. References lead to entities, whichever language they have. */
async function visibleIds(
  { store, engine }: Reader,
  access: QueryAccess,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const byType = new Map<string, ReadonlySet<string>>();
  for (const type of store.types.values()) {
    const { entities } = await engine.run(type, EVERYTHING, { ...access, strict: false });
    byType.set(type.name, new Set(entities.map(({ id }) => id)));
  }
  return byType;
}

const EVERYTHING = {
  filter: { kind: 'group', conjunction: 'AND', members: [] },
  sort: [],
  page: { offset: 0, limit: Number.POSITIVE_INFINITY },
} as const;
