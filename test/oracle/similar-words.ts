import { createRandom } from '../support/random.ts';

const SYLLABLES = [
  'li',
  'ght',
  'hou',
  'se',
  'kee',
  'per',
  'win',
  'der',
  'küs',
  'ing',
  's',
  'ue',
  'ß',
  '漢字',
  '7',
];

/** Words that often stand together. */
const PHRASES = ['light house', 'Küsten keeper 7', '漢字京 light'];

/** Words that a search replaces and leaves out, for option `search`. */
export const REPLACED_WORDS = {
  synonyms: {
    en: [
      ['house', 'keeper'],
      ['light', 'küs', 'winder'],
      ['light', '7'],
      ['漢字', 'per'],
    ],
    de: [['house', 'winder', 's']],
  },
  stopWords: { en: ['se', 'kus', 'ue'], de: ['light', 'keeper'] },
} as const;

/** A boost of dates and one of numbers, for option `search`. */
export const BOOSTS = {
  article: { field: 'day', halfLifeDays: 100, weight: 2 },
  post: { field: 'likes', weight: 0.5 },
} as const;

/** Words that are parts of each other or differ in a letter or two, and searches for them; the same for the same seed. */
export function similarWords(seed: number): {
  /** Some words. */
  text(most: number): string;
  search(): string;
} {
  const random = createRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const word = () => Array.from({ length: 1 + below(4) }, () => SYLLABLES[below(SYLLABLES.length)]).join('');
  const changed = (text: string) => {
    const at = 1 + below(text.length);
    const kind = below(5);
    if (kind === 0) return text.slice(0, at);
    if (kind === 1) return text.slice(0, at) + text.slice(at + 1);
    if (kind === 2) return `${text.slice(0, at)}e${text.slice(at)}`;
    if (kind === 3) return text.slice(at);
    return text;
  };
  return {
    text: (most) =>
      Array.from({ length: below(most + 1) }, () =>
        below(9) > 0 ? word() : PHRASES[below(PHRASES.length)]!,
      ).join(' '),
    search: () => {
      const searched = () => {
        const kind = below(12);
        const one = changed(below(3) === 0 ? PHRASES[below(PHRASES.length)]! : word());
        return kind === 0 ? `"${one}"` : kind === 1 ? `title:${one}` : kind === 2 ? `body:"${one}"` : one;
      };
      return Array.from({ length: 1 + below(3) }, () => `${below(8) === 0 ? '-' : ''}${searched()}`).join(
        ' ',
      );
    },
  };
}
