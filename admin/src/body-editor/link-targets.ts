import { type JsonObject, objectOf } from '../api/document.ts';

/** The typed text as an address: a URL, a path, an anchor, or a mail address; undefined for words. */
export function typedAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return undefined;
  if (/^(?:https?:\/\/|mailto:|tel:|\/|\.{1,2}\/|#|\?)/i.test(text)) return text;
  if (/^[^@/]+@[^@/]+\.[^@/.]+$/.test(text)) return `mailto:${text}`;
  return /^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#:].*)?$/i.test(text) ? `https://${text}` : undefined;
}

/** The request for content whose title has the text and that has a page. */
export function linkQuery(typed: string, types: readonly string[], limit: number): string {
  const query = new URLSearchParams({
    'filter[title][operator]': 'CONTAINS',
    'filter[title][value]': typed.trim(),
    'filter[page][condition][path]': 'path.alias',
    'filter[page][condition][operator]': 'IS NOT NULL',
    'page[limit]': String(limit),
  });
  for (const type of types) query.set(`fields[${type}]`, 'title,path');
  return `/index/_all?${query}`;
}

/** The path of an entity's page on the site; undefined without one. */
export function pagePath(
  { attributes }: { readonly attributes: JsonObject },
  base: string,
): string | undefined {
  const { alias } = objectOf(attributes.path);
  return typeof alias === 'string' && alias !== '' ? base + alias : undefined;
}
