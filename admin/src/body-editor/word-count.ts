/** The number of words that readers of a Markdown text see, also in scripts that write them without spaces. */
export function countWords(markdown: string): number {
  let count = 0;
  for (const [word] of markdown.replace(NOT_TEXT, ' ').matchAll(WORD)) {
    count += WITHOUT_SPACES.test(word)
      ? [...words.segment(word)].filter((part) => part.isWordLike).length
      : 1;
  }
  return count;
}

/** It knows the words of these scripts in every language. */
const words = new Intl.Segmenter([], { granularity: 'word' });
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu;
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** Addresses of links and images, comments, tags, and languages of code blocks. */
const NOT_TEXT = /(?<=\])\([^()\s]*(?:\s+"[^"]*")?\)|<!--[\s\S]*?-->|<\/?[a-z][^<>]*>|^\s*(?:```|~~~).*$/gim;
