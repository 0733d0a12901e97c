import type { QueryAccess } from '../engine/engine.ts';
import type { ApiSettings } from './settings.ts';

/** The settings for requests below the prefix of a language, whose links keep it. */
export function prefixedSettings(settings: ApiSettings, langcode: string): ApiSettings {
  const { base, siteBase = base } = settings;
  return { ...settings, base: siteBase + languagePrefix(settings, langcode), siteBase };
}

/** `/fr`, the first segment of the paths of a language. */
function languagePrefix({ languages }: Pick<ApiSettings, 'languages'>, langcode: string | undefined): string {
  const path = languages?.all.find(({ code }) => code === langcode)?.path;
  return path === undefined ? '' : `/${path}`;
}

/** The base of the pages in a language. The default language has no prefix. */
export function translatedBase(
  settings: Pick<ApiSettings, 'base' | 'siteBase' | 'languages'>,
  langcode: string | undefined,
): string {
  const { base, siteBase = base, languages } = settings;
  return langcode === languages?.default ? siteBase : siteBase + languagePrefix(settings, langcode);
}

/** The base of the site's pages in the language of a request. */
export function pageBase(settings: ApiSettings, { languages = [] }: QueryAccess): string {
  return translatedBase(settings, languages[0]);
}

/** A path of the site without the prefix of its language, and the code of that language. The base may be missing. */
export function splitLanguage(
  { base, languages }: Pick<ApiSettings, 'base' | 'languages'>,
  path: string,
): { readonly langcode: string | undefined; readonly path: string } {
  const below = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  const [, first = '', rest = ''] = PREFIXED.exec(below) ?? [];
  const language = languages?.all.find((each) => each.path.toLowerCase() === first.toLowerCase());
  if (language === undefined) return { langcode: undefined, path };
  return { langcode: language.code, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** `/fr`, `/fr/about`, `/fr?x` */
const PREFIXED = /^\/+([^/?#]+)(.*)$/s;
