/**
 * The cells of text that a spreadsheet has put into the clipboard: cells between tabs, and cells with a tab, a quote or a line break in
 * quotes. Undefined for other text, such as one line, or lines that all begin with a tab.
 */
export function tabSeparated(text: string): readonly (readonly string[])[] | undefined {
  if (!text.includes('\t')) return undefined;
  const rows: string[][] = [[]];
  const source = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  for (let at = 0; at <= source.length; at++) {
    const quoted = readQuoted(source, at);
    const end = quoted?.end ?? endOfCell(source, at);
    rows.at(-1)!.push(quoted?.text ?? source.slice(at, end));
    at = end;
    if (source[at] === '\n') rows.push([]);
  }
  const [first = []] = rows;
  const isGrid = rows.length > 1 && first.length > 1 && rows.every(({ length }) => length === first.length);
  return isGrid && rows.some(([cell = '']) => cell.trim() !== '') ? rows : undefined;
}

function endOfCell(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '\t' || text[at] === '\n') return at;
  return text.length;
}

/** A cell in quotes, which ends before a tab, a line break or the end. */
function readQuoted(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  if (text[from] !== '"') return undefined;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] === '"') at++;
    else {
      const isEnd = at + 1 === text.length || text[at + 1] === '\t' || text[at + 1] === '\n';
      return isEnd ? { text: text.slice(from + 1, at).replaceAll('""', '"'), end: at + 1 } : undefined;
    }
  }
  return undefined;
}
