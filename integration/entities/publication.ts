import type { BaseValues } from './base-values.ts';

/** Which status texts are published, by bundle or resource type name: option `published`. */
export type PublishedTexts = Readonly<Record<string, readonly string[]>>;

/** Says of each entity of a bundle whether anonymous may see it. */
export interface PublicationRule {
  published(base: BaseValues): boolean;
  /** For the report on a bundle whose status is text. */
  readonly description: string;
}

/** `draft: true` is never published. No status is published, unless the option lists the texts that are. */
export function publicationRule(listed: readonly string[] | undefined): PublicationRule {
  const texts = new Set(listed?.map((text) => text.toLowerCase()) ?? UNPUBLISHED_TEXTS);
  const isPublished = (text: string | null): boolean =>
    listed === undefined ? text === null || !texts.has(text) : text !== null && texts.has(text);
  return {
    published({ status, draft }) {
      const said = typeof status === 'boolean' ? status : isPublished(status?.trim().toLowerCase() ?? null);
      return said && !draft;
    },
    description:
      listed === undefined
        ? `published unless ${UNPUBLISHED_TEXTS.join(', ')}`
        : `published where ${listed.join(', ')}`,
  };
}

const UNPUBLISHED_TEXTS = ['draft', 'unpublished', 'private', 'hidden', 'archived'] as const;
