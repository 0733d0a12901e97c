import { commonmarkLanguage } from '@codemirror/lang-markdown';
import { indentNodeProp, Language, languageDataProp } from '@codemirror/language';
import { GFM, type MarkdownConfig, parser } from '@lezer/markdown';

/** Lines of MDX that start a block of code. */
const MODULE_CODE = /^(?:import\s+(?:['"]|.+\sfrom\s+['"])|export\s+(?:const|let|function|default|\{))/;

/** The first and the last line of a callout such as `:::note`. */
const DIRECTIVE = /^:{3,}\s*(?:\w|$)/;

/** Code of MDX, which is shown as it is: imports, exports, tags of components, and expressions in braces. */
const MDX: MarkdownConfig = {
  defineNodes: [
    { name: 'DirectiveMark', block: true },
    { name: 'ModuleCode', block: true },
    { name: 'ComponentTag' },
    { name: 'Expression' },
  ],
  parseBlock: [
    {
      name: 'DirectiveMark',
      parse(context, line) {
        if (!DIRECTIVE.test(line.text)) return false;
        const start = context.lineStart;
        context.nextLine();
        context.addElement(context.elt('DirectiveMark', start, context.prevLineEnd()));
        return true;
      },
      endLeaf: (_, line) => DIRECTIVE.test(line.text),
    },
    {
      name: 'ModuleCode',
      parse(context, line) {
        if (context.depth > 1 || !MODULE_CODE.test(line.text)) return false;
        const start = context.lineStart;
        while (context.nextLine() && line.text.trim() !== '');
        context.addElement(context.elt('ModuleCode', start, context.prevLineEnd()));
        return true;
      },
    },
  ],
  parseInline: [
    {
      name: 'ComponentTag',
      before: 'HTMLTag',
      parse(context, next, start) {
        if (next !== LESS_THAN) return -1;
        const text = context.slice(start, context.end);
        const end = /^<\/?[A-Z]/.test(text) ? endOfTag(text) : -1;
        return end === -1 ? -1 : context.addElement(context.elt('ComponentTag', start, start + end));
      },
    },
    {
      name: 'Expression',
      parse(context, next, start) {
        if (next !== OPENING_BRACE) return -1;
        const end = endOfBraces(context.slice(start, context.end));
        return end === -1 ? -1 : context.addElement(context.elt('Expression', start, start + end));
      },
    },
  ],
};

export const markdownParser = parser.configure([
  GFM,
  MDX,
  {
    props: [
      languageDataProp.add({ Document: commonmarkLanguage.data }),
      // New lines keep the indentation of the line before.
      indentNodeProp.add({ Document: () => null }),
    ],
  },
]);

/**
 * Markdown as Astro renders it. It has the data of CodeMirror's Markdown, so its commands work, but does not load the
 * parsers of HTML, CSS and JavaScript.
 */
export const markdownLanguage = new Language(commonmarkLanguage.data, markdownParser, [], 'markdown');

const LESS_THAN = 60;
const OPENING_BRACE = 123;

/** The offset behind the brace that closes the first one; -1 without one. */
function endOfBraces(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** The offset behind the tag at the start, whose attributes can have expressions; -1 if it does not end. */
function endOfTag(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '>') return at + 1;
    if (text[at] !== '{') continue;
    const length = endOfBraces(text.slice(at));
    if (length === -1) return -1;
    at += length - 1;
  }
  return -1;
}
