import { EditorState, type StateCommand } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { languageName } from '../../../admin/src/body-editor/code-languages.ts';
import { footnote, footnotesOf } from '../../../admin/src/body-editor/footnotes.ts';
import { markdownLanguage } from '../../../admin/src/body-editor/language.ts';

/** Runs a command on a text with `‸` at the cursor. */
function run(command: StateCommand, marked: string): string {
  const anchor = marked.indexOf('‸');
  let state = EditorState.create({
    doc: marked.replace('‸', ''),
    selection: { anchor },
    extensions: [markdownLanguage],
  });
  command({ state, dispatch: (transaction) => (state = transaction.state) });
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}‸${state.sliceDoc(head)}`;
}

describe('a footnote', () => {
  it.each([
    ['is inserted with its text at the end', 'a‸ b', 'a[^1] b\n\n[^1]: ‸'],
    ['keeps the blank lines at the end', 'a‸\n\n', 'a[^1]\n\n[^1]: ‸'],
    ['has the next free number', 'a[^1]‸ b[^3] c\n\n[^1]: x\n[^3]: y', 'a[^1] b[^3] c\n\n[^1]: x‸\n[^3]: y'],
    [
      'has the next free number between others',
      'a[^1] ‸ b[^3]\n\n[^1]: x\n[^3]: y\n',
      'a[^1] [^2] b[^3]\n\n[^1]: x\n[^3]: y\n[^2]: ‸',
    ],
    ['leads to its text', 'a[^n‸] b\n\n[^n]: x\n', 'a[^n] b\n\n[^n]: x‸\n'],
    ['leads back', 'a[^n] b\n\n[^N]: x‸\n', 'a[^n]‸ b\n\n[^N]: x\n'],
    ['gets a missing text', 'a[^n‸] b', 'a[^n] b\n\n[^n]: ‸'],
  ])('%s', (_, before, after) => {
    expect(run(footnote, before)).toBe(after);
  });

  it('is not in code', () => {
    const state = EditorState.create({
      doc: '`[^a]` [^b]\n\n    [^c]\n\n```\n[^d]: x\n```\n\n[^b]: y',
      extensions: [markdownLanguage],
    });
    expect(footnotesOf(state).map(({ label, isDefinition }) => [label, isDefinition])).toEqual([
      ['b', false],
      ['b', true],
    ]);
  });
});

describe('a language of code', () => {
  it('is one word', () => {
    expect(languageName(' objective c` ')).toBe('objective-c');
  });
});
