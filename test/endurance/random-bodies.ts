import { createRandom } from '../support/random.ts';

/** Bodies that mix Markdown, HTML and what parsers read differently. The same seed makes the same bodies. */
export function createBodies(seed: number): () => string {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const chance = (share: number) => random() < share;
  const pick = <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0];
  /** Mostly harmless: only the bodies that pass the check can show a hole in it. */
  let hostile = 0;
  const risky = <T>(harmless: readonly [T, ...T[]], bad: readonly [T, ...T[]]): T =>
    pick(chance(hostile) ? bad : harmless);

  function word(): string {
    return risky(WORDS, ODD_WORDS);
  }

  function url(): string {
    return risky(URLS, BAD_URLS);
  }

  function value(): string {
    const text = risky(['x', 'a b', '1', 'wide', '/a', ''], BAD_VALUES);
    return pick([
      `"${text}"`,
      `"${text}"`,
      `'${text}'`,
      text.replaceAll(' ', ''),
      chance(hostile) ? `"${text}` : `"${text}"`,
    ]);
  }

  function attribute(): string {
    const name = risky(['class', 'id', 'title', 'alt', 'lang', 'align', 'width'], BAD_ATTRIBUTES);
    if (chance(0.2)) return `${pick(['href', 'src', 'cite', 'poster'])}="${url()}"`;
    if (chance(0.05)) return `style="${risky(['color: red', 'text-align: left'], BAD_STYLES)}"`;
    return chance(0.1) ? name : `${name}${pick(['=', '=', '=', ' = '])}${value()}`;
  }

  function tag(content = ''): string {
    const name = risky(TAGS, BAD_TAGS);
    const space = () => (chance(hostile) ? pick([' ', '\n', '\t', '/', '\f', '  ', '\u00a0', '\0']) : ' ');
    const attributes = Array.from({ length: below(3) }, () => space() + attribute()).join('');
    const end = chance(hostile) ? pick(['', ' ', '/>', '\n']) : '>';
    const close = chance(hostile / 2) ? pick(['', `</${risky(TAGS, BAD_TAGS)}>`, `</${name}`]) : `</${name}>`;
    return VOID.has(name) ? `<${name}${attributes}${end}` : `<${name}${attributes}${end}${content}${close}`;
  }

  function comment(): string {
    return risky(
      ['<!-- a -->', '<!-- <b>x</b> -->'],
      [
        '<!-->',
        '<!--->',
        '<!-- a --!>',
        '<!-- a',
        '<![CDATA[ > ]]>',
        '<?a >?>',
        '<!A >',
        '</ >',
        '<!doctype html>',
      ],
    );
  }

  function block(): string {
    switch (below(20)) {
      case 0:
        return `${'#'.repeat(1 + below(6))} ${inline()} {${attributeList()}}`;
      case 1:
        return `${pick(['```', '~~~', '````'])}${pick(['', 'js', 'html', 'x"y', 'math', 'a b=c'])}\n${inline()}\n${pick(['```', '~~~', '````', ''])}`;
      case 2:
        return `$$\n${inline()}\n$$`;
      case 3:
        return `:::${pick(['note', 'x', 'img'])}{${attributeList()}}\n${inline()}\n:::`;
      case 4:
        return `| ${inline()} | b |\n| :- | -: |\n| ${inline()} | \`${word()}\` |`;
      case 5:
        return `[${pick(['a', 'b', '^1'])}]: ${url()} ${pick(['', `"${word()}"`, `'${word()}'`])}`;
      case 6:
        return `[^1]: ${inline()}`;
      case 7:
        return `${word()}\n: ${inline()}`;
      case 8:
        return `- [${pick([' ', 'x'])}] ${inline()}\n  - ${inline()}`;
      case 9:
        return `> ${inline()}\n> ${inline()}`;
      case 10:
        return `    ${inline()}`;
      case 11:
        return `${inline()}\n${pick(['===', '---'])}`;
      case 12:
        return tag(`\n${inline()}\n`);
      case 13:
        return tag(`\n\n${block()}\n\n`);
      case 14:
        return comment();
      default:
        return `${inline()}${pick([' ', '\n', '  \n', '\\\n'])}${inline()}`;
    }
  }

  function attributeList(): string {
    return Array.from({ length: 1 + below(2) }, () =>
      pick([
        `#${word()}`,
        `.${word()}`,
        `${risky(['lang', 'title'], BAD_ATTRIBUTES)}=${pick([word(), `"${word()}"`])}`,
      ]),
    ).join(' ');
  }

  function inline(): string {
    switch (below(18)) {
      case 0:
        return `[${word()}](${url()} ${pick(['', `"${word()}"`, `'${word()}'`, `(${word()})`])})`;
      case 1:
        return `![${word()}](${pick([url(), 'pic.png', 'pic.png', `<${url()}>`])})`;
      case 2:
        return `![${word()}][${pick(['a', 'b'])}] [x][a]`;
      case 3:
        return `<${url()}>`;
      case 4:
        return `[[${url()}${pick(['', `|${word()}`])}]]`;
      case 5:
        return `:${pick(['x', 'img'])}[${word()}]{${attributeList()}}`;
      case 6:
        return `\`${word()}${tag()}\``;
      case 7:
        return `$${word()}$`;
      case 8:
        return `${pick(['*', '**', '~~', '^', '~', '_'])}${word()}${tag(word())}${pick(['*', '**', '~~', '^', '~', '_'])}`;
      case 9:
        return `[^1] ${word()}`;
      case 10:
        return `www.e.x${word()}`;
      case 11:
        return comment();
      case 12:
      case 13:
        return tag(word());
      case 14:
        return tag(`${word()} ${tag(word())}`);
      case 15:
        return chance(hostile) ? pick(TOKENS) : word();
      default:
        return `${word()} ${word()}`;
    }
  }

  function mutate(body: string): string {
    const at = below(body.length + 1);
    switch (below(4)) {
      case 0:
        return body.slice(0, at) + pick(MARKS) + body.slice(at);
      case 1:
        return body.slice(0, at) + body.slice(at + 1 + below(3));
      case 2:
        return body.slice(0, at);
      default:
        return body.slice(0, at) + pick([word(), url(), tag()]) + body.slice(at);
    }
  }

  return () => {
    hostile = pick([0.01, 0.03, 0.1, 0.3]);
    const blocks = Array.from({ length: 1 + below(5) }, block);
    let body = blocks.join(pick(['\n\n', '\n\n', '\n', ' ', '']));
    if (chance(0.1)) body = pick(STARTS).replace('%', () => inline()) + body;
    for (let times = below(3); times > 0 && chance(0.5); times -= 1) body = mutate(body);
    return body;
  };
}

const WORDS = [
  'a',
  'word',
  'two words',
  'ü',
  "it's",
  '"q"',
  '1 < 2',
  'a & b',
  '&amp;',
  '&lt;b&gt;',
  'x = y',
  '\\<b>',
] as const;
const ODD_WORDS = [
  ...([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '" onclick="alert(1)',
    "' onclick='alert(1)",
  ] as const),
  ...([
    '&#60;script>',
    '&lt',
    '\0',
    '<\0b',
    '\u2028',
    '\ufeff',
    '\r',
    '\t',
    '--',
    '-->',
    ']]>',
    '`',
    '``',
    '"',
    "'",
  ] as const),
  ...([
    'javascript:alert(1)',
    '&#106;avascript:',
    '&colon;',
    '&NewLine;',
    '\\',
    '|',
    '</a>',
    '</p>',
    '</div>',
  ] as const),
] as const;
const URLS = [
  '/a',
  'b.html',
  '#c',
  '?d=e:f',
  'https://e.x/',
  'mailto:a@e.x',
  'data:image/png;base64,aa',
] as const;
const BAD_URLS = [
  ...([
    'javascript:alert(1)',
    'JaVaScript:alert(1)',
    'java\tscript:alert(1)',
    '&#106;avascript:alert(1)',
  ] as const),
  ...([
    'javascript&colon;alert(1)',
    'java&Tab;script:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
  ] as const),
  ...([
    'vbscript:x',
    'x"onerror="alert(1)',
    "x'onclick='alert(1)",
    'data:image/svg+xml,x',
    'javascript\0:alert(1)',
  ] as const),
] as const;
const BAD_VALUES = [
  '" onclick=alert(1)',
  '`',
  '><script>',
  'x=1',
  '&quot;',
  '&#34; onclick=1',
  '\0',
  '/>',
  'javascript:alert(1)',
] as const;
const BAD_ATTRIBUTES = [
  ...([
    'onclick',
    'onerror',
    'ONLOAD',
    'style',
    'srcdoc',
    'formaction',
    'ping',
    'action',
    'data-x',
    'x:y',
  ] as const),
  ...([
    'xlink:href',
    '@click',
    '"',
    "'",
    '=',
    '<',
    '`',
    'on\0click',
    'is',
    'name',
    'background',
    'http-equiv',
  ] as const),
] as const;
const BAD_STYLES = [
  'position: fixed',
  'background: url(//e.x)',
  'color: red; inset: 0',
  'width: expression(1)',
  '\\70osition: fixed',
] as const;
const TAGS = [
  ...([
    'b',
    'i',
    'em',
    'p',
    'div',
    'span',
    'kbd',
    'a',
    'img',
    'br',
    'hr',
    'ul',
    'li',
    'table',
    'tr',
    'td',
    'code',
  ] as const),
  ...([
    'details',
    'summary',
    'section',
    'h2',
    'pre',
    'figure',
    'blockquote',
    'dl',
    'dd',
    'video',
    'input',
  ] as const),
] as const;
const BAD_TAGS = [
  ...([
    'script',
    'style',
    'iframe',
    'object',
    'svg',
    'math',
    'template',
    'noscript',
    'title',
    'textarea',
    'select',
  ] as const),
  ...([
    'body',
    'html',
    'head',
    'frameset',
    'frame',
    'form',
    'base',
    'meta',
    'link',
    'col',
    'colgroup',
    'caption',
  ] as const),
  ...([
    'tbody',
    'th',
    'xmp',
    'plaintext',
    'noembed',
    'noframes',
    'marquee',
    'image',
    'button',
    'option',
    'x-y',
  ] as const),
  ...([
    'foreignObject',
    'desc',
    'mglyph',
    'annotation-xml',
    'mtext',
    'path',
    'animate',
    'use',
    'SCRIPT',
    'scr\0ipt',
  ] as const),
  ...([
    'nobr',
    'font',
    'main',
    'article',
    'rp',
    'rt',
    'listing',
    'search',
    'dialog',
    'portal',
    'audio',
    'source',
  ] as const),
] as const;
const VOID: ReadonlySet<string> = new Set([
  'img',
  'br',
  'hr',
  'col',
  'input',
  'meta',
  'link',
  'base',
  'source',
  'frame',
]);
const TOKENS = [
  '__ASTRO_IMAGE_="{&quot;\\u003cimg src=x onerror=alert(1)\\u003e&quot;:1}"',
  '\\_\\_ASTRO\\_IMAGE\\_="{}"',
  '&#95;_ASTRO_IMAGE_=&quot;{}&quot;',
  '`__ASTRO_IMAGE_="{&quot;src&quot;:&quot;pic.png&quot;,&quot;onclick&quot;:1}"`',
  '<img __ASTRO_IMAGE_="{&quot;src&quot;:&quot;pic.png&quot;,&quot;onerror&quot;:&quot;alert(1)&quot;}">',
  '<b title=\'__ASTRO_IMAGE_="{&quot;&apos;><img src=x onerror=alert(1)>&quot;:1}"\'>x</b>',
] as const;
const MARKS = [
  '<',
  '>',
  '"',
  "'",
  '`',
  '&',
  '=',
  '/',
  '\\',
  '\0',
  '\n',
  '\n\n',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '!',
  '-',
  '\r',
  '\t',
] as const;
const STARTS = [
  '---\n%\n---\n',
  '+++\n%\n+++\n',
  '---\n```\n---\n%\n```\n',
  '\ufeff---\n%\n---\n',
  '<col>\n\n%\n\n',
  '<col>%',
  '\n---\n%\n---\n',
  '<!-- --><col> ',
] as const;
