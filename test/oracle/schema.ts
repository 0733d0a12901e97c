import type { FieldDefinition, FieldKind, ResourceType } from '../../integration/core/content/model.ts';

type Shape = Readonly<Record<string, FieldDefinition>>;

/** A single field of a kind. */
export function single(name: string, kind: FieldKind, extra: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    name,
    key: name,
    kind,
    list: false,
    required: false,
    base: false,
    targets: [],
    properties: {},
    ...extra,
  };
}

/** A list field of a kind. */
export function many(name: string, kind: FieldKind, extra: Partial<FieldDefinition> = {}): FieldDefinition {
  return single(name, kind, { list: true, ...extra });
}

/** A resource type of entity type `node`. */
export function nodeType(bundle: string, fields: readonly FieldDefinition[]): ResourceType {
  return {
    name: `node--${bundle}`,
    entityType: 'node',
    bundle,
    fields: new Map(fields.map((field) => [field.name, field])),
    origin: 'schema',
  };
}

const BASE: readonly FieldDefinition[] = [
  single('title', 'string', { base: true, required: true }),
  single('status', 'boolean', { base: true, required: true }),
  single('created', 'datetime', { base: true }),
  single('changed', 'datetime', { base: true }),
];

/** The owner, in two of the types. */
const OWNER = single('uid', 'string', { base: true });

const GEO: Shape = shape([single('lat', 'number'), single('label', 'string')]);

const PLACE: Shape = shape([
  single('name', 'string'),
  single('floor', 'integer'),
  single('opened', 'date'),
  single('open', 'boolean'),
  single('geo', 'object', { properties: GEO }),
  many('names', 'string'),
  many('stops', 'object', { properties: GEO }),
]);

const LEVELS: Shape = shape([single('max', 'integer')]);

const LINK: Shape = shape([
  single('title', 'string'),
  single('weight', 'number'),
  single('price', 'decimal'),
  single('seen', 'datetime'),
  single('levels', 'json', { scalar: 'integer', properties: LEVELS }),
  single('geo', 'object', { properties: GEO }),
]);

/** Inside of JSON. */
const MENU: Shape = shape([
  single('depth', 'integer'),
  single('label', 'string'),
  many('names', 'string'),
  single('geo', 'object', { properties: GEO }),
  single('levels', 'json', { scalar: 'string', properties: LEVELS }),
]);

const BODY: Shape = shape([
  single('value', 'string'),
  single('format', 'string'),
  single('processed', 'string'),
  single('summary', 'string'),
]);

const ALIAS: Shape = shape([single('alias', 'string')]);

const PERSON = 'node--person';
const TAG = 'node--tag';
const ARTICLE = 'node--article';

export const PERSON_TYPE = nodeType('person', [
  ...BASE,
  OWNER,
  single('field_age', 'integer'),
  single('field_boss', 'reference', { targets: [PERSON] }),
  single('field_email', 'string'),
  many('field_skills', 'reference', { targets: [TAG] }),
  single('publish_on', 'datetime'),
  single('unpublish_on', 'datetime'),
]);

export const TAG_TYPE = nodeType('tag', [
  ...BASE,
  single('field_parent', 'reference', { targets: [TAG] }),
  many('field_rel', 'reference', { targets: [TAG] }),
  single('field_weight', 'number'),
  many('field_words', 'string'),
]);

/** Tags after a change of schema: a field of another kind, one that is not a list anymore, and a removed one. */
export const CHANGED_TAG_TYPE = nodeType('tag', [
  ...BASE,
  single('field_parent', 'reference', { targets: [TAG] }),
  single('field_weight', 'string'),
  single('field_words', 'string'),
]);

/** Every kind of field, single and list. */
export const ARTICLE_TYPE = nodeType('article', [
  ...BASE,
  single('path', 'object', { base: true, properties: ALIAS }),
  OWNER,
  single('body', 'formatted_text', { base: true, properties: BODY }),
  single('field_about', 'reference', { targets: [PERSON, TAG] }),
  single('field_at', 'datetime'),
  single('field_author', 'reference', { targets: [PERSON] }),
  single('field_day', 'date'),
  many('field_days', 'date'),
  single('field_extra', 'json'),
  single('field_featured', 'boolean'),
  many('field_links', 'object', { properties: LINK }),
  single('field_menu', 'json', { scalar: 'boolean', properties: MENU }),
  many('field_mentions', 'reference', { targets: [ARTICLE, PERSON, TAG] }),
  single('field_place', 'object', { properties: PLACE }),
  single('field_price', 'decimal'),
  many('field_prices', 'decimal'),
  single('field_rating', 'integer'),
  many('field_ratings', 'integer'),
  many('field_related', 'reference', { targets: [ARTICLE] }),
  single('field_score', 'number'),
  single('field_summary', 'string'),
  many('field_tags', 'reference', { targets: [TAG] }),
  many('field_times', 'datetime'),
  many('field_words', 'string'),
]);

export const TYPES: readonly ResourceType[] = [ARTICLE_TYPE, PERSON_TYPE, TAG_TYPE];

function shape(fields: readonly FieldDefinition[]): Shape {
  return Object.assign(
    Object.create(null) as Record<string, FieldDefinition>,
    Object.fromEntries(fields.map((field) => [field.name, field])),
  );
}
