import { type JsonObject, objectOf } from '../api/document.ts';

/** The typed text as an address: a URL, a path, an anchor, or a mail address; undefined for words. */
export function typedAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return undefined;
  if (/^(?:https?:\/\/|mailto:|tel:|\/|\.{1,2}\/|#|\?)/i.test(text)) return text;
  if (/^[^@/]+@[^@/]+\.[^@/.]+$/.test(text)) return `mailto:${text}`;
  return /^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#:].*)?$/i.test(text) ? `https://${text}` : undefined;
}

/** The path of an entity's page on the site; undefined without one. */
export function pagePath(
  { attributes }: { readonly attributes: JsonObject },
  base: string,
): string | undefined {
  const { alias } = objectOf(attributes.path);
  return typeof alias === 'string' && alias !== '' ? base + alias : undefined;
}

/** A heading of a page, with the anchor of links to it. */
export interface Heading {
  readonly id: string;
  readonly title: string;
  /** From 1 to 6. */
  readonly level: number;
}

/** Adds the anchors that pages give headings: those of GitHub, with a number for a repeated title. */
export function withAnchors(headings: readonly Omit<Heading, 'id'>[]): readonly Heading[] {
  const used = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading.title.toLowerCase().replace(NOT_IN_ANCHORS, '').replaceAll(' ', '-');
    let id = slug;
    for (let count = used.get(slug) ?? 0; used.has(id); id = `${slug}-${count}`) {
      count += 1;
      used.set(slug, count);
    }
    used.set(id, 0);
    return { ...heading, id };
  });
}

const NOT_IN_ANCHORS = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;
