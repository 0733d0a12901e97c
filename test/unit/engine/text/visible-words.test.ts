import { describe, expect, test } from 'vitest';
import { positionedWords } from '../../../../integration/core/engine/text/positioned-words.ts';
import { searchableText } from '../../../../integration/core/engine/text/searchable-text.ts';
import { splitWords } from '../../../../integration/core/engine/text/words.ts';
import { createBody } from '../../../support/body.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const FENCE = '```';

test('the places of half-width katakana are those of their words', () => {
  const text = '\uff76\uff9e\uff72\uff84\uff9e';
  const words = positionedWords(text);
  expect(words.map(({ word }) => word).sort()).toEqual(splitWords(text).sort());
  expect(words[0]).toEqual({ word: 'ガ', start: 0, end: 2 });
});

describe('a full-text search finds what a reader sees', () => {
  test.each([
    ['a component in code', 'Use `<Quokka />` here.', 'quokka', true],
    [
      'an attribute in fenced code',
      `${FENCE}html\n<a href="https://example.com/wombat">x</a>\n${FENCE}`,
      'wombat',
      true,
    ],
    ['fenced code in a list', `- One\n\n  ${FENCE}\n  <Numbat>\n  ${FENCE}\n\nAfter <Tag>.`, 'numbat', true],
    ['code in a quote', `> ~~~\n> <Bilby />\n> ~~~\n`, 'bilby', true],
    ['a named entity in a word', 'Meet at the caf&eacute;.', 'cafe', true],
    ['a numbered entity in a word', 'caf&#233;', 'café', true],
    ['a word with a soft hyphen', 'un\u00adbeliev\u00adable', 'unbelievable', true],
    ['a word with a soft hyphen as an entity', 'un&shy;believable', 'unbelievable', true],
    ['a word with a place to break it', 'un<wbr>believable', 'unbelievable', true],
    ['a partly bold word', '**un**believable', 'unbelievable', true],
    ['a partly bold word in HTML', 'un<b>believ</b>able', 'unbelievable', true],
    ['words beside a block', '<p>one</p><p>two</p>', 'two', true],
    ['not two blocks as one word', '<p>one</p><p>two</p>', 'onetwo', false],
    [
      'no address of a definition',
      '[map][m]\n\n[m]: https://example.com/platypus "Echidna"',
      'platypus',
      false,
    ],
    ['the text of a footnote', 'Here[^m].\n\n[^m]: Echidna', 'echidna', true],
    ['no address of a link', '[map](https://example.com/platypus)', 'platypus', false],
    ['no attribute of a tag', '<b class="platypus">x</b>', 'platypus', false],
    ['no attribute of a tag of several lines', '<img\n  src="platypus.png"\n  alt="x">', 'platypus', false],
    ['text after code that is not closed', 'A ` tick <b class="platypus">kowari</b>', 'kowari', true],
    [
      'no attribute after a closed fence',
      `${FENCE}\ncode\n${FENCE}\n<b class="platypus">x</b>`,
      'platypus',
      false,
    ],
    ['no comment', '<!-- platypus -->x', 'platypus', false],
    ['no comment with tags', '<!-- <b>platypus</b>\n\nplatypus -->\n\nquoll', 'platypus', false],
    ['text after a comment', '<!-- <b>x</b> -->\n\nquoll', 'quoll', true],
    ['text after comments without text', '<!--> quoll <!-- x -->', 'quoll', true],
    ['a word around a comment', 'un<!-- x -->believable', 'unbelievable', true],
    ['text after the start of a comment without an end', 'Write <!-- for a quoll', 'quoll', true],
    ['no script', '<script type="module">\nplatypus(1 < 2)\n</script>\n', 'platypus', false],
    ['no style', '<STYLE>.platypus { color: red }</STYLE>', 'platypus', false],
    ['no template', '<template><p>platypus</p></template> quoll', 'platypus', false],
    ['text after a template', '<template><p>platypus</p></template> quoll', 'quoll', true],
    ['no hidden element', '<div class="a" hidden><div>x</div> platypus</div>', 'platypus', false],
    ['text after a hidden element', '<div hidden=""><div>x</div> y</div> quoll', 'quoll', true],
    ['text that can be found in a closed element', '<p hidden="until-found">quoll</p>', 'quoll', true],
    ['text in an element with the word hidden', '<p title="a hidden gem">quoll</p>', 'quoll', true],
    ['text after a hidden element without an end', '<input hidden> quoll', 'quoll', true],
    [
      'no element with a style that hides it',
      '<p style="color: red; display: none">platypus</p>',
      'platypus',
      false,
    ],
    [
      'no element with a short style that hides it',
      "<p style='DISPLAY:none'>platypus</p> quoll",
      'platypus',
      false,
    ],
    ['text after a hidden style', "<p style='display:none'>x</p> quoll", 'quoll', true],
    ['text with another style', '<p style="--display: none; display: block">quoll</p>', 'quoll', true],
    ['text that only screen readers leave out', '<p aria-hidden="true">quoll</p>', 'quoll', true],
    [
      'no fenced code in a hidden element',
      `<div hidden>\n\n${FENCE}\nplatypus\n${FENCE}\n\n</div>`,
      'platypus',
      false,
    ],
    [
      'text after a hidden element with code',
      `<div hidden>\n\n${FENCE}\nx\n${FENCE}\n\n</div>\n\nquoll`,
      'quoll',
      true,
    ],
    ['no fenced code in a comment', `<!--\n${FENCE}\nplatypus\n${FENCE}\n-->`, 'platypus', false],
    [
      'code with the tags of a hidden element',
      `${FENCE}\n<div hidden>\n${FENCE}\nquoll\n${FENCE}\n</div>\n${FENCE}`,
      'quoll',
      true,
    ],
    ['a script in code', 'Use `<script>` or `<!--` for a quoll. </script> -->', 'quoll', true],
    ['a comment in fenced code', `${FENCE}html\n<!-- quoll -->\n${FENCE}`, 'quoll', true],
    ['a ligature', 'The e\ufb03cient o\ufb03ce', 'efficient', true],
    ['letters by a ligature', 'The office', 'o\ufb03ce', true],
    ['full-width letters', 'The \uff31\uff55\uff4f\uff4c\uff4c\uff12', 'quoll2', true],
    ['half-width katakana', 'The \uff76\uff9e\uff72\uff84\uff9e', 'ガイド', true],
    ['katakana by half-width ones', 'ガイド', '\uff76\uff9e\uff72\uff84\uff9e', true],
    ['forms of Arabic letters', '\ufedb\ufe98\ufe8e\ufe8f', 'كتاب', true],
    ['Arabic letters by their forms', 'كتاب', '\ufedb\ufe98\ufe8e\ufe8f', true],
    ['letters by full-width ones', 'The quolls', '\uff51\uff55\uff4f\uff4c\uff4c', true],
  ])('%s', async (_, body, word, isFound) => {
    const services = await createServices(
      createMemoryDriver({ 'article/a.md': `---\ntitle: T\n---\n${body}\n` }),
    );
    const response = await fetchFrom(
      createHandler(services),
      `/jsonapi/node/article?filter[fulltext]=${encodeURIComponent(word)}`,
    );
    expect(JSON.parse(await response.text()).data).toHaveLength(isFound ? 1 : 0);
  });
});

test.each([
  ['a tag without an end', `<a${'-'.repeat(400_000)} hidden`],
  ['hidden elements without an end', '<div hidden>'.repeat(30_000)],
  ['comments without an end', '<!--'.repeat(100_000)],
  ['styles', `<div style="${' display :'.repeat(50_000)}"></div><b hidden>`.repeat(2)],
  ['attributes', `<div${' a=b'.repeat(100_000)} hidde></div><b hidden>`],
])('the words of a long text with %s are read in linear time', async (_, text) => {
  const entity = { body: createBody(text), values: {} } as unknown as Parameters<typeof searchableText>[0];
  const field = { name: 'body', definition: { kind: 'formatted_text' } } as Parameters<
    typeof searchableText
  >[1];
  expect(await cpuTime(() => searchableText(entity, field))).toBeLessThan(2_000);
});
