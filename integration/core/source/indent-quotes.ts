import { type Document, type ParsedNode, parseDocument, visit } from 'yaml';

/** Quoted strings in one text that are indented. */
const MAX_STRINGS = 10;

export type YamlDocument = Document.Parsed<ParsedNode>;

/** YAML with one more space in some lines. */
export interface IndentedText {
  readonly text: string;
  readonly document: YamlDocument;
  /** The offset in the text as written. */
  offsetOf(offset: number): number;
}

/**
 * Indents the lines of quoted strings that go on in column 1: YAML 1.2 forbids them, but the parsers of Astro and Hugo read
 * them. The text as written if that does not correct it.
 */
export function indentQuotes(
  written: string,
  parse: (text: string) => YamlDocument = parseDocument,
): IndentedText {
  let document = parse(written);
  const asWritten = { text: written, document, offsetOf: (offset: number) => offset };
  const added: number[] = [];
  let text = written;
  for (let count = 0; count <= MAX_STRINGS; count += 1) {
    const [error] = document.errors;
    if (error === undefined) {
      return { text, document, offsetOf: (offset) => offset - added.filter((at) => at < offset).length };
    }
    const [, quote] = error.code === 'MISSING_CHAR' ? (MISSING_QUOTE.exec(error.message) ?? []) : [];
    const start = text.indexOf('\n', error.pos[0]);
    if (quote === undefined || start === -1) return asWritten;
    const rest = quote === '"' ? DOUBLE : SINGLE;
    rest.lastIndex = start;
    const string = rest.exec(text)?.[0];
    if (string === undefined) return asWritten;
    const indented = string.replace(UNINDENTED, (line, at: number) => {
      added.push(start + at + 1 + added.filter((each) => each > start).length);
      return `\n ${line.slice(1)}`;
    });
    text = text.slice(0, start) + indented + text.slice(start + string.length);
    document = parse(text);
  }
  return asWritten;
}

/** The start of the string in which a closing quote is missing; undefined for another error. */
export function unclosedString({ errors: [error], ...document }: YamlDocument): number | undefined {
  if (error === undefined || !MISSING_QUOTE.test(error.message)) return undefined;
  let opened: number | undefined;
  visit(document.contents, {
    Scalar(_, { range }) {
      if (range && range[0] <= error.pos[0] && error.pos[0] <= range[1]) opened = range[0];
    },
  });
  return opened;
}

const MISSING_QUOTE = /^Missing closing (["'])quote/;
const DOUBLE = /(?:[^"\\]|\\[\s\S])*"/y;
const SINGLE = /(?:[^']|'')*'/y;
const UNINDENTED = /\n(?=\S)/g;
