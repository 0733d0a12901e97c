import { canonicalDateTime } from '../../source/date-time.ts';
import type { BaseValues } from '../base-fields.ts';
import type { Entity, FieldValue } from '../model.ts';

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
/** Dates from which an entity is no longer published. */
export const UNPUBLISH_DATES = ['unpublish_on'] as const;

const PUBLICATION_KEYS: ReadonlySet<string> = new Set([
  ...PUBLICATION_FLAGS,
  ...PUBLISH_DATES,
  ...UNPUBLISH_DATES,
]);

/** The flag or date from which a key differs only in letter case. */
export function misspelledPublicationKey(key: string): string | undefined {
  const lower = key.toLowerCase();
  return PUBLICATION_KEYS.has(lower) && !PUBLICATION_KEYS.has(key) ? lower : undefined;
}

/** RFC 3339; a day means its midnight in UTC. Null for an entity without such a date. */
export function publishedFrom({ values }: Pick<Entity, 'values'>): string | null {
  return sortedDates(PUBLISH_DATES.map((field) => values[field])).at(-1) ?? null;
}

export function publishedUntil({ values }: Pick<Entity, 'values'>): string | null {
  return sortedDates(UNPUBLISH_DATES.map((field) => values[field]))[0] ?? null;
}

function sortedDates(values: readonly (FieldValue | undefined)[]): readonly string[] {
  return values
    .flat()
    .flatMap((value) => (typeof value === 'string' ? (canonicalDateTime(value.trim()) ?? []) : []))
    .sort((a, b) => Date.parse(a) - Date.parse(b));
}
