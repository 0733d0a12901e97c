import { expect, it } from 'vitest';
import { withServedMedia } from '../../../integration/features/images/output/served-media.ts';

const served = (text: string) =>
  withServedMedia(text, (path) => (path.endsWith('none.mp4') ? undefined : `/files/${path}`));

it.each([
  ['<video src="a.mp4" poster="b.jpg"></video>', '<video src="/files/a.mp4" poster="/files/b.jpg"></video>'],
  ["<audio>\n  <source src='a.mp3#t=9'/>\n</audio>", "<audio>\n  <source src='/files/a.mp3#t=9'/>\n</audio>"],
  ['<img alt="<" src=a.jpg>', '<img alt="<" src=/files/a.jpg>'],
  ['<video src="it&#39;s.mp4"/>', '<video src="/files/it&#39;s.mp4"/>'],
  [
    '---\ntitle: <img src="a.jpg">\n---\n<img src="a.jpg">',
    '---\ntitle: <img src="a.jpg">\n---\n<img src="/files/a.jpg">',
  ],
])('a tag gets the URL that serves its file: %s', (text, expected) => {
  expect(served(text)).toBe(expected);
});

it.each([
  '![A quay](a.jpg)',
  '![A quay][quay]\n\n[quay]: a.jpg',
  '<Video src="a.mp4" />',
  '<video src="none.mp4"></video>',
  '<video src="/a.mp4"></video><video src="https://e.x/a.mp4"></video>',
  '`<video src="a.mp4">`',
  '```html\n<video src="a.mp4">\n```',
  '<video src={film} />',
  '<video src="a.mp4',
])('other text stays as it is: %s', (text) => {
  expect(served(text)).toBe(text);
});

it('takes linear time for any text', () => {
  const text = '<video src="a.mp4" '.repeat(50_000);
  expect(served(text)).toBe(text);
  expect(served(`${'<img src=a.jpg> '.repeat(50_000)}`)).toContain('/files/a.jpg');
});
