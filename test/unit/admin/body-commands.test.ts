import { EditorSelection, EditorState, type StateCommand } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import * as commands from '../../../admin/src/body-editor/commands.ts';
import { markdownLanguage } from '../../../admin/src/body-editor/language.ts';
import { destinationOf, escapeLabel, imageMarkup } from '../../../admin/src/body-editor/nodes.ts';
import { insertTable } from '../../../admin/src/body-editor/tables/insert-table.ts';
import { nextCell, previousCell } from '../../../admin/src/body-editor/text-cells.ts';

/** A text with `‹` and `›` around the selection, or `|` at the cursor. */
function stateOf(marked: string): EditorState {
  const anchor = marked.search(/[‹|]/);
  const plain = marked.replace(/[‹|]/, '');
  const head = plain.indexOf('›');
  const doc = plain.replace('›', '');
  const selection = head === -1 ? EditorSelection.cursor(anchor) : EditorSelection.range(anchor, head);
  return EditorState.create({ doc, selection, extensions: [markdownLanguage] });
}

function textOf(state: EditorState): string {
  const { from, to } = state.selection.main;
  const doc = state.doc.toString();
  return from === to
    ? `${doc.slice(0, from)}|${doc.slice(from)}`
    : `${doc.slice(0, from)}‹${doc.slice(from, to)}›${doc.slice(to)}`;
}

function run(command: StateCommand, marked: string): string {
  let state = stateOf(marked);
  command({ state, dispatch: (transaction) => (state = transaction.state) });
  return textOf(state);
}

describe('a format', () => {
  it.each([
    ['strong', 'the ‹moon› rises', 'the **‹moon›** rises'],
    ['strong', 'the mo|on rises', 'the **mo|on** rises'],
    ['strong', 'the |', 'the **|**'],
    ['strong', 'the **|**', 'the |'],
    ['strong', 'the **mo|on**', 'the mo|on'],
    ['strong', 'the **moon|**', 'the **moon**|'],
    ['strong', 'the **‹moon›** rises', 'the ‹moon› rises'],
    ['strong', 'the ‹**moon**› rises', 'the ‹moon› rises'],
    ['strong', 'the‹ moon ›rises', 'the **‹moon›** rises'],
    ['emphasis', '- ‹one\n- two›', '- *‹one*\n- *two›*'],
    ['strong', '## ‹Tides\n\n> both›', '## **‹Tides**\n\n> **both›**'],
    ['emphasis', '**a ‹moon›**', '**a *‹moon›***'],
    ['strikethrough', '‹gone›', '~~‹gone›~~'],
    ['code', '‹a`b›', '``‹a`b›``'],
    ['code', '‹`b›', '`` ‹`b› ``'],
    ['code', '`a|b`', 'a|b'],
  ] as const)('%s turns %j into %j', (format, before, after) => {
    expect(run(commands.toggleInline(format), before)).toBe(after);
  });
});

describe('a heading', () => {
  it.each([
    [2, 'Tid|es', '## Tid|es'],
    [2, '## Tid|es', 'Tid|es'],
    [3, '## Tid|es', '### Tid|es'],
    [2, '> Tid|es', '> ## Tid|es'],
    [2, 'Tid|es\n---\n\nx', '## Tid|es\n\nx'],
    [0, '#### Tid|es', 'Tid|es'],
  ])('of level %i turns %j into %j', (level, before, after) => {
    expect(run(commands.setHeading(level), before)).toBe(after);
  });
});

describe('a block', () => {
  it.each([
    ['bullets', commands.toggleList('bullets'), '‹one\n\ntwo›', '- ‹one\n\n- two›'],
    ['bullets', commands.toggleList('bullets'), '- ‹one\n- two›', '‹one\ntwo›'],
    ['bullets', commands.toggleList('bullets'), '* one\n\ntw|o', '* one\n\n* tw|o'],
    ['numbers', commands.toggleList('numbers'), '- ‹one\n- two›', '1. ‹one\n2. two›'],
    ['tasks', commands.toggleList('tasks'), '- on|e', '- [ ] on|e'],
    ['tasks', commands.toggleList('tasks'), '- [x] on|e', 'on|e'],
    ['a quote', commands.toggleQuote, '‹a\nb›', '> ‹a\n> b›'],
    ['a quote', commands.toggleQuote, '> a|', 'a|'],
    ['a code block', commands.toggleCodeBlock, 'x\n\n‹a›', 'x\n\n```\n‹a›\n```'],
    ['a code block', commands.toggleCodeBlock, '‹a\n```\nb›', '````\n‹a\n```\nb›\n````'],
    ['a code block', commands.toggleCodeBlock, '```js\na|\n```\nb', 'a|\nb'],
    ['a code block', commands.toggleCodeBlock, '|', '```\n|\n```'],
    ['a code block', commands.toggleCodeBlock, '```\n```|', '|'],
    ['a divider', commands.insertBlock('---'), 'a|b\nc', 'ab\n\n---|\n\nc'],
    ['a divider', commands.insertBlock('---'), 'ab\n\n|', 'ab\n\n---|'],
    ['a table', insertTable(2, 2), '|', '| ‹Column 1› | Column 2 |\n| --- | --- |\n|  |  |'],
    ['a tick', commands.tickTasks, '- [ ] on|e', '- [x] on|e'],
    ['a tick', commands.tickTasks, '1. ‹[x] one\n2. [ ] two›', '1. ‹[ ] one\n2. [x] two›'],
    ['indentation', commands.indentItems, '- a\n- b|\n  c', '- a\n  - b|\n    c'],
    ['indentation', commands.indentItems, '1. a\n2. b|', '1. a\n   2. b|'],
    ['indentation', commands.indentItems, '- a|', '- a|'],
    ['outdentation', commands.outdentItems, '- a\n  - b|\n    c', '- a\n- b|\n  c'],
  ])('%s: %#', (_, command, before, after) => {
    expect(run(command, before)).toBe(after);
  });

  it('does not change a text that is only for reading', () => {
    const state = EditorState.create({
      doc: 'a',
      extensions: [markdownLanguage, EditorState.readOnly.of(true)],
    });
    const all = [
      commands.toggleInline('strong'),
      commands.setHeading(2),
      commands.toggleList('tasks'),
      commands.toggleQuote,
      commands.toggleCodeBlock,
      insertTable(2, 2),
      commands.tickTasks,
      commands.writeLink(commands.linkAt(state), 'a', '/a'),
    ];
    for (const command of all) {
      command({
        state,
        dispatch() {
          throw new Error('The text was changed.');
        },
      });
    }
  });

  it('moves the focus with Tab outside of lists', () => {
    const state = EditorState.create({ doc: 'a', extensions: [markdownLanguage] });
    expect(commands.indentItems({ state, dispatch: () => undefined })).toBe(false);
  });
});

describe('Tab in a table that is shown as text', () => {
  it.each([
    ['the next cell', nextCell, '| ‹a› | b |\n| - | - |', '| a | ‹b› |\n| - | - |'],
    ['an empty cell', nextCell, '| a | ‹b› |\n| - | - |\n|  |  |', '| a | b |\n| - | - |\n| ‹› |  |'],
    ['a cell without pipes', nextCell, 'a‹› | x\\|y\n-|-\nc|d', 'a | ‹x\\|y›\n-|-\nc|d'],
    ['the next line', nextCell, 'a | ‹b›\n-|-\nc|d', 'a | b\n-|-\n‹c›|d'],
    ['a list', nextCell, '- | a | ‹b› |\n  | - | - |\n  | c |', '- | a | b |\n  | - | - |\n  | ‹c› |'],
    ['the cell before', previousCell, '> | a |\n> | - |\n> | ‹c› |', '> | ‹a› |\n> | - |\n> | c |'],
    ['no cell', nextCell, '| a |\n| - |\n| ‹c› |', undefined],
    ['no table', nextCell, 'a ‹› | b', undefined],
  ])('goes to %s', (_, command, before, after) => {
    const doc = before.replace(/[‹›]/g, '');
    const selection = EditorSelection.range(before.indexOf('‹'), before.indexOf('›') - 1);
    let moved: string | undefined;
    command({
      state: EditorState.create({ doc, selection, extensions: [markdownLanguage] }),
      dispatch({ state }) {
        const { from, to } = state.selection.main;
        moved = `${doc.slice(0, from)}‹${doc.slice(from, to)}›${doc.slice(to)}`;
      },
    });
    expect(moved).toBe(after);
  });
});

describe('the formats at the cursor', () => {
  it.each([
    ['a **b|c** d', ['strong']],
    ['a **bc**| d', []],
    ['## a *b|c*', ['emphasis', 'h2']],
    ['- [ ] a|', ['tasks']],
    ['> 1. a|', ['numbers', 'quote']],
    ['- a\n  1. b|', ['numbers']],
    ['```\na|\n```', ['codeBlock']],
    ['[a|](/b)', ['link']],
  ])('of %j are %j', (marked, formats) => {
    expect([...commands.activeFormats(stateOf(marked))].sort()).toEqual(formats);
  });
});

describe('a link', () => {
  it('is added around the selection, or edited in place', () => {
    const link = (marked: string, label: string, address: string) =>
      run(commands.writeLink(commands.linkAt(stateOf(marked)), label, address), marked);
    expect(link('see ‹moon›', 'moon', '/moon')).toBe('see [moon](/moon)|');
    expect(link('see [mo|on](/old) now', 'moon', '/moon')).toBe('see [moon](/moon)| now');
    expect(link('see [mo|on](/old) now', 'moon', '')).toBe('see moon| now');
    expect(commands.linkAt(stateOf('[*mo|on*](</a b> "t")'))).toMatchObject({
      text: '*moon*',
      address: '/a b',
    });
  });

  it('is written so that every character of its address and its text counts', () => {
    expect(destinationOf('/a b')).toBe('</a b>');
    expect(destinationOf('/a_(b)')).toBe('</a_(b)>');
    expect(destinationOf('/a')).toBe('/a');
    expect(escapeLabel(' The [new]\n *moon* ')).toBe('The \\[new\\] \\*moon\\*');
    expect(imageMarkup('A <b>', './a.png')).toBe('![A \\<b>](./a.png)');
  });
});
