import anyAscii from 'any-ascii';

/** Characters of a slug, what makes it unique included. */
export const MAX_SLUG_LENGTH = 80;

/**
 * File name for a new entity, without its ending: lower-case ASCII letters, digits and single hyphens, the same on every
 * file system. Texts of any script are transliterated; what is left of a text that is too long ends with a whole word.
 * `-2`, `-3` and so on where `taken`, which is asked for lower-case names and has to ignore the case of what there is.
 */
export function slugFor(title: string, taken: (slug: string) => boolean): string {
  const words = slugOf(title);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = cut(words, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!RESERVED.test(slug) && !taken(slug)) return slug;
  }
}

function slugOf(title: string): string {
  // The syllables of Chinese are words of their own; those of other scripts come with their blanks.
  const spaced = title
    .slice(0, MAX_READ)
    .normalize('NFC')
    .replace(/\p{Script=Han}/gu, ' $& ');
  const slug = anyAscii(spaced)
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? 'untitled' : slug;
}

function cut(slug: string, length: number): string {
  if (slug.length <= length) return slug;
  const end = slug.lastIndexOf('-', length);
  return slug.slice(0, end > 0 ? end : length);
}

/** Characters of a title that are looked at. */
const MAX_READ = 1000;
/** Devices of Windows, and what stands for its folder. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|index)$/;
