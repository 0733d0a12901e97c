import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { sourceView } from './nodes.ts';

/** The width of a character of a list marker, and of the spaces before it. */
const COLUMN_EM = 0.62;
/** Columns of the deepest list marker that has its own indentation. */
export const MAX_INDENT = 16;

const columns = Object.fromEntries(
  Array.from({ length: MAX_INDENT }, (_, at) => at + 1).flatMap((count) => {
    const width = `${(count * COLUMN_EM).toFixed(2)}em`;
    return [
      [`.md-indent-${count}`, { paddingInlineStart: `calc(20px + ${width})` }],
      [`.md-indent-${count}.md-hang`, { textIndent: `-${width}` }],
      [`.md-columns-${count}`, { minWidth: width }],
    ];
  }),
);

const code = { fontFamily: 'var(--mono)', fontSize: '0.9em' };

/** The look of the text field, and of Markdown in it. The colours are those of the page, light and dark. */
export const theme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: '16px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--sans)', lineHeight: '1.65', overflow: 'visible' },
  '.cm-content': { padding: '16px 0 48px', minHeight: '320px', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 20px', unicodeBidi: 'plaintext' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-searchMatch': { background: 'var(--note-soft)', outline: '1px solid var(--note)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-soft)', outline: '2px solid var(--accent)' },

  '.md-heading': { fontWeight: '650', lineHeight: '1.35', paddingTop: '0.5em' },
  '.md-h1': { fontSize: '1.6em' },
  '.md-h2': { fontSize: '1.35em' },
  '.md-h3': { fontSize: '1.15em' },
  '.md-emphasis': { fontStyle: 'italic' },
  '.md-strong': { fontWeight: '700' },
  '.md-strike, .md-done': { textDecoration: 'line-through' },
  '.md-done, .md-faint': { color: 'var(--muted)' },
  '.md-faint': { fontWeight: '400' },
  '.md-link': { color: 'var(--accent)', textDecoration: 'underline', textUnderlineOffset: '3px' },
  '.md-code': { ...code, background: 'var(--sunk)', borderRadius: '4px', padding: '1px 3px' },
  '.md-caption': { color: 'var(--muted)', fontSize: '14px' },
  '.md-source': { ...code, color: 'var(--muted)' },
  '.md-code-line': { ...code, background: 'var(--sunk)', tabSize: '2' },
  '.md-code-line.md-first': { borderRadius: '6px 6px 0 0', paddingTop: '4px' },
  '.md-code-line.md-last': { borderRadius: '0 0 6px 6px', paddingBottom: '4px' },
  '.md-code-line.md-first.md-last': { borderRadius: '6px' },
  '.md-code-line.md-fence': { fontSize: '0.75em' },
  '.md-code-line.md-fence.md-last': { fontSize: '0.4em' },
  '.md-quote': {
    borderInlineStart: '3px solid var(--edge)',
    marginInlineStart: '20px',
    paddingInlineStart: '14px',
    color: 'var(--muted)',
  },
  '.md-columns': {
    display: 'inline-block',
    textIndent: '0',
    whiteSpace: 'pre',
    fontVariantNumeric: 'tabular-nums',
  },
  '.md-bullet': { color: 'var(--accent)', fontWeight: '700' },
  '.md-task': { verticalAlign: '-2px', cursor: 'pointer' },
  '.md-rule': {
    display: 'inline-block',
    width: '100%',
    borderTop: '2px solid var(--line)',
    verticalAlign: 'middle',
  },
  '.md-image': { position: 'relative', display: 'inline-block', maxWidth: '100%', verticalAlign: 'bottom' },
  '.md-image img': { display: 'block', maxWidth: '100%', maxHeight: '280px', borderRadius: '6px' },
  '.md-crop': { position: 'absolute', insetBlockStart: '6px', insetInlineEnd: '6px' },
  '@media (hover: hover)': {
    '.md-image:not(:hover) > .md-crop:not(:focus-visible)': { opacity: '0' },
  },
  '.md-missing': {
    ...code,
    background: 'var(--sunk)',
    borderRadius: '4px',
    padding: '2px 6px',
    color: 'var(--muted)',
  },
  '.md-alt': { marginInlineStart: '8px', fontStyle: 'italic', color: 'var(--muted)' },
  ...columns,

  '.md-upload': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '8px',
    padding: '2px 10px',
    borderRadius: '6px',
    background: 'var(--accent-soft)',
    color: 'var(--accent)',
    fontSize: '13px',
  },
  '.md-upload progress': { width: '96px', accentColor: 'var(--accent)' },

  '.cm-panels': { position: 'static', background: 'none', color: 'var(--ink)' },
  '.cm-panels-top': { borderBottom: '0', borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '6px',
    padding: '8px 40px 8px 16px',
    fontFamily: 'var(--sans)',
  },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""', height: '0' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '0',
    fontSize: '13px',
  },
  '.cm-panel.cm-search .cm-textfield': {
    width: '200px',
    height: '30px',
    padding: '0 8px',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    background: 'var(--panel)',
    color: 'var(--ink)',
    fontSize: '13.5px',
  },
  '.cm-panel.cm-search .cm-button': {
    height: '30px',
    padding: '0 10px',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    background: 'var(--panel)',
    backgroundImage: 'none',
    color: 'var(--ink)',
  },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '4px' },
  '.cm-panel.cm-search [name=close]': {
    top: '8px',
    insetInlineEnd: '8px',
    width: '30px',
    height: '30px',
    fontSize: '18px',
    color: 'var(--muted)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': {
    border: '1px solid var(--edge)',
    borderRadius: '8px',
    background: 'var(--panel)',
    boxShadow: 'var(--shadow)',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--sans)',
    fontSize: '14px',
    maxHeight: '300px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: '24px',
    padding: '5px 8px',
    borderRadius: '5px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--ink)',
    boxShadow: 'inset 2px 0 var(--accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)', fontSize: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
});

/** The source view: the characters of the text, with colours for its markup. */
export const sourceLook = [
  sourceView.of(true),
  EditorView.theme({
    '.cm-scroller': { fontFamily: 'var(--mono)' },
    '.cm-content': { fontSize: '14px' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.heading, fontWeight: '700' },
      { tag: tags.strong, fontWeight: '700' },
      { tag: tags.emphasis, fontStyle: 'italic' },
      { tag: tags.strikethrough, textDecoration: 'line-through' },
      { tag: [tags.link, tags.url], color: 'var(--accent)' },
      { tag: tags.monospace, color: 'var(--string)' },
      { tag: [tags.processingInstruction, tags.comment, tags.angleBracket], color: 'var(--muted)' },
    ]),
  ),
];
