import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { type Heading, withAnchors } from './link-targets.ts';

/** The headings of the text with their anchors. */
export function headingsIn(state: EditorState): readonly Heading[] {
  const found: { readonly title: string; readonly level: number }[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length) ?? syntaxTree(state);
  tree.iterate({
    enter({ name, from, to }) {
      const level = Number(/^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1]);
      if (!level) return;
      const [line = ''] = state.sliceDoc(from, to).split('\n', 1);
      const title = line.replace(/^ {0,3}#+[ \t]+/, '').replace(/[ \t]#+[ \t]*$/, '');
      found.push({ title: plainText(title), level });
      return false;
    },
  });
  return withAnchors(found);
}

/** The words of a heading without the marks of Markdown. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim();
}
