import { EditorView } from '@codemirror/view';

const CELL = '.md-table td, .md-table th';

/** The look of tables. Cells have an editor in the editor, which looks like the text of the cell. */
export const theme = EditorView.theme({
  '.cm-content': { minWidth: '0' },
  '.md-table': { padding: '8px 20px', whiteSpace: 'normal' },
  '.md-table-scroll': { overflowX: 'auto', marginBottom: '4px' },
  '.md-table table': { borderCollapse: 'collapse', minWidth: '240px', maxWidth: '100%' },
  [CELL]: {
    minWidth: '5em',
    maxWidth: '32em',
    padding: '4px 10px',
    border: '1px solid var(--line)',
    textAlign: 'start',
    verticalAlign: 'top',
    overflowWrap: 'break-word',
    wordBreak: 'normal',
    cursor: 'text',
  },
  '.md-table td, .md-table th:empty': { height: '2.2em' },
  '.md-table th': { fontWeight: '650', background: 'var(--sunk)', fontSize: 'inherit' },
  '.md-table .md-side-center': { textAlign: 'center' },
  '.md-table .md-side-right': { textAlign: 'right' },
  '.md-table .md-side-left': { textAlign: 'left' },
  '.md-table td:focus-within, .md-table th:focus-within': {
    outline: '2px solid var(--accent)',
    outlineOffset: '-2px',
  },
  '.md-table .md-selected': { background: 'var(--accent-soft)' },
  '.md-table .cm-editor, .md-table .cm-editor.cm-focused': { outline: 'none' },
  '.md-table .cm-editor': { fontSize: 'inherit', color: 'inherit' },
  '.md-table .cm-editor .cm-scroller': { fontFamily: 'inherit', lineHeight: 'inherit' },
  '.md-table .cm-editor .cm-content': {
    padding: '0',
    minHeight: '0',
    overflowWrap: 'break-word',
    wordBreak: 'normal',
  },
  '.md-table .cm-editor .cm-line': { padding: '0' },
  '.md-table-hint': {
    padding: '2px 20px',
    color: 'var(--muted)',
    fontFamily: 'var(--sans)',
    fontSize: '12.5px',
  },
  '&.md-in-table > .cm-scroller > .cm-selectionLayer': { display: 'none' },
});
