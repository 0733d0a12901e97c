import { parseDay } from '../source/date-time.ts';
import { readDateTime } from '../source/written-date.ts';
import { lastSegment } from '../storage/key.ts';
import { isBaseField } from './base-fields.ts';
import { isPublicationKey } from './decode/publication.ts';
import type { Entity, FieldDefinition, ResourceType } from './model.ts';

/** Base fields that files of other tools store under other names. */
export type UsualBase = 'created' | 'changed' | 'langcode';

/** The usual names, in the order in which they count. */
const USUAL_NAMES: Readonly<Record<UsualBase, readonly string[]>> = {
  created: ['date', 'pubDate', 'pubDatetime', 'publishDate'],
  changed: ['updated', 'lastmod', 'updatedDate', 'modDatetime', 'last_modified_at'],
  langcode: ['lang', 'locale'],
};

/** Keys with the time of the last change. */
export const CHANGE_KEYS: ReadonlySet<string> = new Set(['changed', ...USUAL_NAMES.changed]);

/** True if files use the name as a key that means the same in every bundle: base fields, ids, dates and flags of publication. */
export function hasMeaning(name: string): boolean {
  const usual = [...Object.values(USUAL_NAMES).flat(), 'uuid', 'summary', 'translationOf', 'display_name'];
  return isBaseField(name) || isPublicationKey(name) || usual.includes(name);
}

export function isUsualBase(name: string): name is UsualBase {
  return Object.hasOwn(USUAL_NAMES, name);
}

/** Fields of a type that set a base field, unless a file has the base field itself. Their values must be dates or languages. */
function usualFields(base: UsualBase, type: ResourceType): readonly FieldDefinition[] {
  const cached = usualFieldsByType.get(type) ?? {
    created: findUsualFields('created', type),
    changed: findUsualFields('changed', type),
    langcode: findUsualFields('langcode', type),
  };
  usualFieldsByType.set(type, cached);
  return cached[base];
}

const usualFieldsByType = new WeakMap<
  ResourceType,
  Readonly<Record<UsualBase, readonly FieldDefinition[]>>
>();

function findUsualFields(base: UsualBase, { fields }: ResourceType): readonly FieldDefinition[] {
  return USUAL_NAMES[base].flatMap((name) => {
    const field = fields.get(name);
    if (field === undefined || field.list) return [];
    const mayBeDate = field.instant === true && base === 'created';
    const isDate = field.kind === 'date' || field.kind === 'datetime' || mayBeDate;
    return (base === 'langcode' ? field.kind === 'string' : isDate) ? [field] : [];
  });
}

/** The fields among them that a change of the base field may edit. Not a date of publication, which would publish. */
export function storingFields(base: UsualBase, type: ResourceType): readonly FieldDefinition[] {
  return usualFields(base, type).filter(({ name, kind }) => name !== 'publishDate' && kind !== 'json');
}

/** The date of a base field, as other fields have it. A day means its midnight in the time zone. */
export function usualDate(
  base: 'created' | 'changed',
  type: ResourceType,
  values: Entity['values'],
  timeZone: string | undefined,
): string | undefined {
  for (const { name } of usualFields(base, type)) {
    const value = values[name];
    const date = typeof value === 'string' ? readDateTime(value, { timeZone }) : undefined;
    // Unions of dates and strings have the form of `toJSON`.
    if (date !== undefined) return date.replace('.000+', '+');
  }
  return undefined;
}

/** The language of an entity, as other fields have it. */
export function usualLangcode(type: ResourceType, values: Entity['values']): string | undefined {
  return usualFields('langcode', type)
    .map(({ name }) => values[name])
    .find((value) => typeof value === 'string' && isLanguage(value)) as string | undefined;
}

/** The values of keys that may name a language. */
export function usualLanguages(data: Readonly<Record<string, unknown>>): readonly string[] {
  return USUAL_NAMES.langcode.map((name) => data[name]).filter((value) => typeof value === 'string');
}

/** The day in a file name such as `2024-01-02-title`, as its midnight in the time zone. */
export function dateInName(pathId: string, timeZone: string | undefined): string | undefined {
  const day = parseDay(DATED_NAME.exec(lastSegment(pathId))?.[1] ?? '');
  return day && readDateTime(day, { timeZone });
}

/** The name of a file without its date. */
export function withoutDate(name: string): string {
  return name.replace(DATED_NAME, '') || name;
}

/** True for keys of addresses, former ones included. Their values look like references, but are not. */
export function isAddressKey(key: string): boolean {
  return ADDRESS_KEY.test(key);
}

const ADDRESS_KEY =
  /^(?:alias|aliases|slug|url|urls|permalink|permalinks|canonical(?:_?url)?|redirects?(?:_?(?:to|from))?)$/i;
const DATED_NAME = /^(\d{4}-\d\d-\d\d)(?:[-_]|$)/;
const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/;
const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** True for tags of languages that exist; false for `js` and `Berlin`. */
export function isLanguage(tag: string): boolean {
  try {
    return LANGUAGE_TAG.test(tag) && languageNames.of(tag) !== undefined;
  } catch {
    // A RangeError: the tag has subtags that are not allowed.
    return false;
  }
}
