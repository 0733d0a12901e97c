import { ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import { type RecordedEntity, recordedEntities, shortId } from './load.ts';

/** The rules behind Drupal's recorded responses, implemented again in simple code over the recorded content. */
const entities = recordedEntities();
const byId = new Map(entities.map((entity) => [entity.uuid, entity]));
export const articles = entities
  .filter(({ bundle }) => bundle === 'article')
  .sort((a, b) => (a.uuid < b.uuid ? -1 : 1));

export const ACTORS = [
  { as: 'admin', actor: ADMINISTRATOR, sees: () => true },
  { as: 'anon', actor: ANONYMOUS, sees: ({ status }: RecordedEntity) => status === 1 },
] as const;
export type Reader = (typeof ACTORS)[number];

type Value = string | number | null;
type Kind = 'text' | 'number' | 'date' | 'instant';
/** The items at a path in an entity; `[null]` for none. */
type Items = (entity: RecordedEntity, sees: (entity: RecordedEntity) => boolean) => readonly Value[];

interface Path {
  readonly kind: Kind;
  readonly items: Items;
  readonly values: readonly string[];
}

const TEXTS = ['alpha', 'ALPHA', 'é', 'E', 'a', '%', '_', '10', '', 'two words', 'foo', "Bob O'Brien", 'zz'];
const NUMBERS = ['1', '03', '4.0', '-1', '0', '2.5', '9.26', '1e1', 'abc', '99', ''];
export const PATHS: Readonly<Record<string, Path>> = {
  title: { kind: 'text', items: ({ title }) => [title], values: TEXTS },
  id: { kind: 'text', items: ({ uuid }) => [uuid], values: [articles[0]?.uuid ?? '', 'nope'] },
  field_code: { kind: 'text', items: own('field_code'), values: [...TEXTS, 'abc-001', 'x_y', 'x%y'] },
  field_publish_state: {
    kind: 'text',
    items: own('field_publish_state'),
    values: ['draft', 'PUBLISHED', ''],
  },
  field_list: { kind: 'text', items: own('field_list'), values: TEXTS },
  'field_list.0': { kind: 'text', items: at(0, own('field_list')), values: TEXTS },
  'field_list.1': { kind: 'text', items: at(1, own('field_list')), values: TEXTS },
  field_words: { kind: 'text', items: own('field_words'), values: TEXTS },
  'field_words.2': { kind: 'text', items: at(2, own('field_words')), values: TEXTS },
  field_rating: { kind: 'number', items: own('field_rating'), values: NUMBERS },
  field_price: {
    kind: 'number',
    items: own('field_price'),
    values: NUMBERS.filter((value) => value !== '1e1'),
  },
  field_score: { kind: 'number', items: own('field_score'), values: NUMBERS },
  field_day: { kind: 'date', items: own('field_day'), values: ['2024-01-12', '2024-02-14', '1999-01-01'] },
  'body.value': {
    kind: 'text',
    items: ({ fields }) => [bodyOf(fields.body)],
    values: ['short', 'html', '%', '', 'ß'],
  },
  'field_author.title': {
    kind: 'text',
    items: through('field_author', ({ title }) => [title]),
    values: TEXTS,
  },
  'field_author.field_email': {
    kind: 'text',
    items: through('field_author', own('field_email')),
    values: ['bob@example.com', '@example', 'emile@example.com'],
  },
  'field_author.field_boss.title': {
    kind: 'text',
    items: through(
      'field_author',
      through('field_boss', ({ title }) => [title]),
    ),
    values: [...TEXTS, 'Ada Lovelace'],
  },
  'field_author.entity.field_boss.entity.id': {
    kind: 'text',
    items: through(
      'field_author',
      through('field_boss', ({ uuid }) => [uuid]),
    ),
    values: entities.slice(0, 3).map(({ uuid }) => uuid),
  },
  'field_tags.title': {
    kind: 'text',
    items: through('field_tags', ({ title }) => [title]),
    values: [...TEXTS, 'sports'],
  },
  'field_tags.0.title': {
    kind: 'text',
    items: through('field_tags', ({ title }) => [title], 0),
    values: [...TEXTS, 'sports'],
  },
  'field_related.title': {
    kind: 'text',
    items: through('field_related', ({ title }) => [title]),
    values: TEXTS,
  },
  'field_related.field_rating': {
    kind: 'number',
    items: through('field_related', own('field_rating')),
    values: NUMBERS,
  },
  'field_related.field_list': {
    kind: 'text',
    items: through('field_related', own('field_list')),
    values: ['alpha', 'gamma'],
  },
  'field_related.field_author.title': {
    kind: 'text',
    items: through(
      'field_related',
      through('field_author', ({ title }) => [title]),
    ),
    values: ['a', "Bob O'Brien"],
  },
};
export const NAMES = Object.keys(PATHS);
export const SINGLE = ['=', '<>', '>', '>=', '<', '<=', 'STARTS_WITH', 'CONTAINS', 'ENDS_WITH'] as const;
export const LISTS = ['IN', 'NOT IN', 'BETWEEN', 'NOT BETWEEN'] as const;
export const NULLS = ['IS NULL', 'IS NOT NULL'] as const;
export type Operator = (typeof SINGLE)[number] | (typeof LISTS)[number] | (typeof NULLS)[number];

export interface Condition {
  readonly path: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export function holds(condition: Condition, article: RecordedEntity, { sees }: Reader): boolean {
  const path = PATHS[condition.path];
  if (path === undefined) throw new Error(`${condition.path} is not supported.`);
  return path.items(article, sees).some((item) => matches(condition, item, path.kind));
}

export function matches({ operator, values }: Condition, item: Value, kind: Kind): boolean {
  if (operator === 'IS NULL') return item === null;
  if (item === null) return false;
  const [first = '', last = ''] = values;
  const fits = (value: string) => kind !== 'number' || isNumber(value);
  const compare = (value: string) => order(item, value, kind);
  const text = fold(String(item));
  switch (operator) {
    case 'IS NOT NULL':
      return true;
    case '=':
    case 'IN':
      return values.some((value) => fits(value) && compare(value) === 0);
    case '<>':
    case 'NOT IN':
      return values.every((value) => !fits(value) || compare(value) !== 0);
    case '>':
      return fits(first) && compare(first) > 0;
    case '>=':
      return fits(first) && compare(first) >= 0;
    case '<':
      return fits(first) && compare(first) < 0;
    case '<=':
      return fits(first) && compare(first) <= 0;
    case 'STARTS_WITH':
      return text.startsWith(fold(first));
    case 'CONTAINS':
      return text.includes(fold(first));
    case 'ENDS_WITH':
      return text.endsWith(fold(first));
    case 'BETWEEN':
      return compare(first) >= 0 && compare(last) <= 0;
    case 'NOT BETWEEN':
      return !(compare(first) >= 0 && compare(last) <= 0);
    default:
      return operator satisfies never;
  }
}

/** Nulls first ascending, last descending; a list by its smallest value ascending, its largest descending. */
export function compareBy(
  path: string,
  down: boolean,
  a: RecordedEntity,
  b: RecordedEntity,
  { sees }: Reader,
): number {
  const { items, kind } = PATHS[path] ?? { items: () => [], kind: 'text' as const };
  const key = (article: RecordedEntity): Value => {
    const given = items(article, sees).filter((item) => item !== null);
    const sorted = given.sort((one, other) => nullsFirst(one, other, kind));
    return (down ? sorted.at(-1) : sorted[0]) ?? null;
  };
  return nullsFirst(key(a), key(b), kind) * (down ? -1 : 1);
}

function nullsFirst(one: Value, other: Value, kind: Kind): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  return order(one, String(other), kind);
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' });
function order(item: string | number, value: string, kind: Kind): number {
  if (kind === 'number') return Math.sign(Number(item) - Number(value));
  return collator.compare(String(item), value);
}

export function isNumber(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function own(name: string): Items {
  return ({ fields }) => {
    const value = fields[name];
    if (Array.isArray(value)) return value.length === 0 ? [null] : value.map(scalar);
    return [scalar(value)];
  };
}

function scalar(value: unknown): Value {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function at(delta: number, items: Items): Items {
  return (entity, sees) => [items(entity, sees)[delta] ?? null];
}

function bodyOf(body: unknown): Value {
  return typeof body === 'object' && body !== null && 'value' in body ? scalar(body.value) : null;
}

/** The values in visible targets, otherwise null. */
function through(name: string, items: Items, delta?: number): Items {
  return (entity, sees) => {
    const targets = referencesOf(entity, name, delta)
      .filter(sees)
      .flatMap((target) => items(target, sees));
    return targets.length === 0 ? [null] : targets;
  };
}

function referencesOf({ fields }: RecordedEntity, name: string, delta?: number): RecordedEntity[] {
  const targets = [fields[name] ?? []].flat().map((id) => byId.get(String(id)));
  const asked = delta === undefined ? targets : targets.slice(delta, delta + 1);
  return asked.filter((target) => target !== undefined);
}

export function targetsOf(
  paths: readonly string[],
  data: readonly RecordedEntity[],
  { sees }: Reader,
): string[] {
  const found = new Set<RecordedEntity>();
  for (const path of paths) {
    let level = data;
    for (const name of path.split('.')) {
      level = level.flatMap((entity) => referencesOf(entity, name)).filter(sees);
      for (const target of level) if (!data.includes(target)) found.add(target);
    }
  }
  return [...found].map(({ uuid }) => shortId(uuid));
}
