import { canonicalDateTime } from '../source/date-time.ts';
import type { BaseValues } from './base-fields.ts';
import type { Entity, FieldValue } from './model.ts';

/** Which status texts are published, by bundle or resource type name: option `bundles.<bundle>.publishedStatuses`. */
export type PublishedTexts = Readonly<Record<string, readonly string[]>>;

/** Says of each entity of a bundle whether anonymous may see it. */
export interface PublicationRule {
  published(base: BaseValues): boolean;
  /** For the report on a bundle whose status is text. */
  readonly description: string;
}

/** What a flag hides is never published. No status is published, unless the option lists the texts that are. */
export function publicationRule(listed: readonly string[] | undefined): PublicationRule {
  const texts = new Set(listed?.map((text) => text.toLowerCase()) ?? UNPUBLISHED_TEXTS);
  const isPublished = (text: string | null): boolean =>
    listed === undefined ? text === null || !texts.has(text) : text !== null && texts.has(text);
  return {
    published({ status, hidden }) {
      const said = typeof status === 'boolean' ? status : isPublished(status?.trim().toLowerCase() ?? null);
      return said && !hidden;
    },
    description:
      listed === undefined
        ? `published unless ${UNPUBLISHED_TEXTS.join(', ')}`
        : `published where ${listed.join(', ')}`,
  };
}

const UNPUBLISHED_TEXTS = ['draft', 'unpublished', 'private', 'hidden', 'archived'] as const;

/** Keys that can hide an entity, each with the value that does. A key with another kind of value is a field. */
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

/** Dates before which an entity is not published; the latest counts. `publishDate` is the name that Hugo gives it. */
export const PUBLISH_DATES = ['publish_on', 'publishDate', 'publishdate', 'published'] as const;
/** The date from which an entity is not published any more. */
export const UNPUBLISH_DATES = ['unpublish_on'] as const;

const PUBLICATION_KEYS: ReadonlySet<string> = new Set([
  ...PUBLICATION_FLAGS,
  ...PUBLISH_DATES,
  ...UNPUBLISH_DATES,
]);

/** The flag or date that a key differs from in letter case alone. */
export function meantPublicationKey(key: string): string | undefined {
  const lower = key.toLowerCase();
  return PUBLICATION_KEYS.has(lower) && !PUBLICATION_KEYS.has(key) ? lower : undefined;
}

/** RFC 3339; a day is its midnight in UTC. Null for an entity without such a date. */
export function publishedFrom({ values }: Pick<Entity, 'values'>): string | null {
  return datesIn(PUBLISH_DATES.map((field) => values[field])).at(-1) ?? null;
}

export function publishedUntil({ values }: Pick<Entity, 'values'>): string | null {
  return datesIn(UNPUBLISH_DATES.map((field) => values[field]))[0] ?? null;
}

/** In order of time. */
function datesIn(values: readonly (FieldValue | undefined)[]): readonly string[] {
  return values
    .flat()
    .flatMap((value) => (typeof value === 'string' ? (canonicalDateTime(value.trim()) ?? []) : []))
    .sort((a, b) => Date.parse(a) - Date.parse(b));
}
