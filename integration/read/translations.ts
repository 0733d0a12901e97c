import { type Entity, languageOf } from '../content/model.ts';
import { allValues, mapValue } from '../util/maybe-promise.ts';
import type { TranslationLinks } from './document-types.ts';
import type { DocumentContext } from './reader.ts';

/**
 * The source and the translations of an entity that the actor may see, the source first; none unless there are two. A
 * promise only if the engine is asynchronous.
 */
export function visibleTranslations(
  { services, access }: Pick<DocumentContext, 'services' | 'access'>,
  { type, id }: Entity,
): readonly Entity[] | Promise<readonly Entity[]> {
  const { store, settings } = services;
  const all = settings.languages === undefined ? NONE : store.translations(type, id);
  if (all.length < 2) return NONE;
  const sees = all.map((entity) => isVisible({ services, access }, entity));
  return mapValue(allValues(sees), (seen) => {
    const visible = all.filter((_, at) => seen[at]);
    return visible.length < 2 ? NONE : visible;
  });
}

/** True if the actor may see an entity in its own language. A promise only if the engine is asynchronous. */
export function isVisible(
  { services, access }: Pick<DocumentContext, 'services' | 'access'>,
  entity: Entity,
): boolean | Promise<boolean> {
  const { type, id, translation } = entity;
  const languages = translation === undefined ? [] : [translation];
  return mapValue(services.engine.find(type, id, { ...access, languages }), (found) => found === entity);
}

/** `meta.translations`: by langcode, where each is, if it is published, and if its source has changed since. */
export function translationLinks(
  translations: readonly Entity[],
  hrefOf: (langcode: string) => string,
): TranslationLinks | undefined {
  if (translations.length === 0) return undefined;
  const links: Record<string, TranslationLinks[string]> = {};
  for (const entity of translations) {
    const langcode = languageOf(entity);
    const { published, outdated } = entity;
    links[langcode] = { href: hrefOf(langcode), status: published, ...(outdated && { outdated }) };
  }
  return links;
}

const NONE: readonly Entity[] = [];
