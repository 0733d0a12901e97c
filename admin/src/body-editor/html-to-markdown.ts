import { highlightedCodeBlock, strikethrough, taskListItems } from '@truto/turndown-plugin-gfm';
import TurndownService from 'turndown';

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
  br: '\\',
});
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
    const [head, ...rows] = Array.from((node as HTMLElement).querySelectorAll('tr'), (row) =>
      Array.from(row.children, cellText),
    );
    // One column is layout.
    if (head === undefined || head.length < 2) return content;
    const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    return `\n\n${lines.join('\n')}\n\n`;
  },
});
// Google Docs puts everything into a `b` that is not bold.
service.addRule('notBold', {
  filter: (node) =>
    node.nodeName === 'B' && /font-weight:\s*(?:normal|400)/.test(node.getAttribute('style') ?? ''),
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

/** HTML of the clipboard as Markdown. */
export function htmlToMarkdown(html: string): string {
  return service
    .turndown(fragmentOf(html))
    .replace(/\u00a0/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .trim();
}

/** True if HTML has more than the text that is pasted with it. */
export function hasMarkup(html: string): boolean {
  return /<(?:a|b|strong|i|em|h[1-6]|ul|ol|li|table|blockquote|code|pre|img|del|s|hr|p)[\s>]|font-weight|font-style/i.test(
    html,
  );
}

function cellText(cell: Element): string {
  return service
    .turndown(cell as HTMLElement)
    .replace(/\s*\\?\n\s*/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
    .trim();
}

/** The copied part: browsers put it between comments, with tags of the page around it. */
function fragmentOf(html: string): string {
  return /<!--StartFragment-->([\s\S]*?)<!--EndFragment-->/.exec(html)?.[1] ?? html;
}
