/** The `locales` of astro.config.mjs. English has no prefix in addresses. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The rules by which dates and numbers are written. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

/** The parameter of `/[...lang]` routes. */
export function langParam(lang: Language): string | undefined {
  return lang === 'en' ? undefined : lang;
}

/** The static paths of a route in all languages. */
export async function pathsByLanguage<Path>(
  pathsIn: (lang: Language) => Promise<readonly Path[]>,
): Promise<Path[]> {
  return (await Promise.all(LANGUAGES.map(pathsIn))).flat();
}

/** The same for `/[...lang]` routes without further parameters. */
export const languagePaths = () => LANGUAGES.map((lang) => ({ params: { lang: langParam(lang) } }));
