import { satteri } from '@astrojs/markdown-satteri';
import { describe, expect, it } from 'vitest';
import { createBodyRenderer } from '../../../integration/astro/markdown.ts';

import { bodyText } from '../../../integration/core/content/model.ts';
import { mayHoldImages, relativeImagePath, scanBody } from '../../../integration/core/source/body-images.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { png } from '../../support/pictures.ts';
import { collect } from '../content/collect.ts';

const imagesInBody = (body: string) => scanBody(body).images;

describe('the images of a body', () => {
  it.each<[string, string, readonly string[]]>([
    ['of markdown', '![A](cover.png) and ![B](./deep/b.png "Words")', ['cover.png', './deep/b.png']],
    ['in angle brackets', '![A](<my cover.png>)', ['my cover.png']],
    ['with parentheses and escapes', '![A](a_(b).png)![B](a\\_b.png)', ['a_(b).png', 'a_b.png']],
    ['with character references', '![A](a&amp;b.png) <img src="a&#38;b.png">', ['a&b.png', 'a&b.png']],
    ['with brackets in their alternative text', '![a [b] \\] c](c.png)', ['c.png']],
    [
      'in links, lists and quotes',
      '[![A](a.png)](b.html)\n\n- ![B](b.png)\n\n> ![C](c.png)',
      'abc'.split('').map((name) => `${name}.png`),
    ],
    [
      'by label',
      '![A][one] ![Two  b]\n\n![three][]\n\n[One]: 1.png "T"\n[two b]: <2.png>\n[three]: 3.png',
      ['1.png', '2.png', '3.png'],
    ],
    ['by the first definition of a label', '![A][one]\n\n[one]: 1.png\n[One]: 2.png', ['1.png']],
    [
      'of HTML',
      '<img alt="a>b" src="x.png">\n<IMG src=y.png>\n<img\n  src=\'z.png\' />',
      ['x.png', 'y.png', 'z.png'],
    ],
    [
      'except in code',
      '`![A](a.png)` ``![B](`b.png)``\n\n```md\n![C](c.png)\n```\n\n- ~~~\n  ![D](d.png)\n  ~~~\n\n![E](e.png)',
      ['e.png'],
    ],
    ['after an unmatched backtick', 'A ` here.\n\n![A](a.png) and ` there', ['a.png']],
    [
      'except in comments and raw text',
      '<!-- ![A](a.png) --><pre>![B](b.png)</pre>\n\n![C](c.png)',
      ['c.png'],
    ],
    ['except links and escaped marks', '[A](a.png) \\![B](b.png) !\\[C](c.png)\n\n[d]: d.png', []],
    [
      'and videos, sounds and captions of HTML',
      '<video src="a.mp4" controls poster=\'a.jpg\'><track src="a.vtt"></video> <AUDIO controls><source src=b.ogg></AUDIO>',
      ['a.mp4', 'a.jpg', 'a.vtt', 'b.ogg'],
    ],
    ['except in other elements', '<article src="a.png"><a href="b.png">B</a></article>', []],
    ['except in expressions', '<img src={cover} />', ['{cover}']],
  ])('%s', (_what, body, expected) => {
    expect(imagesInBody(body).map(({ src }) => src)).toEqual(expected);
    expect(mayHoldImages(new TextEncoder().encode(body))).toBe(/!\[|<[iva]/i.test(body));
  });

  it.each([
    ['', undefined],
    ['/images/x.png', undefined],
    ['//example.com/x.png', undefined],
    ['https://example.com/x.png', undefined],
    ['data:image/png;base64,AAAA', undefined],
    ['#top', undefined],
    ['?x', undefined],
    ['x.png', { path: 'x.png', suffix: '' }],
    ['./my%20x%231.png', { path: './my x#1.png', suffix: '' }],
    ['x.svg?v=2#icon', { path: 'x.svg', suffix: '?v=2#icon' }],
    ['100%.png', { path: '100%.png', suffix: '' }],
  ])('may be relative: %s', (src, expected) => {
    expect(relativeImagePath(src)).toEqual(expected);
  });

  it.each([
    '![',
    '![](',
    '![](<',
    '![a](b "',
    '[![',
    '<img src="',
    "<img a='",
    '<video poster="',
    '`',
    '``` x`',
    '> ',
    '![]: [',
    '<pre>',
    '<!--',
    '\\',
    '[a]:',
    '    ![](x)',
  ])('are found in linear time in a body full of %j', async (part) => {
    const body = part.repeat(1_000_000 / part.length);
    const taken = await cpuTime(() => {
      imagesInBody(body);
      imagesInBody(`${body}\n>`);
    });
    expect(taken).toBeLessThan(3000);
  });
});

describe('images in the text of a body', () => {
  const FILES = {
    'article/deep/cover.png': png(4, 3),
    'article/deep/my cover.png': png(4, 3),
    'article/deep/film.mp4': 'film',
    'article/_kept/x.png': png(4, 3),
    'assets.png': png(1, 1),
    'article/other.md': 'Other.\n',
  };

  async function processed(body: string): Promise<string> {
    const collected = await collect({ ...FILES, 'article/a.md': body });
    const render = createBodyRenderer({
      createRenderer: () => satteri().createRenderer({}),
      contentUrl: undefined,
    });
    return render(collected.entity('article/a.md'));
  }

  it.each([
    ['![A](deep/cover.png)', '<img alt="A" src="/content-files/article/deep/cover.png">'],
    ['![A](./deep/my%20cover.png)', '<img alt="A" src="/content-files/article/deep/my%20cover.png">'],
    ['![A][c]\n\n[c]: ./deep/cover.png', '<img src="/content-files/article/deep/cover.png" alt="A">'],
    ['<img src="deep/cover.png" width=5>', '<img src="/content-files/article/deep/cover.png" width=5>'],
    [
      '<p><img alt="" src=\'./deep/cover.png?v=1&amp;w=2\'></p>',
      '<p><img alt="" src=\'/content-files/article/deep/cover.png?v=1&amp;w=2\'></p>',
    ],
    [
      '<video poster="deep/cover.png" src="deep/film.mp4#t=5" controls></video>',
      '<video poster="/content-files/article/deep/cover.png" src="/content-files/article/deep/film.mp4#t=5" controls></video>',
    ],
    ['![A](/images/a.png)', '<img src="/images/a.png" alt="A">'],
    ['![A](https://example.com/a.png)', '<img src="https://example.com/a.png" alt="A">'],
    ['[A](deep/cover.png)', '<a href="deep/cover.png">A</a>'],
  ])('have the URL that serves them: %s', async (body, expected) => {
    expect(await processed(body)).toContain(expected);
  });

  it('stay as written in the source', async () => {
    const { entity } = await collect({ ...FILES, 'article/a.md': '![A](deep/cover.png)' });
    const { body, images } = entity('article/a.md');
    expect(body && bodyText(body)).toBe('![A](deep/cover.png)');
    expect(images).toEqual([
      {
        path: 'deep/cover.png',
        uri: 'content://article/deep/cover.png',
        url: '/content-files/article/deep/cover.png',
      },
    ]);
  });

  it.each([
    [
      '![A](deep/covr.png)',
      'content/article/a.md:5:9 warning: There is no file `deep/covr.png`. (Did you mean `./deep/cover.png`?)',
    ],
    [
      '<img src="x/y/z.bmp">',
      'content/article/a.md:5:14 warning: There is no file `x/y/z.bmp`. (Paths are relative to the file, or with a leading slash to public/.)',
    ],
    [
      '![A](../../x.png)',
      'content/article/a.md:5:9 warning: `../../x.png` is outside the content folder. (Move the file into the folder. Outside of it, only images of the project can be used.)',
    ],
    [
      '![A](_kept/x.png)',
      'content/article/a.md:5:9 warning: `_kept/x.png` is not served: it is content itself, outside of bundle folders, or its path has a leading `_` or `.`. (Put a copy beside the entity or in public/.)',
    ],
    [
      '![A](other.md)',
      'content/article/a.md:5:9 warning: `other.md` is not served: it is content itself, outside of bundle folders, or its path has a leading `_` or `.`. (Put a copy beside the entity or in public/.)',
    ],
  ])('are reported at their position if they are missing: %s', async (written, expected) => {
    const { problems } = await collect({
      ...FILES,
      'article/a.md': `---\ntitle: Ä\n---\nText\n🌊 ${written} text ${written}\n`,
    });
    expect(problems).toEqual([expected, expect.stringContaining('a.md:5:')]);
  });

  it.each([
    'A number![^1]\n\n[^1]: This is a note.\n',
    'See types![^tait].\n\n[^tait]: cover.png is not the address of an image.\n',
  ])('are not footnotes: %j', async (text) => {
    const { problems } = await collect({ 'article/a.md': text });
    expect(problems).toEqual([]);
  });

  it('are not required in indented text, which may be code', async () => {
    const { problems } = await collect({ ...FILES, 'article/a.md': 'Write\n\n    ![A](your.png)\n' });
    expect(problems).toEqual([]);
  });

  it('are checked in a file with errors too', async () => {
    const { problems } = await collect({
      ...FILES,
      'article/a.md': '---\nstatus: yes\n---\n![A](your.png)\n',
    });
    expect(problems.some((line) => line.includes('There is no file `your.png`'))).toBe(true);
  });

  it('appear and disappear with their file', async () => {
    const { driver, collector, entity } = await collect({ 'article/a.md': '![A](late.png)\n' });
    expect(entity('article/a.md').images).toBeUndefined();
    await driver.write('article/late.png', png(1, 1));
    const { put } = await collector.apply(['article/late.png']);
    expect(put.map(({ images }) => images?.[0]?.url)).toEqual(['/content-files/article/late.png']);
    expect(collector.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([]);
    await driver.remove('article/late.png');
    const gone = await collector.apply(['article/late.png']);
    expect(gone.put.map(({ images }) => images)).toEqual([undefined]);
    expect(collector.diagnostics().map(({ code }) => code)).toContain('body/image-missing');
  });
});
