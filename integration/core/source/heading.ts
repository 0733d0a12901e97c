/**
 * The text of the level-1 heading at the start of a Markdown body, without markup; null without one. Blank lines, comments,
 * imports and exports may be above it.
 */
export function headingAtStart(body: string): string | null {
  let inComment = false;
  let paragraph = '';
  for (const line of linesOf(body)) {
    if (paragraph !== '') return UNDERLINE.test(line) ? paragraph : null;
    const isComment: boolean = inComment || line.trimStart().startsWith('<!--');
    inComment = isComment && !line.includes('-->');
    if (isComment || line.trim() === '' || MODULE_LINE.test(line)) continue;
    const [isHeading, source = ''] = HEADING.exec(line) ?? [];
    const heading = isHeading === undefined ? undefined : source.trim().replace(CLOSING_MARKS, '');
    if (heading === undefined && !isText(line)) return null;
    const title = plainText(heading ?? line);
    if (heading === undefined) paragraph = title;
    else if (title !== '') return title;
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

const MODULE_LINE = /^(?:import|export)\s/;
const HEADING = /^ {0,3}#(?:$|[ \t](.*)$)/;
const CLOSING_MARKS = /(?:^|(?<![ \t])[ \t]+)#+$/;
const UNDERLINE = /^ {0,3}=+[ \t]*$/;

/** True if a line becomes a heading when it is underlined. */
function isText(line: string): boolean {
  return !/^(?: {4}|\t| {0,3}(?:#{2,6}\s|`{3}|~{3}|(?:[>*+-]|\d+[.)])\s))/.test(line);
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
