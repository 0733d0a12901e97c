import { z } from 'zod';
import type { FieldDefinition } from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import { file, image, reference } from '../../core/content/schema/schema.ts';
import { readDate } from '../../core/source/written-date.ts';
import type { JsonValue } from '../../core/util/json.ts';

/** A zod type, and the code that makes it. */
export interface FieldDraft {
  readonly source: Source;
  readonly type: z.ZodType;
  /** A hint for the author, without a period. */
  readonly note?: string;
}

/** Code in parts. Lists are parts of their own, so that a long line can be broken at their members. */
export type Source = readonly (string | SourceList)[];

export interface SourceList {
  readonly brackets: readonly [open: string, close: string];
  readonly members: readonly Source[];
}

/** The largest number of different strings, and of characters in each, that become an enum. */
const MAX_CHOICES = 12;
const MAX_CHOICE_LENGTH = 40;
/** The smallest number of values, and of uses of each choice, that become an enum. */
const MIN_CHOICE_VALUES = 10;
const MIN_CHOICE_USES = 4;
/** A field in a smaller part of at least `MIN_FILES` files may have a misspelled name. */
const RARE_PART = 0.02;
const MIN_FILES = 50;

/** The zod type that a person would write for these values, one for each file that has the field. All values match it. */
export function draftField(
  field: FieldDefinition,
  values: readonly JsonValue[],
  files: number,
  isTitle: boolean,
): FieldDraft {
  const present = values.filter((value) => value !== null);
  const inferred = draftValue(field, present);
  const draft = present.every((value) => inferred.type.safeParse(value).success)
    ? inferred
    : { ...ANYTHING, note: 'Values of several shapes' };
  const isRare = files >= MIN_FILES && present.length / files < RARE_PART;
  const note = draft.note ?? (isRare ? `In ${present.length} of ${files} files only` : undefined);
  return {
    ...(draft.source === ANYTHING.source
      ? draft
      : withAbsence(draft, field, present.length === files && (files > 1 || isTitle))),
    ...(note !== undefined && { note }),
  };
}

function withAbsence(draft: FieldDraft, { list }: FieldDefinition, isAlwaysPresent: boolean): FieldDraft {
  if (list) return { ...draft, source: [...draft.source, '.default([])'], type: draft.type.nullish() };
  return isAlwaysPresent ? draft : nullish(draft);
}

function nullish(draft: FieldDraft): FieldDraft {
  return { ...draft, source: [...draft.source, '.nullish()'], type: draft.type.nullish() };
}

function draftValue(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  if (!field.list) return draftItem(field, values);
  const items = values.flatMap((value): readonly JsonValue[] => (Array.isArray(value) ? value : [value]));
  const item = draftItem(
    field,
    items.filter((value) => value !== null),
  );
  const element = items.includes(null)
    ? { source: [...item.source, '.nullable()'], type: item.type.nullable() }
    : item;
  const list = { ...item, source: ['z.array(', ...element.source, ')'], type: z.array(element.type) };
  if (values.every(Array.isArray)) return list;
  return {
    ...item,
    source: ['z.union(', { brackets: SQUARE, members: [list.source, item.source] }, ')'],
    type: z.union([list.type, item.type]),
  };
}

/** `values` contains neither null nor lists. */
function draftItem(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  switch (field.kind) {
    case 'boolean':
      return { source: ['z.boolean()'], type: z.boolean() };
    case 'integer':
      return { source: ['z.int()'], type: z.int() };
    case 'number':
      return { source: ['z.number()'], type: z.number() };
    case 'date':
      return firstMatch(DAYS, values) ?? { ...draftString(values), note: DAY_NOTE };
    case 'datetime':
      return firstMatch(DATE_TIMES, values) ?? { ...draftString(values), note: DATE_TIME_NOTE };
    case 'string':
      return draftString(values);
    case 'reference': {
      const targets = field.targets.map(shortTypeName);
      const names = targets.map((name): Source => [quoted(name)]);
      const source = names.length === 1 ? (names[0] ?? []) : [{ brackets: SQUARE, members: names }];
      return { source: ['reference(', ...source, ')'], type: reference(targets) };
    }
    case 'image':
      return { source: ['image()'], type: image() };
    case 'file':
      return { source: ['file()'], type: file() };
    case 'object':
      return draftObject(field, values);
    default:
      return ANYTHING;
  }
}

function draftString(values: readonly JsonValue[]): FieldDraft {
  const strings = values.filter((value) => typeof value === 'string');
  if (strings.length < values.length) {
    return {
      source: ['z.coerce.string()'],
      type: z.coerce.string(),
      note: 'Strings and other values: all become strings',
    };
  }
  const choices = [...new Set(strings)].sort();
  const isEnum =
    choices.length <= MAX_CHOICES &&
    strings.length >= Math.max(MIN_CHOICE_VALUES, choices.length * MIN_CHOICE_USES) &&
    choices.every((choice) => choice !== '' && choice.length <= MAX_CHOICE_LENGTH);
  if (isEnum) {
    const members = choices.map((choice): Source => [quoted(choice)]);
    return { source: ['z.enum(', { brackets: SQUARE, members }, ')'], type: z.enum(choices) };
  }
  return (strings.length > 0 ? firstMatch(STRING_FORMATS, values) : undefined) ?? STRING;
}

function draftObject(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  const objects = values.filter((value) => typeof value === 'object' && value !== null);
  const properties = inWrittenOrder(Object.values(field.properties), ({ name }) => name, objects);
  const drafts = properties.map((property): [string, FieldDraft] => {
    const own = objects
      .filter((object) => Object.hasOwn(object, property.name))
      .map((object): JsonValue => Reflect.get(object, property.name));
    return [property.name, draftProperty(property, own, objects.length)];
  });
  const members = drafts.map(([name, { source }]): Source => [`${propertyName(name)}: `, ...source]);
  const type = z.object(Object.fromEntries(drafts.map(([name, draft]) => [name, draft.type])));
  return { source: ['z.object(', { brackets: CURLY, members }, ')'], type };
}

/** Unlike in a field, a missing list stays missing. */
function draftProperty(property: FieldDefinition, values: readonly JsonValue[], objects: number): FieldDraft {
  const present = values.filter((value) => value !== null);
  const inferred = draftValue(property, present);
  const matches = present.every((value) => inferred.type.safeParse(value).success);
  const { source, type } = matches ? inferred : ANYTHING;
  return matches && present.length === objects && objects > 1 ? { source, type } : nullish({ source, type });
}

function firstMatch(drafts: readonly FieldDraft[], values: readonly JsonValue[]): FieldDraft | undefined {
  return drafts.find(({ type }) => values.every((value) => type.safeParse(value).success));
}

/** Sorts items by the place of their keys in the records, which is the order that authors use. */
export function inWrittenOrder<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  records: readonly object[],
): readonly T[] {
  const places = new Map([...new Set(records.flatMap(Object.keys))].map((key, place) => [key, place]));
  const placeOf = (item: T) => places.get(keyOf(item)) ?? places.size;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The name of a property in an object literal. `__proto__: …` would set the prototype. */
export function propertyName(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

const SQUARE = ['[', ']'] as const;
const CURLY = ['{ ', ' }'] as const;
const STRING: FieldDraft = { source: ['z.string()'], type: z.string() };
const ANYTHING: FieldDraft = { source: ['z.unknown()'], type: z.unknown() };
/** The type reads more forms in the files than zod does on its own. */
const WRITTEN_DATE: FieldDraft = {
  source: ['z.coerce.date()'],
  type: z.string().refine((text) => readDate(text) !== undefined),
};
const DAYS: readonly FieldDraft[] = [{ source: ['z.iso.date()'], type: z.iso.date() }, WRITTEN_DATE];
const DAY_NOTE = 'Write 2024-01-31 to make it z.iso.date()';
const DATE_TIMES: readonly FieldDraft[] = [
  { source: ['z.iso.datetime({ offset: true })'], type: z.iso.datetime({ offset: true }) },
  {
    source: ['z.iso.datetime({ offset: true, local: true })'],
    type: z.iso.datetime({ offset: true, local: true }),
  },
  WRITTEN_DATE,
];
const DATE_TIME_NOTE = 'Write 2024-01-31T18:00:00+01:00 to make it z.iso.datetime({ offset: true })';
const STRING_FORMATS: readonly FieldDraft[] = [
  { source: ['z.email()'], type: z.email() },
  { source: ['z.url()'], type: z.url({ protocol: /^https?$/ }) },
];
