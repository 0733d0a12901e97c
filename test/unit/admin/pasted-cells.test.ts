import './dom-parser.ts';
import { describe, expect, it } from 'vitest';
import { cellsOf, htmlToMarkdown, tableOf } from '../../../admin/src/body-editor/html-to-markdown.ts';
import { tabSeparated } from '../../../admin/src/body-editor/tab-separated.ts';
import { fillCells } from '../../../admin/src/body-editor/tables/paste-cells.ts';

const TABLE = '| Place  | Metres |\n| ------ | -----: |\n| Dover  | 6.7    |\n| Calais | 7      |';

/** Written by hand after the formats of the programs. */
const CLIPBOARDS: readonly (readonly [name: string, html: string, cells: unknown])[] = [
  [
    'Excel',
    `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>.xl65{mso-number-format:"0"}</style></head><body>
<!--StartFragment--><table border=0><col width=64><tr height=20><td class=xl65>Dover</td><td align=right>6.7</td></tr>
<tr><td>A | B</td><td></td></tr></table><!--EndFragment--></body></html>`,
    [
      ['Dover', '6.7'],
      ['A \\| B', ''],
    ],
  ],
  [
    'LibreOffice Calc',
    `<html><head><meta name="generator" content="LibreOffice 7.4"/><style>td{font-family:"Liberation Sans"}</style></head><body><table cellspacing="0"><colgroup span="2"></colgroup><tr><td height="17" sdval="1"><b>one<br>two</b></td><td><a href="https://example.org">link</a></td></tr></table></body></html>`,
    [['**one<br />two**', '[link](https://example.org)']],
  ],
  [
    'cells that cover several',
    '<table><tr><td rowspan=2>a</td><td colspan=2>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
    [
      ['a', 'b', ''],
      ['', 'c', 'd'],
    ],
  ],
  ['text around a table', '<p>Text</p><table><tr><td>a</td><td>b</td></tr></table>', undefined],
  ['two tables', '<table><tr><td>a</td></tr></table><table><tr><td>b</td></tr></table>', undefined],
];

describe('pasted cells', () => {
  it.each(CLIPBOARDS)('of %s are read', (_, html, cells) => {
    expect(cellsOf(html, '')).toEqual(cells);
  });

  it.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      '"a\nb"\t"say ""so"""\n\t',
      [
        ['a\nb', 'say "so"'],
        ['', ''],
      ],
    ],
    [
      '6" pipe\t"x" y\n1\t2',
      [
        ['6" pipe', '"x" y'],
        ['1', '2'],
      ],
    ],
    ['one line', undefined],
    ['function a() {\n\treturn 1;\n}', undefined],
    ['a\tb\nc', undefined],
    ['\treturn x;', undefined],
    ['\tif (x) {\n\t}', undefined],
    ['\t\ta();\n\t\tb();\n', undefined],
    ['  \ta\n  \tb', undefined],
    ['name\tvalue', undefined],
    [
      '\ta\nb\tc',
      [
        ['', 'a'],
        ['b', 'c'],
      ],
    ],
  ])('are found in the text %j', (text, cells) => {
    expect(tabSeparated(text)).toEqual(cells);
  });

  it('are Markdown without marks, as they were typed', () => {
    expect(cellsOf('', '*a*\t<b> < c\n"x\ny"\t1|2\nR&D\t&copy; {x}')).toEqual([
      ['\\*a\\*', '&lt;b> < c'],
      ['x<br />y', '1\\|2'],
      ['R&D', '&amp;copy; {x}'],
    ]);
    expect(
      tableOf([
        ['a', 'b'],
        ['1', '2'],
      ]),
    ).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |');
  });

  const TYPED =
    '<table><tr><td>&lt;b&gt;hi&lt;/b&gt;</td><td>&amp;lt; {x <code>{y &lt;b&gt;</code></td></tr></table>';

  it('of HTML are Markdown without marks, as they were typed', () => {
    expect(cellsOf(TYPED, '')).toEqual([['&lt;b>hi&lt;/b>', '&amp;lt; {x `{y <b>`']]);
    expect(htmlToMarkdown(`<p>&lt;i&gt; {</p>${TYPED}`).markdown).toBe(
      '&lt;i> {\n\n| &lt;b>hi&lt;/b> | &amp;lt; {x `{y <b>` |\n| --- | --- |',
    );
  });

  it('are not code in MDX', () => {
    expect(cellsOf('', '{x\t{y}\n<b>\t1 < 2', true)).toEqual([
      ['\\{x', '\\{y}'],
      ['&lt;b>', '1 < 2'],
    ]);
    expect(cellsOf(TYPED, '', true)).toEqual([['&lt;b>hi&lt;/b>', '&amp;lt; \\{x `{y <b>`']]);
    expect(htmlToMarkdown('<p>{a} &lt;<b>c</b></p>', true).markdown).toBe('\\{a} &lt;**c**');
  });

  it.each([
    [
      'replace those of the table',
      { row: 1, column: 1 },
      [['1'], ['2']],
      TABLE.replace('6.7', '1').replace('7      |', '2      |'),
    ],
    [
      'add rows',
      { row: 2, column: 0 },
      [
        ['a', 'b'],
        ['c', 'x|y'],
        ['d', ''],
      ],
      `${TABLE.replace('Calais | 7', 'a | b')}\n| c | x\\|y |\n| d |  |`,
    ],
    [
      'add columns',
      { row: 0, column: 1 },
      [['m', 'n']],
      '| Place  | m | n |\n| ------ | -----: | --- |\n| Dover  | 6.7    |  |\n| Calais | 7      |  |',
    ],
  ])('%s', (_, place, cells, expected) => {
    expect(fillCells(TABLE, place, cells)).toBe(expected);
  });

  it('are read in little time', () => {
    const start = performance.now();
    for (const part of ['"', '"\t', '\t', '\n\t', '""\t"']) tabSeparated(part.repeat(50_000));
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
