import { createMarkdownProcessor } from '@astrojs/markdown-remark';
import { EditorSelection, EditorState, type TransactionSpec } from '@codemirror/state';
import { expect, it } from 'vitest';
import { markdownLanguage } from '../../../admin/src/body-editor/language.ts';
import { imageMarkup } from '../../../admin/src/body-editor/nodes.ts';
import {
  addPlaceholder,
  fillPlaceholder,
  placeholders,
} from '../../../admin/src/body-editor/placeholders.ts';

/** Inserts images at the cursor, which is `|`, as if they were uploaded. */
function insertImages(marked: string, ...images: readonly string[]): string {
  const at = marked.indexOf('|');
  let state = EditorState.create({
    doc: marked.replace('|', ''),
    selection: EditorSelection.cursor(at),
    extensions: [markdownLanguage, placeholders],
  });
  const change = (spec: TransactionSpec) => {
    state = state.update(spec).state;
  };
  for (const id of images.keys()) change(addPlaceholder(state, id, at, 'x.png'));
  for (const [id, image] of images.entries()) change(fillPlaceholder(state, id, image));
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}|${state.sliceDoc(head)}`;
}

it.each([
  ['an empty text', '|', '![](x)|'],
  ['an empty line', 'One.\n\n|\n\nTwo.', 'One.\n\n![](x)|\n\nTwo.'],
  ['the end of a sentence', 'One.|', 'One.\n\n![](x)|'],
  ['the line below a paragraph', 'One.\n|', 'One.\n\n![](x)|'],
  ['the middle of a paragraph', 'O|ne\ntwo.\n\nThree.', 'O|ne\ntwo.\n\n![](x)\n\nThree.'],
  ['the start of a paragraph', 'One.\n\n|Two.', 'One.\n\n![](x)|\n\nTwo.'],
  ['a heading', '## O|ne\nTwo.', '## O|ne\n\n![](x)\n\nTwo.'],
  ['a list', '- one|\n- two', '- one\n\n  ![](x)|\n\n- two'],
  ['a task', '1. [ ] o|ne', '1. [ ] o|ne\n\n   ![](x)'],
  ['a quote', '> One.|\n>\n> Two.', '> One.\n>\n> ![](x)|\n>\n> Two.'],
  ['the end of a quote', '> One.\n> |', '> One.\n> \n> ![](x)|'],
  ['code', '```\none|\n```', '```\none![](x)|\n```'],
])('an image in %s is a paragraph of its own, in the same block', (_, before, after) => {
  expect(insertImages(before, '![](x)')).toBe(after);
});

it('several images follow each other', () => {
  expect(insertImages('O|ne.\n\nTwo.', '![](a)', '![](b)')).toBe('O|ne.\n\n![](a)\n\n![](b)\n\nTwo.');
  expect(insertImages('|One.', '![](a)', '![](b)')).toBe('![](a)|\n\n![](b)\n\nOne.');
});

it('an image with a caption is a figure for visitors', async () => {
  const processor = await createMarkdownProcessor({});
  const { code } = await processor.render(
    `Rises.\n\n${imageMarkup('A quay', 'x.png', 'At <dusk> & *dawn*')}\n\nSets.`,
  );
  expect(code.replace(/\n/g, '')).toMatch(
    /^<p>Rises.<\/p><figure><p><img [^>]*alt="A quay"[^>]*><\/p><figcaption>At &#x3C;dusk> &#x26; \*dawn\*<\/figcaption><\/figure><p>Sets.<\/p>$/,
  );
});

it('an image with a caption is a figure, whose lines stay in their block', () => {
  const figure = imageMarkup('A [b]', 'x y.png', ' <b>\n{c} &lt; D & E ');
  expect(figure).toBe(
    '<figure>\n\n![A \\[b\\]](<x y.png>)\n\n<figcaption>&#60;b> &#123;c&#125; &#38;lt; D & E</figcaption>\n</figure>',
  );
  expect(imageMarkup('a', 'b.png', ' ')).toBe('![a](b.png)');
  expect(insertImages('> One.|\n>\n> Two.', imageMarkup('', 'x', 'C'))).toBe(
    '> One.\n>\n> <figure>\n>\n> ![](x)\n>\n> <figcaption>C</figcaption>\n> </figure>|\n>\n> Two.',
  );
});
