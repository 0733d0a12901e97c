import type { Schema } from 'hast-util-sanitize';
import { html as HTML } from 'parse5';

/** What the HTML of a body may have without the permission `use raw html`. Attribute names are those of hast. */
export type SafeSchema = Schema & { readonly tagNames: string[] };

/** URL schemes that a browser does not run. The last ones are references that a documentation tool resolves. */
const SCHEMES = [
  ...['http', 'https', 'mailto', 'tel', 'sms', 'ftp', 'ftps', 'sftp', 'ssh', 'git', 'irc', 'ircs', 'xmpp'],
  ...['matrix', 'magnet', 'news', 'nntp', 'geo', 'webcal', 'rtsp', 'doi', 'isbn', 'urn', 'tag'],
  ...['xref', 'cref', 'ref', 'doc'],
];
/** Data URLs of images only. SVG is included, because a browser runs no script of an SVG in an `<img>`. */
const IMAGE_DATA = /^(?!data:)|^data:image\/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]/i;
const NO_DATA = /^(?!data:)/i;
/** `opener` lets the linked page replace this one. A name in `target` does the same. */
const RELATIONS =
  /^(?:nofollow|noopener|noreferrer|ugc|sponsored|external|author|license|tag|me|help|next|prev|bookmark|alternate|search)$/i;
const TARGET = /^(?:|_(?:blank|self|parent|top))$/i;

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
    ...['time', 'tt', 'u', 'var', 'acronym', 'nobr', 'font', 'progress', 'meter', 'search'],
    ...['ul', 'ol', 'menu', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'figure', 'figcaption'],
    ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
    ...['img', 'picture', 'source', 'video', 'audio', 'track', 'input', 'button'],
  ],
  attributes: {
    '*': EVERYWHERE,
    a: ['href', 'hrefLang', ['rel', RELATIONS], ['target', TARGET], 'download', 'type', 'name'],
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
    font: ['color', 'size', 'face'],
    progress: ['value', 'max'],
    meter: ['value', 'min', 'max', 'low', 'high', 'optimum'],
    table: ['border', 'cellPadding', 'cellSpacing', 'summary', 'bgColor'],
    col: ['span', 'bgColor'],
    colgroup: ['span', 'bgColor'],
    thead: ['bgColor'],
    tbody: ['bgColor'],
    tfoot: ['bgColor'],
    tr: ['vAlign', 'bgColor'],
    td: ['colSpan', 'rowSpan', 'headers', 'vAlign', 'bgColor'],
    th: ['colSpan', 'rowSpan', 'headers', 'vAlign', 'bgColor', 'scope', 'abbr'],
    input: [['type', 'checkbox'], 'checked', 'disabled'],
    button: [['type', 'button']],
  },
  // Without its type, an `<input>` is a text field and a `<button>` sends the form around it.
  required: { input: { type: 'checkbox' }, button: { type: 'button' } },
};

const DRAWINGS = [
  ...['g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon', 'text', 'tspan'],
  ...['defs', 'clipPath'],
];

/** Icons and drawings, as plugins write them. */
const SVG_SCHEMA: SafeSchema = {
  ...AS_WRITTEN,
  tagNames: ['svg', ...DRAWINGS, 'title', 'desc', 'linearGradient', 'radialGradient', 'stop', 'marker'],
  attributes: {
    // An `<svg>` clips its content. Its own `transform` would move it over the page.
    ...Object.fromEntries(DRAWINGS.map((name) => [name, ['transform']])),
    '*': [
      ...EVERYWHERE,
      ...['xmlns', 'viewBox', 'version', 'focusable', 'preserveAspectRatio', 'offset', 'opacity'],
      ...['fill', 'fillRule', 'fillOpacity', 'clipRule', 'clipPath', 'stopColor', 'd', 'points'],
      ...['stroke', 'strokeWidth', 'strokeLineCap', 'strokeLineJoin', 'strokeMiterLimit'],
      ...['strokeDashArray', 'strokeOpacity'],
      ...['fontSize', 'fontFamily', 'fontWeight', 'textAnchor', 'dominantBaseline'],
      ...['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'dx', 'dy'],
    ],
  },
};

const SIZE_SOURCE =
  /(?:0|normal|small|big|infinity|(?:(?:very){0,2}(?:thin|thick)|medium)(?:mathspace)?|(?:\d{1,2}|\d{0,2}\.\d+|-0?\.\d+)(?:em|ex)|\d(?:\.\d+)?p[tx]|(?:\d{1,2}|1\d{2}|200)(?:\.\d+)?%)/
    .source;
const MATH_SIZE = new RegExp(`^${SIZE_SOURCE}?$`);
const MATH_SIZES = new RegExp(`^(?:${SIZE_SOURCE}(?: ${SIZE_SOURCE})*)?$`);
/** A smaller box, or one that is moved, would let its content cover the page. */
const MORE = /^(?:|\+\d?(?:\.\d+)?(?:em|ex|pt|px))$/;

/** Formulas, as plugins write them. */
const MATHML_SCHEMA: SafeSchema = {
  ...AS_WRITTEN,
  tagNames: [
    ...['math', 'semantics', 'annotation', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'msub', 'msup'],
    ...['msubsup', 'mfrac', 'msqrt', 'mroot', 'munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd'],
    ...['mpadded', 'mphantom', 'mstyle', 'menclose'],
  ],
  attributes: {
    mspace: ['width', 'height', 'depth'].map((name) => [name, MATH_SIZE]),
    mtable: [['width', MATH_SIZE]],
    mtd: [['width', MATH_SIZE]],
    mpadded: ['width', 'height', 'depth'].map((name) => [name, MORE]),
    '*': [
      ...EVERYWHERE.filter((name) => name !== 'width' && name !== 'height'),
      ...['xmlns', 'display', 'encoding', 'mathvariant', 'mathcolor', 'mathbackground', 'displaystyle'],
      ...['stretchy', 'fence', 'separator', 'accent', 'accentunder', 'columnalign', 'columnlines'],
      ...['rowlines', 'movablelimits', 'notation', 'linebreak'],
      ...['mathsize', 'lspace', 'rspace', 'minsize', 'maxsize', 'linethickness'].map(
        (name): [string, RegExp] => [name, MATH_SIZE],
      ),
      ['columnspacing', MATH_SIZES],
      ['rowspacing', MATH_SIZES],
      // A level below 0 enlarges the text.
      ['scriptlevel', /^(?:|\+?\d)$/],
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
export function isSafeStyle(style: string, tagName: string): boolean {
  return style.split(';').every((declaration) => {
    const colon = declaration.indexOf(':');
    if (colon === -1) return declaration.trim() === '';
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (value.length > MAX_VALUE_UNITS) return false;
    if (property.endsWith('height') && !WITHOUT_OVERFLOW.has(tagName)) return false;
    const pattern = HIGHLIGHTER_VARIABLE.test(property) ? HIGHLIGHTER_VALUE : SAFE_STYLES.get(property);
    return pattern?.test(value) === true;
  });
}

const MAX_VALUE_UNITS = 100;
/** Elements that a height makes no smaller than their content, or that have no content. In others, it would overlap what follows. */
const WITHOUT_OVERFLOW: ReadonlySet<string> = new Set([
  ...['span', 'img', 'svg', 'video', 'audio', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'col'],
]);
const COLOR =
  /^(?:#[\da-f]{3,8}|[a-z]+|(?:rgb|hsl)a?\([\d\s.,%/]+\)|light-dark\(#[\da-f]{3,8},\s?#[\da-f]{3,8}\)|var\(--(?:shiki|astro-code)-[a-z\d-]+\))$/i;
const WORDS = /^[a-z\d][a-z\d -]*$/i;
const SIZE = /^(?:0|auto|-?\d{0,2}(?:\.\d+)?(?:em|ex)|\d{1,3}(?:\.\d+)?%|\d{1,4}(?:\.\d+)?px)$/;
// A negative margin of a letter or more could move a body over other parts of the page.
const SPACE = /^(?:0|-?0?\.\d+(?:em|ex)|\d(?:\.\d+)?(?:em|ex))$/;
// Around text in a line, borders and padding lie over the lines next to it, and take clicks there.
const BORDER_WIDTH = /^(?:0|thin|medium|thick|\dpx|\d?\.\d+px|0?\.\d+(?:em|ex))$/;
const BORDER = new RegExp(
  `^(?:none|0|(?:${BORDER_WIDTH.source.slice(1, -1)}) [a-z]+(?: (?:${COLOR.source.slice(1, -1)}))?)$`,
  'i',
);
const PADDING = /^(?:(?:0|[0-2]?(?:\.\d+)?(?:r?em|ex)|[0-3]?\d(?:\.\d+)?px)(?: (?!$)|$)){1,4}$/;
const RADIUS = /^(?:0|\d{0,2}(?:\.\d+)?(?:r?em|ex)|\d{1,3}(?:\.\d+)?(?:%|px))$/;
const FONT_SIZE =
  /^(?:(?:xx?-)?small|smaller|medium|(?:xx?-)?large|larger|(?:[0-2]?(?:\.\d+)?|3)(?:r?em|ex)|(?:[1-3]?\d|4[0-8])px|(?:[1-2]?\d{1,2}|300)%)$/;
const FONTS = /^[a-z\d "',-]+$/i;
const HIGHLIGHTER_VARIABLE = /^--(?:shiki|astro-code)-[a-z\d-]+$/;
const HIGHLIGHTER_VALUE = new RegExp(`${COLOR.source}|${WORDS.source}`, 'i');
const SAFE_STYLES: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    'color background background-color border-color': COLOR,
    'font-style font-weight text-align text-decoration white-space overflow-wrap word-wrap': WORDS,
    'user-select border-style list-style-type': WORDS,
    'overflow-x': /^(?:auto|scroll|hidden)$/,
    'font-size': FONT_SIZE,
    'font-family': FONTS,
    'height max-height width min-width max-width vertical-align top': SIZE,
    'margin-left margin-right': SPACE,
    'padding padding-top padding-right padding-bottom padding-left': PADDING,
    'border border-top border-right border-bottom border-left': BORDER,
    'border-width border-top-width border-right-width border-bottom-width border-left-width': BORDER_WIDTH,
    'border-radius': RADIUS,
  }).flatMap(([names, pattern]) => names.split(' ').map((name) => [name, pattern])),
);
