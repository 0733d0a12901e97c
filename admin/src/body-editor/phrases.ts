import { text } from '../texts/texts.ts';
import { toolsText } from '../texts/tools.ts';

/** CodeMirror's texts for its search and the slash menu, in the language of the application. */
export function phrases(): Record<string, string> {
  return {
    Find: text('body.find'),
    Replace: toolsText('body.replaceWith'),
    next: toolsText('body.next'),
    previous: toolsText('body.previous'),
    all: toolsText('body.selectAll'),
    'match case': toolsText('body.matchCase'),
    'by word': toolsText('body.byWord'),
    regexp: toolsText('body.regexp'),
    replace: toolsText('body.replace'),
    'replace all': toolsText('body.replaceAll'),
    close: text('app.close'),
    'current match': toolsText('body.currentMatch'),
    'on line': toolsText('body.onLine'),
    'Selection deleted': toolsText('body.selectionDeleted'),
    'replaced match on line $': toolsText('body.replacedOnLine'),
    'replaced $ matches': toolsText('body.replaced'),
    Completions: toolsText('body.slashMenu'),
  };
}
