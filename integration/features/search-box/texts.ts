import { texts as english, type Texts } from './texts/en.ts';

export type { Texts } from './texts/en.ts';

/** The texts of the box in other languages than English. They are loaded when a page has one of them. */
const LOADERS: Readonly<Record<string, () => Promise<{ readonly texts: Texts }>>> = {
  ar: () => import('./texts/ar.ts'),
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  fr: () => import('./texts/fr.ts'),
  it: () => import('./texts/it.ts'),
  ja: () => import('./texts/ja.ts'),
  nl: () => import('./texts/nl.ts'),
  pl: () => import('./texts/pl.ts'),
  pt: () => import('./texts/pt.ts'),
};

/** The texts in the language of a tag such as `pt-BR`; in English if the box does not have it. */
export async function loadTexts(tag: string): Promise<Texts> {
  const [language = ''] = tag.toLowerCase().split(/[-_]/);
  const load = Object.hasOwn(LOADERS, language) ? LOADERS[language] : undefined;
  return load === undefined ? english : (await load()).texts;
}

export { english };

/** A text with its values in place of `{n}` and `{words}`. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
