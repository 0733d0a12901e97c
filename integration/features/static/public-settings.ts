import { ANONYMOUS } from '../../core/access/actor.ts';
import { withFileResources } from '../../core/api/jsonapi/file-resources.ts';
import type { Services } from '../../core/api/request.ts';
import { fieldsAt, indexedType } from '../../core/read/index-fields.ts';
import { allUsableDefaults } from '../../core/read/query-defaults.ts';
import type { ApiSettings, SearchIndex } from '../../core/read/settings.ts';
import type { JsonValue } from '../../core/util/json.ts';

/**
 * What a manifest says about each setting: all of it, nothing, or a part. A setting that is missing here is a type error,
 * because each one could name folders, roles or hidden fields. `services` name no bundles that are not in the API.
 */
const PUBLISHED: {
  readonly [Name in keyof Required<ApiSettings>]:
    | boolean
    | ((services: Services) => ApiSettings[Name] | Promise<ApiSettings[Name]>);
} = {
  base: true,
  siteBase: true,
  languages: true,
  layout: false,
  trailingSlash: true,
  pageSize: true,
  limits: true,
  plurals: true,
  staticQueries: true,
  indexes: (services) =>
    Object.fromEntries(
      Object.entries(services.settings.indexes).map(([name, index]) => [name, publicIndex(services, index)]),
    ),
  imageStyles: true,
  maxAge: true,
  serverTiming: true,
  api: true,
  prefix: true,
  drupal: true,
  hiddenTypes: false,
  hiddenFields: false,
  queryDefaults: (services) =>
    allUsableDefaults(withFileResources({ services, access: services.access(ANONYMOUS) })),
  static: false,
  explorer: () => false,
  admin: false,
  gitHook: false,
  health: () => false,
  signIn: false,
  sessionCookie: false,
  roles: false,
  fulltext: true,
  site: false,
};

/** An index without the fields that anonymous visitors do not see. */
function publicIndex({ store, access }: Services, index: SearchIndex): SearchIndex {
  const { fieldVisible } = access(ANONYMOUS);
  const types = index.bundles.flatMap((bundle) => indexedType(store, bundle) ?? []);
  const isVisible = (path: string) =>
    fieldsAt(store, types, path).length === 0 || fieldsAt(store, types, path, fieldVisible).length > 0;
  return {
    bundles: index.bundles,
    ...(index.search && { search: index.search.filter(isVisible) }),
    facets: Object.fromEntries(Object.entries(index.facets).filter(([path]) => isVisible(path))),
  };
}

/** The settings of a manifest. */
export async function publicSettings(services: Services): Promise<JsonValue> {
  const settings: Record<string, unknown> = {};
  for (const [name, published] of Object.entries(PUBLISHED)) {
    if (published === false) continue;
    settings[name] =
      published === true ? services.settings[name as keyof ApiSettings] : await published(services);
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as JsonValue;
}
