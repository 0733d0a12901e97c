import { idFromPath } from '../source/formats.ts';
import { fileOfKey, keyInCollection } from '../storage/key.ts';
import { type Languages, languageNamed } from './languages.ts';
import { type FileRole, type Layout, layoutOf } from './layout.ts';
import type { FieldOptions } from './resource-type.ts';

/** What the key of a file in the content folder says about it. */
export type FileKey = Exclude<FileRole, { readonly role: 'entity' }> | EntityKey;

export interface EntityKey extends Extract<FileRole, { readonly role: 'entity' }> {
  /** The id that the path implies, without the language. */
  readonly pathId: string;
  /** Code of the language in the path; undefined without one. */
  readonly language: string | undefined;
}

/** What decides how files are read: the languages of the site, the folders of bundles and the fields of titles. */
export interface ContentLayout {
  readonly languages?: Languages | undefined;
  readonly layout?: Layout | undefined;
  /** The fields that store titles, by bundle. */
  readonly titles?: Readonly<Record<string, string>> | undefined;
  /** Option `bundles.<bundle>.fields`, by bundle. */
  readonly fields?: Readonly<Record<string, FieldOptions>> | undefined;
}

/**
 * Reads the keys of a site's files. With languages, three forms of a path name one: `article/about.de.md`,
 * `article/de/about.md` and `de/article/about.md`.
 */
export function createKeyReader({
  languages,
  layout: roleOf = layoutOf(),
}: ContentLayout): (key: string) => FileKey {
  return (key) => {
    const marked = languages && languageInKey(key, languages);
    const plain = marked?.key ?? key;
    const role = roleOf(plain);
    if (role.role !== 'entity') return role;
    return { ...role, pathId: idFromPath(role.path), language: marked?.language };
  };
}

/** The key of a file and its keys in further collections. */
export function keysOfFile(readKey: (key: string) => FileKey, key: string): readonly string[] {
  const file = fileOfKey(key);
  const role = readKey(file);
  const { alsoIn = [] } = role.role === 'entity' ? role : {};
  return [file, ...alsoIn.map((name) => keyInCollection(file, name))];
}

/** How a path names a language, and the name as it is written. */
export interface LanguageMark {
  readonly form: 'bundle' | 'folder' | 'suffix';
  readonly name: string;
}

/** The code of the language in a path, its mark, and the path without it. */
export function languageInKey(
  key: string,
  languages: Languages,
): (LanguageMark & { readonly language: string; readonly key: string }) | undefined {
  const codeOf = (name: string) => languageNamed(languages, name)?.code;
  const [first = '', second = '', ...rest] = key.split('/');
  const outer = second === '' ? undefined : codeOf(first);
  if (outer !== undefined) {
    return { form: 'bundle', name: first, language: outer, key: [second, ...rest].join('/') };
  }
  const inner = rest.length === 0 ? undefined : codeOf(second);
  if (inner !== undefined) {
    return { form: 'folder', name: second, language: inner, key: [first, ...rest].join('/') };
  }
  const [, stem, name = '', extension] = SUFFIXED.exec(key) ?? [];
  const language = codeOf(name);
  return language === undefined ? undefined : { form: 'suffix', name, language, key: `${stem}${extension}` };
}

/** The path with a language, for one without. */
export function keyInLanguage(key: string, { form, name }: LanguageMark): string {
  switch (form) {
    case 'bundle':
      return `${name}/${key}`;
    case 'folder':
      return key.replace('/', () => `/${name}/`);
    case 'suffix':
      return key.replace(/\.[^./]+$/, (extension) => `.${name}${extension}`);
    default:
      return form satisfies never;
  }
}

/** `article/about.de.md` */
const SUFFIXED = /^(.*[^/])\.([^./]+)(\.[^./]+)$/;
