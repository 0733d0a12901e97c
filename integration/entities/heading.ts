/** Text of the first heading of a markdown body, without its markup; null where there is none. */
export function firstHeading(body: string): string | null {
  let fence: string | undefined;
  let previous = '';
  for (const line of linesOf(body)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) {
        fence = undefined;
      }
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const written =
      HEADING.exec(line)?.[1] ?? (UNDERLINE.test(line) && isText(previous) ? previous : undefined);
    const heading = written === undefined ? '' : plainText(written);
    if (heading !== '') {
      return heading;
    }
    previous = line;
  }
  return null;
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? text.length : end).trimEnd();
    start = end === -1 ? text.length : end + 1;
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;

/** Whether a line can be a heading when it is underlined. */
function isText(line: string): boolean {
  return line.trim() !== '' && !/^(?: {4}|\t| {0,3}(?:[>*+-]|\d+[.)])\s)/.test(line);
}

function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|\*|`+)(\S(?:.*?\S)?)\1/g, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}
