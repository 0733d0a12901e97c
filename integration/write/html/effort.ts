/** UTF-16 units of a text that is rendered to be checked. */
export const MAX_TEXT_UNITS = 500_000;

/**
 * Whether rendering a text could take long: processors of markdown hold every mark of a paragraph against the others.
 */
export function isTooMuch(text: string): boolean {
  if (text.length > MAX_TEXT_UNITS) return true;
  let pairs = 0;
  for (const paragraph of text.split(EMPTY_LINE)) pairs += (paragraph.match(MARK)?.length ?? 0) ** 2;
  return pairs > MAX_PAIRS;
}

const EMPTY_LINE = /\n[ \t]*\r?\n/;
const MARK = /[*_~&[\]!`<\\]/g;
/** As many as a paragraph with some twenty thousand marks has. */
const MAX_PAIRS = 5e8;
