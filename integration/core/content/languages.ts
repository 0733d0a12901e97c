/** A language of the site. */
export interface SiteLanguage {
  /** BCP 47 tag: the `langcode` of entities. */
  readonly code: string;
  /** Its first path segment in URLs of the site. */
  readonly path: string;
  /** All its names in files and requests, in lower case: the code, the path, and further codes. */
  readonly names: readonly string[];
}

/** The languages of a site, from Astro's `i18n` config. Plain data. */
export interface Languages {
  readonly all: readonly SiteLanguage[];
  /** Code of the default language. */
  readonly default: string;
  /** The code that stands in for a missing translation, by code. */
  readonly fallback: Readonly<Record<string, string>>;
}

/** The part of Astro's config that this module reads. */
export interface I18nConfig {
  readonly defaultLocale: string;
  readonly locales: readonly (string | { readonly path: string; readonly codes: readonly string[] })[];
  readonly fallback?: Readonly<Record<string, string>> | undefined;
}

/** The languages of Astro's `i18n`, whose locales are codes or `{ path, codes }`; undefined without it. */
export function siteLanguages(i18n: I18nConfig | undefined): Languages | undefined {
  if (i18n === undefined) return undefined;
  const all = i18n.locales.map((locale): SiteLanguage => {
    const { path, codes } = typeof locale === 'string' ? { path: locale, codes: [locale] } : locale;
    const [code = path] = codes;
    return { code, path, names: [...new Set([code, path, ...codes].map((name) => name.toLowerCase()))] };
  });
  const codeOf = (name: string) => all.find(({ path }) => path === name)?.code ?? name;
  const fallback = Object.entries(i18n.fallback ?? {}).map(([from, to]) => [codeOf(from), codeOf(to)]);
  return { all, default: codeOf(i18n.defaultLocale), fallback: Object.fromEntries(fallback) };
}

/** The language with a name, in any letter case. */
export function languageNamed({ all }: Pick<Languages, 'all'>, name: string): SiteLanguage | undefined {
  const lower = name.toLowerCase();
  return all.find(({ names }) => names.includes(lower));
}

/** The languages to serve if one is requested, best first: itself, its fallbacks, the default language. */
export function languageChain({ fallback, default: last }: Languages, code: string): readonly string[] {
  const chain: string[] = [];
  for (
    let next: string | undefined = code;
    next !== undefined && !chain.includes(next);
    next = fallback[next]
  ) {
    chain.push(next);
  }
  return chain.includes(last) ? chain : [...chain, last];
}

/** The valid values of a parameter or option, for messages. */
export function languageCodes({ all }: Languages): string {
  return all.map(({ code }) => code).join(', ');
}
