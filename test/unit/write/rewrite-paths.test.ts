import { describe, expect, it, test } from 'vitest';
import { createPathRewriter } from '../../../integration/features/uploads/rewrite-paths.ts';

const MOVES = new Map([
  ['article/moon.png', 'article/2024/full-moon.png'],
  ['article/my sea (1).png', 'article/sea/my sea (1).png'],
  ['article/tides.pdf', 'page/tides.pdf'],
]);
const rewriter = createPathRewriter(MOVES);
const rewrite = (text: string, from = 'article/a.md', isBody = true) =>
  rewriter.rewrite(text, { from, base: '/sub', isBody });

describe('paths of moved files', () => {
  it.each([
    ['![Moon](moon.png)', '![Moon](2024/full-moon.png)'],
    ['![Moon](./moon.png "The moon")', '![Moon](./2024/full-moon.png "The moon")'],
    ['<img src="moon.png" alt="moon.png">', '<img src="2024/full-moon.png" alt="moon.png">'],
    ['<Picture image={"./moon.png"} />', '<Picture image={"./2024/full-moon.png"} />'],
    ['<a href="tides.pdf#page=2">tides.pdf</a>', '<a href="../page/tides.pdf#page=2">tides.pdf</a>'],
    ['[m]: ./moon.png', '[m]: ./2024/full-moon.png'],
    ["import moon from './moon.png';", "import moon from './2024/full-moon.png';"],
    ['[tables](tides.pdf#page=2)', '[tables](../page/tides.pdf#page=2)'],
    ['![Sea](<my sea (1).png>)', '![Sea](<sea/my%20sea%20(1).png>)'],
    ['![Sea](my%20sea%20(1).png)', '![Sea](sea/my%20sea%20(1).png)'],
    ['![](/sub/content-files/article/moon.png)', '![](/sub/content-files/article/2024/full-moon.png)'],
  ])('%s', (text, expected) => {
    expect(rewrite(text)).toBe(expected);
  });

  it.each([
    ['src: moon.png # as it was', 'src: 2024/full-moon.png # as it was'],
    ['{"src":"../article/moon.png"}', '{"src":"./2024/full-moon.png"}'],
    ['images: [moon.png, ./moon.png]', 'images: [2024/full-moon.png, ./2024/full-moon.png]'],
    ['images:\n  - moon.png\n', 'images:\n  - 2024/full-moon.png\n'],
    ["src = 'moon.png'", "src = '2024/full-moon.png'"],
    ['cover: /sub/content-files/article/moon.png', 'cover: /sub/content-files/article/2024/full-moon.png'],
    ['title: Why moon.png is wrong', 'title: Why moon.png is wrong'],
    ['title: "See moon.png"', 'title: "See moon.png"'],
    ['summary: >\n  The file moon.png\n', 'summary: >\n  The file moon.png\n'],
    ['link: https://example.org/x?f=./moon.png', 'link: https://example.org/x?f=./moon.png'],
  ])('in frontmatter: %s', (text, expected) => {
    expect(rewrite(text, 'article/a.md', false)).toBe(expected);
  });

  it.each([
    'The file moon.png, ./moon.png and "moon.png" as a name',
    '[x](https://example.org/x?f=./moon.png)',
    'https://example.org/x?f=./moon.png',
    'Code: `![](moon.png)`',
    '```\n![](moon.png)\n```',
    '![Other](other/moon.png)',
    '![Same name](half-moon.png)',
    '![Public](/moon.png)',
    'https://example.org/moon.png',
    'A moon.pngx and a moon',
    '',
  ])('stay in %s', (text) => {
    expect(rewrite(text)).toBe(text);
  });

  it('follow the file that has them', () => {
    expect(rewrite('![](../../article/moon.png)', 'page/x/a.md')).toBe(
      '![](../../article/2024/full-moon.png)',
    );
    expect(rewrite('![](../moon.png)', 'article/2024/a.md')).toBe('![](./full-moon.png)');
  });

  it('with spaces are written as they are in frontmatter', () => {
    expect(rewrite('cover: "my sea (1).png"', 'article/a.md', false)).toBe('cover: "sea/my sea (1).png"');
  });
});

test('a text with many paths takes linear time', () => {
  const time = (count: number) => {
    const text = 'x/'.repeat(count) + ' moon.png '.repeat(count) + '![](moon.png)'.repeat(count);
    const start = performance.now();
    rewrite(text);
    return performance.now() - start;
  };
  time(2000);
  expect(time(80_000)).toBeLessThan(40 * Math.max(time(8000), 5));
});
