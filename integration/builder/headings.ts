import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5';
import { isRecord, type JsonValue } from '../util/json.ts';

/** A heading of a rendered body, in the form of Astro's `headings`. */
export type Heading = {
  /** From 1 to 6. */
  readonly depth: number;
  /** Its `id`, for a link: `#${slug}`. */
  readonly slug: string;
  /** Its text without markup. */
  readonly text: string;
};

/**
 * The flat value of a body with its `headings`, which are read from the HTML when they are first used. Headings without an
 * id are left out, because no link leads to them.
 */
export function withHeadings(body: JsonValue): JsonValue {
  if (!isRecord(body) || typeof body.processed !== 'string') return body;
  const html = body.processed;
  let headings: readonly Heading[] | undefined;
  return {
    ...body,
    get headings() {
      headings ??= headingsOf(html);
      return headings;
    },
  };
}

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
