import { satteri } from '@astrojs/markdown-satteri';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import {
  withAstroImages,
  withServedImages,
  withWrittenImages,
} from '../../../integration/astro/markdown-images.ts';

const MARKED =
  '<img class="a" __ASTRO_IMAGE_="{&quot;alt&quot;:&quot;a &lt; b&#x27;s&quot;,&quot;src&quot;:&quot;pic.png&quot;,&quot;index&quot;:0}">';
const FORGED = '__ASTRO_IMAGE_="{&quot;src&quot;:&quot;pic.png&quot;,&quot;onclick&quot;:1}"';

describe('the images of rendered Markdown', () => {
  it('have the attributes that their author wrote', () => {
    expect(withWrittenImages(`<p>${MARKED}</p>`)).toBe(
      '<p><img class="a" alt="a &lt; b&#x27;s" src="pic.png"></p>',
    );
  });

  it.each([
    '<img __ASTRO_IMAGE_="{">',
    '<img __ASTRO_IMAGE_="">',
    '<img __ASTRO_IMAGE_="null">',
    '<img __ASTRO_IMAGE_="[1]">',
    '<img __ASTRO_IMAGE_="{&quot;a b&quot;:1}">',
    '<img __ASTRO_IMAGE_="{&quot;><script>&quot;:1}">',
  ])('lose an image token that is not an image: %s', (html) => {
    expect(withWrittenImages(html)).toBe('<img >');
  });

  it.each([
    FORGED,
    `<b ${FORGED}>x</b>`,
    `<b title='${FORGED}'>x</b>`,
    `<code>${FORGED}</code>`,
    `<!-- ${FORGED} -->`,
    "<img __ASTRO_IMAGE_='{}'>",
    '<img __astro_image_="{}">',
    '<img __ASTRO_IMAGE_="',
  ])('leave the token as text elsewhere: %s', (html) => {
    expect(withWrittenImages(html)).toBe(html);
  });
});

describe("HTML for Astro's content layer", () => {
  const ASTRO = /__ASTRO_IMAGE_="([^"]+)"/g;

  it("has the renderer's images as Astro expects them", async () => {
    const { render } = await satteri().createRenderer({});
    const { code, metadata } = await render('![a "quote" & it\'s <b>](pic.png "t")\n', { frontmatter: {} });
    const html = withAstroImages(code, metadata.localImagePaths);
    const read = (text: string) =>
      [...text.matchAll(ASTRO)].map(([, json = '']) =>
        // The same parsing as `updateImageReferencesInBody` in Astro.
        JSON.parse(
          json
            .replace(/&(?:#x22|quot);/g, '"')
            .replace(/&(?:#x27|apos);/g, "'")
            .replace(/&(?:amp|#x26|#38);/g, '&'),
        ),
      );
    expect(read(html)).toEqual([{ alt: 'a “quote” & it’s <b>', title: 't', src: 'pic.png', index: 0 }]);
  });

  it.each([
    `<b title='${FORGED}'>x</b>`,
    '<b title=\'__ASTRO_IMAGE_="{&quot;src&quot;:&quot;https://e.x/a.png&quot;}"\'>x</b>',
    '<b title=\'__ASTRO_IMAGE_="{"\'>x</b>',
    `<div>${FORGED}</div>`,
    `<code>${FORGED}</code>`,
    '<img __ASTRO_IMAGE_="{">',
    '<img __ASTRO_IMAGE_="{&quot;src&quot;:&quot;other.png&quot;}">',
    '<img __ASTRO_IMAGE_="{&quot;src&quot;:&quot;pic.png&quot;,&quot;&apos;><img src=x onerror=alert(1)>&quot;:1}">',
  ])('has no other token, and displays the same text: %s', (html) => {
    const safe = withAstroImages(`${MARKED}${html}${MARKED}`, ['pic.png']);
    expect([...safe.matchAll(ASTRO)]).toHaveLength(2);
    const text = (source: string) => JSON.stringify(readable(parseFragment(source).childNodes));
    expect(text(withAstroImages(html, ['pic.png'])).replaceAll('&#95;', '_')).toBe(text(html));
  });
});

describe('served images of a body', () => {
  const images = [{ path: 'a b.png', url: '/files/a%20b.png' }] as unknown as Parameters<
    typeof withServedImages
  >[1];
  const served = (html: string) => withServedImages(html, images);

  it.each([
    ['<img src="a%20b.png">', '<img src="/files/a%20b.png">'],
    ["<img src='a%20b.png?x=1'>", "<img src='/files/a%20b.png?x=1'>"],
    ['<IMG alt=x SRC=a%20b.png#y>', '<IMG alt=x SRC=/files/a%20b.png#y>'],
    [
      '<video controls poster="a%20b.png" src="other.mp4"></video>',
      '<video controls poster="/files/a%20b.png" src="other.mp4"></video>',
    ],
    ['<img src="a%20b.png" src="a%20b.png">', '<img src="/files/a%20b.png" src="a%20b.png">'],
  ])('have their URL: %s', (html, expected) => {
    expect(served(html)).toBe(expected);
  });

  it.each([
    '<img src=a%20b.png?&#32;onerror&#61;alert(1)>',
    '<img src=a%20b.png?&#9;onerror&#61;alert(1)>',
    "<img src='a%20b.png?&#39;onerror=alert(1)'>",
    '<img src="a%20b.png?&quot;onerror=alert(1)">',
    '<img src=a%20b.png?&#62;<script>',
    '<img src=a%20b.png"/onerror=alert(1)>',
    '<b title="<img src=a%20b.png onerror=alert(1) >">x</b>',
    "<b title='<img src=a%20b.png?&#39; onerror=alert(1) >'>x</b>",
    '<b title="<img src=\'a%20b.png?&quot; onerror=alert(1)\' >">x</b>',
    '<!-- <img src=a%20b.png?--&#62; onerror=1> -->',
  ])('cannot add an attribute or an element: %s', (html) => {
    const shape = (source: string) => JSON.stringify(readable(parseFragment(source).childNodes, true));
    expect(shape(served(html))).toBe(shape(html));
  });
});

/** The elements, attributes and text of the parsed HTML; with `shape`, only the names. */
function readable(nodes: readonly DefaultTreeAdapterTypes.ChildNode[], shape = false): unknown[] {
  return nodes.map((node) => {
    if ('tagName' in node) {
      const attributes = node.attrs.map(({ name, value }) => (shape ? name : [name, value]));
      return [node.tagName, attributes, readable(node.childNodes, shape)];
    }
    return shape ? node.nodeName : 'value' in node ? node.value : 'data' in node ? node.data : node.nodeName;
  });
}
