import { type Access, NOTHING } from '../access/access.ts';
import type { ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { ApiSettings, SearchIndex } from '../read/settings.ts';
import type { Services } from './services.ts';

/**
 * The services of the API: without the resource types that option `bundles` keeps out of it, as if the content had none.
 * Pages of the site, and the files that they show, use the services of the whole content.
 */
export function publishedServices(services: Services): Services {
  const hidden = new Set(services.settings.hiddenTypes);
  if (hidden.size === 0) return services;
  const accesses = new WeakMap<Access, Access>();
  return {
    ...services,
    store: storeWithout(services.store, hidden),
    settings: settingsWithout(services.settings, hidden),
    // Caches hang on the access of an actor, so that each one has one object here too.
    access(actor, language) {
      const whole = services.access(actor, language);
      const access = accesses.get(whole) ?? accessWithout(whole, hidden);
      accesses.set(whole, access);
      return access;
    },
  };
}

/** Error texts and descriptions list the names of indexes and prebuilt queries. */
function settingsWithout(settings: ApiSettings, hidden: ReadonlySet<string>): ApiSettings {
  const isHidden = (name: string) => hidden.has(name) || hidden.has(`node--${name}`);
  const indexes = Object.entries(settings.indexes).flatMap(([name, index]): [string, SearchIndex][] => {
    const bundles = index.bundles.filter((bundle) => !isHidden(bundle));
    return bundles.length === 0 ? [] : [[name, { ...index, bundles }]];
  });
  return { ...settings, indexes: Object.fromEntries(indexes) };
}

function storeWithout(store: EntityStore, hidden: ReadonlySet<string>): EntityStore {
  let whole = store.types;
  let types = typesWithout(whole, hidden);
  return {
    locale: store.locale,
    get version() {
      return store.version;
    },
    get types() {
      if (whole !== store.types) {
        whole = store.types;
        types = typesWithout(whole, hidden);
      }
      return types;
    },
    get: (type, ...rest) => (hidden.has(type) ? undefined : store.get(type, ...rest)),
    translations: (type, id) => (hidden.has(type) ? [] : store.translations(type, id)),
    entities: (type) => (hidden.has(type) ? [] : store.entities(type)),
  };
}

function typesWithout(
  types: ReadonlyMap<string, ResourceType>,
  hidden: ReadonlySet<string>,
): ReadonlyMap<string, ResourceType> {
  return new Map([...types].filter(([name]) => !hidden.has(name)));
}

function accessWithout(access: Access, hidden: ReadonlySet<string>): Access {
  return {
    ...access,
    visibility: (type) => (hidden.has(type.name) ? NOTHING : access.visibility(type)),
    fieldVisible: (type, field) => !hidden.has(type.name) && access.fieldVisible(type, field),
    filterFor: (action, type) => !hidden.has(type.name) && access.filterFor(action, type),
    filterForField: (type, field) => !hidden.has(type.name) && access.filterForField(type, field),
    allows: (action, entity) => !hidden.has(entity.type) && access.allows(action, entity),
    couldHaveSeen: (entity) => !hidden.has(entity.type) && access.couldHaveSeen(entity),
    fieldWritable: (type, ...rest) => !hidden.has(type.name) && access.fieldWritable(type, ...rest),
  };
}
