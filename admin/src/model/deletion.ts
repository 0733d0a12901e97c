import { isRecord } from '../../../integration/core/util/json.ts';
import type { ApiProblem, JsonObject, Resource } from '../api/document.ts';
import { type Bundle, type Field, pathTo, type Schema } from '../api/schema.ts';
import { fieldIn } from './document.ts';
import { sourceLanguage, translationLanguage } from './translations.ts';

interface Reference {
  readonly type: string;
  readonly id: string;
}

/** An entity, in one language, with fields that refer to the one to delete. */
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

/** The requests that find everything that refers to an entity. */
export function referrerQueries(schema: Schema, target: Reference): readonly ReferrerQuery[] {
  return schema.types.flatMap((bundle): ReferrerQuery[] => {
    const fields = bundle.fields.filter(
      ({ kind, targets }) => kind === 'reference' && targets.includes(target.type),
    );
    if (fields.length === 0) return [];
    // Translations have the shared fields of their source.
    const isTranslated = fields.some(({ untranslated }) => !untranslated);
    const languages = isTranslated && schema.languages.length > 1 ? schema.languages : [undefined];
    return languages.map((language) => ({
      fields,
      path: referrerPath(bundle, fields, target, schema.limits.pageSize, language),
    }));
  });
}

/** The referrers in a response. A field with several target types also finds other entities with this id. */
export function referrersIn(
  items: readonly Resource[],
  fields: readonly Field[],
  target: Reference,
): readonly Referrer[] {
  return items.flatMap((resource): Referrer[] => {
    const isTarget = resource.type === target.type && resource.id === target.id;
    const language = translationLanguage(resource);
    const referring = fields.filter(
      (field) =>
        !(language !== undefined && field.untranslated) &&
        referencesIn(resource, field).some((each) => isSameEntity(each, target)),
    );
    return isTarget || referring.length === 0 ? [] : [{ resource, language, fields: referring }];
  });
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

/**
 * The operations that delete an entity with its translations, or one translation, after the fields of its referrers: one
 * operation for each of these, in their order. Without a replacement, the references are removed.
 */
export function deletionOf(
  resource: Resource,
  referrers: readonly Referrer[] = [],
  replacement?: Reference,
): readonly JsonObject[] {
  const { type, id } = resource;
  const ref = { type, id };
  return [
    ...referrers.map((referrer) => withoutReference(referrer, ref, replacement)),
    ...translationsOf(resource).map((language) => ({ op: 'remove', ref, meta: { langCode: language } })),
    { op: 'remove', ref, meta: metaOf(resource, translationLanguage(resource)) },
  ];
}

/** The referrer that an error of these operations is about, and its field; undefined for an error about something else. */
export function referrerAt(
  { source: { pointer = '' } }: ApiProblem,
  referrers: readonly Referrer[],
): { readonly referrer: Referrer; readonly field: Field | undefined } | undefined {
  const [, member, index, ...rest] = pointer.split('/');
  const referrer = member === 'atomic:operations' ? referrers[Number(index)] : undefined;
  if (referrer === undefined) return undefined;
  return { referrer, field: referrer.fields.find(({ name }) => rest.includes(name)) ?? referrer.fields[0] };
}

function referrerPath(
  bundle: Bundle,
  fields: readonly Field[],
  { id }: Reference,
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
    query.set(`filter[${name}][condition][value]`, id);
    query.set(`filter[${name}][condition][memberOf]`, 'any');
  }
  return `${pathTo(bundle)}?${query}`;
}

function withoutReference(
  { resource, language, fields }: Referrer,
  target: Reference,
  replacement: Reference | undefined,
): JsonObject {
  const { type, id } = resource;
  const relationships = fields.map((field) => {
    const others = referencesIn(resource, field).filter((each) => !isSameEntity(each, target));
    if (!field.list) return [field.name, { data: replacement ?? null }];
    if (replacement === undefined || others.some((each) => isSameEntity(each, replacement)))
      return [field.name, { data: others }];
    const all = referencesIn(resource, field).map((each) =>
      isSameEntity(each, target) ? replacement : each,
    );
    return [
      field.name,
      { data: all.filter((each, at) => at === all.findIndex((one) => isSameEntity(one, each))) },
    ];
  });
  return {
    op: 'update',
    data: { type, id, relationships: Object.fromEntries(relationships) },
    meta: metaOf(resource, language),
  };
}

function metaOf({ meta: { revision } }: Resource, language: string | undefined): JsonObject {
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
