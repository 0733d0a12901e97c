import { describe, expect, it } from 'vitest';
import {
  cardIn,
  cardMarkup,
  isCardAddress,
  type LinkCard,
  type Media,
  mediaIn,
  mediaMarkup,
} from '../../../admin/src/body-editor/media.ts';

const CARD: LinkCard = {
  kind: 'card',
  address: 'https://example.org/tides?a=1',
  title: 'The tides',
  description: 'When the sea comes and goes.',
  picture: './tide.jpg',
};

describe('the markup of a video', () => {
  it('loads nothing before it is played if it has a poster', () => {
    expect(mediaMarkup({ kind: 'video', src: './a.mp4', poster: './a.jpg', label: 'Waves' })).toBe(
      '<video src="./a.mp4" poster="./a.jpg" controls preload="none" aria-label="Waves"></video>',
    );
    expect(mediaMarkup({ kind: 'audio', src: './a.mp3', poster: '', label: 'Gulls' })).toBe(
      '<audio src="./a.mp3" controls preload="metadata" aria-label="Gulls"></audio>',
    );
  });

  it('has no attributes from a name or a description', () => {
    const label = '"><script>alert(1)</script>\n onerror=x & "';
    expect(mediaMarkup({ kind: 'video', src: 'a" onerror="x.mp4', poster: '', label })).toBe(
      '<video src="a&#34; onerror=&#34;x.mp4" controls preload="metadata" aria-label="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62; onerror=x &#38; &#34;"></video>',
    );
  });
});

describe('the video or sound of a line', () => {
  it.each<Media>([
    { kind: 'video', src: './a.mp4', poster: './a & "b".jpg', label: 'Waves <at> the "pier"' },
    { kind: 'audio', src: '../my tide.mp3', poster: '', label: '' },
  ])('is read again: %j', (media) => {
    expect(mediaIn(mediaMarkup(media))).toEqual(media);
  });

  it('has its file in the first source too', () => {
    expect(mediaIn('<video controls><source src="a.webm"><source src="a.mp4"></video>')?.src).toBe('a.webm');
  });

  it.each([
    '<video src="a.mp4"></video> and text',
    '<video src="a.mp4"></video><video src="b.mp4"></video>',
    '<video src="a.mp4"></audio>',
    '<video controls></video>',
    '<video src="a.mp4></video>',
    '<img src="a.png">',
    'A <video src="a.mp4"></video>',
  ])('is not %s', (line) => {
    expect(mediaIn(line)).toBeUndefined();
  });
});

describe('a link card', () => {
  it('is a link with a picture, a bold title and a description', () => {
    expect(cardMarkup(CARD)).toBe(
      '[![](./tide.jpg) **The tides** When the sea comes and goes.](https://example.org/tides?a=1)',
    );
  });

  it.each<[string, Partial<LinkCard>]>([
    ['as it is', {}],
    ['with a title only', { description: '', picture: '' }],
    ['with marks of Markdown and code', { title: 'a*b_c`d [e](f) <g> {h}', description: '\\ ] ** ![x](y)' }],
    ['with spaces in addresses', { picture: './my tide (1).jpg', address: '/about us' }],
  ])('is read again %s', (_what, changes) => {
    const card = { ...CARD, ...changes };
    const markup = cardMarkup(card);
    expect(cardIn(markup)).toEqual(card);
  });

  it.each([
    '[**A** b](https://example.org) and more',
    '[Not bold](https://example.org)',
    '[![Described](a.png) **A**](https://example.org)',
    '**[A](https://example.org)**',
    '',
  ])('is not %j', (line) => {
    expect(cardIn(line)).toBeUndefined();
  });

  it.each([
    ['https://example.org/x', true],
    ['/about', true],
    ['//example.org', false],
    ['/\\example.org', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['https://', false],
    ['example.org', false],
    ['', false],
  ])('to %j: %j', (address, expected) => {
    expect(isCardAddress(address)).toBe(expected);
  });
});
