import { EditorSelection, EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { markdownLanguage } from '../../../admin/src/body-editor/language.ts';
import { insertPasted } from '../../../admin/src/body-editor/pasted-blocks.ts';

const TABLE = '| a | b |\n| --- | --- |\n| c | d |';

/** Pastes at the cursor, which is `¦`, or in place of the text between two of them. */
function paste(marked: string, markdown: string, at?: number) {
  const [before = '', selected = '', after] = marked.split('¦');
  const state = EditorState.create({
    doc: marked.replaceAll('¦', ''),
    selection: EditorSelection.single(
      before.length,
      before.length + (after === undefined ? 0 : selected.length),
    ),
    extensions: [markdownLanguage],
  });
  const { transaction, placeOf } = insertPasted(state, markdown);
  const { head } = transaction.newSelection.main;
  const text = transaction.newDoc.toString();
  return {
    text: `${text.slice(0, head)}¦${text.slice(head)}`,
    rest: text.slice(at === undefined ? text.length : placeOf(at)),
  };
}

describe('a pasted table', () => {
  it.each([
    ['the middle of a sentence', 'Hello¦ world', `Hello\n\n${TABLE}¦\n\nworld`],
    ['the end of a paragraph', 'Hello¦\n\nEnd', `Hello\n\n${TABLE}¦\n\nEnd`],
    ['the start of a paragraph', '¦Hello', `${TABLE}¦\n\nHello`],
    ['the second line of a paragraph', 'One\n¦two', `One\n\n${TABLE}¦\n\ntwo`],
    ['the line below a paragraph', 'One\n¦\nTwo', `One\n\n${TABLE}¦\n\nTwo`],
    ['an empty text', '¦', `${TABLE}¦`],
    ['place of words', 'One ¦two¦ three', `One\n\n${TABLE}¦\n\nthree`],
    ['place of a paragraph', 'One\n\n¦Two¦\n\nThree', `One\n\n${TABLE}¦\n\nThree`],
    ['place of parts of two paragraphs', 'One ¦two\n\nThree¦ four', `One\n\n${TABLE}¦\n\nfour`],
    ['an item', '- One¦\n- Two', `- One\n\n  ${TABLE.replaceAll('\n', '\n  ')}¦\n\n- Two`],
    ['an empty item', '- ¦', `- ${TABLE.replaceAll('\n', '\n  ')}¦`],
    ['a quote', '> One¦ two', `> One\n>\n> ${TABLE.replaceAll('\n', '\n> ')}¦\n>\n> two`],
    ['a heading', '# He¦llo\n\nText', `# Hello\n\n${TABLE}¦\n\nText`],
    [
      'the text of a table',
      '| x | y |\n| - | - |\n| ¦1 | 2 |',
      `| x | y |\n| - | - |\n| 1 | 2 |\n\n${TABLE}¦`,
    ],
  ])('in %s is a block of its own', (_, before, after) => {
    expect(paste(before, TABLE).text).toBe(after);
  });

  it('has blank lines around if text is pasted with it', () => {
    expect(paste('One¦ two', `Intro\n\n${TABLE}`).text).toBe(`OneIntro\n\n${TABLE}¦\n\ntwo`);
    expect(paste('One¦ two', `${TABLE}\n\nEnd`).text).toBe(`One\n\n${TABLE}\n\nEnd¦ two`);
  });

  it('keeps the pictures in its cells', () => {
    expect(paste('- One¦', TABLE, TABLE.indexOf('d |')).rest).toBe('d |');
  });
});

it('pasted text without a table stays in its line', () => {
  expect(paste('Hello¦ world', ', **dear**').text).toBe('Hello, **dear**¦ world');
  expect(paste('One¦', 'a | b').text).toBe('Onea | b¦');
});
