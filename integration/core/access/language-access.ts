import { type Languages, languageChain } from '../content/languages.ts';
import type { Access } from './access.ts';

/** The language of entities: one of the site's, which other languages replace if it is missing and `fallback` is set. */
export interface LanguageChoice {
  readonly langcode: string;
  readonly fallback: boolean;
}

/** Returns the same object for the same access and language. */
export function createLanguageAccess(languages: Languages) {
  const derived = new WeakMap<Access, Map<string, Access>>();
  return (
    access: Access,
    choice: LanguageChoice | 'source' = { langcode: languages.default, fallback: true },
  ) => {
    if (choice === 'source') return access;
    const byChoice = derived.get(access) ?? new Map<string, Access>();
    derived.set(access, byChoice);
    const key = `${choice.langcode} ${choice.fallback}`;
    const chosen = byChoice.get(key) ?? {
      ...access,
      languages: languageChain(languages, choice.langcode),
      strict: !choice.fallback,
    };
    byChoice.set(key, chosen);
    return chosen;
  };
}
