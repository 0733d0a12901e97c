import { describe, expect, it } from 'vitest';
import { mdxText } from '../../../integration/features/mdx/mdx-text.ts';
import { cpuTime } from '../../support/cpu-time.ts';

/** Without empty lines, which separate blocks only. */
const plain = (mdx: string) =>
  mdxText(mdx)
    .split('\n')
    .filter((line) => line.trim() !== '');

describe('the Markdown of an MDX text', () => {
  it.each([
    ['an import', 'import a from "b"'],
    ['an import without names', "import './a.css';"],
    ['imports over lines', 'import {\n  a,\n  b as c,\n} from "d";\nimport * as e from "f" // why'],
    ['an import of types', 'import type { A } from "b"\nimport type C from "d"'],
    ['an import with attributes', 'import a from "./a.json" with { type: "json" };'],
    ['exports of other modules', 'export { a } from "b"\nexport * from "c"'],
    ['exports of names', 'export { a, b as c }'],
    ['an export with empty lines', 'export const a = {\n  b: 1,\n\n  c: [`\n\n# No heading\n`],\n};'],
    ['an export with tags', "export const A = ({ b }) => <p>don't {b}</p>"],
    ['a function', 'export default function Layout({ children }) {\n\n  return <>{children}</>;\n}'],
    ['an export with types', 'export const a: number = 1'],
    ['Windows line breaks', 'import a from "b"\r\nexport const c = 1\r'],
  ])('leaves out %s', (_, code) => {
    expect(plain(`${code}\n\nText`)).toEqual(['Text']);
    expect(plain(`# Title\n${code}`)).toEqual(['# Title']);
  });

  it('leaves out statements that a paragraph follows without an empty line', () => {
    expect(plain('import a from "b"\nimport c from "d"\nText.')).toEqual(['Text.']);
  });

  it.each([
    'import the package, then run it.',
    'import statements are hoisted',
    'export default settings are fine.',
    'exports and imports',
    'Use this line:\nimport a from "b"',
    ' import a from "b"',
    '- import a from "b"',
    '```js\nimport a from "b"\n```',
    '> ```\n> export const a = 1\n> ```',
    '~~~~\n~~~\nimport a from "b"\n<A />\n~~~~',
    'Text with `<Tabs>` and `{/* code */}` and ``a ` <B>``.',
    'An escaped \\<Tabs> and \\{/* brace */}.',
    'a < b and a <1 and <A',
    '<A b={',
    'An expression: {1 + 1}',
  ])('keeps %j', (text) => {
    expect(mdxText(text)).toBe(text);
  });

  it('keeps the children of components where their tags were', () => {
    const tabs =
      '<Tabs>\n  <TabItem label="a > b">\n    ```sh\n    npm i\n      x\n    ```\n\n    **Bold**\n  </TabItem>\n  <TabItem label="c">d</TabItem>\n</Tabs>\nText';
    expect(plain(tabs)).toEqual(['```sh', 'npm i', '  x', '```', '**Bold**', 'd', 'Text']);
    expect(plain('<Steps>\n1. One\n\n   <Card>\n     Two\n   </Card>\n</Steps>')).toEqual([
      '1. One',
      '   Two',
    ]);
    expect(plain('> <Note>\n> Text\n> </Note>')[1]).toBe('> Text');
  });

  it('separates the children of a component from the text around it', () => {
    expect(mdxText('One\n<Card>\nTwo\n</Card>\nThree')).toBe('One\n\nTwo\n\nThree');
  });

  it('leaves out tags in a line, tags over lines, fragments, and comments', () => {
    expect(mdxText('A <Badge text="x" /> b <a.b>c</a.b> <>d</>{" "}e{/* f */}')).toBe('A  b c d e');
    expect(mdxText("a{' '}<B>b</B>")).toBe('a b');
    expect(plain('<Foo\n  a={{ b: "}>" }}\n\n  {...c}\n/>\nText')).toEqual(['Text']);
    expect(plain('{/*\n\nA comment\n*/}\n\nText')).toEqual(['Text']);
  });

  it('keeps HTML elements, with the attributes that HTML has', () => {
    const html = '<div className="a" style={{ b: "c" }} id="d">\n\nText\n\n</div>';
    expect(mdxText(html)).toBe('<div class="a" id="d">\n\nText\n\n</div>');
  });

  it('keeps Markdown in HTML elements', () => {
    const details = '<details>\n<summary>Code</summary>\n```js\na\n```\n</details>';
    expect(mdxText(details)).toBe(details.replace('```js', '\n```js'));
    const table = '<div>\n  <table>\n    <tr></tr>\n  </table>\n</div>';
    expect(mdxText(table)).toBe(table);
  });

  it('takes linear time', async () => {
    for (const part of [
      '<A b={',
      '<A b={`',
      '{/*',
      '`` ` ',
      'import {\n\n',
      'export const a = `\n\n',
      '<A>\n ',
      '<A {/*',
      '{/*',
    ]) {
      expect(await cpuTime(() => mdxText(part.repeat(5_000))), part).toBeLessThan(3_000);
    }
  });
});
