import { text } from '../texts/texts.ts';

/** CodeMirror's texts in the language of the application. */
export function phrases(): Record<string, string> {
  return {
    Find: text('body.find'),
    Replace: text('body.replaceWith'),
    next: text('body.next'),
    previous: text('body.previous'),
    all: text('body.selectAll'),
    'match case': text('body.matchCase'),
    'by word': text('body.byWord'),
    regexp: text('body.regexp'),
    replace: text('body.replace'),
    'replace all': text('body.replaceAll'),
    close: text('app.close'),
    'current match': text('body.currentMatch'),
    'on line': text('body.onLine'),
    'replaced match on line $': text('body.replacedOnLine'),
    'replaced $ matches': text('body.replaced'),
    'Control character': text('body.controlCharacter'),
    Completions: text('body.slashMenu'),
    'Selection deleted': text('body.selectionDeleted'),
  };
}
