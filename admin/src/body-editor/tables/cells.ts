import { Language } from '@codemirror/language';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, WidgetType } from '@codemirror/view';
import type { ImageUrls } from '../decorate.ts';
import { markdownLanguage, markdownParser } from '../language.ts';
import { element, ImageWidget } from '../widgets.ts';

/** The Markdown of a cell: everything that can be in a line, and no blocks. */
export const cellLanguage = new Language(
  markdownLanguage.data,
  markdownParser.configure({
    remove: [
      'LinkReference',
      'IndentedCode',
      'FencedCode',
      'Blockquote',
      'HorizontalRule',
      'BulletList',
      'OrderedList',
      'ATXHeading',
      'HTMLBlock',
      'SetextHeading',
      'Table',
      'TaskList',
      'ModuleCode',
    ],
  }),
  [],
  'cell',
);

/** A cell as it will look. */
export function renderCell(markdown: string, view: EditorView, imageUrls: ImageUrls): DocumentFragment {
  const fragment = document.createDocumentFragment();
  append(fragment, cellLanguage.parser.parse(markdown).topNode);
  return fragment;

  /** Adds a part of an element with the elements in it. */
  function append(parent: Node, node: Inline, from = node.from, to = node.to): void {
    let at = from;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.from < from || child.to > to) continue;
      parent.appendChild(document.createTextNode(markdown.slice(at, child.from)));
      render(parent, child);
      at = child.to;
    }
    parent.appendChild(document.createTextNode(markdown.slice(at, to)));
  }

  function render(parent: Node, node: Inline): void {
    const { name, firstChild, lastChild } = node;
    const source = markdown.slice(node.from, node.to);
    const style = STYLES[name];
    if (name === 'Paragraph') append(parent, node);
    else if (style !== undefined && firstChild !== null && lastChild !== null) {
      const span = parent.appendChild(element('span', { class: style }));
      if (name === 'InlineCode') span.textContent = codeText(markdown.slice(firstChild.to, lastChild.from));
      else append(span, node, firstChild.to, lastChild.from);
    } else if (name === 'Link' || name === 'Image') renderLink(parent, node);
    else if (name === 'Escape') parent.appendChild(document.createTextNode(source.slice(1)));
    else if (LINE_BREAK.test(source)) parent.appendChild(document.createElement('br'));
    else parent.appendChild(element('span', { class: name === 'URL' ? 'md-link' : 'md-code' }, source));
  }

  function renderLink(parent: Node, node: Inline): void {
    const [start, end] = node.getChildren('LinkMark');
    const url = node.getChild('URL');
    const address = url === null ? undefined : markdown.slice(url.from, url.to).replace(/^<(.*)>$/, '$1');
    const isText = address === undefined && node.getChild('LinkLabel') === null;
    if (isText || start === undefined || end === undefined) {
      parent.appendChild(document.createTextNode(markdown.slice(node.from, node.to)));
    } else if (node.name === 'Image' && address !== undefined) {
      const alt = markdown.slice(start.to, end.from);
      parent.appendChild(new ImageWidget(imageUrls(address), alt, address).toDOM(view));
    } else {
      const attributes = { class: 'md-link', ...(address !== undefined && { title: address }) };
      append(parent.appendChild(element('span', attributes)), node, start.to, end.from);
    }
  }
}

/** Line breaks and escaped pipes, in the cell that is edited. */
export const cellMarks = [
  ViewPlugin.define(
    (view) => ({
      decorations: MARKS.createDeco(view),
      update(update) {
        this.decorations = MARKS.updateDeco(update, this.decorations);
      },
    }),
    {
      decorations: (plugin) => plugin.decorations,
      provide: (plugin) =>
        EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  ),
];

class BreakWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    return element('br', {});
  }
  override get lineBreaks(): number {
    return 1;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

class PipeWidget extends BreakWidget {
  override toDOM(): HTMLElement {
    return element('span', {}, '|');
  }
  override get lineBreaks(): number {
    return 0;
  }
}

const LINE_BREAK = /^<br\s*\/?>$/i;
const BREAK_MARK = Decoration.replace({ widget: new BreakWidget() });
const PIPE_MARK = Decoration.replace({ widget: new PipeWidget() });
const MARKS = new MatchDecorator({
  regexp: /\\[\\|]|<br\s*\/?>/gi,
  decorate(add, from, to, [mark]) {
    if (mark !== '\\\\') add(from, to, mark === '\\|' ? PIPE_MARK : BREAK_MARK);
  },
});

const STYLES: Readonly<Record<string, string>> = {
  StrongEmphasis: 'md-strong',
  Emphasis: 'md-emphasis',
  Strikethrough: 'md-strike',
  InlineCode: 'md-code',
  Autolink: 'md-link',
};

type Inline = ReturnType<typeof cellLanguage.parser.parse>['topNode'];

function codeText(source: string): string {
  const isPadded = source.startsWith(' ') && source.endsWith(' ') && source.trim() !== '';
  return (isPadded ? source.slice(1, -1) : source).replaceAll('\\|', '|');
}
