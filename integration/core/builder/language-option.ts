import type { LanguageChoice } from '../access/language-access.ts';
import { type Languages, languageCodes, languageNamed } from '../content/languages.ts';
import { FALLBACK_PARAMETER, LANGUAGE_PARAMETER } from '../engine/parse/parse-query.ts';

export interface LanguageOption<Lang extends string = string> {
  /** A language of the site. By default, entities are in the default language, else in that of their source. */
  readonly lang?: Lang | undefined;
  /** True to return entities without a translation in another language. By default, they are left out. */
  readonly fallback?: boolean | undefined;
}

/** The language of a query; undefined for the default. Throws an Error that starts with `call` for an invalid option. */
export function chosenLanguage(
  { lang, fallback = false }: LanguageOption,
  languages: Languages | undefined,
  call: string,
): LanguageChoice | undefined {
  if (lang === undefined) {
    if (!fallback) return undefined;
    throw new Error(`${call}: fallback needs a language. Write { lang: '…', fallback: true }.`);
  }
  if (languages === undefined) {
    throw new Error(`${call}: the site has one language. Set i18n in astro.config.`);
  }
  const language = languageNamed(languages, lang);
  if (language !== undefined) return { langcode: language.code, fallback };
  throw new Error(
    `${call}: "${lang}" is not a language of the site. Languages: ${languageCodes(languages)}.`,
  );
}

/** The parameters of a URL for the same language. */
export function languageParameters({
  lang,
  fallback,
}: LanguageOption): readonly (readonly [string, string])[] {
  if (lang === undefined) return [];
  const fallbacks = fallback === true ? ([[FALLBACK_PARAMETER, '1']] as const) : [];
  return [[LANGUAGE_PARAMETER, lang], ...fallbacks];
}
