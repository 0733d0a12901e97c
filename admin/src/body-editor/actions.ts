import { redo, undo } from '@codemirror/commands';
import type { Command, EditorView } from '@codemirror/view';
import type { MessageKey } from '../texts/texts.ts';
import * as commands from './commands.ts';

export interface Action {
  readonly name: ActionName;
  readonly label: MessageKey;
  /** A key of CodeMirror, such as `Mod-b`. */
  readonly key?: string;
  readonly run: Command;
  /** The format that the button shows as pressed. */
  readonly format?: commands.Format;
  /** True if the action only looks at the text. */
  readonly isReading?: boolean;
}

export type ActionName =
  | 'strong'
  | 'emphasis'
  | 'strikethrough'
  | 'code'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'bullets'
  | 'numbers'
  | 'tasks'
  | 'quote'
  | 'codeBlock'
  | 'table'
  | 'rule'
  | 'link'
  | 'image'
  | 'video'
  | 'footnote'
  | 'undo'
  | 'redo'
  | 'find'
  | 'source';

/** Everything that the toolbar, the keyboard and the slash menu can do, in the order of the toolbar. */
export function createActions(
  open: Readonly<Record<'link' | 'image' | 'table' | 'video' | 'source', Command>>,
): readonly Action[] {
  const actions: readonly Action[] = [
    {
      name: 'strong',
      label: 'body.strong',
      key: 'Mod-b',
      run: commands.toggleInline('strong'),
      format: 'strong',
    },
    {
      name: 'emphasis',
      label: 'body.emphasis',
      key: 'Mod-i',
      run: commands.toggleInline('emphasis'),
      format: 'emphasis',
    },
    {
      name: 'strikethrough',
      label: 'body.strikethrough',
      key: 'Mod-Shift-x',
      run: commands.toggleInline('strikethrough'),
      format: 'strikethrough',
    },
    { name: 'code', label: 'body.code', key: 'Mod-e', run: commands.toggleInline('code'), format: 'code' },
    {
      name: 'h2',
      label: 'body.h2',
      key: 'Mod-Shift-2',
      run: commands.setHeading(2),
      format: 'h2',
    },
    {
      name: 'h3',
      label: 'body.h3',
      key: 'Mod-Shift-3',
      run: commands.setHeading(3),
      format: 'h3',
    },
    {
      name: 'h4',
      label: 'body.h4',
      key: 'Mod-Shift-4',
      run: commands.setHeading(4),
      format: 'h4',
    },
    {
      name: 'bullets',
      label: 'body.bullets',
      key: 'Mod-Shift-8',
      run: commands.toggleList('bullets'),
      format: 'bullets',
    },
    {
      name: 'numbers',
      label: 'body.numbers',
      key: 'Mod-Shift-7',
      run: commands.toggleList('numbers'),
      format: 'numbers',
    },
    {
      name: 'tasks',
      label: 'body.tasks',
      key: 'Mod-Shift-9',
      run: commands.toggleList('tasks'),
      format: 'tasks',
    },
    {
      name: 'quote',
      label: 'body.quote',
      key: 'Mod-Shift-.',
      run: commands.toggleQuote,
      format: 'quote',
    },
    {
      name: 'codeBlock',
      label: 'body.codeBlock',
      run: commands.toggleCodeBlock,
      format: 'codeBlock',
    },
    { name: 'table', label: 'body.table', run: open.table },
    { name: 'rule', label: 'body.rule', run: commands.insertBlock('---') },
    {
      name: 'link',
      label: 'body.link',
      key: 'Mod-k',
      run: open.link,
      format: 'link',
    },
    { name: 'image', label: 'body.image', run: open.image },
    { name: 'video', label: 'body.video', run: open.video },
    {
      name: 'footnote',
      label: 'body.footnote',
      key: 'Mod-Alt-f',
      run: insertFootnote,
    },
    { name: 'undo', label: 'body.undo', run: undo },
    { name: 'redo', label: 'body.redo', run: redo },
    { name: 'find', label: 'body.find', key: 'Mod-f', run: find, isReading: true },
    { name: 'source', label: 'body.source', key: 'Mod-Shift-e', run: open.source, isReading: true },
  ];
  return actions;

  function insertFootnote(view: EditorView): boolean {
    void import('./tools.ts').then(({ footnote }) => footnote(view));
    return true;
  }

  function find(view: EditorView): boolean {
    void import('./tools.ts').then(({ openSearch }) => openSearch(view, actions));
    return true;
  }
}

/** A key of CodeMirror as people write it. */
export function keyName(key: string): string {
  const isMac = navigator.platform.startsWith('Mac');
  return key
    .replace('Mod', isMac ? '⌘' : 'Ctrl')
    .replace('Shift', isMac ? '⇧' : 'Shift')
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(isMac ? '' : '+');
}
