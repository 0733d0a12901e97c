import { decodeHTML } from 'entities/decode';

/** The text that a reader sees between two headings. */
export interface HtmlSection {
  /** The heading above. Absent before the first one. */
  readonly heading?: { readonly slug: string; readonly text: string };
  readonly text: string;
}

/** The text of HTML by heading with an `id`, in the order of the document. White space is one space. */
export function htmlSections(html: string): readonly HtmlSection[] {
  const sections: { slug: string; heading: string; text: string }[] = [{ slug: '', heading: '', text: '' }];
  let inHeading = false;
  const add = (text: string) => {
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
      at = closing === '' && UNSEEN.has(name) ? after(html, '>', after(html, `</${written}`, end)) : end;
      const slug = /^h[1-6]$/.test(name) ? attribute(tag, 'id') : '';
      if (closing === '' && slug !== '') sections.push({ slug, heading: '', text: '' });
      if (/^h[1-6]$/.test(name)) inHeading = closing === '' && slug !== '';
      else if (name === 'img') add(` ${attribute(tag, 'alt')} `);
      else if (!INLINE.has(name)) add(' ');
    }
  }
  return sections.flatMap(({ slug, heading, text }) => {
    const shown = shownText(text);
    if (slug !== '') return [{ heading: { slug, text: shownText(heading) }, text: shown }];
    return shown === '' ? [] : [{ text: shown }];
  });
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
  const start = tag.indexOf(` ${name}="`);
  if (start === -1) return '';
  const from = start + name.length + 3;
  return decodeHTML(tag.slice(from, tag.indexOf('"', from)));
}

function shownText(text: string): string {
  return text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
}

const TAG = /^<(\/?)([a-z][\w-]*)/i;
const MAX_NAME = 40;
/** Longer tags end here. */
const MAX_TAG = 20_000;
/** Soft hyphens, and marks that forbid a line break. */
const INVISIBLE = /[\u00ad\u2060\ufeff]/g;
/** Elements whose text is not shown. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math']);
/** Tags within words. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var wbr'.split(
    ' ',
  ),
);
