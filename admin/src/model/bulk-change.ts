import { isRecord } from '../../../integration/core/util/json.ts';
import type { JsonObject, Resource } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import { fieldIn, isSame, withField } from './document.ts';

/** One change of many entities. */
export type BulkChange = { readonly kind: 'publish' | 'unpublish' | 'delete' } | FieldChange;

/** `add` appends the value to a list that does not contain it. `value` is as the inputs of the field hold it. */
interface FieldChange {
  readonly kind: 'set' | 'add';
  readonly field: Field;
  readonly value: unknown;
}

/** The operation that changes one entity; undefined if nothing would change. */
export function operationFor(change: BulkChange, resource: Resource): JsonObject | undefined {
  const { type, id, meta } = resource;
  const guard = typeof meta.revision === 'string' ? { meta: { ifMatch: meta.revision } } : {};
  if (change.kind === 'delete') return { op: 'remove', ref: { type, id }, ...guard };
  const document =
    'field' in change ? fieldDocument(change, resource) : statusDocument(resource, change.kind === 'publish');
  return document && { op: 'update', ...document, ...guard };
}

/** The operation that gives an entity its value before a change back; undefined for a deletion. */
export function undoOperationFor(
  change: BulkChange,
  before: Resource,
  revision: string,
): JsonObject | undefined {
  if (change.kind === 'delete') return undefined;
  const { type, id, attributes } = before;
  const document =
    'field' in change
      ? withField({ data: { type, id } }, change.field, formerValue(change.field, before))
      : { data: { type, id, attributes: { status: attributes.status } } };
  return { op: 'update', ...document, meta: { ifMatch: revision } };
}

/** The fields that a change needs to know of each entity. */
export function fieldsFor(change: BulkChange): readonly string[] {
  if ('field' in change) return ['title', change.field.name];
  return change.kind === 'delete' ? ['title'] : ['title', 'status'];
}

/** Operations in groups of at most `size`: each group is one request and one commit. */
export function inRequests<Item>(operations: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(operations.length / size) }, (_, index) =>
    operations.slice(index * size, (index + 1) * size),
  );
}

function statusDocument({ type, id, attributes }: Resource, status: boolean): JsonObject | undefined {
  return attributes.status === status ? undefined : { data: { type, id, attributes: { status } } };
}

function fieldDocument({ kind, field, value }: FieldChange, resource: Resource): JsonObject | undefined {
  const { type, id } = resource;
  const stored = comparable(field, fieldIn(resource, field));
  const next = kind === 'set' ? value : withItem(stored, value);
  return isSame(stored, next) ? undefined : withField({ data: { type, id } }, field, next);
}

function withItem(stored: unknown, item: unknown): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(stored) ? stored : [];
  return items.some((each) => isSame(each, item)) ? items : [...items, item];
}

function formerValue(field: Field, before: Resource): unknown {
  return comparable(field, fieldIn(before, field)) ?? (field.list ? [] : null);
}

/** References without the members that only responses have. */
function comparable({ kind }: Field, value: unknown): unknown {
  if (kind !== 'reference') return value;
  const identifier = (each: unknown) => (isRecord(each) ? { type: each.type, id: each.id } : each);
  return Array.isArray(value) ? value.map(identifier) : identifier(value);
}
