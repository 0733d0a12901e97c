const WORDS_A_MINUTE = 200;

/** Minutes it takes to read a text, at least one. */
export function readingMinutes(text: string): number {
  return Math.ceil(text.trim().split(/\s+/).length / WORDS_A_MINUTE);
}
