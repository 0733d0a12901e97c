import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5';
import type { Heading } from './body-headings.ts';

/** In the order of the document. */
export function headingsOf(html: string): readonly Heading[] {
  if (!/<h[1-6]/i.test(html)) return [];
  return descendants(parseFragment(html)).flatMap((node) => {
    const depth = defaultTreeAdapter.isElementNode(node) ? /^h([1-6])$/.exec(node.tagName)?.[1] : undefined;
    if (depth === undefined || !defaultTreeAdapter.isElementNode(node)) return [];
    const slug = node.attrs.find(({ name }) => name === 'id')?.value ?? '';
    return slug === '' ? [] : [{ depth: Number(depth), slug, text: textOf(node) }];
  });
}

function textOf(node: DefaultTreeAdapterTypes.ParentNode): string {
  return descendants(node)
    .map((each) => (defaultTreeAdapter.isTextNode(each) ? each.value : ''))
    .join('')
    .trim();
}

/** In the order of the document. Without recursion, because elements can be nested deeply. */
function descendants(root: DefaultTreeAdapterTypes.ParentNode): readonly DefaultTreeAdapterTypes.ChildNode[] {
  const found: DefaultTreeAdapterTypes.ChildNode[] = [];
  const waiting = root.childNodes.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node);
    if (defaultTreeAdapter.isElementNode(node)) waiting.push(...node.childNodes.toReversed());
  }
  return found;
}
