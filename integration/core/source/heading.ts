/** The text of the first heading of a Markdown body, without markup; null without a heading. */
export function firstHeading(body: string): string | null {
  let fence: string | undefined;
  let previous = '';
  for (const line of linesOf(body)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const source =
      HEADING.exec(line)?.[1]?.trim().replace(CLOSING_MARKS, '') ??
      (UNDERLINE.test(line) && isText(previous) ? previous : undefined);
    const heading = source === undefined ? '' : plainText(source);
    if (heading !== '') return heading;
    previous = line;
  }
  return null;
}

/** Characters of a line that are read: titles are short, and unclosed markup takes time to parse. */
export const MAX_HEADING_LENGTH = 500;

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield text.slice(start, Math.min(end, start + MAX_HEADING_LENGTH)).trimEnd();
    start = end + 1;
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t](.*)$/;
const CLOSING_MARKS = /(?:^|(?<![ \t])[ \t]+)#+$/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;

/** True if a line becomes a heading when it is underlined. */
function isText(line: string): boolean {
  return line.trim() !== '' && !/^(?: {4}|\t| {0,3}(?:[>*+-]|\d+[.)])\s)/.test(line);
}

function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(MARKED, '$1$2$3$4$5')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}

/** Text up to the next mark of the same kind, which keeps matching linear. */
const MARKED =
  /\*\*(?!\s)((?:(?!\*\*).)+)(?<!\s)\*\*|__(?!\s)((?:(?!__).)+)(?<!\s)__|\*(?!\s)([^*]+)(?<!\s)\*|``(?!\s)((?:(?!``).)+)(?<!\s)``|`(?!\s)([^`]+)(?<!\s)`/g;
