import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { CONTENT_FILES_PREFIX } from '../../core/content/model.ts';
import { html } from '../../core/server/page.ts';
import { escapeHtml } from '../../core/util/text.ts';

type Node = DefaultTreeAdapterTypes.Node;

export interface SharedPage {
  /** The address of the page on the site. */
  readonly url: URL;
  /** The path of pages that the link shows, such as `/_shared/<token>`. */
  readonly root: string;
  /** The path of content files, such as `/content-files/`. */
  readonly files: string;
  /** What the page says about itself. */
  readonly bar: string;
}

/** The HTML of a page with the bar. Links and forms to pages of the site, and content files outside of scripts, are below `root`. All other bytes stay. */
export function sharedHtml(page: string, place: SharedPage): string {
  const { url, bar } = place;
  const document = parse(page, { sourceCodeLocationInfo: true });
  const edits = new Map<number, { readonly end: number; readonly text: string }>();
  let base = url;
  let start = page.length;
  const waiting: Node[] = [document];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('content' in node) waiting.push(node.content);
    if ('childNodes' in node) waiting.push(...node.childNodes.toReversed());
    if (!('tagName' in node)) continue;
    const { tagName, attrs, sourceCodeLocation } = node;
    if (tagName === 'base') {
      const href = attrs.find(({ name }) => name === 'href')?.value;
      if (href !== undefined && URL.canParse(href, url)) base = new URL(href, url);
    }
    if (tagName === 'body') {
      const first = node.childNodes.find((child) => child.sourceCodeLocation)?.sourceCodeLocation;
      start = sourceCodeLocation?.startTag?.endOffset ?? first?.startOffset ?? start;
    }
    for (const { name, prefix, value } of attrs) {
      const written = prefix ? `${prefix}:${name}` : name;
      const location = sourceCodeLocation?.attrs?.[written];
      const link = name === LINKS[tagName] ? sharedPath(value, base, place) : undefined;
      const to = link ?? sharedFiles(value, base, place);
      if (location && to !== value) {
        edits.set(location.startOffset, {
          end: location.endOffset,
          text: `${written}="${escapeHtml(to)}"`,
        });
      }
    }
    const [style] = tagName === 'style' ? node.childNodes : [];
    if (style && 'value' in style && style.sourceCodeLocation) {
      const { startOffset, endOffset } = style.sourceCodeLocation;
      const source = page.slice(startOffset, endOffset);
      const to = sharedFiles(source, base, place);
      if (to !== source) edits.set(startOffset, { end: endOffset, text: to });
    }
  }
  // An attribute of the body is before it.
  let shown = '';
  let at = 0;
  const all = [...edits, [start, { end: start, text: bar }] as const];
  for (const [from, { end, text }] of all.toSorted(([one], [other]) => one - other)) {
    shown += page.slice(at, from) + text;
    at = end;
  }
  return shown + page.slice(at);
}

/** Attributes with the address of another page. */
const LINKS: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  form: 'action',
  button: 'formaction',
  input: 'formaction',
};

/** Undefined for a place in the same page and for another site. */
function sharedPath(value: string, base: URL, { url, root }: SharedPage): string | undefined {
  if (/^\s*(?:#|$)/.test(value) || !URL.canParse(value, base)) return undefined;
  const { origin, pathname, search, hash } = new URL(value, base);
  return origin === url.origin ? root + pathname + search + hash : undefined;
}

/** The addresses of content files in an attribute or a style sheet: alone, in a list, in `url()`, or as a string of JSON. */
function sharedFiles(text: string, base: URL, place: SharedPage): string {
  if (!text.includes(CONTENT_FILES)) return text;
  return text.replace(/[^\s"'(),<>\\]+/g, (part) => {
    if (!part.includes(CONTENT_FILES) || !URL.canParse(part, base)) return part;
    const to = new URL(part, base);
    const isFile = to.pathname.startsWith(place.files) || resizedFile(to, place.files) !== undefined;
    return (isFile ? sharedPath(part, base, place) : undefined) ?? part;
  });
}

const CONTENT_FILES = CONTENT_FILES_PREFIX.slice(1);

/** The content file that Astro's image endpoint resizes at an address; undefined for other pictures and pages. */
export function resizedFile(url: URL, files: string): URL | undefined {
  const href = /\/_image\/?$/.test(url.pathname) ? url.searchParams.get('href') : null;
  if (href === null || !URL.canParse(href, url)) return undefined;
  const file = new URL(href, url);
  return file.origin === url.origin && file.pathname.startsWith(files) ? file : undefined;
}

/** The bar of a page, in the language that a visitor prefers. `expires`: milliseconds. */
export function sharedBar(accepted: string | null, expires: number): string {
  const language = languageOf(accepted);
  const [what, until] = TEXTS[language];
  const time = new Intl.DateTimeFormat(language, { ...TIME, timeZone: 'UTC' }).format(expires);
  return html`<astro-jsonapi-shared role="region" aria-label="${what}" lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}" style="${STYLE}"><strong>${what}</strong> ${until.replace('{time}', time)}</astro-jsonapi-shared>`
    .markup;
}

const STYLE =
  'all:initial;display:block;position:sticky;inset-block-start:0;z-index:2147483647;box-sizing:border-box;padding:8px 16px;background:#3b2f00;color:#fff6d6;font:14px/1.5 system-ui,sans-serif;text-align:center';
const TIME = { dateStyle: 'long', timeStyle: 'short' } as const;
const TEXTS = {
  en: ['Shared draft: this version is not published.', 'The link works until {time} (UTC).'],
  de: ['Geteilter Entwurf: Diese Fassung ist nicht veröffentlicht.', 'Der Link gilt bis {time} (UTC).'],
  ar: ['مسودة مشاركة: هذه النسخة غير منشورة.', 'يعمل الرابط حتى {time} (UTC).'],
} as const;

/** The first language of an `Accept-Language` header that the bar has. */
function languageOf(accepted: string | null): keyof typeof TEXTS {
  const wanted = (accepted ?? '').slice(0, 1000).split(',');
  const codes = wanted.map((each) => each.trim().slice(0, 2).toLowerCase());
  return codes.find((code): code is keyof typeof TEXTS => Object.hasOwn(TEXTS, code)) ?? 'en';
}
