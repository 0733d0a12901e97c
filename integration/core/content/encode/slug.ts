import anyAscii from 'any-ascii';

/** Characters of a slug, including the suffix that makes it unique. */
export const MAX_SLUG_LENGTH = 80;

/**
 * A file name without extension for a new entity: lower-case ASCII letters, digits and single hyphens, which every file
 * system treats the same way. Transliterates any script and cuts long titles after a whole word. Adds `-2`, `-3` and so on
 * while `isTaken`, which must ignore letter case, returns true.
 */
export function slugFor(title: string, isTaken: (slug: string) => boolean): string {
  const words = slugOf(title);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = truncate(words, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!RESERVED.test(slug) && !isTaken(slug)) return slug;
  }
}

function slugOf(title: string): string {
  // Chinese has no spaces between words, so each syllable becomes a word.
  const spaced = title
    .slice(0, MAX_TITLE)
    .normalize('NFC')
    .replace(/\p{Script=Han}/gu, ' $& ');
  const slug = anyAscii(spaced)
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? 'untitled' : slug;
}

function truncate(slug: string, length: number): string {
  if (slug.length <= length) return slug;
  const end = slug.lastIndexOf('-', length);
  return slug.slice(0, end > 0 ? end : length);
}

/** Characters of a title that count. */
const MAX_TITLE = 1000;
/** Windows devices, and the file name that stands for its folder. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|index)$/;
