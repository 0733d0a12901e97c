import { readDateTime } from '../../source/written-date.ts';
import type { BaseValues } from '../base-fields.ts';
import type { Entity, FieldValue, Schedule } from '../model.ts';

/** Published status values by bundle or resource type name: option `published`. */
export type PublishedStatuses = Readonly<Record<string, readonly string[]>>;

/** Decides which entities of a bundle are published. */
export interface PublicationRule {
  published(base: BaseValues): boolean;
  /** For the report about a bundle whose status is a string. */
  readonly description: string;
}

/** Hidden entities are never published. An entity without a status is, unless the option lists statuses. */
export function publicationRule(listed: readonly string[] | undefined): PublicationRule {
  const statuses = new Set(listed?.map((status) => status.toLowerCase()) ?? UNPUBLISHED_STATUSES);
  const isPublished = (status: string | null): boolean =>
    listed === undefined ? status === null || !statuses.has(status) : status !== null && statuses.has(status);
  return {
    published({ status, hidden }) {
      if (hidden) return false;
      return typeof status === 'boolean' ? status : isPublished(status?.trim().toLowerCase() ?? null);
    },
    description:
      listed === undefined
        ? `published unless ${UNPUBLISHED_STATUSES.join(', ')}`
        : `published if ${listed.join(', ')}`,
  };
}

const UNPUBLISHED_STATUSES = ['draft', 'unpublished', 'private', 'hidden', 'archived'] as const;

/** Keys that can hide an entity, each with the value that hides it. With a value that is not a boolean they are fields. */
const FLAGS = { draft: true, published: false, publish: false, unlisted: true } as const;

export type PublicationFlag = keyof typeof FLAGS;

export const PUBLICATION_FLAGS = Object.keys(FLAGS) as readonly PublicationFlag[];

export function isPublicationFlag(key: string): key is PublicationFlag {
  return Object.hasOwn(FLAGS, key);
}

/** The value of a flag that hides an entity. */
export function hidingValue(flag: PublicationFlag): boolean {
  return FLAGS[flag];
}

/** Dates before which an entity is not published; the latest one counts. Hugo uses `publishDate`. */
export const PUBLISH_DATES = ['publish_on', 'publishDate', 'publishdate', 'published'] as const;
/** Dates from which an entity is no longer published. Hugo uses `expiryDate`. */
export const UNPUBLISH_DATES = ['unpublish_on', 'expiryDate', 'expirydate'] as const;

const PUBLICATION_KEYS: ReadonlySet<string> = new Set([
  ...PUBLICATION_FLAGS,
  ...PUBLISH_DATES,
  ...UNPUBLISH_DATES,
]);

export function isPublicationKey(key: string): boolean {
  return PUBLICATION_KEYS.has(key);
}

/** The flag or date from which a key differs only in letter case. */
export function misspelledPublicationKey(key: string): string | undefined {
  const lower = key.toLowerCase();
  return PUBLICATION_KEYS.has(lower) && !PUBLICATION_KEYS.has(key) ? lower : undefined;
}

/** The publication dates among the values of an entity. A day means its midnight in the time zone. */
export function scheduleOf(values: Entity['values'], timeZone?: string): Schedule | undefined {
  const from = sortedDates(PUBLISH_DATES, values, timeZone).at(-1) ?? null;
  const until = sortedDates(UNPUBLISH_DATES, values, timeZone)[0] ?? null;
  return from === null && until === null ? undefined : { from, until };
}

function sortedDates(
  names: readonly string[],
  values: Entity['values'],
  timeZone: string | undefined,
): readonly string[] {
  return names
    .filter((name) => (values[name] ?? null) !== null)
    .flatMap((name): readonly FieldValue[] => [values[name] ?? null].flat())
    .flatMap((value) => (typeof value === 'string' ? (readDateTime(value, { timeZone }) ?? []) : []))
    .sort((a, b) => Date.parse(a) - Date.parse(b));
}
