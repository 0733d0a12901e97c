/** The number of words that readers of a Markdown text see. In scripts without spaces, each character counts. */
export function countWords(markdown: string): number {
  let count = 0;
  for (const [word] of markdown.replace(NOT_TEXT, ' ').matchAll(WORD)) {
    count += word.match(WITHOUT_SPACES)?.length ?? 1;
  }
  return count;
}

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
/** Addresses of links and images, comments, tags, and languages of code blocks. */
const NOT_TEXT = /(?<=\])\([^()\s]*(?:\s+"[^"]*")?\)|<!--[\s\S]*?-->|<\/?[a-z][^<>]*>|^\s*(?:```|~~~).*$/gim;
