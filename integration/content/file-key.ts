import { type Languages, languageNamed } from './languages.ts';
import { type FileRole, idFromKey, roleOf } from './resource-type.ts';

/** What the key of a content file says about it. */
export interface FileKey {
  readonly role: FileRole;
  /** The id that the path implies, without the language. */
  readonly pathId: string;
  /** Code of the language in the path; undefined without one. */
  readonly language: string | undefined;
}

/**
 * Reads the keys of a site's files. With languages, three forms of a path name one: `article/about.de.md`,
 * `article/de/about.md` and `de/article/about.md`.
 */
export function createKeyReader(languages: Languages | undefined): (key: string) => FileKey {
  return (key) => {
    const marked = languages && splitLanguage(key, languages);
    const plain = marked?.key ?? key;
    return { role: roleOf(plain), pathId: idFromKey(plain), language: marked?.language };
  };
}

function splitLanguage(key: string, languages: Languages) {
  const codeOf = (name: string | undefined) =>
    name === undefined ? undefined : languageNamed(languages, name)?.code;
  const [first = '', second, ...rest] = key.split('/');
  const outer = second === undefined ? undefined : codeOf(first);
  if (outer !== undefined) return { language: outer, key: [second, ...rest].join('/') };
  const inner = rest.length === 0 ? undefined : codeOf(second);
  if (inner !== undefined) return { language: inner, key: [first, ...rest].join('/') };
  const [, stem, suffix, extension] = SUFFIXED.exec(key) ?? [];
  const language = codeOf(suffix);
  return language === undefined ? undefined : { language, key: `${stem}${extension}` };
}

/** `article/about.de.md` */
const SUFFIXED = /^(.*[^/])\.([^./]+)(\.[^./]+)$/;
