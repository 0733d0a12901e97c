import './dom-parser.ts';
import { createMarkdownProcessor } from '@astrojs/markdown-remark';
import { describe, expect, it } from 'vitest';
import { targetOfRedirect } from '../../../admin/src/body-editor/clipboard.ts';
import { cellsOf, htmlToMarkdown } from '../../../admin/src/body-editor/html-to-markdown.ts';

/**
 * The document that Word puts on the clipboard around a selection, after its public descriptions: namespaces, settings and
 * styles in conditional comments, `StartFragment`. Browsers do not hand over the header of `CF_HTML` before it.
 */
const word = (fragment: string): string => `<html xmlns:v="urn:schemas-microsoft-com:vml"
xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns:w="urn:schemas-microsoft-com:office:word"
xmlns:m="http://schemas.microsoft.com/office/2004/12/omml"
xmlns="http://www.w3.org/TR/REC-html40">

<head>
<meta http-equiv=Content-Type content="text/html; charset=utf-8">
<meta name=ProgId content=Word.Document>
<meta name=Generator content="Microsoft Word 15">
<meta name=Originator content="Microsoft Word 15">
<link rel=File-List
href="file:///C:/Users/moon/AppData/Local/Temp/msohtmlclip1/01/clip_filelist.xml">
<!--[if gte mso 9]><xml>
 <w:WordDocument>
  <w:View>Normal</w:View>
  <w:Zoom>0</w:Zoom>
 </w:WordDocument>
</xml><![endif]-->
<style>
<!--
 /* Style Definitions */
 p.MsoNormal, li.MsoNormal, div.MsoNormal
	{mso-style-unhide:no;
	margin:0cm;
	font-size:12.0pt;}
 /* List Definitions */
 @list l0
	{mso-list-id:1;
	mso-list-type:hybrid;}
@list l0:level1
	{mso-level-number-format:bullet;
	mso-level-text:\\F0B7;
	font-family:Symbol;}
-->
</style>
<!--[if gte mso 10]>
<style>
 table.MsoNormalTable
	{mso-style-name:"Table Normal";}
</style>
<![endif]-->
</head>

<body lang=EN-GB style='tab-interval:36.0pt;word-wrap:break-word'>
<!--StartFragment-->

${fragment}

<!--EndFragment-->
</body>

</html>
`;

/** A paragraph of a list. Word breaks lines of about 80 characters, also inside of attributes. */
const item = (
  level: number,
  sign: string,
  text: string,
  place: 'First' | 'Middle' | 'Last' = 'Middle',
): string => `<p class=MsoListParagraphCxSp${place} style='margin-left:${36 * level}.0pt;mso-add-space:
auto;text-indent:-18.0pt;mso-list:l0 level${level} lfo1'><![if !supportLists]><span
style='font-family:Symbol;mso-fareast-font-family:Symbol;mso-bidi-font-family:
Symbol'><span style='mso-list:Ignore'>${sign}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;
</span></span></span><![endif]>${text}<o:p></o:p></p>

`;

/** Of LibreOffice Calc 7.4, for a sheet with a line break in a cell, an empty cell and signs of Markdown. */
const CALC = `<!DOCTYPE html>

<html>
<head>
	
	<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
	<title></title>
	<meta name="generator" content="LibreOffice 7.4.7.2 (Linux)"/>
	<style type="text/css">
		body,div,table,thead,tbody,tfoot,tr,th,td,p { font-family:"DejaVu Sans"; font-size:x-small }
		a.comment-indicator:hover + comment { background:#ffd; position:absolute; display:block; border:1px solid black; padding:0.5em;  } 
		a.comment-indicator { background:red; display:inline-block; border:1px solid black; width:0.5em; height:0.5em;  } 
		comment { display:none;  } 
	</style>
	
</head>

<body>
<table cellspacing="0" border="0">
	<colgroup width="65"></colgroup>
	<colgroup width="57"></colgroup>
	<colgroup width="59"></colgroup>
	<tr>
		<td height="17" align="left">Harbour</td>
		<td align="left">Depth</td>
		<td align="left">Note</td>
	</tr>
	<tr>
		<td height="17" align="left">Dover</td>
		<td align="right" sdval="6.7" sdnum="1033;">6.7</td>
		<td align="left">two lines<br>second</td>
	</tr>
	<tr>
		<td height="17" align="left">Calais</td>
		<td align="right" sdval="7" sdnum="1033;">7</td>
		<td align="left">&lt;b&gt;&amp;amp;</td>
	</tr>
	<tr>
		<td height="17" align="left"><br></td>
		<td align="right" sdval="1250.5" sdnum="1033;">1250.5</td>
		<td align="left">x|y</td>
	</tr>
</table>
<!-- ************************************************************************** -->
</body>

</html>`;

/** The markup of each program. LibreOffice 7.4 wrote its own; the others are written by hand after the formats of the programs. */
const CLIPBOARDS: readonly (readonly [name: string, html: string, markdown: string])[] = [
  [
    'Word: a list with levels',
    word(
      item(1, '·', 'First', 'First') +
        item(2, 'o', "Inner <b style='mso-bidi-font-weight:\nnormal'>bold</b>") +
        item(1, '·', 'Last', 'Last'),
    ),
    '- First\n  - Inner **bold**\n- Last',
  ],
  [
    'Word: a numbered list',
    word(item(1, '1.', 'One', 'First') + item(2, 'a)', 'Part') + item(1, '2.', 'Two', 'Last')),
    '1. One\n   1. Part\n2. Two',
  ],
  [
    'Word: a list that starts at 3',
    word(item(1, '3.', 'Three', 'First') + item(1, '4.', 'Four', 'Last')),
    '3. Three\n4. Four',
  ],
  [
    'Word: two lists around a paragraph',
    word(`${item(1, '·', 'One')}<p class=MsoNormal>Between<o:p></o:p></p>\n\n${item(1, '§', 'Two')}`),
    '- One\n\nBetween\n\n- Two',
  ],
  [
    'Word: a footnote',
    word(`<p class=MsoNormal>Tides rise<a style='mso-footnote-id:ftn1' href="#_ftn1"
name="_ftnref1" title=""><span class=MsoFootnoteReference><span
style='mso-special-character:footnote'><![if !supportFootnotes]><span
class=MsoFootnoteReference><span style='font-size:12.0pt;line-height:107%'>[1]</span></span><![endif]></span></span></a>
twice.<o:p></o:p></p>

<div style='mso-element:footnote-list'><![if !supportFootnotes]><br clear=all>

<hr align=left size=1 width="33%">

<![endif]>

<div style='mso-element:footnote' id=ftn1>

<p class=MsoFootnoteText><a style='mso-footnote-id:ftn1' href="#_ftnref1"
name="_ftn1" title=""><span class=MsoFootnoteReference><span style='mso-special-character:
footnote'><![if !supportFootnotes]><span class=MsoFootnoteReference>[1]</span><![endif]></span></span></a>
A <i style='mso-bidi-font-style:normal'>lunar</i> day.<o:p></o:p></p>

</div>

</div>`),
    'Tides rise[^1] twice.\n\n---\n\n[^1]: A *lunar* day.',
  ],
  [
    'Word: raised text, empty paragraphs, runs of spaces and marks of the spelling',
    word(`<h1>The <span class=SpellE>tides</span><o:p></o:p></h1>

<p class=MsoNormal>m<sup>2</sup> and<span style='mso-spacerun:yes'>  </span>H<sub>2</sub>O,
<span class=GramE>all</span> day<o:p></o:p></p>

<p class=MsoNormal><o:p>&nbsp;</o:p></p>

<p class=MsoNormal><span lang=DE style='mso-ansi-language:DE'>Ende</span><o:p></o:p></p>`),
    '# The tides\n\nm<sup>2</sup> and H<sub>2</sub>O, all day\n\nEnde',
  ],
  [
    'Word: a table',
    word(`<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0
 style='border-collapse:collapse;border:none;mso-border-alt:solid windowtext .5pt;
 mso-yfti-tbllook:1184'>
 <tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'>
  <td width=301 valign=top style='width:225.4pt;border:solid windowtext 1.0pt;
  padding:0cm 5.4pt 0cm 5.4pt'>
  <p class=MsoNormal style='margin-bottom:0cm;line-height:normal'><b>Place<o:p></o:p></b></p>
  </td>
  <td width=301 valign=top style='width:225.4pt'>
  <p class=MsoNormal>Metres<o:p></o:p></p>
  </td>
 </tr>
 <tr style='mso-yfti-irow:1;mso-yfti-lastrow:yes'>
  <td width=301 valign=top>
  <p class=MsoNormal>Dover<o:p></o:p></p>
  </td>
  <td width=301 valign=top>
  <p class=MsoNormal><o:p>&nbsp;</o:p></p>
  </td>
 </tr>
</table>`),
    '| **Place** | Metres |\n| --- | --- |\n| Dover |  |',
  ],
  [
    'Word: a link of Outlook, and a picture of a local folder',
    word(`<p class=MsoNormal><a
href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fmoon.test%2Fa%3Fb%3D1&amp;data=05"><span
style='color:#0563C1'>moon</span></a><o:p></o:p></p>

<p class=MsoNormal><!--[if gte vml 1]><v:shapetype id="_x0000_t75" coordsize="21600,21600">
</v:shapetype><v:shape id="Picture_x0020_1" style='width:120pt;height:80pt'>
 <v:imagedata src="file:///C:/Users/moon/AppData/Local/Temp/msohtmlclip1/01/clip_image001.png"/>
</v:shape><![endif]--><![if !vml]><img width=160 height=107
src="file:///C:/Users/moon/AppData/Local/Temp/msohtmlclip1/01/clip_image002.png"
v:shapes="Picture_x0020_1"><![endif]>End<o:p></o:p></p>`),
    '[moon](https://moon.test/a?b=1)\n\nEnd',
  ],
  [
    'Google Docs: lists in lists',
    `<b style="font-weight:normal;" id="docs-internal-guid-1"><ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>One</span></p></li><ul><li aria-level="2"><p role="presentation"><span>Inner</span></p></li></ul><li aria-level="1"><p role="presentation"><span>Two</span></p></li></ul></b>`,
    '- One\n  - Inner\n- Two',
  ],
  [
    'Google Docs: a link and empty lines',
    `<b style="font-weight:normal;" id="docs-internal-guid-2"><p><a href="https://www.google.com/url?q=https://moon.test/a&amp;sa=D&amp;source=editors&amp;ust=1"><span>moon</span></a></p><br /><p><span>End</span></p></b><br class="Apple-interchange-newline">`,
    '[moon](https://moon.test/a)\n\nEnd',
  ],
  [
    'Google Docs: raised text',
    `<p><span>m</span><span style="font-size:0.6em;vertical-align:super;">2</span><span> H</span><span style="vertical-align:sub">2</span><span>O</span></p>`,
    'm<sup>2</sup> H<sub>2</sub>O',
  ],
  [
    'Google Docs: a footnote',
    `<p><span>Tides rise</span><sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup><span> twice.</span></p><hr><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span>&nbsp;A day.</span></p></div>`,
    'Tides rise[^1] twice.\n\n---\n\n[^1]: A day.',
  ],
  [
    'LibreOffice: text and lists',
    `<h1 class="western">\nTides</h1>\n<p>The <b>moon</b> and <i>sun</i>, H<sub>2</sub>O and m<sup>2</sup>.</p>\n<ul>\n\t<li><p style="margin-bottom: 0in">one</p>\n\t<ul>\n\t\t<li><p style="margin-bottom: 0in">inner</p>\n\t</ul>\n\t<li><p>two</p>\n</ul>\n<ol>\n\t<li><p style="margin-bottom: 0in">a</p>\n\t<li><p>b</p>\n</ol>\n<p><br/>\n<br/>\n\n</p>`,
    '# Tides\n\nThe **moon** and *sun*, H<sub>2</sub>O and m<sup>2</sup>.\n\n- one\n  - inner\n- two\n\n1. a\n2. b',
  ],
  [
    'LibreOffice: a table',
    `<table width="38" cellpadding="2" cellspacing="1">\n\t<col width="12"/>\n\n\t<col width="13"/>\n\n\t<tr>\n\t\t<td width="12" style="padding: 0.02in"><p>\n\t\t\ta</p>\n\t\t</td>\n\t\t<td width="13"><p>\n\t\t\tb</p>\n\t\t</td>\n\t</tr>\n\t<tr>\n\t\t<td><p>\n\t\t\t1</p>\n\t\t</td>\n\t\t<td><p>\n\t\t\t2</p>\n\t\t</td>\n\t</tr>\n</table>`,
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'LibreOffice: cells of a spreadsheet',
    CALC,
    '| Harbour | Depth | Note |\n| --- | --- | --- |\n| Dover | 6.7 | two lines<br />second |\n| Calais | 7 | &lt;b>&amp;amp; |\n|  | 1250.5 | x\\|y |',
  ],
  [
    'LibreOffice: a footnote',
    `<p>Tides\nrise<a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym"><sup>1</sup></a>\ntwice.</p>\n<div id="sdfootnote1"><p class="sdfootnote" style="margin-bottom: 0.2in">\n\t<a class="sdfootnotesym" name="sdfootnote1sym" href="#sdfootnote1anc">1</a>A\n\tday.</p>\n</div>`,
    'Tides rise[^1] twice.\n\n[^1]: A day.',
  ],
  [
    'Notion: a page',
    `<meta charset='utf-8'><h2>Tides</h2>\n<p>The <strong>moon</strong>.</p>\n<ul>\n<li>one\n<ul>\n<li>inner</li>\n</ul>\n</li>\n<li>two</li>\n</ul>\n<!-- notionvc: 1 -->`,
    '## Tides\n\nThe **moon**.\n\n- one\n  - inner\n- two',
  ],
  [
    'Notion: tasks and code',
    `<ul class="to-do-list"><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul><pre><code class="language-js">a = 1;\n</code></pre>`,
    '- [x] done\n- [ ] open\n\n```js\na = 1;\n```',
  ],
  [
    'a web page: footnotes',
    `<p>Tides rise<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref>1</a></sup>.</p><section class="footnotes"><ol><li id="user-content-fn-1"><p>A day. <a href="#user-content-fnref-1" data-footnote-backref>↩</a></p></li></ol></section>`,
    'Tides rise[^1].\n\n[^1]: A day.',
  ],
  [
    'a web page: links, figures and scripts',
    `<article><h2>Tides</h2><p>See <a href="javascript:alert(1)">this</a> and <a href="https://www.youtube.com/redirect?q=https%3A%2F%2Fmoon.test%2F">that</a>.</p><figure><img src="https://moon.test/a.png" alt="A quay" onerror="alert(1)"><figcaption>At dawn</figcaption></figure><script>alert(1)</script><iframe src="https://moon.test"></iframe></article>`,
    '## Tides\n\nSee this and [that](https://moon.test/).\n\n![A quay](https://moon.test/a.png)\n\nAt dawn',
  ],
  [
    'a web page: text that looks like Markdown',
    `<p># not a heading</p><p>1. no item</p><p>a_b_c * d</p>`,
    '\\# not a heading\n\n1\\. no item\n\na\\_b\\_c \\* d',
  ],
];

describe('the clipboard', () => {
  it.each(CLIPBOARDS)('of %s', (_, html, markdown) => {
    expect(htmlToMarkdown(html).markdown).toBe(markdown);
  });

  it('has the same text after a second paste, of the page that visitors read', async () => {
    const processor = await createMarkdownProcessor({ syntaxHighlight: false });
    for (const [name, , markdown] of CLIPBOARDS) {
      const { code } = await processor.render(markdown);
      expect(htmlToMarkdown(code).markdown, name).toBe(markdown);
    }
  });

  it('of a spreadsheet has the same cells for a table', () => {
    expect(cellsOf(CALC, '')).toEqual([
      ['Harbour', 'Depth', 'Note'],
      ['Dover', '6.7', 'two lines<br />second'],
      ['Calais', '7', '&lt;b>&amp;amp;'],
      ['', '1250.5', 'x\\|y'],
    ]);
  });

  it('has pictures as files, at their places', () => {
    const image = '<img alt="A/quay" src="data:image/png;base64,iVBORw0KGgo=">';
    const { markdown, images } = htmlToMarkdown(`<p>One</p><p>${image}</p><p>Two</p>`);
    expect(markdown).toBe('One\n\n\n\nTwo');
    expect(images.map(({ at, file }) => [at, file.name, file.type, file.size])).toEqual([
      [5, 'A-quay.png', 'image/png', 8],
    ]);
  });

  it.each([
    ['https://www.google.com/url?q=https://moon.test/a&sa=D', 'https://moon.test/a'],
    ['https://www.google.de/url?sa=t&url=https%3A%2F%2Fmoon.test', 'https://moon.test'],
    ['https://l.facebook.com/l.php?u=https%3A%2F%2Fmoon.test%2F&h=1', 'https://moon.test/'],
    ['https://www.google.com/url?q=javascript:alert(1)', undefined],
    ['https://www.google.com/search?q=https://moon.test', undefined],
    ['https://google.com.moon.test/url?q=https://a.test', undefined],
    ['/url?q=https://moon.test', undefined],
  ])('of a link to %s leads to %s', (address, target) => {
    expect(targetOfRedirect(address)).toBe(target);
  });
});
