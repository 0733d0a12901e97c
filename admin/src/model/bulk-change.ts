import { isRecord } from '../../../integration/core/util/json.ts';
import { type JsonObject, objectOf, type Resource } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import { fieldIn, isSame, withField } from './document.ts';
import { sourceLanguage, translationLanguage } from './translations.ts';

/** One change of many entities. */
export type BulkChange = { readonly kind: 'publish' | 'unpublish' | 'delete' } | FieldChange;

/** `add` appends the value to a list that does not contain it. `value` is as the inputs of the field hold it. */
interface FieldChange {
  readonly kind: 'set' | 'add';
  readonly field: Field;
  readonly value: unknown;
}

/** The operations that change one entity; none if nothing would change. A deletion has one for each translation too. */
export function operationsFor(change: BulkChange, resource: Resource): readonly JsonObject[] {
  const { revision } = resource.meta;
  const guard = typeof revision === 'string' ? { meta: { ifMatch: revision } } : {};
  if (change.kind === 'delete') return removals(resource, guard);
  const document =
    'field' in change ? fieldDocument(change, resource) : statusDocument(resource, change.kind === 'publish');
  return document === undefined ? [] : [{ op: 'update', ...document, ...guard }];
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
  return ['title', change.kind === 'delete' ? 'langcode' : 'status'];
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

/** The list shows some entities in a translation, whose revision is not that of the source. */
function removals(resource: Resource, guard: JsonObject): readonly JsonObject[] {
  const { type, id, meta } = resource;
  const ref = { type, id };
  const source = sourceLanguage(resource);
  const others = Object.keys(objectOf(meta.translations)).filter((language) => language !== source);
  const isSource = translationLanguage(resource) === undefined;
  return [
    ...others.map((language) => ({ op: 'remove', ref, meta: { langCode: language } })),
    { op: 'remove', ref, ...(isSource && guard) },
  ];
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
