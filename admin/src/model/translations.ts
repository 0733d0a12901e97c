import { isRecord } from '../../../integration/core/util/json.ts';
import { objectOf, type Resource } from '../api/document.ts';

/** An entity in one language of the site. */
export interface LanguageState {
  readonly code: string;
  readonly state: 'source' | 'translated' | 'missing';
  readonly isPublished: boolean;
  /** True if the source has changed since. */
  readonly isOutdated: boolean;
  /** True if a missing translation has a draft. */
  readonly isIncomplete?: boolean;
}

/** The state of each language, from a resource in any of them. */
export function languageStates(
  languages: readonly string[],
  { meta, attributes }: Pick<Resource, 'meta' | 'attributes'>,
): readonly LanguageState[] {
  const source = sourceLanguage({ meta, attributes });
  const translations = objectOf(meta.translations);
  return languages.map((code) => {
    const facts = translations[code];
    if (code === source) {
      const { status = attributes.status } = objectOf(facts);
      return { code, state: 'source', isPublished: status === true, isOutdated: false };
    }
    if (!isRecord(facts)) return { code, state: 'missing', isPublished: false, isOutdated: false };
    const { status, outdated } = facts;
    return { code, state: 'translated', isPublished: status === true, isOutdated: outdated === true };
  });
}

/** The language of the source: the first of the translations, or the only language. */
export function sourceLanguage({ meta, attributes }: Pick<Resource, 'meta' | 'attributes'>): string {
  return Object.keys(objectOf(meta.translations))[0] ?? String(attributes.langcode ?? '');
}

/** The language of a translation; undefined for a source, which requests change if they name no language. */
export function translationLanguage(
  resource: Pick<Resource, 'meta' | 'attributes'> | undefined,
): string | undefined {
  const code = resource?.attributes.langcode;
  if (resource === undefined || typeof code !== 'string') return undefined;
  return code === sourceLanguage(resource) ? undefined : code;
}

/** The languages of a source's translations; none for a translation. */
export function otherLanguages(resource: Pick<Resource, 'meta' | 'attributes'>): readonly string[] {
  if (translationLanguage(resource) !== undefined) return [];
  const source = sourceLanguage(resource);
  return Object.keys(objectOf(resource.meta.translations)).filter((code) => code !== source);
}

/** The language to translate into, if none is chosen: the first that can be created, else an outdated one, else any. */
export function nextLanguage(
  states: readonly LanguageState[],
  creatable: ReadonlySet<string>,
): string | undefined {
  const others = states.filter(({ state }) => state !== 'source');
  const next =
    others.find(({ code }) => creatable.has(code)) ??
    others.find(({ isOutdated }) => isOutdated) ??
    others[0];
  return next?.code;
}
