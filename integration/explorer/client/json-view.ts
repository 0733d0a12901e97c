import { button, h } from './dom.ts';
import { type JsonNode, jsonNode, openDepth } from './json-lines.ts';

/** Where a text of the answer leads inside the explorer: a hash, or undefined for an ordinary text. */
export type LinkOf = (text: string) => string | undefined;

/** How much to open at first: what fits a few screens, everything, or resources as a line each. */
export type Opening = 'fit' | 'all' | 'folded';

const FIT_LINES = 1500;
const FOLDED_DEPTH = 2;
// Members that say the same in every document, or what is seen elsewhere.
const FOLDED_KEYS: ReadonlySet<string> = new Set(['jsonapi', 'links']);
const CHUNK = 100;
// Of characters.
const LONG_TEXT = 320;

/**
 * JSON with foldable objects and lists; what is folded has no elements yet. One stop for the Tab key: inside,
 * Up and Down walk the folds and links, Left and Right fold and unfold.
 */
export function jsonView(value: unknown, linkOf: LinkOf, opening: Opening = 'fit'): HTMLElement {
  const depth = {
    fit: () => openDepth(value, FIT_LINES),
    all: () => Number.POSITIVE_INFINITY,
    folded: () => FOLDED_DEPTH,
  }[opening]();
  const view = h('div', {
    class: 'json',
    role: 'group',
    'aria-label': 'JSON',
    onkeydown: (event) => walk(view, event),
  });
  view.append(nodeBox(jsonNode(value), depth, true, { linkOf, foldKeys: opening !== 'all' }));
  view.querySelector(STOPS)?.setAttribute('tabindex', '0');
  view.addEventListener('focusin', (event) => {
    for (const stop of view.querySelectorAll('[tabindex="0"]')) stop.setAttribute('tabindex', '-1');
    if (event.target instanceof HTMLElement && event.target.matches(STOPS)) event.target.tabIndex = 0;
  });
  return view;
}

function nodeBox(node: JsonNode, depth: number, last: boolean, look: Look): HTMLElement {
  const key =
    node.key === undefined
      ? []
      : [h('span', { class: 'key' }, JSON.stringify(node.key)), h('span', { class: 'punctuation' }, ': ')];
  const comma = last ? '' : ',';
  if (node.scalar !== undefined) {
    const { token, text, value } = node.scalar;
    const hash = typeof value === 'string' ? look.linkOf(value) : undefined;
    const shown =
      hash === undefined
        ? longText(token, text)
        : h('a', { class: `${token} follow`, href: hash, tabindex: -1 }, text);
    return h('div', { class: 'line' }, ...key, shown, h('span', { class: 'punctuation' }, comma));
  }
  if (node.size === 0) {
    return h(
      'div',
      { class: 'line' },
      ...key,
      h('span', { class: 'punctuation' }, node.open + node.close + comma),
    );
  }
  return foldBox(node, key, comma, depth, look);
}

/** A text in full, or its beginning with a button for the rest. */
function longText(token: string, text: string): HTMLElement {
  const shown = h('span', { class: token }, text);
  if (text.length <= LONG_TEXT) return shown;
  shown.textContent = text.slice(0, LONG_TEXT);
  const more = button(
    `… ${(text.length - LONG_TEXT).toLocaleString('en')} more characters`,
    () => {
      shown.closest('.node')?.querySelector<HTMLElement>('.fold')?.focus();
      shown.textContent = text;
    },
    { class: 'quiet more', tabindex: -1 },
  );
  shown.append(more);
  return shown;
}

function foldBox(
  node: JsonNode,
  key: readonly HTMLElement[],
  comma: string,
  depth: number,
  look: Look,
): HTMLElement {
  // A relationship says what it points to on one line.
  const childDepth = look.foldKeys && node.key === 'relationships' ? 0 : depth - 1;
  const children = h('div', { class: 'children' });
  const summary = h('span', { class: 'summary' }, node.summary);
  const ending = h('span', { class: 'punctuation' }, node.close + comma);
  const closing = h('div', { class: 'line' }, h('span', { class: 'punctuation' }, node.close + comma));
  const fold = h('button', {
    type: 'button',
    class: 'fold',
    tabindex: -1,
    'aria-label': node.key === undefined ? node.summary : `${node.key}: ${node.summary}`,
    onclick: () => set(fold.getAttribute('aria-expanded') !== 'true'),
  });
  const head = h(
    'div',
    { class: 'line' },
    fold,
    ...key,
    h('span', { class: 'punctuation' }, node.open),
    summary,
    ending,
  );
  set(depth > 0 && !(look.foldKeys && FOLDED_KEYS.has(node.key ?? '')));
  return h('div', { class: 'node' }, head, children, closing);

  function set(open: boolean): void {
    fold.setAttribute('aria-expanded', String(open));
    if (open && children.childElementCount === 0) fill(node.children(), 0);
    for (const element of [children, closing]) element.hidden = !open;
    for (const element of [summary, ending]) element.hidden = open;
  }

  function fill(nodes: readonly JsonNode[], from: number): void {
    const to = Math.min(from + CHUNK, nodes.length);
    for (let index = from; index < to; index++) {
      const child = nodes[index];
      if (child !== undefined) children.append(nodeBox(child, childDepth, index === nodes.length - 1, look));
    }
    if (to === nodes.length) return;
    const more = button(
      `${nodes.length - to} more: show ${Math.min(CHUNK, nodes.length - to)}`,
      () => {
        const before = more.previousElementSibling;
        more.remove();
        fill(nodes, to);
        before?.nextElementSibling?.querySelector<HTMLElement>(STOPS)?.focus();
      },
      { class: 'quiet small more', tabindex: -1 },
    );
    children.append(more);
  }
}

interface Look {
  readonly linkOf: LinkOf;
  readonly foldKeys: boolean;
}

const STOPS = '.fold, .follow, .more';

function walk(view: HTMLElement, event: Event): void {
  if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return;
  const stops = [...view.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.offsetParent !== null);
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? stops.indexOf(activeElement) : -1;
  const current = stops[at];
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      event.preventDefault();
      stops[Math.min(Math.max(at + (event.key === 'ArrowDown' ? 1 : -1), 0), stops.length - 1)]?.focus();
      return;
    case 'ArrowLeft':
    case 'ArrowRight': {
      const open = current?.getAttribute('aria-expanded');
      if (open === (event.key === 'ArrowLeft' ? 'true' : 'false')) {
        event.preventDefault();
        current?.click();
      }
    }
  }
}
