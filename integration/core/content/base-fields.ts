import type { FieldDefinition, FieldKind, ScalarKind } from './model.ts';

/** The fields every bundle has, in document order; `body` last. */
export const BASE_FIELDS = {
  title: define('title', 'string'),
  status: define('status', 'boolean'),
  created: define('created', 'datetime'),
  changed: define('changed', 'datetime'),
  langcode: define('langcode', 'string'),
  path: define('path', 'object', { alias: property('alias') }),
  uid: define('uid', 'string'),
  body: define('body', 'formatted_text', {
    value: property('value'),
    format: property('format'),
    processed: property('processed'),
    summary: property('summary'),
  }),
} as const satisfies Readonly<Record<string, FieldDefinition>>;

export type BaseFieldName = keyof typeof BASE_FIELDS;

export function isBaseField(name: string): name is BaseFieldName {
  return Object.hasOwn(BASE_FIELDS, name);
}

/** Properties of an image or a file. They are always present, but null if they are not required and unknown. */
export const FILE_PROPERTIES: Readonly<Record<string, FieldDefinition>> = withoutPrototype({
  uri: {
    ...property('uri', 'object'),
    required: true,
    properties: withoutPrototype({ value: always('value', 'string'), url: always('url', 'string') }),
  },
  filename: always('filename', 'string'),
  filemime: always('filemime', 'string'),
  filesize: property('filesize', 'integer'),
  width: property('width', 'integer'),
  height: property('height', 'integer'),
  alt: property('alt'),
});

/** A copy with a null prototype, for lookups of names from outside. */
export function withoutPrototype<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, record);
}

/** A property of an object. */
export function property(name: string, kind: FieldKind = 'string'): FieldDefinition {
  return { ...define(name, kind), base: false };
}

/** JSON values that are scalars or objects. They are answered as written, so what the objects contain has the kinds of JSON. */
export function mixedShape(
  scalar: FieldKind,
  properties: FieldDefinition['properties'],
): Pick<FieldDefinition, 'kind' | 'list' | 'targets' | 'properties' | 'scalar'> {
  const plain = Object.entries(properties).map(([name, part]) => [name, asJson(part)] as const);
  const shape = { kind: 'json', list: false, targets: [], scalar: scalarKind(scalar) } as const;
  return { ...shape, properties: withoutPrototype(Object.fromEntries(plain)) };
}

function asJson(field: FieldDefinition): FieldDefinition {
  const { name, list, kind, properties, scalar, instant } = field;
  if (kind !== 'json' && kind !== 'object') {
    return { ...property(name, scalarKind(kind)), list, ...(instant && { instant }) };
  }
  const { kind: _, list: __, scalar: ___, ...parts } = mixedShape('string', properties);
  return { ...field, ...parts, ...(scalar && { scalar }) };
}

function scalarKind(kind: FieldKind): ScalarKind {
  return kind === 'integer' || kind === 'number' || kind === 'boolean' ? kind : 'string';
}

function always(name: string, kind: FieldKind): FieldDefinition {
  return { ...property(name, kind), required: true };
}

function define(
  name: string,
  kind: FieldKind,
  properties: Readonly<Record<string, FieldDefinition>> = {},
): FieldDefinition {
  const parts = withoutPrototype(properties);
  return { name, key: name, kind, list: false, required: false, base: true, targets: [], properties: parts };
}

/** The base fields of one file; null if it does not set them. */
export interface BaseValues {
  /** From the frontmatter, else the level-1 heading at the start, else the file name. */
  readonly title: string;
  /** True if the frontmatter has the title. */
  readonly hasTitle: boolean;
  readonly status: boolean | string | null;
  /** True if a flag such as `draft: true` hides the entity. */
  readonly hidden: boolean;
  /** RFC 3339 with the offset as written. */
  readonly created: string | null;
  readonly changed: string | null;
  readonly langcode: string | null;
  readonly alias: string | null;
  readonly uid: string | null;
}
