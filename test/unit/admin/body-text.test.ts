import './dom-parser.ts';
import { EditorState } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../../admin/src/body-editor/html-to-markdown.ts';
import { imageFilesOf } from '../../../admin/src/body-editor/image-files.ts';
import { editorText, lineEndingsOf } from '../../../admin/src/body-editor/line-endings.ts';
import { pagePath, typedAddress, withAnchors } from '../../../admin/src/body-editor/link-targets.ts';
import { countWords } from '../../../admin/src/body-editor/word-count.ts';

describe('line endings', () => {
  it('of any text survive the editor', () => {
    const texts = fc.array(fc.constantFrom('a', ' ', '\t', '\r', '\n', '\r\n'), { maxLength: 12 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const endings = lineEndingsOf(text);
        const separator = endings.isMixed ? [EditorState.lineSeparator.of('\n')] : [];
        const { doc } = EditorState.create({ doc: editorText(text, endings), extensions: separator });
        expect(doc.sliceString(0, doc.length, endings.separator)).toBe(text);
      }),
    );
  });
});

describe('words', () => {
  it.each([
    ['', 0],
    ['The **moon** and the [sun](/sun/and/stars "x").', 5],
    ["It's 3.5 metres, ice-cold", 4],
    ['<Chart data="a b" /> two<!-- not these words --> three', 2],
    ['```js\none two\n```', 2],
    ['- [ ] Über Äpfel', 2],
    ['月が昇る moon', 4],
    ['月-海', 2],
    ['今天的海水很平静。', 5],
    ['ดวงจันทร์ขึ้นแล้ว', 4],
    ['يرتفع القمر', 2],
  ])('of %j are %i', (markdown, count) => {
    expect(countWords(markdown)).toBe(count);
  });
});

describe('pasted HTML', () => {
  it.each([
    [
      'headings and emphasis',
      '<h2>Tides</h2><p>The <b>moon</b> and <i>sun</i>.</p>',
      '## Tides\n\nThe **moon** and *sun*.',
    ],
    [
      'lists',
      '<ul><li>one</li><li>two<ul><li>in</li></ul></li></ul><ol start=3><li>c</li><li>d</li></ol>',
      '- one\n- two\n  - in\n\n3. c\n4. d',
    ],
    ['tasks', '<ul><li><input type=checkbox checked> done</li></ul>', '- [x] done'],
    [
      'tables',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr></table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 | x y |',
    ],
    ['layout', '<table><tr><td>only <b>text</b></td></tr></table>', 'only **text**'],
    ['code', '<pre><code class="language-js">a = `1`;\n</code></pre>', '```js\na = `1`;\n```'],
    ['line breaks', 'a&nbsp;b<br>c', 'a b\\\nc'],
    [
      'Google Docs',
      '<b style="font-weight:normal" id="docs-internal-guid-1"><p><span style="font-weight:700">Bold</span> <span style="font-style:italic">it</span></p></b>',
      '**Bold** *it*',
    ],
    [
      'a part of a page',
      '<html><body>\n<!--StartFragment--><em>a</em><!--EndFragment-->\n</body></html>',
      '*a*',
    ],
    ['characters of Markdown', '<p>1. a * b _c_ [d] `e`</p>', '1\\. a \\* b \\_c\\_ \\[d\\] \\`e\\`'],
    [
      'images',
      '<img src="https://a.test/b.png" alt="B"> <img src="file:///c.png" alt="C"><img src="data:image/png;base64,xx">',
      '![B](https://a.test/b.png) C',
    ],
    ['addresses that run scripts', '<a href="javascript:alert(1)">a</a> <a href="/b">b</a>', 'a [b](/b)'],
    ['scripts and styles', '<style>p{}</style><script>alert(1)</script><p>a</p>', 'a'],
  ])('%s', (_, html, markdown) => {
    expect(htmlToMarkdown(html).markdown).toBe(markdown);
  });
});

describe('the target of a link', () => {
  it.each([
    ['https://a.test/b', 'https://a.test/b'],
    ['a.test/b?c', 'https://a.test/b?c'],
    ['/about', '/about'],
    ['#top', '#top'],
    ['ada@a.test', 'mailto:ada@a.test'],
    ['javascript:alert(1)', undefined],
    ['the moon', undefined],
    ['moon', undefined],
    ['', undefined],
  ])('that is typed as %j is %j', (typed, address) => {
    expect(typedAddress(typed)).toBe(address);
  });

  it('is the path of an entity with a page', () => {
    expect(pagePath({ attributes: { path: { alias: '/moon' } } }, '/docs')).toBe('/docs/moon');
    expect(pagePath({ attributes: { path: { alias: null } } }, '')).toBeUndefined();
    expect(pagePath({ attributes: { path: null } }, '')).toBeUndefined();
  });
});

describe('the anchor of a heading', () => {
  it.each([
    [['The Moon!'], ['the-moon']],
    [['Où est zéro ?'], ['où-est-zéro-']],
    [
      ['A', 'A', 'A-1', 'A'],
      ['a', 'a-1', 'a-1-1', 'a-2'],
    ],
    [['snake_case & 1.2'], ['snake_case--12']],
    [['月 と 海'], ['月-と-海']],
  ])('of %j is %j, as on the page', (titles, anchors) => {
    expect(withAnchors(titles.map((title) => ({ title, level: 2 }))).map(({ id }) => id)).toEqual(anchors);
  });
});

describe('the file of an image', () => {
  it.each([
    ['./quay.jpg', { entityType: 'node', bundle: 'article' }, ['content://article/quay.jpg']],
    [
      'quay%20b.jpg?x#y',
      { entityType: 'node', bundle: 'article', id: '2024/moon' },
      ['content://article/2024/quay b.jpg', 'content://article/2024/moon/quay b.jpg'],
    ],
    [
      '../a.png',
      { entityType: 'taxonomy_term', bundle: 'tags', id: 'x/sky' },
      ['content://taxonomy_term--tags/a.png', 'content://taxonomy_term--tags/x/a.png'],
    ],
  ])('%j', (address, place, files) => {
    expect(imageFilesOf(address, place)).toEqual(files);
  });
});
