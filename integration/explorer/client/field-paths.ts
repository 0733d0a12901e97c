import type { FieldKind } from '../../content/model.ts';
import type { ExplorerSchema, ExplorerType, QueryField } from './schema.ts';

/** A path to choose, or a step on the way to one. */
export interface PathOption {
  /** The whole path; ends with a dot where it opens further ones. */
  readonly path: string;
  /** Its last part, as shown. */
  readonly name: string;
  /** What it holds, in a word or two: `string`, `integer list`, `→ person`. */
  readonly hint: string;
  readonly opens: boolean;
}

/** What a path leads to. */
export interface PathTarget {
  readonly kind: FieldKind;
  /** Whether an entity can have several of it. */
  readonly list: boolean;
}

/** A reference path that can be included, with the types it brings. */
export interface IncludeOption {
  readonly path: string;
  readonly name: string;
  readonly targets: readonly string[];
}

type Place =
  | { readonly at: 'types'; readonly types: readonly ExplorerType[] }
  | { readonly at: 'field'; readonly field: QueryField; readonly types: readonly ExplorerType[] }
  | { readonly at: 'value'; readonly kind: FieldKind };

const ORDERED = ['=', '<>', '>', '>=', '<', '<=', 'IN', 'NOT IN', 'BETWEEN', 'NOT BETWEEN'];
const TEXTUAL = ['STARTS_WITH', 'CONTAINS', 'ENDS_WITH'];
const NULLS = ['IS NULL', 'IS NOT NULL'];
const OPERATORS_BY_KIND: Readonly<Record<FieldKind, readonly string[]>> = {
  string: [...ORDERED, ...TEXTUAL, ...NULLS],
  formatted_text: NULLS,
  integer: [...ORDERED, ...NULLS],
  number: [...ORDERED, ...NULLS],
  decimal: [...ORDERED, ...NULLS],
  boolean: ['=', '<>', ...NULLS],
  date: [...ORDERED, 'STARTS_WITH', ...NULLS],
  datetime: [...ORDERED, 'STARTS_WITH', ...NULLS],
  reference: NULLS,
  object: NULLS,
  image: NULLS,
  file: NULLS,
  json: NULLS,
};
const DELTA = /^\d+$/;

/** Operators that make sense for a kind, in the order of the schema; all of them where the kind is not known. */
export function operatorsFor(schema: ExplorerSchema, kind: FieldKind | undefined): readonly string[] {
  if (kind === undefined) return schema.operators;
  const fitting = new Set(OPERATORS_BY_KIND[kind]);
  return schema.operators.filter((operator) => fitting.has(operator));
}

/** What a whole path leads to, or undefined where the schema has no such path. */
export function pathTarget(schema: ExplorerSchema, typeName: string, path: string): PathTarget | undefined {
  const segments = path.split('.');
  const place = walk(schema, typeName, segments);
  switch (place?.at) {
    case 'field':
      return { kind: place.field.kind, list: place.field.list && !DELTA.test(segments.at(-1) ?? '') };
    case 'value':
      return { kind: place.kind, list: false };
    default:
      return undefined;
  }
}

/**
 * What may follow the part of a path that is typed: the fields of the types reached before its last dot, kept
 * to those whose names contain what comes after it. References open their targets, objects their properties;
 * nothing deeper is looked at before it is asked for.
 */
export function pathOptions(
  schema: ExplorerSchema,
  typeName: string,
  typed: string,
  purpose: 'filter' | 'sort',
): readonly PathOption[] {
  const dot = typed.lastIndexOf('.');
  const prefix = typed.slice(0, dot + 1);
  const needle = typed.slice(dot + 1).toLowerCase();
  const place = walk(schema, typeName, dot < 0 ? [] : typed.slice(0, dot).split('.'));
  if (place === undefined) return [];
  return fieldsAt(place)
    .filter((field) => field.name.toLowerCase().includes(needle))
    .flatMap((field) => {
      const step: PathOption = {
        path: prefix + field.name,
        name: field.name,
        hint: hintOf(field),
        opens: false,
      };
      const opened = { ...step, path: `${step.path}.`, name: `${field.name}.`, opens: true };
      // A body is asked for by its properties; other wholes, whether they are there.
      const choosable =
        field.kind !== 'formatted_text' && (purpose === 'filter' || OPERATORS_BY_KIND[field.kind] !== NULLS);
      const opens = field.kind === 'reference' || field.properties.length > 0;
      return [...(choosable ? [step] : []), ...(opens ? [opened] : [])];
    });
}

/** The references that can be included after `path` (`''` for the type's own). */
export function includeOptions(
  schema: ExplorerSchema,
  typeName: string,
  path: string,
): readonly IncludeOption[] {
  const place = walk(schema, typeName, path === '' ? [] : path.split('.'));
  const types = place === undefined || place.at === 'value' ? [] : place.types;
  return mergedFields(types)
    .filter((field) => field.kind === 'reference')
    .map((field) => ({
      path: path === '' ? field.name : `${path}.${field.name}`,
      name: field.name,
      targets: field.targets,
    }));
}

/** Names of the resource types a document of this query can hold: its own first, then those it includes. */
export function documentTypes(
  schema: ExplorerSchema,
  typeName: string,
  include: readonly string[],
): readonly string[] {
  const names = new Set([typeName]);
  for (const path of include) {
    const segments = path.split('.');
    for (let depth = 1; depth <= segments.length; depth++) {
      const place = walk(schema, typeName, segments.slice(0, depth));
      if (place?.at === 'field') for (const type of place.types) names.add(type.name);
    }
  }
  return [...names];
}

export function typeNamed(schema: ExplorerSchema, name: string): ExplorerType | undefined {
  return schema.types.find((type) => type.name === name);
}

function walk(schema: ExplorerSchema, typeName: string, segments: readonly string[]): Place | undefined {
  const root = typeNamed(schema, typeName);
  if (root === undefined) return undefined;
  let place: Place = { at: 'types', types: [root] };
  for (const segment of segments) {
    const next = step(schema, place, segment);
    if (next === undefined) return undefined;
    place = next;
  }
  return place;
}

function step(schema: ExplorerSchema, place: Place, segment: string): Place | undefined {
  if (place.at === 'value') return undefined;
  if (place.at === 'field' && place.field.list && DELTA.test(segment)) {
    return { ...place, field: { ...place.field, list: false } };
  }
  const field = fieldsAt(place).find((candidate) => candidate.name === segment);
  if (field === undefined) return undefined;
  if (place.at === 'field' && place.field.kind !== 'reference') return { at: 'value', kind: field.kind };
  return { at: 'field', field, types: schema.types.filter((type) => field.targets.includes(type.name)) };
}

/** What can be named next: a type's fields, a reference's `id` and its targets' fields, an object's properties. */
function fieldsAt(place: Place): readonly QueryField[] {
  switch (place.at) {
    case 'value':
      return [];
    case 'types':
      return [ID_FIELD, ...mergedFields(place.types)];
    case 'field':
      return place.field.kind === 'reference'
        ? [ID_FIELD, ...mergedFields(place.types)]
        : place.field.properties
            .filter((property) => place.field.kind !== 'formatted_text' || property.name !== RENDERED)
            .map((property) => ({ ...property, list: false, targets: [], properties: [] }));
  }
}

/** The fields of several types, each name once: a polymorphic reference reaches whichever type has the field. */
function mergedFields(types: readonly ExplorerType[]): readonly QueryField[] {
  const byName = new Map<string, QueryField>();
  for (const type of types) {
    for (const field of type.fields) {
      const known = byName.get(field.name);
      const targets =
        known === undefined ? field.targets : [...new Set([...known.targets, ...field.targets])];
      byName.set(field.name, { ...(known ?? field), targets });
    }
  }
  return [...byName.values()].filter((field) => field.name !== ID_FIELD.name);
}

function hintOf(field: QueryField): string {
  const what =
    field.kind === 'reference'
      ? `→ ${field.targets.map((target) => target.replace(/^node--/, '')).join(', ')}`
      : field.kind.replace('_', ' ');
  return field.list ? `${what} (list)` : what;
}

// The body's HTML is made when it is asked for, so no query can compare it.
const RENDERED = 'processed';
const ID_FIELD: QueryField = { name: 'id', kind: 'string', list: false, targets: [], properties: [] };
