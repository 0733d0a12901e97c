/**
 * What word processors, wikis and browsers put into the clipboard, as plain HTML: lists are lists, footnotes are marked by
 * `data-footnote` and `data-footnote-text`, links lead to their targets, and empty paragraphs are removed. Changes `body`.
 */
export function cleanClipboard(body: HTMLElement): void {
  for (const clean of [markFootnotes, makeWordLists, nestLists, unwrapItems, markPositions, directLinks]) {
    clean(body);
  }
  for (const lineBreak of all(body, 'br')) {
    const isBetween =
      isText(lineBreak.previousSibling, 'previousSibling') && isText(lineBreak.nextSibling, 'nextSibling');
    if (!isBetween && lineBreak.closest('pre') === null) lineBreak.parentNode?.removeChild(lineBreak);
  }
  for (const paragraph of all(body, 'p, h1, h2, h3, h4, h5, h6')) {
    const isEmpty = textOf(paragraph) === '' && paragraph.querySelector('img, hr, input') === null;
    if (isEmpty) paragraph.parentNode?.removeChild(paragraph);
  }
}

/** The target of a link that leads over a page which counts clicks; undefined for other links. */
export function targetOfRedirect(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams } = new URL(address);
  const [target = ''] = REDIRECTS.filter(
    ({ host, path }) => host.test(hostname) && (path === undefined || pathname === path),
  ).flatMap(({ parameter }) => searchParams.get(parameter) ?? []);
  return /^(?:https?:|mailto:)/i.test(target) ? target : undefined;
}

const ELEMENT = 1;
const REDIRECTS: readonly { readonly host: RegExp; readonly path?: string; readonly parameter: string }[] = [
  { host: /^(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$/, path: '/url', parameter: 'q' },
  { host: /^(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$/, path: '/url', parameter: 'url' },
  { host: /\.safelinks\.protection\.outlook\.com$/, parameter: 'url' },
  { host: /^lm?\.(?:facebook|instagram)\.com$/, parameter: 'u' },
  { host: /^(?:www\.)?linkedin\.com$/, path: '/redir/redirect', parameter: 'url' },
  { host: /^(?:www\.)?youtube\.com$/, path: '/redirect', parameter: 'q' },
];

/** Word has paragraphs with a level and a typed sign: `mso-list:l0 level2 lfo1`. */
const WORD_LEVEL = /mso-list:[^;]*\blevel(\d)/i;
const WORD_SIGN = /mso-list:\s*Ignore/i;

function makeWordLists(body: HTMLElement): void {
  let lists: HTMLElement[] = [];
  let last: Element | undefined;
  for (const paragraph of all(body, 'p, h1, h2, h3, h4, h5, h6')) {
    const level = Number(WORD_LEVEL.exec(styleOf(paragraph))?.[1] ?? 0);
    const parent = paragraph.parentNode;
    if (level === 0 || parent === null) continue;
    const sign = takeSign(paragraph);
    if (last === undefined || lists[0] === undefined || lists[0].nextElementSibling !== paragraph) lists = [];
    lists.length = Math.min(lists.length, level);
    while (lists.length < level) {
      const list = body.ownerDocument.createElement(isNumber(sign) ? 'ol' : 'ul');
      const start = Number.parseInt(sign.replace('(', ''), 10);
      if (isNumber(sign) && start > 1) list.setAttribute('start', String(start));
      const outer = lists.at(-1);
      if (outer === undefined) parent.insertBefore(list, paragraph);
      else (outer.lastElementChild ?? outer).appendChild(list);
      lists.push(list);
    }
    const item = body.ownerDocument.createElement('li');
    moveChildren(paragraph, item);
    lists.at(-1)!.appendChild(item);
    parent.removeChild(paragraph);
    last = item;
  }
}

/** Removes the sign of a list item from its paragraph. Returns it, such as `1.` or `·`. */
function takeSign(paragraph: Element): string {
  const span = all(paragraph, 'span').find((each) => WORD_SIGN.test(styleOf(each)));
  const sign = span === undefined ? '' : textOf(span);
  span?.parentNode?.removeChild(span);
  return sign;
}

function isNumber(sign: string): boolean {
  return /^\(?(?:\d+|[a-z]|[ivxlcdm]+)[.)]/i.test(sign);
}

/** Google Docs and LibreOffice put lists into lists. They belong to the item before. */
function nestLists(body: HTMLElement): void {
  for (const list of all(body, 'ul > ul, ul > ol, ol > ul, ol > ol')) {
    let item = list.previousElementSibling;
    if (item?.nodeName !== 'LI') {
      item = body.ownerDocument.createElement('li');
      list.parentNode?.insertBefore(item, list);
    }
    item.appendChild(list);
  }
}

/** Items with one paragraph make a list without blank lines. */
function unwrapItems(body: HTMLElement): void {
  for (const item of all(body, 'li')) {
    const paragraphs = Array.from(item.children).filter(({ nodeName }) => nodeName === 'P');
    const [paragraph] = paragraphs;
    if (paragraphs.length !== 1 || paragraph === undefined) continue;
    while (paragraph.firstChild !== null) item.insertBefore(paragraph.firstChild, paragraph);
    item.removeChild(paragraph);
  }
}

/** Google Docs writes raised and lowered text as styles. */
function markPositions(body: HTMLElement): void {
  for (const span of all(body, 'span')) {
    const name = { super: 'sup', sub: 'sub' }[
      /vertical-align:\s*(super|sub)\b/i.exec(styleOf(span))?.[1]?.toLowerCase() ?? ''
    ];
    if (name === undefined || textOf(span) === '') continue;
    const marked = body.ownerDocument.createElement(name);
    moveChildren(span, marked);
    span.parentNode?.replaceChild(marked, span);
  }
}

function directLinks(body: HTMLElement): void {
  for (const link of all(body, 'a[href]')) {
    const target = targetOfRedirect(link.getAttribute('href') ?? '');
    if (target !== undefined) link.setAttribute('href', target);
  }
}

/** A footnote is a link to a note that has a link back. */
function markFootnotes(body: HTMLElement): void {
  const targets = new Map<string, Element>();
  for (const element of all(body, '[id], a[name]')) {
    for (const name of [element.getAttribute('id'), element.getAttribute('name')]) {
      if (name !== null && name !== '') targets.set(`#${name}`, element);
    }
  }
  let count = 0;
  for (const link of all(body, 'a[href^="#"]')) {
    const target = targets.get(link.getAttribute('href') ?? '');
    if (target === undefined || target === link || link.parentNode === null) continue;
    const back = [target, ...all(target, 'a[href^="#"]')].find((each) => {
      const source = targets.get(each.getAttribute('href') ?? '');
      return source !== undefined && (source === link || source.contains(link));
    });
    const note = blockOf(target, body);
    if (back === undefined || note.contains(link) || note.hasAttribute('data-footnote-text')) continue;
    count++;
    const place =
      link.parentNode.nodeName === 'SUP' && textOf(link.parentNode as Element) === textOf(link)
        ? (link.parentNode as Element)
        : link;
    const reference = body.ownerDocument.createElement('span');
    reference.setAttribute('data-footnote', String(count));
    reference.textContent = String(count);
    place.parentNode?.replaceChild(reference, place);
    const sign = back.parentNode?.nodeName === 'SUP' ? (back.parentNode as Element) : back;
    sign.parentNode?.removeChild(sign);
    const text = body.ownerDocument.createElement('div');
    text.setAttribute('data-footnote-text', String(count));
    moveChildren(note, text);
    body.appendChild(text);
    note.parentNode?.removeChild(note);
  }
  // Renderers of Markdown add a heading for screen readers.
  for (const heading of count === 0 ? [] : all(body, HEADINGS_OF_NOTES)) {
    heading.parentNode?.removeChild(heading);
  }
}

const HEADINGS_OF_NOTES = ['.footnotes', '[data-footnotes]', '[role="doc-endnotes"]']
  .flatMap((list) => ['h1', 'h2', 'h3', 'h4'].map((heading) => `${list} > ${heading}`))
  .join(', ');

/** The paragraph, item or section that is a note as a whole. */
function blockOf(target: Element, body: HTMLElement): Element {
  let block = target;
  while (block.parentNode !== body && !/^(?:P|LI|DIV|ASIDE)$/.test(block.nodeName)) {
    block = block.parentNode as Element;
  }
  const outer = block.parentNode as Element;
  const isWhole =
    block.nodeName === 'P' && outer !== body && outer.nodeName === 'DIV' && outer.children.length === 1;
  return isWhole ? outer : block;
}

function all(root: Element, selector: string): readonly Element[] {
  return Array.from(root.querySelectorAll(selector));
}

function styleOf(element: Element): string {
  return element.getAttribute('style') ?? '';
}

/** Text without the spaces and empty marks that programs put into empty paragraphs. */
function textOf(element: Element): string {
  return (element.textContent ?? '').replaceAll('\u00a0', ' ').trim();
}

/** True if a line break has text on this side. */
function isText(node: Node | null, side: 'previousSibling' | 'nextSibling'): boolean {
  let near = node;
  while (near !== null && near.nodeType !== ELEMENT && near.textContent?.trim() === '') near = near[side];
  return (
    near !== null && !/^(?:BR|P|H\d|UL|OL|LI|DIV|TABLE|PRE|BLOCKQUOTE|HR|SECTION|FIGURE)$/.test(near.nodeName)
  );
}

function moveChildren(from: Element, to: Element): void {
  while (from.firstChild !== null) to.appendChild(from.firstChild);
}
