import { z } from 'zod';
import type { FieldDefinition } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { file, image, reference } from '../content/schema/schema.ts';
import type { JsonValue } from '../util/json.ts';

/** A zod type as source text, and itself to try values on. */
export interface FieldDraft {
  readonly source: string;
  readonly type: z.ZodType;
  /** What its author should know, without a full stop. */
  readonly note?: string;
}

/** A text field with no more different values than this, each found several times, is a choice. */
const MAX_CHOICES = 12;
const MAX_CHOICE_LENGTH = 40;
const MIN_CHOICE_VALUES = 10;
const MIN_USES_OF_CHOICE = 4;
/** A field in a smaller part of at least MIN_FILES files may be a mistyped name. */
const RARE = 0.02;
const MIN_FILES = 50;

/**
 * The zod type that a person would write for a field of which these values were found, one for each file that has
 * it. Every value fits it.
 */
export function draftField(field: FieldDefinition, values: readonly JsonValue[], files: number): FieldDraft {
  const present = values.filter((value) => value !== null);
  const own = draftValue(field, present);
  const drafted = present.every((value) => own.type.safeParse(value).success)
    ? own
    : { ...ANYTHING, note: 'values of several shapes' };
  const rare = files >= MIN_FILES && present.length / files < RARE;
  const note = drafted.note ?? (rare ? `in ${present.length} of ${files} files only` : undefined);
  return {
    ...withAbsence(drafted, field, present.length === files && files > 1),
    ...(note !== undefined && { note }),
  };
}

function withAbsence(draft: FieldDraft, { list }: FieldDefinition, always: boolean): FieldDraft {
  const { source, type } = draft;
  if (source === ANYTHING.source) return draft;
  if (list) return { ...draft, source: `${source}.default([])`, type: type.nullish() };
  return always ? draft : { ...draft, source: `${source}.nullish()`, type: type.nullish() };
}

function draftValue(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  if (!field.list) return draftItem(field, values);
  const written = values.flatMap((value): readonly JsonValue[] => (Array.isArray(value) ? value : [value]));
  const item = draftItem(
    field,
    written.filter((value) => value !== null),
  );
  const element = written.includes(null)
    ? { ...item, source: `${item.source}.nullable()`, type: item.type.nullable() }
    : item;
  const list = { ...item, source: `z.array(${element.source})`, type: z.array(element.type) };
  if (values.every(Array.isArray)) return list;
  return {
    ...item,
    source: `z.union([${list.source}, ${item.source}])`,
    type: z.union([list.type, item.type]),
  };
}

/** Values are neither null nor lists. */
function draftItem(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  switch (field.kind) {
    case 'boolean':
      return { source: 'z.boolean()', type: z.boolean() };
    case 'integer':
      return { source: 'z.int()', type: z.int() };
    case 'number':
      return { source: 'z.number()', type: z.number() };
    case 'date':
      return { source: 'z.iso.date()', type: z.iso.date() };
    case 'datetime':
      return firstFitting(DATE_TIMES, values) ?? { ...TEXT, note: DATE_TIME_NOTE };
    case 'string':
      return draftText(values);
    case 'reference': {
      const targets = field.targets.map(shortTypeName);
      const [only = ''] = targets;
      const named = targets.length === 1 ? quoted(only) : `[${targets.map(quoted).join(', ')}]`;
      return { source: `reference(${named})`, type: reference(targets) };
    }
    case 'image':
      return { source: 'image()', type: image() };
    case 'file':
      return { source: 'file()', type: file() };
    case 'object':
      return draftObject(field, values);
    default:
      return ANYTHING;
  }
}

function draftText(values: readonly JsonValue[]): FieldDraft {
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length < values.length) {
    return {
      source: 'z.coerce.string()',
      type: z.coerce.string(),
      note: 'texts and other values: answered as text',
    };
  }
  const choices = [...new Set(texts)].sort();
  const isChoice =
    choices.length <= MAX_CHOICES &&
    texts.length >= Math.max(MIN_CHOICE_VALUES, choices.length * MIN_USES_OF_CHOICE) &&
    choices.every((choice) => choice !== '' && choice.length <= MAX_CHOICE_LENGTH);
  if (isChoice) return { source: `z.enum([${choices.map(quoted).join(', ')}])`, type: z.enum(choices) };
  return (texts.length > 0 ? firstFitting(TEXT_FORMATS, values) : undefined) ?? TEXT;
}

function draftObject(field: FieldDefinition, values: readonly JsonValue[]): FieldDraft {
  const objects = values.filter((value) => typeof value === 'object' && value !== null);
  const properties = asFound(Object.values(field.properties), ({ name }) => name, objects);
  const shape: [string, FieldDraft][] = properties.map((property) => {
    const found = objects
      .filter((object) => Object.hasOwn(object, property.name))
      .map((object): JsonValue => Reflect.get(object, property.name));
    return [property.name, draftProperty(property, found, objects.length)];
  });
  const members = shape.map(([name, { source }]) => `${propertyName(name)}: ${source}`);
  const type = z.object(Object.fromEntries(shape.map(([name, draft]) => [name, draft.type])));
  return { source: members.length === 0 ? 'z.object({})' : `z.object({ ${members.join(', ')} })`, type };
}

/** A list that is not there stays absent within an object. */
function draftProperty(property: FieldDefinition, values: readonly JsonValue[], objects: number): FieldDraft {
  const present = values.filter((value) => value !== null);
  const drafted = draftValue(property, present);
  const fits = present.every((value) => drafted.type.safeParse(value).success);
  const { source, type } = fits ? drafted : ANYTHING;
  if (present.length === objects && objects > 1 && fits) return { source, type };
  return { source: `${source}.nullish()`, type: type.nullish() };
}

function firstFitting(drafts: readonly FieldDraft[], values: readonly JsonValue[]): FieldDraft | undefined {
  return drafts.find(({ type }) => values.every((value) => type.safeParse(value).success));
}

/** Things in the order in which records first have their keys: the order their author is used to. */
export function asFound<T>(
  things: readonly T[],
  keyOf: (thing: T) => string,
  records: readonly object[],
): readonly T[] {
  const places = new Map([...new Set(records.flatMap(Object.keys))].map((key, place) => [key, place]));
  const placeOf = (thing: T) => places.get(keyOf(thing)) ?? places.size;
  return things.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A name in an object literal. `__proto__: …` would set the prototype. */
export function propertyName(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

const TEXT: FieldDraft = { source: 'z.string()', type: z.string() };
const ANYTHING: FieldDraft = { source: 'z.unknown()', type: z.unknown() };
const DATE_TIMES: readonly FieldDraft[] = [
  { source: 'z.iso.datetime({ offset: true })', type: z.iso.datetime({ offset: true }) },
  {
    source: 'z.iso.datetime({ offset: true, local: true })',
    type: z.iso.datetime({ offset: true, local: true }),
  },
];
const DATE_TIME_NOTE = 'write 2024-01-31T18:00:00+01:00 to make it z.iso.datetime({ offset: true })';
const TEXT_FORMATS: readonly FieldDraft[] = [
  { source: 'z.email()', type: z.email() },
  { source: 'z.url()', type: z.url({ protocol: /^https?$/ }) },
];
