import { slugFor } from '../content/encode/slug.ts';
import { keyInLanguage, type LanguageMark, languageInKey } from '../content/file-key.ts';
import { type Languages, languageNamed } from '../content/languages.ts';
import type { Entity } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { ConflictError } from '../util/errors.ts';
import { hasFile, pathIn } from './new-file.ts';
import type { RequestedChanges } from './writer.ts';

/** A translation that does not exist yet. */
export interface NewTranslation {
  readonly source: Entity;
  /** Code of its language. */
  readonly language: string;
  readonly title: string;
}

/** The file of a new translation, and the keys that its frontmatter needs because the path does not say the same. */
export interface TranslationFile {
  readonly key: string;
  readonly translationOf: string | undefined;
  readonly langcode: string | undefined;
}

export interface NewTranslationDeps {
  readonly driver: StorageDriver;
  readonly store: EntityStore;
  readonly languages: Languages;
}

/**
 * The file of a new translation, in the layout of most translations of the bundle in its language, else in any language,
 * else in that of its source, else beside the source as `about.fr.md`. Throws ConflictError if a file with errors is there.
 */
export async function placeTranslation(
  { source, language, title }: NewTranslation,
  { driver, store, languages }: NewTranslationDeps,
): Promise<TranslationFile> {
  const marked = languageInKey(source.key, languages);
  const plain = marked?.key ?? source.key;
  const extension = plain.slice(plain.lastIndexOf('.'));
  const mark = usualMark(store.entities(source.type), language, languages) ?? {
    form: marked?.form ?? 'suffix',
    name: language,
  };
  if (mark.form === 'own-name') {
    const folder = plain.slice(0, Math.max(plain.lastIndexOf('/'), 0));
    const taken = new Set<string>();
    for (;;) {
      const slug = slugFor(title, (each) => taken.has(each));
      taken.add(slug);
      if (await hasFile(driver, pathIn(folder, slug))) continue;
      return { key: pathIn(folder, slug + extension), translationOf: source.id, langcode: language };
    }
  }
  const key = keyInLanguage(plain, { form: mark.form, name: mark.name });
  if (await hasFile(driver, key.slice(0, -extension.length))) {
    throw new ConflictError('The translation has a file with errors already. Correct that file first.');
  }
  // Without it, a file in the default language is a source, and a translation can replace one that has no source itself.
  const hasSource = [undefined, languages.default].includes(marked?.language);
  const translationOf = language === languages.default || !hasSource ? source.id : undefined;
  return { key, translationOf, langcode: undefined };
}

/** `own-name`: the frontmatter says which entity is translated into which language. */
interface UsualMark {
  readonly form: LanguageMark['form'] | 'own-name';
  readonly name: string;
}

function usualMark(
  entities: readonly Entity[],
  language: string,
  languages: Languages,
): UsualMark | undefined {
  const translations = entities.filter(({ translation }) => translation !== undefined);
  const inLanguage = translations.filter(({ translation }) => translation === language);
  const marks = (inLanguage.length > 0 ? inLanguage : translations).map(({ key }): UsualMark => {
    const marked = languageInKey(key, languages);
    const name = marked?.language === language ? marked.name : language;
    return { form: marked?.form ?? 'own-name', name };
  });
  const [most] = [...Map.groupBy(marks, ({ form, name }) => `${form} ${name}`).values()].sort(
    (a, b) => b.length - a.length,
  );
  return most?.[0];
}

/** The changes with the `langcode` that the file needs. A document may have the language of the request. */
export function withLanguage(
  requested: RequestedChanges,
  language: string,
  { langcode: written }: Pick<TranslationFile, 'langcode'>,
  languages: Languages,
): RequestedChanges {
  const { langcode = null, ...others } = requested.changes;
  const isOther = langcode !== null && languageNamed(languages, String(langcode))?.code !== language;
  const violation = {
    detail: `The request is for '${language}': send that langcode, or leave it out.`,
    source: { pointer: requested.pointer(['langcode']) },
  };
  return {
    ...requested,
    changes: written === undefined ? others : { ...others, langcode: written },
    violations: isOther ? [...requested.violations, violation] : requested.violations,
  };
}
