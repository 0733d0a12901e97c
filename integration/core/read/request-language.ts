import type { LanguageChoice } from '../access/language-access.ts';
import { type Languages, languageCodes, languageNamed } from '../content/languages.ts';
import { FALLBACK_PARAMETER, LANGUAGE_PARAMETER, LANGUAGE_PARAMETERS } from '../engine/parse/parse-query.ts';
import { BadParameterError } from '../util/errors.ts';

/** The language that a request asks for. */
export interface RequestLanguage extends LanguageChoice {
  /** True if the parameter `langCode` has it, false if the path has. */
  readonly inQuery: boolean;
}

/**
 * The language of a request: in `langCode`, else that of the prefix of its path. A prefix falls back silently. Throws
 * BadParameterError for a language that the site does not have. Undefined for the default language.
 */
export function requestLanguage(
  languages: Languages | undefined,
  query: string,
  prefix: string | undefined,
): RequestLanguage | undefined {
  if (languages === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  checkPlain(parameters);
  const name = parameters.getAll(LANGUAGE_PARAMETER).at(-1);
  const fallback = parseFallback(parameters.getAll(FALLBACK_PARAMETER).at(-1), name !== undefined);
  if (name !== undefined) return namedLanguage(languages, name, fallback);
  return prefix === undefined ? undefined : { langcode: prefix, fallback: true, inQuery: false };
}

/** The language with the name in `langCode`. Throws BadParameterError for a language that the site does not have. */
export function namedLanguage(languages: Languages, name: string, fallback = false): RequestLanguage {
  const language = languageNamed(languages, name);
  if (language !== undefined) return { langcode: language.code, fallback, inQuery: true };
  throw new BadParameterError(
    LANGUAGE_PARAMETER,
    `'${name.slice(0, MAX_ECHOED)}' is not a language of this site. Languages: ${languageCodes(languages)}.`,
  );
}

/** The language of a change, which never falls back to another one. Throws BadParameterError for `includeFallback`. */
export function writtenLanguage(language: RequestLanguage): RequestLanguage {
  if (!language.inQuery || !language.fallback) return { ...language, fallback: false };
  throw new BadParameterError(
    FALLBACK_PARAMETER,
    'A request changes an entity in one language: leave out includeFallback.',
  );
}

/** Throws for `langCode[]`, which would not select a language. */
function checkPlain(parameters: URLSearchParams): void {
  for (const key of parameters.keys()) {
    const [name = ''] = key.split('[', 1);
    if (name === key || !LANGUAGE_PARAMETERS.includes(name)) continue;
    throw new BadParameterError(name, `${name} must be a single value, without brackets.`);
  }
}

function parseFallback(value: string | undefined, hasLanguage: boolean): boolean {
  if (value === undefined) return false;
  if (!hasLanguage) {
    throw new BadParameterError(
      FALLBACK_PARAMETER,
      'includeFallback belongs to langCode: send langCode too.',
    );
  }
  const fallback = FALLBACKS.get(value);
  if (fallback !== undefined) return fallback;
  throw new BadParameterError(FALLBACK_PARAMETER, 'includeFallback must be 1 or 0.');
}

const FALLBACKS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);
const MAX_ECHOED = 40;
