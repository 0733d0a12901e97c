import type { Passage } from './answer.ts';

type Child = Node | string;

/** An element with attributes. Attributes that are undefined or false are left out; true is an empty value. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) created.setAttribute(key, value === true ? '' : value);
  }
  created.append(...children);
  return created;
}

/** A text with its matches as `<mark>`. */
export function marked({ text, ranges }: Passage): readonly Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at || end <= start) continue;
    parts.push(text.slice(at, start), element('mark', { part: 'mark' }, [text.slice(start, end)]));
    at = end;
  }
  return [...parts, text.slice(at)];
}

/** An excerpt whose first match is in the first line, also of a narrow panel. */
export function nearMatch({ text, ranges }: Passage): Passage {
  const first = ranges[0]?.[0] ?? 0;
  if (first <= MAX_BEFORE_MATCH) return { text, ranges };
  // Not from within a pair of surrogates.
  const before = text.slice(first - MAX_BEFORE_MATCH, first).replace(/^[\uDC00-\uDFFF]/, '');
  const start = first - before.length + before.indexOf(' ') + 1;
  const lead = '… ';
  const shift = lead.length - start;
  return {
    text: lead + text.slice(start),
    ranges: ranges.map(([from, to]) => [from + shift, to + shift]),
  };
}

/** Characters of an excerpt before its first match. */
const MAX_BEFORE_MATCH = 32;

const SVG = 'http://www.w3.org/2000/svg';

export function magnifier(): SVGElement {
  const icon = document.createElementNS(SVG, 'svg');
  const shape = document.createElementNS(SVG, 'path');
  const attributes = { fill: 'none', stroke: 'currentColor', 'stroke-width': '2', 'stroke-linecap': 'round' };
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  shape.setAttribute('d', 'M10.5 10.5 15 15M12 6.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z');
  icon.setAttribute('viewBox', '0 0 16 16');
  icon.setAttribute('aria-hidden', 'true');
  icon.append(shape);
  return icon;
}
