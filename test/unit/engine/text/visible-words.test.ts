import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const FENCE = '```';

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
