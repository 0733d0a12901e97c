import { entities } from 'astro-jsonapi:content';
import { LANGUAGES, type Language } from './languages.ts';
import { href, hrefOf } from './links.ts';

/** Links to one page, by the languages that it has. */
export type Translations = Readonly<Partial<Record<Language, string>>>;

/** The page of an entity, in the languages into which it is translated. */
export async function translationsOf(bundle: Translated, id: string): Promise<Translations> {
  const links = LANGUAGES.map(async (lang) => {
    const entity = await entities(bundle, { lang }).fields('path', 'langcode').get(id);
    return entity === undefined ? [] : [[lang, hrefOf(entity)] as const];
  });
  return Object.fromEntries((await Promise.all(links)).flat());
}

/** A page that exists in every language at the same path. */
export function inEachLanguage(path: string): Translations {
  return Object.fromEntries(LANGUAGES.map((lang) => [lang, href(path, lang)]));
}

type Translated = 'article' | 'event' | 'page' | 'person' | 'tag';
