import { dequal } from 'dequal/lite';
import type { Element } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { sanitize } from 'hast-util-sanitize';
import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html as HTML,
  Parser,
  serializeOuter,
  type Token,
} from 'parse5';
import { hasImageToken, IMAGE_TOKEN } from '../../source/image-tag.ts';
import { shortened } from '../../util/text.ts';
import { isSafeStyle, SAFE_SCHEMAS, type SafeSchema } from './safe-schema.ts';

type ParsedElement = DefaultTreeAdapterTypes.Element;

/** UTF-16 units of rendered HTML. */
const MAX_HTML_UNITS = 3_000_000;
/** A parser repeats unclosed elements in each new paragraph: a small text can become millions of elements. */
const MAX_ELEMENTS = 100_000;
/** Elements in one another. An end tag takes time in proportion to them. Chromium does not nest more either. */
const MAX_DEPTH = 512;
/** Parts that an error names, and the UTF-16 units of each. */
const MAX_PARTS = 10;
const MAX_PART_UNITS = 100;

/**
 * The parts of rendered HTML that need the permission `use raw html`, for example `<script>`, `onclick of <p>` and
 * `"javascript:x" in href of <a>`. Returns 10 of them at most, and an empty array if the HTML is safe in the body of any
 * page: it runs nothing, and the page around it is parsed as if the HTML were not there.
 *
 * The HTML is parsed as browsers parse it, and each tag is checked: by itself, because tags that a parser ignores in one
 * place count in another, and as the element that the parser makes of it. Null if there is too much HTML.
 *
 * Parts that the HTML `stored` has too are left out, as often as it has them. They are the same part only if the whole
 * element is the same, with everything in it and all tags around it: HTML from code, a comment, a template or a hidden
 * element cannot become active, and nothing can be added to active HTML.
 */
export function unsafeParts(html: string, stored?: string): readonly string[] | null {
  const found = findAll(html);
  if (found === null) return null;
  const left = new Map<string, number>();
  for (const { mark } of (stored === undefined ? null : findAll(stored)) ?? []) {
    if (mark !== null) left.set(mark, (left.get(mark) ?? 0) + 1);
  }
  const added = found.filter(({ mark }) => {
    const times = mark === null ? 0 : (left.get(mark) ?? 0);
    if (mark !== null && times > 0) left.set(mark, times - 1);
    return times === 0;
  });
  const names = [...new Set(added.map(({ name }) => name))].slice(0, MAX_PARTS);
  return names.map((name) => shortened(name, MAX_PART_UNITS));
}

/** A part that needs the permission. */
interface UnsafePart {
  readonly name: string;
  /** Equal for equal parts of other HTML. Null for a part that no HTML may keep. */
  readonly mark: string | null;
}

/** Parts with a mark: more of them cannot be kept. */
const MAX_MARKS = 1000;

function findAll(html: string): readonly UnsafePart[] | null {
  try {
    return findUnsafeParts(html);
  } catch (error) {
    if (error instanceof TooMuchHtmlError) return null;
    throw error;
  }
}

function findUnsafeParts(html: string): readonly UnsafePart[] {
  if (html.length > MAX_HTML_UNITS) throw new TooMuchHtmlError();
  const parts: UnsafePart[] = [];
  const add = (name: string, mark: string | null) => {
    parts.push({ name, mark: parts.length < MAX_MARKS ? mark : null });
  };
  let elements = 0;
  let closedElements = 0;
  const open = new Set<DefaultTreeAdapterTypes.ParentNode>();
  let tag: Token.TagToken | undefined;
  let element: ParsedElement | undefined;

  const note = (text: string) => {
    if (hasImageToken(text)) add(IMAGE_TOKEN, null);
  };
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      elements += 1;
      if (elements > MAX_ELEMENTS) throw new TooMuchHtmlError();
      const created = defaultTreeAdapter.createElement(tagName, namespace, attributes);
      if (attributes === tag?.attrs) element = created;
      return created;
    },
    createCommentNode(data) {
      note(data);
      return defaultTreeAdapter.createCommentNode(data);
    },
    insertText(parent, text) {
      note(text);
      defaultTreeAdapter.insertText(parent, text);
    },
    insertTextBefore(parent, text, reference) {
      note(text);
      defaultTreeAdapter.insertTextBefore(parent, text, reference);
    },
    onItemPush(opened) {
      open.add(opened);
      if (open.size > MAX_DEPTH) throw new TooMuchHtmlError();
    },
    onItemPop(closed) {
      open.delete(closed);
      closedElements += 1;
    },
  };

  const page = defaultTreeAdapter.createElement('div', HTML.NS.HTML, []);
  const parser = Parser.getFragmentParser(page, { treeAdapter });
  const startTag = parser.onStartTag.bind(parser);
  const endTag = parser.onEndTag.bind(parser);
  const end = nameNotIn(html);
  let isEnded = false;

  parser.onStartTag = (token) => {
    tag = token;
    element = undefined;
    startTag(token);
    if (token.tagName === end) isEnded = true;
    else {
      // The parser sets it while it reads the tag.
      const created = element as ParsedElement | undefined;
      const kind = created?.namespaceURI ?? 'ignored';
      for (const part of created === undefined ? ignoredTag(token) : partsOf(created)) {
        add(part, part === IMAGE_TOKEN ? null : `${kind} ${textOfTag(token)} ${part}`);
      }
    }
  };
  parser.onEndTag = (token) => {
    const before = closedElements;
    endTag(token);
    if (closedElements === before && !LOOSE_END_TAGS.has(token.tagName)) {
      const name = `</${token.tagName}> without <${token.tagName}>`;
      if (token.tagName !== end) add(name, name);
    }
  };
  parser.tokenizer.write(`${html}<${end}>`, true);
  if (!isEnded) add('a tag or comment without its end', null);
  for (const node of open) {
    if ('tagName' in node && !CLOSED_BY_PAGE.has(node.tagName)) {
      const name = `<${node.tagName}> without </${node.tagName}>`;
      add(name, name);
    }
  }
  addElements(parser.getFragment(), '', add);
  return parts.filter(({ name }) => !name.includes(end));
}

/** Adds the outermost unsafe elements of a tree with everything in them, and the tags around them. */
function addElements(
  parent: DefaultTreeAdapterTypes.ParentNode,
  around: string,
  add: (name: string, mark: string) => void,
): void {
  for (const node of parent.childNodes) {
    if (!('tagName' in node)) continue;
    const [name] = partsOf(node);
    const tag = `${node.namespaceURI} ${textOfTag(node)}`;
    if (name === undefined) addElements(node, `${around}${tag} > `, add);
    else add(name, `${around}${tag} ${serializeOuter(node)}`);
  }
}

function textOfTag({ tagName, attrs }: Pick<Token.TagToken, 'tagName' | 'attrs'>): string {
  return JSON.stringify([tagName, ...attrs.map(({ prefix, name, value }) => [prefix, name, value])]);
}

/** Elements that end together with the page's own element around the body. The first is the parser's root. */
const CLOSED_BY_PAGE: ReadonlySet<string> = new Set([
  ...['html', 'p', 'li', 'dt', 'dd', 'caption', 'colgroup', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
]);

/**
 * End tags that close nothing outside of the body: `</p>` and `</br>` make an element of their own, and formatting
 * elements can end together with an element around them.
 */
const LOOSE_END_TAGS: ReadonlySet<string> = new Set([
  ...['p', 'br', 'a', 'b', 'big', 'code', 'em', 'font', 'i', 'nobr', 's', 'small', 'strike', 'strong'],
  ...['tt', 'u'],
]);

/** The name of an element that the HTML cannot have. */
function nameNotIn(html: string): string {
  let name = 'x-end';
  while (html.toLowerCase().includes(name)) name += 'x';
  return name;
}

/** A start tag that is ignored in a `<div>` of a page. `<body onload=…>` still changes the page's own body. */
function ignoredTag({ tagName }: Token.TagToken): readonly string[] {
  return [isSafeName(tagName, SAFE_SCHEMAS[HTML.NS.HTML]) ? `misplaced <${tagName}>` : `<${tagName}>`];
}

function partsOf(element: ParsedElement): readonly string[] {
  const { tagName, namespaceURI, attrs } = element;
  const schema = SAFE_SCHEMAS[namespaceURI];
  if (schema === undefined || !isSafeName(tagName, schema)) return [`<${tagName}>`];
  const unsafe = attrs.flatMap((attribute) => unsafeAttribute(element, attribute, schema));
  if (unsafe.length > 0) return unsafe;
  const missing = Object.keys(schema.required?.[tagName] ?? {}).filter(
    (required) => !attrs.some(({ name }) => name === required),
  );
  return missing.map((name) => `<${tagName}> without ${name}`);
}

function isSafeName(tagName: string, schema: SafeSchema | undefined): boolean {
  return schema?.tagNames.includes(tagName) === true;
}

function unsafeAttribute(
  element: ParsedElement,
  attribute: Token.Attribute,
  schema: SafeSchema,
): readonly string[] {
  const { name, prefix, value } = attribute;
  if (hasImageToken(name) || hasImageToken(value)) return [IMAGE_TOKEN];
  const isSafe = name === 'style' ? isSafeStyle(value, element.tagName) : isKept(element, attribute, schema);
  if (isSafe) return [];
  const place = `${prefix ? `${prefix}:` : ''}${name} of <${element.tagName}>`;
  const isKnown = name === 'style' || (value !== '' && isKept(element, { ...attribute, value: '' }, schema));
  return [isKnown ? `${JSON.stringify(shortened(value, MAX_VALUE_UNITS))} in ${place}` : place];
}

/** True if hast-util-sanitize leaves the attribute of the element as it is. */
function isKept(element: ParsedElement, attribute: Token.Attribute, schema: SafeSchema): boolean {
  const written = fromParse5({ ...element, attrs: [attribute], childNodes: [] }) as Element;
  const safe = sanitize(written, schema);
  return (
    safe.type === 'element' &&
    Object.entries(written.properties).every(([name, value]) => dequal(safe.properties[name], value))
  );
}

/** UTF-16 units of a value that an error shows. */
const MAX_VALUE_UNITS = 40;

class TooMuchHtmlError extends Error {
  override readonly name = 'TooMuchHtmlError';
}
