import { isRecord } from '../../../integration/core/util/json.ts';
import type { ApiProblem, JsonObject, Resource } from '../api/document.ts';
import { type Bundle, type Field, pathTo, type Schema } from '../api/schema.ts';
import { inRequests } from './bulk-change.ts';
import { fieldIn } from './document.ts';
import { sourceLanguage, translationLanguage } from './translations.ts';

interface Reference {
  readonly type: string;
  readonly id: string;
}

/** An entity, in one language, with fields that refer to entities to delete. */
export interface Referrer {
  readonly resource: Resource;
  /** The language of a translation; undefined for a source. */
  readonly language: string | undefined;
  readonly fields: readonly Field[];
}

/** A request that finds referrers: one page of a bundle in one language. */
export interface ReferrerQuery {
  readonly path: string;
  readonly fields: readonly Field[];
}

/** The requests that find everything that refers to entities. */
export function referrerQueries(schema: Schema, targets: readonly Reference[]): readonly ReferrerQuery[] {
  const types = new Set(targets.map(({ type }) => type));
  return schema.types.flatMap((bundle): ReferrerQuery[] => {
    const fields = bundle.fields.filter(
      (field) => field.kind === 'reference' && field.targets.some((type) => types.has(type)),
    );
    if (fields.length === 0) return [];
    // Translations have the shared fields of their source.
    const isTranslated = fields.some(({ untranslated }) => !untranslated);
    const languages = isTranslated && schema.languages.length > 1 ? schema.languages : [undefined];
    const ids = targets
      .filter(({ type }) => fields.some((field) => field.targets.includes(type)))
      .map(({ id }) => id);
    return inRequests(ids, Math.ceil(MOST_IDS / fields.length)).flatMap((some) =>
      languages.map((language) => ({
        fields,
        path: referrerPath(bundle, fields, some, schema.limits.pageSize, language),
      })),
    );
  });
}

/** An address with more ids could be too long. */
const MOST_IDS = 40;

/** The referrers in responses. A field with several target types also finds other entities with these ids. */
export function referrersIn(
  items: readonly Resource[],
  fields: readonly Field[],
  targets: readonly Reference[],
): readonly Referrer[] {
  const keys = new Set(targets.map(keyOf));
  return items.flatMap((resource): Referrer[] => {
    const language = translationLanguage(resource);
    const referring = fields.filter(
      (field) =>
        !(language !== undefined && field.untranslated) &&
        referencesIn(resource, field).some((each) => keys.has(keyOf(each)) && !isSameEntity(each, resource)),
    );
    return referring.length === 0 ? [] : [{ resource, language, fields: referring }];
  });
}

/** Each referrer once: responses to several requests can have it. */
export function uniqueReferrers(referrers: readonly Referrer[]): readonly Referrer[] {
  const all = Map.groupBy(referrers, ({ resource, language }) => `${keyOf(resource)}/${language}`);
  return [...all.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, fields: [...new Set([first, ...others].flatMap(({ fields }) => fields))] }],
  );
}

/** The types that can take the place of the target in all fields that refer to it. */
export function replacementTypes(referrers: readonly Referrer[]): readonly string[] {
  const [first = [], ...others] = referrers.flatMap(({ fields }) => fields.map(({ targets }) => targets));
  return first.filter((type) => others.every((targets) => targets.includes(type)));
}

/** The languages of the translations that go with a source. */
export function translationsOf(resource: Resource): readonly string[] {
  if (translationLanguage(resource) !== undefined) return [];
  const source = sourceLanguage(resource);
  return Object.keys(isRecord(resource.meta.translations) ? resource.meta.translations : {}).filter(
    (language) => language !== source,
  );
}

/** An operation of a deletion, and the entity that it changes. */
export interface DeletionStep {
  readonly operation: JsonObject;
  readonly resource: Resource;
  /** Set if the operation changes the references of another entity. */
  readonly referrer?: Referrer;
}

/**
 * The requests that delete entities with their translations, or one translation, after the fields of their referrers. Each
 * has at most `most` operations. Without a replacement, the references are removed.
 */
export function deletionOf(
  resources: readonly Resource[],
  referrers: readonly Referrer[] = [],
  replacement?: Reference,
  most = Number.POSITIVE_INFINITY,
): readonly (readonly DeletionStep[])[] {
  const targets = new Set(resources.map(keyOf));
  const { others = [], among = [] } = Object.groupBy(referrers, ({ resource }) =>
    targets.has(keyOf(resource)) ? 'among' : 'others',
  );
  const changeOf = (referrer: Referrer): DeletionStep => ({
    operation: withoutReferences(referrer, targets, replacement),
    resource: referrer.resource,
    referrer,
  });
  const changes = others.map(changeOf);
  const removals = resources.map((resource) => removalOf(resource));
  const steps = [...changes, ...removals.flat()];
  if (steps.length <= most) return [steps];
  // What refers to each other can only go at once. In several requests, these references go first.
  const changed = new Set(among.map(({ resource }) => keyOf(resource)));
  return [
    ...inRequests([...changes, ...among.map(changeOf)], most),
    ...inRequests(
      resources.map((resource) => removalOf(resource, !changed.has(keyOf(resource)))),
      most,
      (some) => some.length,
    ).map((some) => some.flat()),
  ];
}

function removalOf(resource: Resource, isGuarded = true): readonly DeletionStep[] {
  const { type, id } = resource;
  const ref = { type, id };
  const guard = isGuarded ? resource.meta : {};
  return [
    ...translationsOf(resource).map((langCode) => ({ op: 'remove', ref, meta: { langCode } })),
    { op: 'remove', ref, meta: metaOf(guard, translationLanguage(resource)) },
  ].map((operation) => ({ operation, resource }));
}

/** The step that an error of a request is about, and its field; undefined for an error about something else. */
export function stepAt(
  { source: { pointer = '' } }: ApiProblem,
  steps: readonly DeletionStep[],
): (DeletionStep & { readonly field: Field | undefined }) | undefined {
  const [, member, index, ...rest] = pointer.split('/');
  const step = member === 'atomic:operations' ? steps[Number(index)] : undefined;
  const fields = step?.referrer?.fields ?? [];
  return step && { ...step, field: fields.find(({ name }) => rest.includes(name)) ?? fields[0] };
}

function referrerPath(
  bundle: Bundle,
  fields: readonly Field[],
  ids: readonly string[],
  pageSize: number,
  language: string | undefined,
): string {
  const query = new URLSearchParams({
    [`fields[${bundle.name}]`]: ['title', 'langcode', ...fields.map(({ name }) => name)].join(','),
    'filter[any][group][conjunction]': 'OR',
    'page[limit]': String(pageSize),
    // Not what the bundle has by default.
    include: '',
    ...(language !== undefined && { langCode: language }),
  });
  for (const { name } of fields) {
    query.set(`filter[${name}][condition][path]`, `${name}.id`);
    query.set(`filter[${name}][condition][operator]`, 'IN');
    for (const id of ids) query.append(`filter[${name}][condition][value][]`, id);
    query.set(`filter[${name}][condition][memberOf]`, 'any');
  }
  return `${pathTo(bundle)}?${query}`;
}

function withoutReferences(
  { resource, language, fields }: Referrer,
  targets: ReadonlySet<string>,
  replacement: Reference | undefined,
): JsonObject {
  const { type, id } = resource;
  const relationships = fields.map((field) => {
    const others = referencesIn(resource, field).filter((each) => !targets.has(keyOf(each)));
    if (!field.list) return [field.name, { data: replacement ?? null }];
    if (replacement === undefined || others.some((each) => isSameEntity(each, replacement)))
      return [field.name, { data: others }];
    const all = referencesIn(resource, field).map((each) => (targets.has(keyOf(each)) ? replacement : each));
    return [
      field.name,
      { data: all.filter((each, at) => at === all.findIndex((one) => isSameEntity(one, each))) },
    ];
  });
  return {
    op: 'update',
    data: { type, id, relationships: Object.fromEntries(relationships) },
    meta: metaOf(resource.meta, language),
  };
}

function metaOf({ revision }: Resource['meta'], language: string | undefined): JsonObject {
  return {
    ...(typeof revision === 'string' && { ifMatch: revision }),
    ...(language !== undefined && { langCode: language }),
  };
}

function referencesIn(resource: Resource, field: Field): readonly Reference[] {
  return [fieldIn(resource, field)]
    .flat()
    .filter(isRecord)
    .map(({ type, id }) => ({ type: String(type), id: String(id) }));
}

function isSameEntity(one: Reference, other: Reference): boolean {
  return one.type === other.type && one.id === other.id;
}

function keyOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}
