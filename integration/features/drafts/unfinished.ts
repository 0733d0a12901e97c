import type { Access } from '../../core/access/access.ts';
import { withLinks } from '../../core/api/jsonapi/context.ts';
import { individualDocument } from '../../core/api/jsonapi/resource.ts';
import type { ApiRequest } from '../../core/api/request.ts';
import { withoutPrototype } from '../../core/content/base-fields.ts';
import { isRelationship } from '../../core/content/file-resource.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import { parsePage, parseQuery, rejectParameters } from '../../core/engine/parse/parse-query.ts';
import { isValues, lastValue, parseQueryString } from '../../core/engine/parse/query-string.ts';
import { parseSerialized, type SerializedBody, writeDocument, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER, type OptionsDocument } from '../../core/read/document-types.ts';
import type { Reader } from '../../core/read/reader.ts';
import { dateTimeOfSeconds } from '../../core/source/date-time.ts';
import { isError, type Problem } from '../../core/source/diagnostic.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import { SET_BY_SERVER } from '../../core/write/permissions.ts';

/** A field of an entry that does not pass the schema yet. */
export interface FieldProblem {
  /** Public name; null for an error that no field has. */
  readonly field: string | null;
  readonly detail: string;
  /** Of an error that no field has. */
  readonly code?: string;
}

/** The code of a draft of a translation whose source is missing. */
export const SOURCE_MISSING = 'draft/source-missing';

/** The code of changes of an entry that does not exist any more. */
export const ENTRY_DELETED = 'draft/entry-deleted';

const SHOWN_CODES: ReadonlySet<string> = new Set([SOURCE_MISSING, ENTRY_DELETED]);

/** The errors of an entry, as far as the actor sees their fields. */
export interface Shortcomings {
  /** Names of required fields without a value. */
  readonly missing: readonly string[];
  readonly problems: readonly FieldProblem[];
}

export function shortcomingsOf(
  { access }: Pick<ApiRequest, 'access'>,
  type: ResourceType,
  problems: readonly Problem[],
): Shortcomings {
  const missing = new Set<string>();
  const others: FieldProblem[] = [];
  for (const { code, path = [], message, hint } of problems.filter(isError)) {
    const field = fieldAt(type, path[0]);
    if (field !== undefined && !access.fieldVisible(type, field)) continue;
    if (code === 'field/required' && field !== undefined) missing.add(field);
    else {
      const detail = hint === undefined ? message : `${message} ${hint}`;
      others.push({ field: field ?? null, detail, ...(SHOWN_CODES.has(code) && { code }) });
    }
  }
  return { missing: [...missing], problems: others };
}

/** The page of a list, and the values of `filter[type]` and `filter[id]`. Throws BadParameterError. */
export function readListQuery(
  { target, services: { settings } }: ApiRequest,
  filters: readonly string[] = ['type'],
): {
  readonly wanted: string | undefined;
  readonly id?: string | undefined;
  readonly page: ReturnType<typeof parsePage>;
} {
  const { filter, page: pageNode, ...others } = parseQueryString(target.query, settings.limits);
  rejectParameters(others, ['filter', 'page']);
  const ignored: string[] = [];
  const page = parsePage(pageNode, settings, ignored);
  const [without] = ignored;
  if (without !== undefined) throw new BadParameterError(without, `${without} has no effect here.`);
  if (filter === undefined) return { wanted: undefined, page };
  if (isValues(filter) || Object.keys(filter).some((name) => !filters.includes(name))) {
    throw new BadParameterError('filter', 'Filter by the type: filter[type]=node--article.');
  }
  return { wanted: lastValue(filter.type), id: lastValue(filter.id), page };
}

/** The public name of the field that a key of a file sets. */
export function fieldAt({ fields }: ResourceType, key: string | number | undefined): string | undefined {
  if (key === undefined) return undefined;
  const name = String(key);
  return [...fields.values()].find((each) => each.key === name)?.name ?? fields.get(name)?.name;
}

/** The document of an entity that is not part of the content, at an address of its own and with more metadata. */
export async function unfinishedDocument(
  request: ApiRequest,
  type: ResourceType,
  entity: Entity,
  self: string,
  meta: object,
): Promise<SerializedBody> {
  const { target, services } = request;
  const query = parseQuery(target.query, 'individual', services.settings);
  const document = await individualDocument(withLinks(request, target.origin), type, entity, query, self);
  const { data, ...others } = parseSerialized(await writeDocument(document));
  const { relationships = {}, ...resource } = data as {
    readonly relationships?: object;
    readonly meta: object;
  };
  const linkages = Object.entries(relationships).map(([name, { data }]) => [name, { data }]);
  return writeJson({
    ...others,
    data: {
      ...resource,
      links: { self: { href: self } },
      meta: { ...resource.meta, ...meta },
      ...(linkages.length > 0 && { relationships: Object.fromEntries(linkages) }),
    },
    links: { self: { href: self } },
  });
}

/**
 * `meta.revision` of a draft. It ignores the times of the entity: a file outside of the content has no stored times, so they
 * can be the time of the request.
 */
export function revisionOf(services: Reader, access: Access, entity: Entity): string {
  const values = withoutPrototype({ ...entity.values, created: null, changed: null });
  return services.fragments.revision({ services, access }, { ...entity, values });
}

/** The entity with the times of its file in place of those of the request. */
export async function withFileTimes(
  { services }: Pick<ApiRequest, 'services'>,
  entity: Entity,
  key: string,
): Promise<Entity> {
  const file = await services.fileSources.content.stat(key);
  if (file === undefined) return entity;
  const { mtimeMs, createdMs = mtimeMs } = file;
  const timeOf = (name: 'created' | 'changed', ms: number) => {
    const time = entity.values[name] ?? null;
    const isOfRequest = typeof time === 'string' && Math.abs(Date.parse(time) - Date.now()) < REQUEST_MS;
    return isOfRequest ? (dateTimeOfSeconds(ms / 1000) ?? null) : time;
  };
  const times = { created: timeOf('created', createdMs), changed: timeOf('changed', mtimeMs) };
  return { ...entity, values: withoutPrototype({ ...entity.values, ...times }) };
}

/** Longer than a request takes to decode a file. */
const REQUEST_MS = 5000;

/** The methods of an address, and the fields that the actor may set there. */
export function optionsDocument(
  allow: OptionsDocument['meta']['allow'],
  { fields }: ResourceType,
  isWritable: (name: string) => boolean,
): OptionsDocument {
  const writable = [...fields.values()].filter(({ name }) => !SET_BY_SERVER.has(name) && isWritable(name));
  const namesOf = (relationship: boolean) =>
    writable.filter((field) => isRelationship(field) === relationship).map(({ name }) => name);
  return {
    jsonapi: JSONAPI_MEMBER,
    meta: { allow, attributes: namesOf(false), relationships: namesOf(true) },
  };
}
