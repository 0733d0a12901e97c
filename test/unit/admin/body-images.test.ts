import { EditorSelection, EditorState, type TransactionSpec } from '@codemirror/state';
import { expect, it } from 'vitest';
import { markdownLanguage } from '../../../admin/src/body-editor/language.ts';
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
