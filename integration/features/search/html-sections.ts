import { decodeHTML } from 'entities/decode';
import { INVISIBLE } from '../../core/engine/text/words.ts';

/** The text that a reader sees between two headings. */
export interface HtmlSection {
  /** The heading above. Absent before the first one. */
  readonly heading?: { readonly slug: string; readonly text: string };
  readonly text: string;
}

/** The text of HTML by heading with an `id`, in the order of the document. White space is one space. */
export function htmlSections(html: string): readonly HtmlSection[] {
  const sections: { slug: string; heading: string; text: string }[] = [{ slug: '', heading: '', text: '' }];
  const elements = new OpenElements();
  let inHeading = false;
  const add = (text: string) => {
    if (elements.areUnseen) return;
    const section = sections.at(-1)!;
    section[inHeading ? 'heading' : 'text'] += text;
  };
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open !== at) add(decodeHTML(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    const [isTag, closing = '', written = ''] = TAG.exec(html.slice(open, open + MAX_NAME)) ?? [];
    const name = written.toLowerCase();
    if (html.startsWith('<!--', open)) at = after(html, '-->', open);
    else if (isTag === undefined) {
      add('<');
      at = open + 1;
    } else {
      const end = tagEnd(html, open);
      const tag = html.slice(open, end);
      const isEmpty = VOID.has(name) || (tag.endsWith('/>') && (FOREIGN.has(name) || elements.inForeign));
      const isHidden = closing === '' && isUnseen(name, tag);
      at = RAW.has(name) && closing === '' && !isEmpty ? rawEnd(html, name, end) : end;
      const isHeading = /^h[1-6]$/.test(name) && !isHidden && !elements.areUnseen;
      const slug = isHeading && closing === '' ? attribute(tag, 'id') : '';
      if (slug !== '') sections.push({ slug, heading: '', text: '' });
      if (isHeading) inHeading = slug !== '';
      else if (name === 'img') add(isHidden ? '' : ` ${attribute(tag, 'alt')} `);
      else if (!INLINE.has(name)) add(' ');
      if (closing !== '') elements.end(name);
      else if (!isEmpty && !RAW.has(name)) elements.start(name, isHidden);
    }
  }
  return sections.flatMap((section) => {
    const { slug } = section;
    const text = shownText(section.text);
    const heading = shownText(section.heading);
    if (heading !== '') return [{ heading: { slug, text: heading }, text }];
    return text === '' ? [] : [{ text }];
  });
}

/** The elements around a place. An end tag ends those within its element. */
class OpenElements {
  readonly #open: { readonly name: string; readonly isUnseen: boolean }[] = [];
  readonly #counts = new Map<string, number>();
  #unseen = 0;

  get areUnseen(): boolean {
    return this.#unseen > 0;
  }

  get inForeign(): boolean {
    return [...FOREIGN].some((name) => this.#has(name));
  }

  start(name: string, isUnseen: boolean): void {
    this.#open.push({ name, isUnseen });
    this.#count(name, 1);
    if (isUnseen) this.#unseen += 1;
  }

  end(name: string): void {
    while (this.#has(name)) {
      const last = this.#open.pop()!;
      this.#count(last.name, -1);
      if (last.isUnseen) this.#unseen -= 1;
      if (last.name === name) return;
    }
  }

  #has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}

/** True if the text of an element is not shown. A heading for screen readers names its section, such as that of footnotes. */
function isUnseen(name: string, tag: string): boolean {
  if (UNSEEN.has(name)) return true;
  if (!MAY_HIDE.test(tag)) return false;
  const values = attributes(tag);
  const classes = (values.get('class') ?? '').split(/\s+/);
  if (values.has('hidden') || UNSEEN_STYLE.test(values.get('style') ?? '')) return true;
  // The visible part of a KaTeX formula, next to its MathML.
  if (values.get('aria-hidden')?.toLowerCase() === 'true') return !classes.includes('katex-html');
  return !/^h[1-6]$/.test(name) && classes.some((each) => FOR_SCREEN_READERS.has(each));
}

/** The place after an element whose text has no tags. */
function rawEnd(html: string, name: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = html.indexOf('</', at);
    if (at === -1) return html.length;
    const tag = html.slice(at + 2, at + 3 + name.length).toLowerCase();
    if (tag.startsWith(name) && /[\s/>]$/.test(tag)) return after(html, '>', at);
  }
}

function after(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at === -1 ? html.length : at + end.length;
}

/** The place after the tag at a place. Quoted values can contain `>`. */
function tagEnd(html: string, from: number): number {
  let quote = '';
  const last = Math.min(html.length, from + MAX_TAG);
  for (let at = from; at < last; at++) {
    const character = html[at]!;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return last;
}

function attribute(tag: string, name: string): string {
  return attributes(tag).get(name) ?? '';
}

/** By name in lower case. */
function attributes(tag: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', double, single, bare = ''] of tag.replace(TAG, '').matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, decodeHTML(double ?? single ?? bare));
  }
  return values;
}

/** The text without invisible characters. White space is one space. */
export function shownText(text: string): string {
  return text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
}

const TAG = /^<(\/?)([a-z][\w-]*)/i;
const MAX_NAME = 40;
/** Longer tags end here. */
const MAX_TAG = 20_000;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
/** Elements whose text is not shown. */
const UNSEEN: ReadonlySet<string> = new Set(
  'audio canvas datalist iframe math noscript object script style svg template video'.split(' '),
);
const FOREIGN: ReadonlySet<string> = new Set(['math', 'svg']);
/** Elements without an end tag, and those in which tags are text. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
const RAW: ReadonlySet<string> = new Set(['iframe', 'script', 'style']);
/** In tags of elements whose text may not be shown. */
const MAY_HIDE = /hidden|none|sr-only|screen-reader/i;
const UNSEEN_STYLE = /(?:^|[\s;])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const FOR_SCREEN_READERS: ReadonlySet<string> = new Set([
  ...['sr-only', 'screen-reader-text', 'visually-hidden', 'visuallyhidden'],
]);
/** Tags within words. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var wbr'.split(
    ' ',
  ),
);
