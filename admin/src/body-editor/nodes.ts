import type { syntaxTree } from '@codemirror/language';
import { type EditorState, Facet } from '@codemirror/state';

/** An element of the text. */
export type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** True while the characters of the text are shown. */
export const sourceView = Facet.define<boolean, boolean>({ combine: (values) => values.includes(true) });

/**
 * The texts of CodeMirror. Its facet keeps this object while tools add theirs: CodeMirror draws an editor again for another value, and
 * the cell of a table would lose the focus.
 */
export const editorPhrases: Record<string, string> = {};

/** The text of which entries it is. */
export interface TextPlace {
  /** The resource type, such as `node--article`. */
  readonly type: string;
  readonly isMdx: boolean | undefined;
  /** The URLs to try for the address of a file in the text. */
  readonly fileUrls: (address: string) => readonly string[];
}

export const textPlace = Facet.define<TextPlace, TextPlace | undefined>({ combine: ([place]) => place });

/** The address of a link or an image; undefined if it is defined elsewhere in the text. */
export function addressOf(state: EditorState, node: SyntaxNode): string | undefined {
  const url = node.getChild('URL');
  return url === null ? undefined : state.sliceDoc(url.from, url.to).replace(/^<(.*)>$/, '$1');
}

/** The Markdown between the brackets of a link or an image. */
export function labelOf(state: EditorState, node: SyntaxNode): string {
  const [start, end] = node.getChildren('LinkMark');
  return start === undefined || end === undefined ? '' : state.sliceDoc(start.to, end.from);
}

/** An address as it is written in a link or an image. */
export function destinationOf(address: string): string {
  return /[\s()<>]/.test(address) ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>` : address;
}

/** Plain text as it is written between the brackets of a link or an image. */
export function escapeLabel(text: string): string {
  return text
    .replace(/[\\[\]*_`<]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .trim();
}

/** An image, with a caption as a figure: blank lines around the image keep it Markdown, also in MDX. */
export function imageMarkup(alt: string, address: string, caption = ''): string {
  return withCaption(`![${escapeLabel(alt)}](${destinationOf(address)})`, caption);
}

export function withCaption(markup: string, caption: string): string {
  const text = caption.replace(/\s+/g, ' ').trim();
  if (text === '') return markup;
  return `<figure>\n\n${markup}\n\n<figcaption>${escapeHtmlText(text)}</figcaption>\n</figure>`;
}

/** Plain text between tags, in which MDX has code. */
function escapeHtmlText(text: string): string {
  return text.replace(/&(?=#?\w+;)|[<{}]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
