import type { Services } from '../../core/api/request.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { EMPTY_FILTER, OPERATORS } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import type { FieldBoost } from '../../core/engine/text/words.ts';
import { apiRoot, staticPage } from '../../core/read/links.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { belowPrefix } from '../../core/read/url-path.ts';
import { type FieldPart, visibleForm } from './form-fields.ts';

/** The content types and features that the explorer offers. */
export type ExplorerSchema = Awaited<ReturnType<typeof explorerSchema>>;

export async function explorerSchema(services: Services, access: QueryAccess, mode: 'server' | 'static') {
  const { settings } = services;
  const { base, staticQueries, fulltext = true, signIn = false } = settings;
  const root = apiRoot(settings);
  const types: (Awaited<ReturnType<typeof describeType>> & { readonly boost?: FieldBoost })[] = [];
  const writes = mode === 'server' && services.writer !== null;
  const { boost: boosts = {} } = (await services.searchTerms?.()) ?? {};
  for (const type of services.store.types.values()) {
    const boost = boosts[type.name];
    // Option `search.boost`, if the actor may see the field.
    const shown = boost !== undefined && access.fieldVisible(type, boost.field) && { boost };
    types.push({ ...(await describeType(services, access, type, writes)), ...shown });
  }
  return {
    types,
    operators: OPERATORS,
    staticQueries: Object.entries(staticQueries).map(([name, path]) => {
      const query = belowPrefix(path, settings);
      return { name, query, url: mode === 'static' ? staticPage(`${root}/q/${name}`, 1) : root + query };
    }),
    /** Codes of the site's languages, the default first; empty if all content has one. */
    languages: languageCodesOf(services.settings),
    /** Entities per page and operations per request, at most. */
    limits: { pageSize: services.settings.pageSize.max, operations: services.settings.limits.operations },
    /** True if full-text search is on. */
    fulltext,
    /** True if the server writes. */
    writes,
    /** True if accounts can sign in. */
    signIn: mode === 'server' && signIn,
    mode,
    /** Astro's `base`, without a trailing slash. */
    base,
  };
}

function languageCodesOf({ languages }: Services['settings']): readonly string[] {
  const codes = languages?.all.map(({ code }) => code) ?? [];
  return codes.sort(
    (one, other) => Number(other === languages?.default) - Number(one === languages?.default),
  );
}

/** `count` is the number of entities that the actor may see. Fields that can be written have what forms know. */
async function describeType(services: Services, access: QueryAccess, type: ResourceType, writes: boolean) {
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 0 } };
  const { count } = await services.engine.run(type, everything, access);
  const { name, entityType, bundle } = type;
  const visible = visibleFields(type, access);
  const form = writes ? visibleForm(type, new Set(visible.map((field) => field.name))) : NO_FORM;
  const weights = new Map(searchableFields(type).map((field) => [field.name, field.boost]));
  const fields = visible.map((field) => {
    const weight = weights.get(field.name);
    // How much a word in the field counts in a search.
    return { ...describeField(field), ...(weight !== undefined && { weight }), ...form.get(field.name) };
  });
  const stored = services.store.entities(name);
  const hasBody = stored.length === 0 || stored.some(({ body }) => body !== null);
  return {
    ...{ name, entityType, bundle, count, fields },
    /** False if new entities are files without a body, as all files of the bundle are. */
    ...(writes && !hasBody && { hasBody }),
  };
}

const NO_FORM: ReadonlyMap<string, FieldPart> = new Map();

function describeField(field: FieldDefinition) {
  const { name, kind, list, targets, properties, required, untranslated, storedIn, areResources } = field;
  const { rules = {} } = field;
  return {
    name,
    kind,
    list,
    targets,
    properties: Object.values(properties).map(({ name, kind }): FieldPart => ({ name, kind })),
    /** True if the schema requires a value. */
    required,
    // True for images and files that documents have as relationships.
    ...(areResources && { areResources }),
    // True for a field that all translations share.
    ...(untranslated && { untranslated }),
    // The field with the value of a title. Forms have one input for both.
    ...(storedIn !== undefined && { storedIn }),
    // Texts of the schema for editors.
    ...(rules.title !== undefined && { label: rules.title }),
    ...(rules.description !== undefined && { description: rules.description }),
    ...(rules.enum !== undefined && { choices: rules.enum }),
  };
}
