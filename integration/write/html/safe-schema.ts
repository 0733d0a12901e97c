import type { Schema } from 'hast-util-sanitize';
import { html as HTML } from 'parse5';

/** What the HTML of a body may have without the permission `use raw html`. Attribute names are those of hast. */
export type SafeSchema = Schema & { readonly tagNames: string[] };

/** URL schemes that a browser does not run. */
const SCHEMES = [
  ...['http', 'https', 'mailto', 'tel', 'sms', 'ftp', 'ftps', 'sftp', 'ssh', 'git', 'irc', 'ircs', 'xmpp'],
  ...['matrix', 'magnet', 'news', 'nntp', 'geo', 'webcal', 'rtsp', 'doi', 'isbn', 'urn', 'tag'],
];
/** Data URLs of images only. SVG is included, because a browser runs no script of an SVG in an `<img>`. */
const IMAGE_DATA = /^(?!data:)|^data:image\/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]/i;
const NO_DATA = /^(?!data:)/i;

const EVERYWHERE = [
  ...['id', 'className', 'style', 'title', 'lang', 'dir', 'translate', 'role', 'align', 'width', 'height'],
  ...['tabIndex', 'ariaHidden', 'ariaLabel', 'ariaLabelledBy', 'ariaDescribedBy', 'ariaCurrent'],
  // Data attributes can start a script of the site: only those that renderers write are allowed.
  ...['dataLanguage', 'dataTheme', 'dataLine', 'dataLineNumbers', 'dataHighlightedLine'],
  ...['dataFootnotes', 'dataFootnoteRef', 'dataFootnoteBackref'],
];

/** No element is accepted only inside another one, and nothing is renamed or added. */
const AS_WRITTEN = {
  protocols: { href: SCHEMES, src: [...SCHEMES, 'data'], poster: SCHEMES, cite: SCHEMES },
  ancestors: {},
  clobber: [],
  required: {},
  strip: [],
} satisfies Schema;

const HTML_SCHEMA: SafeSchema = {
  ...AS_WRITTEN,
  tagNames: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'wbr', 'div', 'span', 'pre', 'blockquote'],
    ...['article', 'section', 'aside', 'header', 'footer', 'main', 'nav', 'hgroup', 'address', 'center'],
    ...['a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'i', 'ins'],
    ...['kbd', 'mark', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'strike', 'strong', 'sub', 'sup'],
    ...['time', 'tt', 'u', 'var'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'figure', 'figcaption'],
    ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
    ...['img', 'picture', 'source', 'video', 'audio', 'track', 'input', 'button'],
  ],
  attributes: {
    '*': EVERYWHERE,
    a: ['href', 'hrefLang', 'rel', 'target', 'download', 'type', 'name'],
    img: [['src', IMAGE_DATA], 'srcSet', 'sizes', 'alt', 'loading', 'decoding'],
    source: [['src', NO_DATA], 'srcSet', 'sizes', 'media', 'type'],
    video: [['src', NO_DATA], 'poster', 'controls', 'loop', 'muted', 'playsInline', 'preload'],
    audio: [['src', NO_DATA], 'controls', 'loop', 'muted', 'preload'],
    track: [['src', NO_DATA], 'kind', 'srcLang', 'label', 'default'],
    ol: ['start', 'reversed', 'type'],
    ul: ['type'],
    li: ['value'],
    data: ['value'],
    time: ['dateTime'],
    del: ['cite', 'dateTime'],
    ins: ['cite', 'dateTime'],
    q: ['cite'],
    blockquote: ['cite'],
    details: ['open', 'name'],
    table: ['border', 'cellPadding', 'cellSpacing', 'summary'],
    col: ['span'],
    colgroup: ['span'],
    tr: ['vAlign'],
    td: ['colSpan', 'rowSpan', 'headers', 'vAlign'],
    th: ['colSpan', 'rowSpan', 'headers', 'vAlign', 'scope', 'abbr'],
    input: [['type', 'checkbox'], 'checked', 'disabled'],
    button: [['type', 'button']],
  },
  // Without its type, an `<input>` is a text field and a `<button>` sends the form around it.
  required: { input: { type: 'checkbox' }, button: { type: 'button' } },
};

/** Icons and drawings, as plugins write them. */
const SVG_SCHEMA: SafeSchema = {
  ...AS_WRITTEN,
  tagNames: [
    ...['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon', 'text', 'tspan'],
    ...['defs', 'title', 'desc', 'clipPath', 'linearGradient', 'radialGradient', 'stop', 'marker'],
  ],
  attributes: {
    '*': [
      ...EVERYWHERE,
      ...[
        'xmlns',
        'viewBox',
        'version',
        'focusable',
        'preserveAspectRatio',
        'transform',
        'offset',
        'opacity',
      ],
      ...[
        'fill',
        'fillRule',
        'fillOpacity',
        'clipRule',
        'clipPath',
        'stroke',
        'strokeWidth',
        'strokeLineCap',
      ],
      ...[
        'strokeLineJoin',
        'strokeMiterLimit',
        'strokeDashArray',
        'strokeOpacity',
        'stopColor',
        'd',
        'points',
      ],
      ...['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'dx', 'dy'],
    ],
  },
};

/** Formulas, as plugins write them. */
const MATHML_SCHEMA: SafeSchema = {
  ...AS_WRITTEN,
  tagNames: [
    ...['math', 'semantics', 'annotation', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'msub', 'msup'],
    ...['msubsup', 'mfrac', 'msqrt', 'mroot', 'munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd'],
    ...['mpadded', 'mphantom', 'mstyle', 'menclose'],
  ],
  attributes: {
    '*': [
      ...EVERYWHERE,
      ...['xmlns', 'display', 'encoding', 'mathvariant', 'mathcolor', 'mathbackground', 'mathsize'],
      ...['displaystyle', 'scriptlevel', 'stretchy', 'fence', 'separator', 'lspace', 'rspace', 'minsize'],
      ...['maxsize', 'accent', 'accentunder', 'linethickness', 'columnalign', 'columnspacing', 'rowspacing'],
      ...['columnlines', 'rowlines', 'movablelimits', 'voffset', 'notation', 'linebreak', 'depth'],
    ],
  },
};

export const SAFE_SCHEMAS: Readonly<Partial<Record<string, SafeSchema>>> = {
  [HTML.NS.HTML]: HTML_SCHEMA,
  [HTML.NS.SVG]: SVG_SCHEMA,
  [HTML.NS.MATHML]: MATHML_SCHEMA,
};

/**
 * Whether a `style` attribute has only what highlighters, formulas and tables write. Other properties, such as
 * `position`, could lay a body's link over the whole page.
 */
export function isSafeStyle(style: string): boolean {
  return style.split(';').every((declaration) => {
    const colon = declaration.indexOf(':');
    if (colon === -1) return declaration.trim() === '';
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (value.length > MAX_VALUE_UNITS) return false;
    const pattern = HIGHLIGHTER_VARIABLE.test(property) ? HIGHLIGHTER_VALUE : SAFE_STYLES.get(property);
    return pattern?.test(value) === true;
  });
}

const MAX_VALUE_UNITS = 100;
const COLOR =
  /^(?:#[\da-f]{3,8}|[a-z]+|(?:rgb|hsl)a?\([\d\s.,%/]+\)|light-dark\(#[\da-f]{3,8},\s?#[\da-f]{3,8}\)|var\(--(?:shiki|astro-code)-[a-z\d-]+\))$/i;
const WORDS = /^[a-z\d][a-z\d -]*$/i;
const SIZE = /^(?:0|auto|-?\d{0,2}(?:\.\d+)?(?:em|ex)|\d{1,3}(?:\.\d+)?%|\d{1,4}(?:\.\d+)?px)$/;
// A large negative margin could move a body over other parts of the page.
const SPACE = /^(?:0|-?\d?(?:\.\d+)?(?:em|ex))$/;
const HIGHLIGHTER_VARIABLE = /^--(?:shiki|astro-code)-[a-z\d-]+$/;
const HIGHLIGHTER_VALUE = new RegExp(`${COLOR.source}|${WORDS.source}`, 'i');
const SAFE_STYLES: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    'color background-color border-color': COLOR,
    'font-style font-weight text-align text-decoration white-space overflow-x overflow-wrap word-wrap': WORDS,
    'user-select border-style list-style-type': WORDS,
    'height width min-width max-width vertical-align top border-width border-bottom-width': SIZE,
    'margin-left margin-right padding-left': SPACE,
  }).flatMap(([names, pattern]) => names.split(' ').map((name) => [name, pattern])),
);
