import { isRecord } from '../../../integration/core/util/json.ts';
import type { JsonObject, Resource } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import { fieldIn, isSame, withField } from './document.ts';

/** One change of many entities. */
export type BulkChange = { readonly kind: 'publish' | 'unpublish' } | FieldChange;

/** `add` appends the value to a list that does not contain it. `value` is as the inputs of the field hold it. */
interface FieldChange {
  readonly kind: 'set' | 'add';
  readonly field: Field;
  readonly value: unknown;
}

/** The operations that change one entity; none if nothing would change. */
export function operationsFor(change: BulkChange, resource: Resource): readonly JsonObject[] {
  const { revision } = resource.meta;
  const guard = typeof revision === 'string' ? { meta: { ifMatch: revision } } : {};
  const document =
    'field' in change ? fieldDocument(change, resource) : statusDocument(resource, change.kind === 'publish');
  return document === undefined ? [] : [{ op: 'update', ...document, ...guard }];
}

/** The operation that gives an entity its value before a change back. */
export function undoOperationFor(change: BulkChange, before: Resource, revision: string): JsonObject {
  const { type, id, attributes } = before;
  const document =
    'field' in change
      ? withField({ data: { type, id } }, change.field, formerValue(change.field, before))
      : { data: { type, id, attributes: { status: attributes.status } } };
  return { op: 'update', ...document, meta: { ifMatch: revision } };
}

/** The fields that a change, or a deletion, needs to know of each entity. */
export function fieldsFor(change?: BulkChange): readonly string[] {
  return ['title', 'langcode', change && 'field' in change ? change.field.name : 'status'];
}

/** Items in groups of at most `size` operations: each group is one request and one commit. */
export function inRequests<Item>(
  items: readonly Item[],
  size: number,
  operationsOf: (item: Item) => number = () => 1,
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  let free = 0;
  for (const item of items) {
    const count = operationsOf(item);
    const last = groups.at(-1);
    if (last === undefined || count > free) {
      groups.push([item]);
      free = size;
    } else last.push(item);
    free -= count;
  }
  return groups;
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
