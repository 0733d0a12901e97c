/** How an editor holds a text so that it can return it byte for byte. */
export interface LineEndings {
  /** Joins the lines of the editor. */
  readonly separator: '\n' | '\r\n';
  /**
   * True if the text has several kinds of line endings. Then only line feeds separate the lines of the editor, and carriage
   * returns are characters of the lines.
   */
  readonly isMixed: boolean;
}

export function lineEndingsOf(text: string): LineEndings {
  if (!text.includes('\r')) return { separator: '\n', isMixed: false };
  const isWindows = !/(?<!\r)\n|\r(?!\n)/.test(text);
  return { separator: isWindows ? '\r\n' : '\n', isMixed: !isWindows };
}

/** The text with the line feeds that the editor's document has. */
export function editorText(text: string, { separator }: LineEndings): string {
  return separator === '\n' ? text : text.replaceAll(separator, '\n');
}
