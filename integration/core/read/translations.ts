import { type Entity, languageOf } from '../content/model.ts';
import { mapValue } from '../util/maybe-promise.ts';
import type { TranslationLinks } from './document-types.ts';
import type { DocumentContext } from './reader.ts';

/**
 * The source and the translations of an entity that the actor may see, the source first; none unless there are two. A
 * promise only if the engine is asynchronous.
 */
export function visibleTranslations(
  { services: { engine, settings }, access }: Pick<DocumentContext, 'services' | 'access'>,
  { type, id }: Entity,
): readonly Entity[] | Promise<readonly Entity[]> {
  if (settings.languages === undefined) return NONE;
  return mapValue(engine.translations(type, id, access), (visible) => (visible.length < 2 ? NONE : visible));
}

/** True if the actor may see an entity in its own language. A promise only if the engine is asynchronous. */
export function isVisible(
  { services: { engine }, access }: Pick<DocumentContext, 'services' | 'access'>,
  entity: Entity,
): boolean | Promise<boolean> {
  return mapValue(engine.translations(entity.type, entity.id, access), (visible) => visible.includes(entity));
}

/**
 * `meta.translations` of the visible translations: by langcode, where each is, if it is published, and if its source has
 * changed since. An unseen source stays secret.
 */
export function translationLinks(
  translations: readonly Entity[],
  hrefOf: (langcode: string) => string,
): TranslationLinks | undefined {
  if (translations.length === 0) return undefined;
  const hasSource = translations[0]?.translation === undefined;
  const links: Record<string, TranslationLinks[string]> = {};
  for (const entity of translations) {
    const langcode = languageOf(entity);
    const { published, outdated } = entity;
    links[langcode] = {
      href: hrefOf(langcode),
      status: published,
      ...(outdated && hasSource && { outdated }),
    };
  }
  return links;
}

const NONE: readonly Entity[] = [];
