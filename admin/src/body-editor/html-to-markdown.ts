import { highlightedCodeBlock, strikethrough, taskListItems } from '@truto/turndown-plugin-gfm';
import TurndownService from 'turndown';
import { cleanClipboard } from './clipboard.ts';
import { tabSeparated } from './tab-separated.ts';
import { BREAK } from './tables/table-text.ts';

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
  br: '\\',
});
// Text has no code and no characters by name, so its signs are escaped. A brace is code in MDX only.
const escapeMarkdown = service.escape;
service.escape = (text) =>
  escapeMarkdown
    .call(service, text)
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replace(/<(?=\S|$)/g, '&lt;')
    .replaceAll('{', BRACE);
service.use([strikethrough, taskListItems, highlightedCodeBlock]);
service.remove([
  'script',
  'style',
  'title',
  'meta',
  'link',
  'noscript',
  'iframe',
  'object',
  'button',
  'input',
]);
service.addRule('item', {
  filter: 'li',
  replacement(content, node, { bulletListMarker }) {
    const list = node.parentNode;
    const start =
      list?.nodeName === 'OL' ? Number((list as HTMLElement).getAttribute('start') ?? 1) : undefined;
    const items = Array.from(list?.childNodes ?? []).filter(({ nodeName }) => nodeName === 'LI');
    const sign = start === undefined ? `${bulletListMarker} ` : `${start + items.indexOf(node)}. `;
    const text = content
      .trim()
      .replace(/^(\[[ x]\])\s+/, '$1 ')
      .replaceAll('\n', `\n${' '.repeat(sign.length)}`);
    return `${sign}${text}${node.nextSibling === null ? '' : '\n'}`;
  },
});
service.addRule('table', {
  filter: 'table',
  replacement(content, node) {
    const rows = cellsIn(node as HTMLElement);
    // One column is layout.
    return rows[0] === undefined || rows[0].length < 2 ? content : `\n\n${tableOf(rows)}\n\n`;
  },
});
// Google Docs puts everything into a `b` that is not bold.
service.addRule('notBold', {
  filter: (node) =>
    node.nodeName === 'B' && /(?<!-)font-weight:\s*(?:normal|400)/.test(node.getAttribute('style') ?? ''),
  replacement: (content) => content,
});
// Word and Google Docs style text instead of marking it up.
service.addRule('styled', {
  filter: (node) =>
    node.nodeName === 'SPAN' &&
    /font-weight:\s*(?:bold|[7-9]00)|font-style:\s*italic/.test(node.getAttribute('style') ?? ''),
  replacement(content, node) {
    const style = (node as HTMLElement).getAttribute('style') ?? '';
    const mark = `${/font-weight:\s*(?:bold|[7-9]00)/.test(style) ? '**' : ''}${/font-style:\s*italic/.test(style) ? '*' : ''}`;
    const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(content) ?? [];
    return text === '' ? content : `${before}${mark}${text}${[...mark].reverse().join('')}${after}`;
  },
});
// Pictures in pasted pages are on other sites or cannot be read at all.
service.addRule('localImage', {
  filter: (node) => node.nodeName === 'IMG' && !/^https?:/.test(node.getAttribute('src') ?? ''),
  replacement: (_, node) => (node as HTMLElement).getAttribute('alt') ?? '',
});
service.addRule('unsafeLink', {
  filter: (node) =>
    node.nodeName === 'A' && !/^(?:https?:|mailto:|tel:|\/|#|\.)/i.test(node.getAttribute('href') ?? ''),
  replacement: (content) => content,
});

service.addRule('position', {
  filter: ['sub', 'sup'],
  replacement(content, node) {
    const name = node.nodeName.toLowerCase();
    return content.trim() === '' ? content : `<${name}>${content}</${name}>`;
  },
});
service.addRule('footnote', {
  filter: (node) => node.hasAttribute('data-footnote'),
  replacement: (_, node) => `[^${(node as HTMLElement).getAttribute('data-footnote')}]`,
});
service.addRule('footnoteText', {
  filter: (node) => node.hasAttribute('data-footnote-text'),
  replacement(content, node) {
    const text = content.trim().replace(/\n(?=.)/g, '\n    ');
    return `\n\n[^${(node as HTMLElement).getAttribute('data-footnote-text')}]: ${text}\n\n`;
  },
});

/** Markdown of pasted HTML. Pictures that are in the HTML itself are files, to be inserted at positions of the Markdown. */
export interface PastedText {
  readonly markdown: string;
  readonly images: readonly { readonly at: number; readonly file: File }[];
}

/** HTML of the clipboard as Markdown. */
export function htmlToMarkdown(html: string, isMdx = false): PastedText {
  const { body } = new DOMParser().parseFromString(fragmentOf(html), 'text/html');
  cleanClipboard(body);
  const files = takeImages(body);
  const text = withBraces(service.turndown(body), isMdx)
    .replace(/\u00a0/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .trim();
  let markdown = '';
  const images = text.split(IMAGE_PLACE).flatMap((part, index) => {
    const place = { at: markdown.length, file: files[index - 1] };
    markdown += part;
    return place.file === undefined ? [] : [{ at: place.at, file: place.file }];
  });
  return { markdown, images };
}

/** The Markdown of a table whose first row is the header. */
export function tableOf([head = [], ...rows]: Cells): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The cells in the clipboard, as Markdown, if it has nothing but one table: of a spreadsheet, or of a text. */
export function cellsOf(html: string, plain: string, isMdx = false): Cells | undefined {
  const inText = (rows: Cells) => rows.map((row) => row.map((cell) => withBraces(cell, isMdx)));
  if (html === '') {
    const rows = tabSeparated(plain);
    return rows && inText(rows.map((row) => row.map(plainCell)));
  }
  const { body } = new DOMParser().parseFromString(fragmentOf(html), 'text/html');
  for (const each of Array.from(body.querySelectorAll('style, meta, title, link'))) each.remove();
  cleanClipboard(body);
  const [table, ...others] = Array.from(body.querySelectorAll('table'));
  if (table === undefined || others.length > 0) return undefined;
  if (table.textContent?.trim() !== body.textContent?.trim() || body.querySelectorAll('img').length > 0)
    return undefined;
  return inText(cellsIn(table));
}

type Cells = readonly (readonly string[])[];

/** A cell that covers several has its text in the first of them. */
function cellsIn(table: HTMLElement): Cells {
  const lines = Array.from(table.querySelectorAll('tr'));
  const rows = lines.map((): string[] => []);
  for (const [at, row] of lines.entries()) {
    const cells = rows[at]!;
    let column = 0;
    for (const cell of Array.from(row.children)) {
      while (cells[column] !== undefined) column++;
      const [width, height] = ['colspan', 'rowspan'].map((name) => spanOf(cell, name));
      for (const covered of rows.slice(at, at + height!)) {
        for (let across = 0; across < width!; across++) covered[column + across] = '';
      }
      cells[column] = cellText(cell);
    }
  }
  const width = Math.max(0, ...rows.map(({ length }) => length));
  return rows.map((cells) => Array.from({ length: width }, (_, column) => cells[column] ?? ''));
}

/** More is a mistake of the program. */
const MAX_SPAN = 100;

function spanOf(cell: Element, name: string): number {
  return Math.min(MAX_SPAN, Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '1', 10) || 1));
}

/** Text without Markdown as it is written into a cell. */
function plainCell(cell: string): string {
  return service
    .escape(cell.trim())
    .replace(/\s*\n\s*/g, BREAK)
    .replace(/(?<!\\)\|/g, '\\|');
}

/** Characters of no script, in the place of a picture and of a brace that is not in code. */
const IMAGE_PLACE = '\ue000';
const BRACE = '\ue001';

function withBraces(text: string, isMdx: boolean): string {
  return text.replaceAll(BRACE, isMdx ? '\\{' : '{');
}

const DATA_IMAGE = /^data:(image\/(?:png|jpeg|gif|webp|avif));base64,([a-z0-9+/=\s]+)$/i;

/** Replaces the pictures in the HTML by `IMAGE_PLACE`. Returns their files in order. */
function takeImages(body: HTMLElement): readonly File[] {
  const files: File[] = [];
  for (const image of Array.from(body.querySelectorAll('img'))) {
    const [, type = '', data = ''] = DATA_IMAGE.exec(image.getAttribute('src') ?? '') ?? [];
    if (data === '') continue;
    const bytes = Uint8Array.from(atob(data.replace(/\s/g, '')), (character) => character.charCodeAt(0));
    const name = `${image.getAttribute('alt')?.trim() || 'image'}.${type.slice('image/'.length).replace('jpeg', 'jpg')}`;
    files.push(new File([bytes], name.replace(/[/\\]/g, '-'), { type }));
    image.parentNode?.replaceChild(body.ownerDocument.createTextNode(IMAGE_PLACE), image);
  }
  return files;
}

/** True if HTML has more than the text that is pasted with it. */
export function hasMarkup(html: string): boolean {
  return /<(?:a|b|strong|i|em|h[1-6]|ul|ol|li|table|blockquote|code|pre|img|del|s|hr|p|sub|sup)[\s>]|font-weight|font-style/i.test(
    html,
  );
}

function cellText(cell: Element): string {
  return service
    .turndown(cell as HTMLElement)
    .split('\\\n')
    .map((line) => line.trim().replace(/\s*\n\s*/g, ' '))
    .join(BREAK)
    .replace(/(?<!\\)\|/g, '\\|');
}

/** The copied part: browsers put it between comments, with tags of the page around it. */
function fragmentOf(html: string): string {
  return /<!--StartFragment-->([\s\S]*?)<!--EndFragment-->/.exec(html)?.[1] ?? html;
}
