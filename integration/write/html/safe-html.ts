import { dequal } from 'dequal/lite';
import type { Element, Nodes, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { sanitize } from 'hast-util-sanitize';
import { defaultTreeAdapter, parseFragment } from 'parse5';
import { TooMuchEffortError } from './effort.ts';
import { AUTHORED, RENDERED } from './safe-schema.ts';

/** Whether a body may have this element, by the name of a tag in any letter case. */
export function isSafeElement(name: string): boolean {
  return AUTHORED.tagNames.includes(name.toLowerCase());
}

/** Whether the element may have an attribute, written as in a tag: `href="/x"`. */
export function isSafeAttribute(element: string, attribute: string): boolean {
  const [written] = parse(`<${element} ${attribute}>`).children;
  if (written?.type !== 'element') return false;
  const [safe] = rootOf(sanitize(written, AUTHORED)).children;
  return safe?.type === 'element' && dequal(safe.properties, written.properties);
}

/** Whether a link, or an image, may lead to an address. */
export function isSafeUrl(url: string, of: 'link' | 'image'): boolean {
  const [tagName, name] = of === 'link' ? (['a', 'href'] as const) : (['img', 'src'] as const);
  const element: Element = { type: 'element', tagName, properties: { [name]: url }, children: [] };
  const [safe] = rootOf(sanitize(element, AUTHORED)).children;
  return safe?.type === 'element' && safe.properties[name] === url;
}

/**
 * The first thing in rendered HTML that a browser could run, as it would read it: `<script>`, `onclick of <p>`.
 * Undefined where there is none. Throws TooMuchEffortError where it is too much to be read.
 */
export function unsafePart(html: string): string | undefined {
  if (html.length > MAX_READ_UNITS) throw new TooMuchEffortError();
  const tree = parse(html);
  return firstDifference(tree, rootOf(sanitize(tree, RENDERED)));
}

/** UTF-16 units of rendered HTML. */
const MAX_READ_UNITS = 3_000_000;
/** More than any text of that length needs. */
const MAX_ELEMENTS = 100_000;

/**
 * By the rules that browsers parse by. These make thousands of elements of one tag where others before it are not
 * closed, and all of them again for the next: throws TooMuchEffortError where there are too many.
 */
function parse(html: string): Root {
  let elements = 0;
  const createElement: typeof defaultTreeAdapter.createElement = (...given) => {
    elements += 1;
    if (elements > MAX_ELEMENTS) throw new TooMuchEffortError();
    return defaultTreeAdapter.createElement(...given);
  };
  const treeAdapter = { ...defaultTreeAdapter, createElement };
  const tree = fromParse5(parseFragment(html, { treeAdapter, scriptingEnabled: false }));
  return rootOf(tree);
}

function rootOf(tree: Nodes): Root {
  return tree.type === 'root' ? tree : { type: 'root', children: tree.type === 'doctype' ? [] : [tree] };
}

/** What the tree has that `safe` has not. */
function firstDifference(tree: Nodes, safe: Nodes | undefined): string | undefined {
  if (tree.type === 'element') {
    const { tagName, properties } = tree;
    if (safe?.type !== 'element' || safe.tagName !== tagName) return `<${tagName}>`;
    const odd = Object.keys(properties).find((name) => !dequal(properties[name], safe.properties[name]));
    if (odd !== undefined) return `${odd} of <${tagName}>`;
  }
  if (!('children' in tree)) return undefined;
  const left = safe !== undefined && 'children' in safe ? safe.children : [];
  for (const [index, child] of tree.children.entries()) {
    const difference = firstDifference(child, left[index]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
