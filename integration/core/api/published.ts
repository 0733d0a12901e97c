import { type Access, NOTHING } from '../access/access.ts';
import { OWNER_FIELD } from '../access/role.ts';
import type { ResourceType } from '../content/model.ts';
import { USER_TYPE_NAME } from '../content/owner.ts';
import { splitResourceType } from '../content/resource-type.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { indexedType } from '../read/index-fields.ts';
import type { ApiSettings, SearchIndex } from '../read/settings.ts';
import { belowPrefix } from '../read/url-path.ts';
import { decodeUri } from '../util/text.ts';
import type { Services } from './request.ts';

/**
 * The services of the API: without the resource types and fields that option `bundles` keeps out of it, as if the content had
 * none. Pages of the site, and the files that they show, use the services of the whole content.
 */
export function publishedServices(services: Services): Services {
  const { hiddenTypes, hiddenFields = {} } = services.settings;
  const hidden = new Set(hiddenTypes);
  if (hidden.size === 0 && Object.keys(hiddenFields).length === 0) return services;
  const accesses = new WeakMap<Access, Access>();
  return {
    ...services,
    store: storeWithout(services.store, hidden),
    settings: settingsWithout(services, hidden),
    // Caches hang on the access of an actor, so that each one has one object here too.
    access(actor, language) {
      const whole = services.access(actor, language);
      const access = accesses.get(whole) ?? accessWithout(whole, hidden, hiddenFields);
      accesses.set(whole, access);
      return access;
    },
  };
}

/**
 * What the API has of each setting: all of it, or the part without the hidden bundles. A setting that is missing here is
 * a type error, because each one could name bundles: errors, descriptions and snapshots list what settings name.
 */
const PUBLISHED: { readonly [Name in keyof Required<ApiSettings>]: true | Leave<ApiSettings[Name]> } = {
  base: true,
  siteBase: true,
  languages: true,
  // Decides which paths are served, and is not shown.
  layout: true,
  trailingSlash: true,
  pageSize: true,
  limits: true,
  plurals: (plurals, { isHidden, isVisible }) =>
    filterEntries(plurals, (name) => isVisible(name) || !isHidden(name)),
  staticQueries: (queries, { isHiddenPath }) => filterEntries(queries, (_, path) => !isHiddenPath(path)),
  indexes: (indexes, { isHidden }) => {
    const left = Object.entries(indexes).map(([name, index]): [string, SearchIndex] => [
      name,
      { ...index, bundles: index.bundles.filter((bundle) => !isHidden(bundle)) },
    ]);
    return Object.fromEntries(left.filter(([, { bundles }]) => bundles.length > 0));
  },
  imageStyles: true,
  maxAge: true,
  serverTiming: true,
  api: true,
  prefix: true,
  drupal: true,
  hiddenTypes: () => [],
  hiddenFields: () => ({}),
  queryDefaults: (defaults = {}, { isHidden }) => filterEntries(defaults, (name) => !isHidden(name)),
  static: true,
  explorer: true,
  admin: true,
  gitHook: true,
  health: true,
  signIn: true,
  sessionCookie: true,
  roles: true,
  fulltext: true,
  site: true,
};

type Leave<Value> = (value: Value, names: HiddenNames) => Value;

/** What a setting can name. */
interface HiddenNames {
  /** True for the name of a hidden bundle, with or without its entity type. */
  isHidden(name: string): boolean;
  /** True for the name of another bundle of the content. */
  isVisible(name: string): boolean;
  /** True for a path such as `/node/article?sort=title`. */
  isHiddenPath(path: string): boolean;
}

function settingsWithout({ settings, store }: Services, hidden: ReadonlySet<string>): ApiSettings {
  const names: HiddenNames = {
    isHidden(name) {
      const type = indexedType(store, name);
      if (type !== undefined) return hidden.has(type.name);
      return hidden.has(name) || [...hidden].some((each) => splitResourceType(each).bundle === name);
    },
    isVisible: (name) =>
      [...store.types.values()].some(
        (type) => !hidden.has(type.name) && (type.name === name || type.bundle === name),
      ),
    isHiddenPath(path) {
      const [entityType = '', bundle = ''] = belowPrefix(path, settings).split(/[/?]/).filter(Boolean);
      const name = `${decodeUri(entityType)}--${decodeUri(bundle)}`;
      const isHidden = [...hidden].some((each) => each.toLowerCase() === name.toLowerCase());
      return isHidden && (hidden.has(name) || !store.types.has(name));
    },
  };
  const entries = Object.entries(settings).map(([name, value]) => {
    const leave = PUBLISHED[name as keyof ApiSettings] as true | Leave<unknown>;
    return [name, leave === true ? value : leave(value, names)];
  });
  return Object.fromEntries(entries) as ApiSettings;
}

function filterEntries<Value>(
  entries: Readonly<Record<string, Value>>,
  isLeft: (name: string, value: Value) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(entries).filter(([name, value]) => isLeft(name, value)));
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

function accessWithout(
  access: Access,
  hidden: ReadonlySet<string>,
  hiddenFields: Readonly<Record<string, readonly string[]>>,
): Access {
  const has = (type: ResourceType, field: string) => {
    const left = hiddenFields[type.name] ?? [];
    // A title has the value of the field that stores it.
    const isLeft = left.includes(field) || left.includes(type.fields.get(field)?.storedIn ?? '');
    return !hidden.has(type.name) && !isLeft;
  };
  return {
    ...access,
    visibility: (type) => (hidden.has(type.name) ? NOTHING : access.visibility(type)),
    fieldVisible: (type, field) => has(type, field) && access.fieldVisible(type, field),
    ownersShown: (type) =>
      !hidden.has(USER_TYPE_NAME) && has(type, OWNER_FIELD) && access.ownersShown?.(type) === true,
    filterFor: (action, type) => !hidden.has(type.name) && access.filterFor(action, type),
    filterForField: (type, field) => has(type, field) && access.filterForField(type, field),
    allows: (action, entity) => !hidden.has(entity.type) && access.allows(action, entity),
    couldHaveSeen: (entity) => !hidden.has(entity.type) && access.couldHaveSeen(entity),
    fieldWritable: (type, field, ...rest) => has(type, field) && access.fieldWritable(type, field, ...rest),
    isLeftOut: (type, field) => !has(type, field),
  };
}
